//! The reference's bits, for every instruction set with fused multiply-adds.

use numbers::scalar::{Real, c64};

use super::batch::{Batch, Place, det_batch, factor_batch, inverse_batch, solve_batch};
use super::{Random, all_bits, bits, for_all_types, orders, reference, same_real};
use crate::element::CpuScalar;
use crate::lanes::Isa;

for_all_types!(factors, few_exchanges, solutions, inverses, determinants);

/// Asserts that all four operations have the reference's results.
pub(super) fn assert_factors<S: CpuScalar>(matrices: &[Vec<S>], n: usize, place: Place) {
    let expected: Vec<_> = matrices.iter().map(|a| reference::factor(a, n)).collect();
    for isa in Isa::for_groups() {
        let mut a = Batch::<S>::of(place, matrices, n, n);
        let mut lu = Batch::<S>::new(place, matrices.len(), n, n);
        let (pivots, status) = factor_batch(isa, &mut a, Some(&mut lu));
        for (b, (lu, expected)) in lu.matrices().iter().zip(&expected).enumerate() {
            let what = format!("{isa:?}, n = {n}, matrix {b}, {place:?}");
            assert_eq!(pivots[b * n..(b + 1) * n], expected.pivots, "{what}");
            assert_eq!(status[b], expected.status, "{what}");
            assert_eq!(all_bits(lu), all_bits(&expected.lu), "{what}");
        }
    }
}

pub(super) fn assert_solutions<S: CpuScalar>(matrices: &[Vec<S>], sides: &[Vec<S>], n: usize, place: Place) {
    let expected: Vec<_> = matrices.iter().zip(sides).map(|(a, b)| reference::solve(a, b, n)).collect();
    let rhs = sides[0].len() / n;
    for isa in Isa::for_groups() {
        let (mut a, mut b) = (Batch::<S>::of(place, matrices, n, n), Batch::<S>::of(place, sides, n, rhs));
        let mut x = Batch::<S>::new(place, matrices.len(), n, rhs);
        let status = solve_batch(isa, &mut a, &mut b, Some(&mut x));
        for (b, (x, expected)) in x.matrices().iter().zip(&expected).enumerate() {
            let what = format!("{isa:?}, n = {n}, {rhs} sides, matrix {b}, {place:?}");
            assert_eq!(status[b], expected.1, "{what}");
            assert_eq!(all_bits(x), all_bits(&expected.0), "{what}");
        }
    }
}

pub(super) fn assert_inverses<S: CpuScalar>(matrices: &[Vec<S>], n: usize, place: Place) {
    let expected: Vec<_> = matrices.iter().map(|a| reference::inverse(a, n)).collect();
    for isa in Isa::for_groups() {
        let mut a = Batch::<S>::of(place, matrices, n, n);
        let mut out = Batch::<S>::new(place, matrices.len(), n, n);
        let status = inverse_batch(isa, &mut a, Some(&mut out));
        for (b, (x, expected)) in out.matrices().iter().zip(&expected).enumerate() {
            let what = format!("{isa:?}, n = {n}, matrix {b}, {place:?}");
            assert_eq!(status[b], expected.1, "{what}");
            assert_eq!(all_bits(x), all_bits(&expected.0), "{what}");
        }
    }
}

pub(super) fn assert_determinants<S: CpuScalar>(matrices: &[Vec<S>], n: usize, place: Place) {
    for isa in Isa::for_groups() {
        let det = det_batch(isa, &mut Batch::<S>::of(place, matrices, n, n));
        for (b, a) in matrices.iter().enumerate() {
            let what = format!("{isa:?}, n = {n}, matrix {b}, {place:?}");
            let (expected, status) = reference::det(a, n);
            assert_eq!(det.status[b], status, "{what}");
            for (x, expected) in [(det.values[b], expected.value()), (det.phase[b], expected.phase())] {
                // The sign of a zero has no meaning.
                assert_eq!(bits(x + S::ZERO), bits(S::from_c64(expected) + S::ZERO), "{what}");
            }
            assert!(same_real(det.log_abs[b], Real::from_f64(expected.log_abs())), "{what}");
        }
    }
}

fn factors<S: CpuScalar>() {
    let mut random = Random(1);
    for (n, count) in orders() {
        let matrices = random.matrices(count, n, n);
        assert_factors::<S>(&matrices, n, Place::Columns);
        assert_factors::<S>(&matrices[..5], n, Place::Rows);
        assert_factors::<S>(&matrices[..5], n, Place::ColumnGaps(3));
    }
}

/// Rows stay where they are, all of them or from some on or up to some.
fn few_exchanges<S: CpuScalar>() {
    let mut random = Random(5);
    for n in [5, 12, 33, 70] {
        for exchanged in [0..0, 0..3, n / 2..n, n - 3..n] {
            let mut matrices = random.matrices::<S>(9, n, n);
            for a in &mut matrices {
                for k in (0..n).filter(|k| !exchanged.contains(k)) {
                    a[k * n + k] = S::from_c64(c64::new(64.0 * n as f64, 0.0));
                }
            }
            assert_factors::<S>(&matrices, n, Place::Columns);
            assert_inverses::<S>(&matrices, n, Place::Rows);
        }
    }
}

fn solutions<S: CpuScalar>() {
    let mut random = Random(2);
    for (n, count) in orders() {
        let matrices = random.matrices(count, n, n);
        assert_solutions::<S>(&matrices, &random.matrices(count, n, 1), n, Place::Columns);
        assert_solutions::<S>(&matrices[..5], &random.matrices(5, n, 3), n, Place::Rows);
    }
    // More sides than are solved for together.
    for (n, rhs) in [(3, 17), (9, 16), (9, 35), (33, 18)] {
        for place in [Place::Columns, Place::Rows] {
            assert_solutions::<S>(&random.matrices(9, n, n), &random.matrices(9, n, rhs), n, place);
        }
    }
}

fn inverses<S: CpuScalar>() {
    let mut random = Random(3);
    for (n, count) in orders() {
        let matrices = random.matrices(count, n, n);
        assert_inverses::<S>(&matrices, n, Place::Columns);
        assert_inverses::<S>(&matrices[..5], n, Place::Rows);
    }
}

fn determinants<S: CpuScalar>() {
    let mut random = Random(4);
    for (n, count) in orders() {
        assert_determinants::<S>(&random.matrices(count, n, n), n, Place::Columns);
    }
}
