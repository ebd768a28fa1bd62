//! Matrices that cannot be used, in single lanes: their statuses, and that their neighbours never notice.

use numbers::scalar::{Scalar, ScalarKind, c64};
use numbers::status::side_not_finite;

use super::batch::{Batch, Determinants, Place, det_batch, factor_batch, inverse_batch, solve_batch};
use super::bits::{assert_determinants, assert_factors, assert_inverses, assert_solutions};
use super::{Random, all_bits, for_all_types, huge, is_nan, modulus, real, reference, tiny};
use crate::element::CpuScalar;
use crate::lanes::{Isa, LaneScalar};

for_all_types!(bad_lanes, statuses, ties, subnormal_and_huge_pivots, results_that_overflow);

/// Spoils a matrix in one of the ways that there are.
fn spoil<S: LaneScalar>(a: &mut [S], n: usize, way: usize) {
    let middle = n / 2;
    match way {
        0 => a.fill(S::ZERO),
        1 => a[middle * n..(middle + 1) * n].fill(S::ZERO),
        2 => a[n * n / 2] = S::NAN,
        3 => a[n * n / 2] = real(f64::INFINITY),
        4 => a.iter_mut().for_each(|x| *x = *x * real(tiny::<S>() * 1e3)),
        5 => a.iter_mut().for_each(|x| *x = *x * real(huge::<S>())),
        6 => a.fill(S::ONE),
        7 => a.fill(S::NAN),
        8 => a[0] = real(f64::NEG_INFINITY),
        // A column of NaN and zeros, and zeros that have a sign.
        _ => {
            a[middle * n..(middle + 1) * n].fill(-S::ZERO);
            a[(middle + 1) * n - 1] = S::NAN;
        }
    }
}

fn bad_lanes<S: CpuScalar>() {
    let mut random = Random(1);
    for n in [1, 2, 3, 4, 5, 6, 8, 9, 13, 16, 33] {
        for place in [Place::Columns, Place::Rows] {
            let mut matrices = random.matrices::<S>(21, n, n);
            for way in 0..10 {
                spoil(&mut matrices[way * 2 % 21], n, way);
            }
            assert_factors(&matrices, n, place);
            assert_solutions(&matrices, &random.matrices(21, n, 2), n, place);
            assert_inverses(&matrices, n, place);
            assert_determinants(&matrices, n, place);
        }
    }
}

/// What the statuses are, without the reference.
fn statuses<S: CpuScalar>() {
    for isa in Isa::for_groups() {
        for n in [1, 2, 4, 5, 11, 32] {
            let mut random = Random(n as u64);
            let mut matrices = random.matrices::<S>(6, n, n);
            for way in [0, 1, 2, 3] {
                spoil(&mut matrices[way + 1], n, way);
            }
            let column = n as i32 / 2 + 1;
            let expected = [0, 1, column, -1, -1, 0];
            let a = || Batch::<S>::of(Place::Columns, &matrices, n, n);
            let sides = random.matrices(6, n, 1);
            assert_eq!(factor_batch(isa, &mut a(), None).1, expected);
            let mut b = Batch::<S>::of(Place::Columns, &sides, n, 1);
            assert_eq!(solve_batch(isa, &mut a(), &mut b, None), expected);
            let mut inverses = a();
            assert_eq!(inverse_batch(isa, &mut inverses, None), expected);
            for (x, status) in b.matrices().iter().zip(expected).chain(inverses.matrices().iter().zip(expected)) {
                assert!(x.iter().all(|&x| if status == 0 { x.is_finite() } else { is_nan(x) }), "{isa:?}, n = {n}");
            }
            let Determinants { values, phase, log_abs, status } = det_batch(isa, &mut a());
            assert_eq!(status, expected);
            for b in 0..6 {
                match expected[b] {
                    0 => assert!(log_abs[b].is_finite() && (modulus(phase[b].to_c64()) - 1.0).abs() < 1e-6),
                    -1 => assert!(is_nan(values[b]) && is_nan(phase[b]) && is_nan(log_abs[b])),
                    _ => assert!(values[b] == S::ZERO && phase[b] == S::ZERO && log_abs[b] == real(f64::NEG_INFINITY)),
                }
            }
        }
    }
}

/// The first of the largest is the pivot.
fn ties<S: CpuScalar>() {
    let complex = matches!(S::KIND, ScalarKind::C32 | ScalarKind::C64);
    // As large as 1 by |re| + |im|.
    let split = S::from_c64(if complex { c64::new(0.5, -0.5) } else { c64::new(-1.0, 0.0) });
    let mut random = Random(1);
    for n in [2, 3, 4, 5, 8, 12, 17] {
        let matrices: Vec<Vec<S>> = (0..9)
            .map(|w| {
                // Entries of few values, so that ties abound.
                let mut a: Vec<S> = (0..n * n).map(|_| [S::ONE, split, S::ZERO][random.bits() as usize % 3]).collect();
                a[0] = if w == 0 { S::ZERO } else { a[0] };
                a
            })
            .collect();
        assert_factors(&matrices, n, Place::Columns);
        for isa in Isa::for_groups() {
            let column = [S::ZERO, split, S::ONE, -S::ONE];
            let a: Vec<S> = (0..n * n).map(|e| if e < n { column[e % 4] } else { real((e % 7) as f64) }).collect();
            let pivots = factor_batch(isa, &mut Batch::<S>::of(Place::Columns, &[a], n, n), None).0;
            assert_eq!(pivots[0], 1, "{isa:?}, n = {n}");
        }
    }
}

fn subnormal_and_huge_pivots<S: CpuScalar>() {
    for n in [1, 2, 4, 7, 9, 24] {
        for x in [tiny::<S>() * 2.0, huge::<S>()] {
            // The reciprocals of this diagonal overflow or are subnormal; quotients are powers of two.
            let a: Vec<S> = (0..n * n)
                .map(|e| match (e % n, e / n) {
                    (i, j) if i == j => real(x),
                    (_, 0) => real(x / 2.0),
                    _ => S::ZERO,
                })
                .collect();
            for isa in Isa::for_groups() {
                let mut lu = Batch::<S>::of(Place::Columns, std::slice::from_ref(&a), n, n);
                let (_, status) = factor_batch(isa, &mut lu, None);
                let lu = lu.matrices().remove(0);
                assert_eq!(status, [0]);
                for e in 0..n * n {
                    let expected = if e % n > 0 && e / n == 0 { real(0.5) } else { a[e] };
                    assert_eq!(lu[e], expected, "{isa:?}, n = {n}, {x:e}");
                }
                let b: Vec<S> = vec![real(x); n];
                let mut sides = Batch::<S>::of(Place::Columns, &[b], n, 1);
                assert_eq!(
                    solve_batch(isa, &mut Batch::of(Place::Columns, std::slice::from_ref(&a), n, n), &mut sides, None),
                    [0]
                );
                let expected: Vec<S> = (0..n).map(|i| real(if i == 0 { 1.0 } else { 0.5 })).collect();
                assert_eq!(sides.matrices()[0], expected, "{isa:?}, n = {n}, {x:e}");
            }
        }
    }
}

/// Solutions and inverses that are not finite although the factors are: they are NaN, with a status that says so, a
/// solution for itself.
fn results_that_overflow<S: CpuScalar>() {
    for n in [1, 3, 5, 20] {
        let identity =
            |x: f64| -> Vec<S> { (0..n * n).map(|e| if e % n == e / n { real(x) } else { S::ZERO }).collect() };
        let matrices = [identity(1.0), identity(tiny::<S>()), identity(1.0), identity(2.0)];
        let rhs = 18;
        let mut sides = vec![vec![S::ONE; n * rhs]; 4];
        sides[2][n * rhs - 1] = S::NAN;
        for isa in Isa::for_groups() {
            let a = || Batch::<S>::of(Place::Columns, &matrices, n, n);
            let mut x = Batch::<S>::of(Place::Rows, &sides, n, rhs);
            let statuses = [0, side_not_finite(0), side_not_finite(rhs as u32 - 1), 0];
            assert_eq!(solve_batch(isa, &mut a(), &mut x, None), statuses);
            let x = x.matrices();
            for (x, (a, b)) in x.iter().zip(matrices.iter().zip(&sides)) {
                assert_eq!(all_bits(x), all_bits(&reference::solve(a, b, n).0));
            }
            assert!(x[1].iter().chain(&x[2][n * (rhs - 1)..]).all(|&x| is_nan(x)));
            assert_eq!(x[2][..n * (rhs - 1)], vec![S::ONE; n * (rhs - 1)]);
            assert_eq!(x[3], vec![real(0.5); n * rhs]);
            let mut inverse = a();
            assert_eq!(inverse_batch(isa, &mut inverse, None), [0, -1, 0, 0]);
            assert!(inverse.matrices()[1].iter().all(|&x| is_nan(x)));
            assert_eq!(factor_batch(isa, &mut a(), None).1, [0; 4]);
        }
    }
}
