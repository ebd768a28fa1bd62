//! Bordering by blocks of columns: orders around all limits, and matrices that fail.

use papers::Published;
use papers::kernels::block_bordering::Division;
use papers::kernels::block_bordering::args::upper_tile;
use warplu::resident::{InversePlan, Size};
use warplu::{Algorithm, Device, Element, Scalar, Status};
use warplu_tests::compare::assert_same;
use warplu_tests::for_types;

use crate::bordering::{check, inverted};
use crate::stored::{all_nan, make_dominant, numbers, real};

for_types! { inverts: f32 f64 c32 c64 }
for_types! { indefinite_matrices_are_inverted: f32 f64 c32 c64 }
for_types! { failures_stay_alone: f32 f64 c32 c64 }

/// Orders around the ends of borders, of tiles, of squares and of slices.
const ORDERS: [(u32, usize); 14] = [
    (32, 1),
    (32, 31),
    (32, 32),
    (32, 33),
    (32, 65),
    (32, 161),
    (64, 127),
    (64, 200),
    (96, 97),
    (96, 290),
    (128, 129),
    (128, 257),
    (192, 225),
    (256, 300),
];

fn inverts<T: Element<Scalar = T> + Scalar>() {
    for (turn, (block, n)) in ORDERS.into_iter().enumerate() {
        let batch = if n < 100 { 3 } else { 1 };
        let mut a = numbers::<T>(n as u64, batch * n * n);
        make_dominant(&mut a, n);
        check(&a, n, block, [(false, false), (true, true), (false, true), (true, false)][turn % 4], 3.0);
    }
}

/// Without a large diagonal, but with regular leading blocks.
fn indefinite_matrices_are_inverted<T: Element<Scalar = T> + Scalar>() {
    for (block, n) in [(32, 70), (64, 150)] {
        let mut a = numbers::<T>(3, 2 * n * n);
        for matrix in a.chunks_exact_mut(n * n) {
            for i in 0..n {
                matrix[i * n + i] = real(if i % 3 == 0 { -2.0 } else { 2.0 } * (n as f64).sqrt());
            }
        }
        check(&a, n, block, (false, true), 30.0);
    }
}

fn failures_stay_alone<T: Element<Scalar = T> + Scalar>() {
    let (n, cell) = (70, 4900);
    let mut a = numbers::<T>(1, 6 * cell);
    make_dominant(&mut a, n);
    a[cell] = T::ZERO; // the leading block of order 1, which does not matter
    a[2 * cell + 3 * n + 5] = T::NAN;
    a[3 * cell + 40 * n + 69] = real(f64::INFINITY);
    // The leading block of order 64: its rows 40 and 41 are the same, as are its columns.
    let twins = &mut a[4 * cell..5 * cell];
    twins.fill(T::ZERO);
    (0..n).for_each(|i| twins[i * n + i] = T::ONE);
    twins[40 * n + 41] = T::ONE;
    for layouts in [(false, false), (true, false)] {
        let (x, status) = inverted(&a, n, 32, layouts, 5);
        let (ok, bad) = (Status::Ok, Status::NonFinite);
        assert_eq!(status, [ok, ok, bad, bad, Status::Singular(64), ok]);
        for m in 0..6 {
            let (a, x) = (&a[m * cell..][..cell], &x[m * cell..][..cell]);
            match status[m] {
                Status::Ok => assert_same("alone", &inverted(a, n, 32, layouts, 6).0, x),
                _ => assert!(all_nan(x)),
            }
        }
    }
}

/// The largest order.
const LARGEST: u32 = 1 << 17;

/// As many tiles as the largest order has.
#[test]
fn tiles_are_counted_column_after_column() {
    let mut index = 0;
    for column in 0..LARGEST / 32 {
        for row in 0..=column {
            assert_eq!(upper_tile(index), (row, column));
            index += 1;
        }
    }
    assert_eq!(index, Division::new(LARGEST, 128, 0).copies());
}

#[test]
fn slices_cover_the_leading_block() {
    for (n, block) in [(1, 32), (8000, 128), (16384, 256), (LARGEST, 128)] {
        for step in (0..n).step_by(block as usize).map(|k| Division::new(n, block, k)) {
            let Division { k, slice, .. } = step;
            assert!(slice.is_multiple_of(32) && step.slices() * slice >= k, "{step:?}");
            assert!(k == 0 || (step.slices() - 1) * slice < k, "{step:?}: a slice is empty");
        }
    }
}

/// Enough columns of X that their products are sums of slices.
#[test]
fn slices_are_added_up() {
    assert!(Division::new(420, 128, 384).slices() > 1);
    let mut a = numbers::<f64>(1, 420 * 420);
    make_dominant(&mut a, 420);
    check(&a, 420, 128, (true, true), 3.0);
}

#[test]
fn orders_that_borders_of_blocks_do_not_take_are_refused() {
    let plan = |block, n| {
        let device = Device::sim().with(Algorithm::from(Published::Bordering { block }));
        InversePlan::<f32>::new(&device, Size::order(n)).map_err(|error| error.to_string())
    };
    let largest = LARGEST as usize;
    assert!(plan(Some(64), largest + 1).unwrap_err().contains("use bordering:block=1"));
    assert!(plan(None, 100).is_ok() && plan(Some(1), 100).is_ok());
    // By columns instead, for which only memory may lack.
    assert!(plan(None, largest + 1).map_or_else(|error| !error.contains("bordering"), |_| true));
    assert!(!Algorithm::from(Published::BORDERING).pivots());
}
