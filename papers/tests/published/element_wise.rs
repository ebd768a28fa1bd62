//! LU element by element, and solutions from it.

use papers::Published;
use warplu::verify::ratios;
use warplu::{Algorithm, Device, Element, Lu, Op, Scalar, Status};
use warplu_tests::compare::assert_same;
use warplu_tests::for_types;

use crate::stored::{ORDERS, Stored, all_nan, in_c_order, numbers, real};

for_types! { solves: f32 f64 c32 c64 }
for_types! { failures_stay_alone: f32 f64 c32 c64 }
for_types! { subnormal_pivots: f32 f64 c32 c64 }

fn device(seed: u64, tile: Option<u32>) -> Device {
    Device::sim_with_seed(seed).with(Algorithm::from(Published::ElementWise { tile }))
}

/// X from factors in C order, in memory of its own and in the place of B.
fn solved<T: Element<Scalar = T> + Scalar>(lu: &Lu<T>, b: &[T], n: usize, rhs: usize, column_major: bool) -> Vec<T> {
    let mut b = Stored::new(b, n, rhs, column_major);
    let x = in_c_order(&lu.solve(&b.view(), Op::None).unwrap().x);
    let _ = lu.solve_in_place(&mut b.view_mut(), Op::None).unwrap();
    assert_same("in place", &b.get(), &x);
    x
}

fn solves<T: Element<Scalar = T> + Scalar>() {
    let tiles = [None, Some(8), Some(16), Some(32)];
    for (turn, n) in ORDERS.into_iter().enumerate() {
        for (layout, batch, rhs) in [(0, 3, 1), (1, 1, 3)] {
            let device = device(turn as u64, tiles[(turn + layout) % 4]);
            let a = Stored::<T>::new(&numbers(n as u64, batch * n * n), n, n, layout == 1);
            let (a, b) = (a.view(), numbers::<T>(7, batch * n * rhs));
            let lu = device.lu(&a).unwrap();
            assert!(lu.status().iter().all(|status| status.is_ok()));
            assert_eq!(lu.all_pivots().unwrap(), Device::cpu().lu(&a).unwrap().all_pivots().unwrap(), "n = {n}");
            let _ = solved(&lu, &b, n, rhs, layout == 1);
            let b = Stored::new(&b, n, rhs, layout == 1);
            for x in [lu.solve(&b.view(), Op::None).unwrap().x, device.solve(&a, &b.view()).unwrap().x] {
                for m in 0..batch {
                    let ratio = ratios::solve(&a, &lu, Op::None, &b.view(), &x, m).unwrap();
                    assert!(ratio.passes(), "n = {n}: {ratio:?}");
                }
            }
            // The numbers are those of warplu's plainest kernel, bit for bit: the same operations in the same order.
            let own = device.with(Algorithm::Kernel("getrf_global")).lu(&a).unwrap();
            assert_same("factors", lu.factors().unwrap().as_slice(), own.factors().unwrap().as_slice());
        }
    }
}

fn failures_stay_alone<T: Element<Scalar = T> + Scalar>() {
    let (n, cell) = (9, 81);
    for column_major in [false, true] {
        let device = device(3, Some(8));
        let mut a = numbers::<T>(1, 5 * cell);
        let b = numbers::<T>(2, 5 * n);
        (0..n).for_each(|i| a[cell + i * n + 4] = T::ZERO); // a zero column
        a[2 * cell + 30] = T::NAN;
        a[3 * cell] = T::ZERO; // a zero in the corner
        let lu = device.lu(&Stored::new(&a, n, n, column_major).view()).unwrap();
        assert_eq!(*lu.status(), [Status::Ok, Status::Singular(5), Status::NonFinite, Status::Ok, Status::Ok]);
        let (factors, x) = (in_c_order(lu.factors().unwrap()), solved(&lu, &b, n, 1, column_major));
        for m in 0..5 {
            let (a, b, x) = (&a[m * cell..][..cell], &b[m * n..][..n], &x[m * n..][..n]);
            if m == 1 || m == 2 {
                assert!(all_nan(x));
                continue;
            }
            let alone = device.lu(&Stored::new(a, n, n, column_major).view()).unwrap();
            assert_same("alone", &in_c_order(alone.factors().unwrap()), &factors[m * cell..][..cell]);
            assert_same("alone", &solved(&alone, b, n, 1, column_major), x);
        }
    }
}

fn subnormal_pivots<T: Element<Scalar = T> + Scalar>() {
    let tiny: f64 = if size_of::<T::Real>() == 4 { f64::from(f32::from_bits(2)) } else { f64::from_bits(2) };
    let a: Vec<T> = [tiny, 0.0, tiny / 2.0, tiny].map(real).to_vec();
    let lu = device(1, None).lu(&Stored::new(&a, 2, 2, false).view()).unwrap();
    assert_eq!(in_c_order(lu.factors().unwrap()), [tiny, 0.0, 0.5, tiny].map(real));
    assert_eq!(*lu.status(), [Status::Ok]);
}
