//! Gaussian elimination of the augmented system.

use papers::{Published, Strategy};
use warplu::resident::{Size, SolvePlan};
use warplu::verify::ratios;
use warplu::{Algorithm, Device, Element, Op, Scalar, Status};
use warplu_tests::compare::assert_same;
use warplu_tests::for_types;

use crate::stored::{ORDERS, Stored, all_nan, in_c_order, make_dominant, numbers, real};

for_types! { solves: f32 f64 c32 c64 }
for_types! { failures_stay_alone: f32 f64 c32 c64 }
for_types! { infinities: f32 f64 c32 c64 }

const STRATEGIES: [Strategy; 4] = [Strategy::Rows, Strategy::RowsShared, Strategy::Columns, Strategy::ColumnsShared];

/// X and the statuses of a batch in C order; X is checked.
fn solved<T: Element<Scalar = T> + Scalar>(
    how: Published,
    a: &[T],
    b: &[T],
    n: usize,
    column_major: bool,
    seed: u64,
) -> (Vec<T>, Vec<Status>) {
    let device = Device::sim_with_seed(seed).with(Algorithm::from(how));
    let batch = a.len() / (n * n);
    let rhs = b.len() / (batch * n);
    let (a, b) = (Stored::new(a, n, n, column_major), Stored::new(b, n, rhs, column_major));
    let solution = device.solve(&a.view(), &b.view()).unwrap();
    let lu = Device::cpu().lu(&a.view()).unwrap();
    for m in (0..batch).filter(|&m| solution.status[m].is_ok()) {
        let ratio = ratios::solve(&a.view(), &lu, Op::None, &b.view(), &solution.x, m).unwrap();
        assert!(ratio.norm < 30.0, "n = {n}, {how}: {ratio:?}");
    }
    (in_c_order(&solution.x), solution.status.to_vec())
}

fn solves<T: Element<Scalar = T> + Scalar>() {
    for (turn, n) in ORDERS.into_iter().enumerate() {
        for (s, strategy) in STRATEGIES.into_iter().enumerate() {
            // Each order has another mix of the options.
            let mix = turn + s;
            let threads = if n > 9 { 64 } else { [64, 128, 256, 512, 1024][mix % 5] };
            let (pivoting, column_major) = (mix % 2 == 0, mix / 2 % 2 == 1);
            let (batch, rhs) = if turn % 2 == 0 { (3, 1) } else { (1, 3) };
            let mut a = numbers::<T>(n as u64, batch * n * n);
            if !pivoting {
                make_dominant(&mut a, n);
            }
            let b = numbers::<T>(9, batch * n * rhs);
            let how = Published::Elimination { strategy, threads, pivoting };
            let (_, status) = solved(how, &a, &b, n, column_major, mix as u64);
            assert_eq!(status, vec![Status::Ok; batch], "n = {n}, {how}");
        }
    }
}

fn failures_stay_alone<T: Element<Scalar = T> + Scalar>() {
    let (n, cell, threads) = (9, 81, 64);
    let mut a = numbers::<T>(1, 5 * cell);
    make_dominant(&mut a, n);
    let b = numbers::<T>(2, 5 * n * 2);
    (0..n).for_each(|i| a[cell + i * n + 4] = T::ZERO); // a zero column
    a[2 * cell + 30] = T::NAN;
    a[3 * cell] = T::ZERO; // a zero in the corner
    for (turn, strategy) in STRATEGIES.into_iter().enumerate() {
        for pivoting in [false, true] {
            let how = Published::Elimination { strategy, threads, pivoting };
            let (x, status) = solved(how, &a, &b, n, turn % 2 == 1, 3);
            let corner = if pivoting { Status::Ok } else { Status::Singular(1) };
            assert_eq!(status, [Status::Ok, Status::Singular(5), Status::NonFinite, corner, Status::Ok], "{how}");
            for m in 0..5 {
                let (a, b, x) = (&a[m * cell..][..cell], &b[m * n * 2..][..n * 2], &x[m * n * 2..][..n * 2]);
                if !status[m].is_ok() {
                    assert!(all_nan(x), "{how}");
                    continue;
                }
                assert_same(&how.to_string(), &solved(how, a, b, n, turn % 2 == 1, 4).0, x);
            }
        }
    }
}

fn infinities<T: Element<Scalar = T> + Scalar>() {
    // 1 / infinity is finite, but such a matrix is not; nor is the solution for such a right-hand side.
    let infinity = real::<T>(f64::INFINITY);
    for pivoting in [false, true] {
        let how = Published::Elimination { strategy: Strategy::Columns, threads: 64, pivoting };
        assert_eq!(solved(how, &[infinity], &[T::ONE], 1, false, 1).1, [Status::NonFinite]);
        let of_side = if pivoting { Status::SideNotFinite(0) } else { Status::NonFinite };
        assert_eq!(solved(how, &[T::ONE], &[infinity], 1, false, 1).1, [of_side]);
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let plan = |strategy, threads, rhs| {
        let how = Published::Elimination { strategy, threads, pivoting: true };
        let device = Device::sim().with(Algorithm::from(how));
        SolvePlan::<f64>::new(&device, Size::order(10).rhs(rhs)).map_err(|error| error.to_string())
    };
    assert!(plan(Strategy::ColumnsShared, 64, 40_000).unwrap_err().contains("strategy `columns`"));
    assert!(plan(Strategy::Columns, 64, 40_000).is_ok());
    assert!(plan(Strategy::Columns, 100, 1).unwrap_err().contains("100 threads"));
}
