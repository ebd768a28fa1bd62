//! Inversion of Hermitian matrices by bordering, a column at a time.

use papers::Published;
use warplu::verify::ratios;
use warplu::{Algorithm, Device, Element, Scalar, Status};
use warplu_tests::compare::assert_same;
use warplu_tests::for_types;

use crate::stored::{ORDERS, Stored, all_nan, assert_hermitian, make_dominant, numbers, real, upper_triangles};

for_types! { inverts: f32 f64 c32 c64 }
for_types! { failures_stay_alone: f32 f64 c32 c64 }

/// From and to column-major memory.
const LAYOUTS: [(bool, bool); 4] = [(false, false), (true, true), (false, true), (true, false)];

/// The inverses, with borders of so many columns, and the statuses of a batch in C order; where the layouts are the same,
/// in the place of the matrices, too.
pub(crate) fn inverted<T: Element<Scalar = T> + Scalar>(
    a: &[T],
    n: usize,
    block: u32,
    (from, to): (bool, bool),
    seed: u64,
) -> (Vec<T>, Vec<Status>) {
    let device = Device::sim_with_seed(seed).with(Algorithm::from(Published::Bordering { block: Some(block) }));
    let (mut a, mut inverse) = (Stored::new(a, n, n, from), Stored::new(a, n, n, to));
    let status = device.invert_into(&a.view(), &mut inverse.view_mut()).unwrap();
    if from == to {
        assert_eq!(device.invert_in_place(&mut a.view_mut()).unwrap(), status);
        assert_same("in place", &a.get(), &inverse.get());
    }
    (inverse.get(), status.to_vec())
}

/// Inverts matrices that the upper triangles of `a` stand for, and compares.
pub(crate) fn check<T: Element<Scalar = T> + Scalar>(a: &[T], n: usize, block: u32, layouts: (bool, bool), limit: f64) {
    let (upper, full) = upper_triangles(a, n);
    let (x, status) = inverted(&upper, n, block, layouts, n as u64);
    assert!(status.iter().all(|status| status.is_ok()), "n = {n}, block = {block}: {status:?}");
    assert_hermitian(&x, n);
    let (full, x) = (Stored::new(&full, n, n, false), Stored::new(&x, n, n, false));
    for m in 0..status.len() {
        let ratio = ratios::inverse(&full.view(), &x.view(), m);
        assert!(ratio.norm < limit, "n = {n}, block = {block}: {ratio:?}");
    }
}

fn inverts<T: Element<Scalar = T> + Scalar>() {
    for (turn, n) in ORDERS.into_iter().enumerate() {
        let batch = if n < 32 { 3 } else { 1 };
        let mut a = numbers::<T>(n as u64, batch * n * n);
        make_dominant(&mut a, n);
        check(&a, n, 1, LAYOUTS[turn % 4], 30.0);
    }
}

fn failures_stay_alone<T: Element<Scalar = T> + Scalar>() {
    let (n, cell) = (9, 81);
    let mut a = numbers::<T>(1, 5 * cell);
    make_dominant(&mut a, n);
    a[cell] = T::ZERO; // leading block of order 1
    a[2 * cell + 3 * n + 5] = T::NAN;
    // The leading block of order 2 of a matrix of order 9.
    for (i, j, x) in [(0, 0, 4.0), (0, 1, 2.0), (1, 1, 1.0)] {
        a[3 * cell + i * n + j] = real(x);
    }
    for layouts in &LAYOUTS[..2] {
        let (x, status) = inverted(&a, n, 1, *layouts, 5);
        assert_eq!(status, [Status::Ok, Status::Singular(1), Status::NonFinite, Status::Singular(2), Status::Ok]);
        for m in 0..5 {
            let (a, x) = (&a[m * cell..][..cell], &x[m * cell..][..cell]);
            match status[m] {
                Status::Ok => assert_same("alone", &inverted(a, n, 1, *layouts, 6).0, x),
                _ => assert!(all_nan(x)),
            }
        }
    }
}
