//! Any strides, remainders and storage types; outputs in the place of inputs.

use half::{bf16, f16};
use numbers::matrix::Matrices;
use numbers::scalar::{Real, Scalar, c32, c64};
use simt::global::Global;

use super::batch::{Batch, PLACES, Place, det_batch, factor_batch, inverse_batch, solve_batch};
use super::bits::{assert_determinants, assert_factors, assert_inverses, assert_solutions};
use super::{Random, all_bits, reference};
use crate::element::CpuScalar;
use crate::element::Element;
use crate::lanes::{Isa, Workspace};

fn check<S: CpuScalar>(n: usize, count: usize, rhs: usize, place: Place, seed: u64) {
    let mut random = Random(seed);
    let matrices = random.matrices::<S>(count, n, n);
    assert_factors(&matrices, n, place);
    assert_solutions(&matrices, &random.matrices(count, n, rhs), n, place);
    assert_inverses(&matrices, n, place);
    assert_determinants(&matrices, n, place);
}

#[test]
fn of_any_strides_and_remainders() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let mut below = |most: u64| (random.bits() % most) as usize;
        let (n, count, rhs, gap) = (1 + below(19), 1 + below(19), 1 + below(5), 1 + below(8));
        let places = [Place::ColumnGaps(gap), Place::RowGaps(gap), Place::Sparse(gap.min(3))];
        let place = [&PLACES[..], &places].concat()[below(12)];
        match seed % 4 {
            0 => check::<f32>(n, count, rhs, place, seed),
            1 => check::<f64>(n, count, rhs, place, seed),
            2 => check::<c32>(n, count, rhs, place, seed),
            _ => check::<c64>(n, count, rhs, place, seed),
        }
    }
}

/// Inputs in one place, outputs in another, and in place.
#[test]
fn outputs_lie_anywhere() {
    let mut random = Random(1);
    for n in [1, 2, 3, 4, 5, 7, 8, 12, 33] {
        let matrices = random.matrices::<f64>(7, n, n);
        let sides = random.matrices::<f64>(7, n, 3);
        for isa in Isa::for_groups() {
            for (p, from) in PLACES.into_iter().enumerate() {
                let to = PLACES[(p * 5 + 3) % PLACES.len()];
                let a = || Batch::<f64>::of(from, &matrices, n, n);
                let (mut lu, mut x, mut inverse) =
                    (Batch::<f64>::new(to, 7, n, n), Batch::<f64>::new(to, 7, n, 3), Batch::<f64>::new(to, 7, n, n));
                factor_batch(isa, &mut a(), Some(&mut lu));
                solve_batch(isa, &mut a(), &mut Batch::of(from, &sides, n, 3), Some(&mut x));
                inverse_batch(isa, &mut a(), Some(&mut inverse));
                let (mut lu_here, mut x_here, mut inverse_here) = (a(), Batch::<f64>::of(from, &sides, n, 3), a());
                factor_batch(isa, &mut lu_here, None);
                solve_batch(isa, &mut a(), &mut x_here, None);
                inverse_batch(isa, &mut inverse_here, None);
                for w in 0..7 {
                    let what = format!("{isa:?}, n = {n}, {from:?} to {to:?}");
                    let expected = all_bits(&reference::factor(&matrices[w], n).lu);
                    assert_eq!(all_bits(&lu.matrices()[w]), expected, "{what}");
                    assert_eq!(all_bits(&lu_here.matrices()[w]), expected, "{what}");
                    let expected = all_bits(&reference::solve(&matrices[w], &sides[w], n).0);
                    assert_eq!(all_bits(&x.matrices()[w]), expected, "{what}");
                    assert_eq!(all_bits(&x_here.matrices()[w]), expected, "{what}");
                    let expected = all_bits(&reference::inverse(&matrices[w], n).0);
                    assert_eq!(all_bits(&inverse.matrices()[w]), expected, "{what}");
                    assert_eq!(all_bits(&inverse_here.matrices()[w]), expected, "{what}");
                }
            }
        }
    }
}

/// Widened, worked on in f32, and narrowed.
fn stored_in_16_bits<E: Element<Scalar = f32>>() {
    let mut random = Random(2);
    for n in [1, 2, 4, 5, 9, 17, 40] {
        let round = |matrices: Vec<Vec<f32>>| -> Vec<Vec<f32>> {
            matrices.iter().map(|a| a.iter().map(|&x| E::narrow(x).widen()).collect()).collect()
        };
        let (matrices, sides) = (round(random.matrices(13, n, n)), round(random.matrices(13, n, 2)));
        let narrowed = |x: &[f32]| -> Vec<f32> { x.iter().map(|&x| E::narrow(x).widen()).collect() };
        for isa in Isa::for_groups() {
            for place in [Place::Columns, Place::Rows, Place::Sparse(1)] {
                let a = || Batch::<E>::of(place, &matrices, n, n);
                let (mut lu, mut x) = (Batch::<f32>::new(place, 13, n, n), Batch::<E>::of(place, &sides, n, 2));
                let mut inverse = a();
                factor_batch(isa, &mut a(), Some(&mut lu));
                solve_batch(isa, &mut a(), &mut x, None);
                inverse_batch(isa, &mut inverse, None);
                let determinants = det_batch(isa, &mut a());
                for w in 0..13 {
                    let a = &matrices[w];
                    assert_eq!(all_bits(&lu.matrices()[w]), all_bits(&reference::factor(a, n).lu));
                    let expected = narrowed(&reference::solve(a, &sides[w], n).0);
                    assert_eq!(all_bits(&x.matrices()[w]), all_bits(&expected));
                    let expected = narrowed(&reference::inverse(a, n).0);
                    assert_eq!(all_bits(&inverse.matrices()[w]), all_bits(&expected));
                    let product = reference::det(a, n).0;
                    assert_eq!(determinants.values[w], f32::from_c64(product.value()));
                    assert_eq!(determinants.log_abs[w], Real::from_f64(product.log_abs()));
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

#[test]
fn order_zero_and_no_sides() {
    for isa in Isa::for_groups() {
        let mut a = Batch::<f64>::new(Place::Columns, 3, 0, 0);
        assert_eq!(factor_batch(isa, &mut a, None), (vec![], vec![0; 3]));
        assert_eq!(inverse_batch(isa, &mut a, None), [0; 3]);
        let det = det_batch(isa, &mut a);
        assert_eq!((det.values, det.phase, det.log_abs), (vec![1.0; 3], vec![1.0; 3], vec![0.0; 3]));
        assert_eq!(det.status, [0; 3]);
        for n in [3, 6] {
            let mut a = Batch::<f64>::of(Place::Columns, &Random(1).matrices(3, n, n), n, n);
            let mut b = Batch::<f64>::new(Place::Columns, 3, n, 0);
            assert_eq!(solve_batch(isa, &mut a, &mut b, None), [0; 3]);
        }
    }
}

#[test]
fn a_workspace_without_memory_is_an_error() {
    for isa in Isa::for_groups() {
        // One matrix and its right-hand sides are copied once, not once a lane.
        let workspace = Workspace::new::<f16>(isa, 128, 20_000, 1).unwrap();
        assert!(size_of_val(&*workspace.copies) <= 4 * 128 * (20_000 + 128));
        assert!(Workspace::new::<f64>(isa, 1 << 40, 1, 1 << 20).is_err());
        assert!(Workspace::new::<c64>(isa, usize::MAX, 0, 1 << 20).is_err());
        assert!(Workspace::new::<f16>(isa, 1 << 10, 1 << 60, 1 << 20).is_err());
    }
}

#[test]
#[should_panic(expected = "made for smaller matrices")]
fn a_workspace_that_is_too_small_is_refused() {
    let isa = Isa::detect();
    let mut workspace = Workspace::new::<f64>(isa, 8, 1, 1 << 20).unwrap();
    // SAFETY: it panics before it reads anything.
    unsafe {
        let (base, pointers) = (Global::<f64>::new(8), Global::new(0));
        let a = Matrices { base, pointers, batch_stride: 81, row_stride: 1, col_stride: 9 };
        crate::lanes::inverse(isa, &mut workspace, a, a, 9, &mut [0]);
    }
}

#[test]
fn a_scalar_is_its_parts() {
    assert_eq!(size_of::<c32>(), 2 * size_of::<<c32 as Scalar>::Real>());
    assert_eq!(align_of::<c64>(), align_of::<f64>());
}
