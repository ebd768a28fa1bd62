//! Launches of all orders are such as a GPU takes, and name memory that is there: the driver would note a fault.

use num_complex::Complex;
use warplu::resident::{DeviceBatchMut, InPlace, LuPlan, Size, of};
use warplu::{Batch, Device, Element};
use warplu_tests::pretend::Pretend;

/// Orders on either side of where kernels change.
const ORDERS: [usize; 14] = [1, 4, 5, 8, 17, 32, 33, 64, 65, 129, 193, 257, 513, 600];

fn call_all<T: Element>(device: &Device, n: usize, one: T) {
    let (numbers, rhs) = (vec![one; 3 * n * n], vec![one; 3 * n * 2]);
    let a = Batch::row_major(&numbers, 3, n, n).unwrap();
    let _ = device.invert(&a).unwrap();
    let _ = device.det(&a).unwrap();
    let _ = device.solve(&a, &Batch::row_major(&rhs, 3, n, 2).unwrap()).unwrap();
    let _ = device.lu(&a).unwrap().inverse().unwrap();
}

#[test]
fn launches_are_possible() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    for n in ORDERS {
        call_all(&device, n, 1.0_f32);
        call_all(&device, n, 1.0_f64);
        call_all(&device, n, Complex::new(1.0_f64, 0.0));
    }
    let launches = pretend.launches();
    assert!(launches.iter().all(|launch| launch.block[0] % 32 == 0 && launch.device == 0));
    assert!(launches.iter().any(|launch| launch.shared_bytes > 48 << 10), "some need more than is there unasked");
    drop(device);
    pretend.finish();
}

/// The driver lets a kernel have what was asked for last; plans of several orders share kernels.
#[test]
fn a_plan_for_smaller_matrices_leaves_others_what_they_need() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    // For many pairs of orders, so that two of them share a kernel, whichever orders its variants end at.
    for n in (40..200).step_by(20) {
        let (large, small) = (n + 10, n);
        let large_plan = LuPlan::<f64>::new(&device, Size::order(large)).unwrap();
        let small_plan = LuPlan::<f64>::new(&device, Size::order(small)).unwrap();
        for (plan, n) in [(&small_plan, small), (&large_plan, large)] {
            let mut a = device.buffer(n * n).unwrap();
            let (mut pivots, mut status) = (device.pivots(1, n).unwrap(), device.buffer(1).unwrap());
            let lu = &mut DeviceBatchMut::row_major(&mut a, 1, n, n).unwrap();
            plan.run(&stream, of::Lu { a: InPlace, lu, pivots: &mut pivots, status: &mut status }).unwrap();
        }
    }
    assert!(pretend.launches().iter().any(|launch| launch.shared_bytes > 48 << 10));
    drop((stream, device));
    pretend.finish();
}
