//! Solutions and inverses from factors: the reference's bits, which are those of solutions and inverses of matrices,
//! for every instruction set with fused multiply-adds; what LAPACK demands, for all.

use half::{bf16, f16};
use numbers::scalar::{Scalar, c32, c64};
use numbers::status::NON_FINITE;

use super::batch::{Batch, PLACES, Place, factor_batch, inverse_factored_batch, solve_factored_batch};
use super::reference::{self, Factors};
use super::{Random, all_bits, for_all_types, is_nan, modulus, orders, roundoff};
use crate::element::CpuScalar;
use crate::element::Element;
use crate::lanes::Isa;
use numbers::op::Op;

for_all_types!(of_all_orders, bad_lanes, of_any_pivots, residuals_are_small);

const OPS: [Op; 3] = [Op::None, Op::Transpose, Op::Adjoint];

/// Factors of random matrices.
fn factors<S: Scalar>(random: &mut Random, count: usize, n: usize) -> Vec<Factors<S>> {
    random.matrices(count, n, n).iter().map(|a| reference::factor(a, n)).collect()
}

/// Asserts that solutions and inverses have the reference's results, with factors in one place and the rest in another.
fn check<S: CpuScalar>(factors: &[Factors<S>], sides: &[Vec<S>], n: usize, (from, to): (Place, Place)) {
    let (count, rhs) = (factors.len(), sides[0].len() / n);
    let pivots: Vec<u32> = factors.iter().flat_map(|factors| factors.pivots.clone()).collect();
    let before: Vec<i32> = factors.iter().map(|factors| factors.status).collect();
    let lu: Vec<Vec<S>> = factors.iter().map(|factors| factors.lu.clone()).collect();
    let inverses: Vec<_> = factors.iter().map(|factors| reference::inverse_factored(factors, n)).collect();
    for isa in Isa::for_groups() {
        let what = format!("{isa:?}, n = {n}, {count} matrices, {rhs} sides, {from:?} to {to:?}");
        let mut lu = Batch::<S>::of(from, &lu, n, n);
        for op in OPS {
            let (mut b, mut x) = (Batch::<S>::of(from, sides, n, rhs), Batch::<S>::new(to, count, n, rhs));
            let status = solve_factored_batch(isa, &mut lu, &pivots, op, &mut b, Some(&mut x), &before);
            let mut here = Batch::<S>::of(to, sides, n, rhs);
            let status_here = solve_factored_batch(isa, &mut lu, &pivots, op, &mut here, None, &before);
            assert_eq!(status, status_here, "{what}, {op:?}");
            for (w, (x, here)) in x.matrices().iter().zip(here.matrices()).enumerate() {
                let expected = reference::solve_factored(&factors[w], op, &sides[w], n);
                assert_eq!(status[w], expected.1, "{what}, {op:?}, matrix {w}");
                assert_eq!(all_bits(x), all_bits(&expected.0), "{what}, {op:?}, matrix {w}");
                assert_eq!(all_bits(&here), all_bits(&expected.0), "{what}, {op:?}, matrix {w}, in place");
            }
        }
        let mut out = Batch::<S>::new(to, count, n, n);
        let status = inverse_factored_batch(isa, &mut lu, &pivots, &mut out, &before);
        for (w, (x, expected)) in out.matrices().iter().zip(&inverses).enumerate() {
            assert_eq!(status[w], expected.1, "{what}, matrix {w}");
            assert_eq!(all_bits(x), all_bits(&expected.0), "{what}, matrix {w}");
        }
    }
}

fn of_all_orders<S: CpuScalar>() {
    let mut random = Random(1);
    for (n, count) in orders() {
        let factors = factors::<S>(&mut random, count, n);
        check(&factors, &random.matrices(count, n, 1), n, (Place::Columns, Place::Columns));
        check(&factors[..6], &random.matrices(6, n, 3), n, (Place::Rows, Place::Columns));
    }
    // More sides than are solved for together.
    for (n, rhs) in [(3, 17), (4, 4), (9, 16), (9, 35), (33, 18)] {
        let factors = factors::<S>(&mut random, 9, n);
        check(&factors, &random.matrices(9, n, rhs), n, (Place::Columns, Place::Rows));
    }
}

/// Factors that cannot be used and right-hand sides that are not finite, in single lanes.
fn bad_lanes<S: CpuScalar>() {
    let mut random = Random(2);
    for n in [1, 2, 3, 4, 5, 8, 13, 33] {
        let (mut factors, mut sides) = (factors::<S>(&mut random, 21, n), random.matrices::<S>(21, n, 2));
        for (w, status) in [(1, 1), (4, NON_FINITE), (9, n as i32), (20, NON_FINITE)] {
            factors[w].status = status;
            let element = if status > 0 { (status - 1) as usize * (n + 1) } else { n * n / 2 };
            factors[w].lu[element] = if status > 0 { S::ZERO } else { S::NAN };
        }
        sides[2][n - 1] = S::NAN;
        sides[10][n] = S::from_c64(c64::new(f64::INFINITY, 0.0));
        check(&factors, &sides, n, (Place::Columns, Place::Rows));
        check(&factors[..2], &sides[..2], n, (Place::Columns, Place::Columns));
    }
}

/// Rows exchanged with rows above, too, as no factorization of ours does.
fn of_any_pivots<S: CpuScalar>() {
    let mut random = Random(3);
    for n in 1..10 {
        let mut factors = factors::<S>(&mut random, 17, n);
        for factors in &mut factors {
            factors.pivots.iter_mut().for_each(|pivot| *pivot = (random.bits() % n as u64) as u32);
        }
        check(&factors, &random.matrices(17, n, 2), n, (Place::Columns, Place::Columns));
    }
}

#[test]
fn of_any_strides_and_remainders() {
    fn check_random<S: CpuScalar>(random: &mut Random) {
        let mut below = |most: u64| (random.bits() % most) as usize;
        let (n, count, rhs, gap) = (1 + below(19), 1 + below(37), 1 + below(5), 1 + below(8));
        let places = [&PLACES[..], &[Place::ColumnGaps(gap), Place::RowGaps(gap)]].concat();
        let places = (places[below(10)], places[below(10)]);
        let factors = factors::<S>(random, count, n);
        check(&factors, &random.matrices(count, n, rhs), n, places);
    }
    for seed in 0..100 {
        let random = &mut Random(seed);
        match seed % 4 {
            0 => check_random::<f32>(random),
            1 => check_random::<f64>(random),
            2 => check_random::<c32>(random),
            _ => check_random::<c64>(random),
        }
    }
}

/// Right-hand sides and results in 16 bits, factors in f32.
fn stored_in_16_bits<E: Element<Scalar = f32>>() {
    let narrowed = |x: &[f32]| -> Vec<f32> { x.iter().map(|&x| E::narrow(x).widen()).collect() };
    let mut random = Random(4);
    for n in [1, 2, 4, 5, 9, 17, 40] {
        let factors = factors::<f32>(&mut random, 18, n);
        let sides: Vec<Vec<f32>> = random.matrices(18, n, 2).iter().map(|b| narrowed(b)).collect();
        let lu: Vec<Vec<f32>> = factors.iter().map(|factors| factors.lu.clone()).collect();
        let pivots: Vec<u32> = factors.iter().flat_map(|factors| factors.pivots.clone()).collect();
        for isa in Isa::for_groups() {
            let mut lu = Batch::<f32>::of(Place::Rows, &lu, n, n);
            let mut inverse = Batch::<E>::new(Place::Columns, 18, n, n);
            inverse_factored_batch(isa, &mut lu, &pivots, &mut inverse, &[0; 18]);
            for (x, factors) in inverse.matrices().iter().zip(&factors) {
                assert_eq!(all_bits(x), all_bits(&narrowed(&reference::inverse_factored(factors, n).0)));
            }
            for op in OPS {
                let mut x = Batch::<E>::of(Place::Columns, &sides, n, 2);
                solve_factored_batch(isa, &mut lu, &pivots, op, &mut x, None, &[0; 18]);
                for (w, x) in x.matrices().iter().enumerate() {
                    let expected = reference::solve_factored(&factors[w], op, &sides[w], n).0;
                    assert_eq!(all_bits(x), all_bits(&narrowed(&expected)));
                }
            }
        }
    }
}

#[test]
fn stored_as_f16() {
    stored_in_16_bits::<f16>();
}

#[test]
fn stored_as_bf16() {
    stored_in_16_bits::<bf16>();
}

/// `||op(A) x - b|| / (||A|| ||x|| u)` in the 1-norm (`xGET02`), also without fused multiply-adds.
fn residuals_are_small<S: CpuScalar>() {
    let mut random = Random(5);
    for n in [1, 2, 3, 4, 5, 7, 16, 33, 64] {
        let (matrices, sides) = (random.matrices::<S>(9, n, n), random.matrices::<S>(9, n, 1));
        for isa in Isa::for_groups() {
            let mut lu = Batch::<S>::of(Place::Columns, &matrices, n, n);
            let (pivots, status) = factor_batch(isa, &mut lu, None);
            for op in OPS {
                let mut x = Batch::<S>::of(Place::Columns, &sides, n, 1);
                assert_eq!(solve_factored_batch(isa, &mut lu, &pivots, op, &mut x, None, &status), [0; 9]);
                for (w, x) in x.matrices().iter().enumerate() {
                    let element = |i: usize, j: usize| match op {
                        Op::None => matrices[w][j * n + i].to_c64(),
                        Op::Transpose => matrices[w][i * n + j].to_c64(),
                        Op::Adjoint => matrices[w][i * n + j].to_c64().conj(),
                    };
                    let residual: f64 = (0..n)
                        .map(|i| {
                            let product: c64 = (0..n).map(|j| element(i, j) * x[j].to_c64()).sum();
                            modulus(product - sides[w][i].to_c64())
                        })
                        .sum();
                    let column = |j: usize| -> f64 { (0..n).map(|i| modulus(element(i, j))).sum() };
                    let norm = (0..n).map(column).fold(0.0, f64::max);
                    let size: f64 = x.iter().map(|&x| modulus(x.to_c64())).sum();
                    let ratio = residual / (norm * size * roundoff::<S>());
                    assert!(ratio < 30.0, "{isa:?}, n = {n}, {op:?}: {ratio}");
                }
            }
            let mut nothing = Batch::<S>::new(Place::Columns, 9, n, n);
            let bad = inverse_factored_batch(isa, &mut lu, &pivots, &mut nothing, &[3; 9]);
            assert_eq!(bad, [3; 9]);
            assert!(nothing.matrices().iter().flatten().all(|&x| is_nan(x)));
        }
    }
}
