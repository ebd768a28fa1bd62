//! Plans on device memory (the emulator's): the same bits as the calls on host memory, in place, in any layout.

use warplu::resident::{DetPlan, DeviceBatch, InversePlan, LuDetPlan, LuInversePlan, LuPlan, LuSolvePlan, SolvePlan};
use warplu::verify::Random;
use warplu::{Batch, Device, Element, Error, Layout, Op, Scalar};
use warplu_tests::compare::{OPS, assert_same};
use warplu_tests::for_types;

const BATCH: usize = 6;
const RHS: usize = 3;

/// Matrices, with a singular and a NaN one among them, and right-hand sides: column-major.
fn input<T: Element>(n: usize) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(n as u64);
    let mut a: Vec<T> = random.elements(BATCH * n * n);
    a[2 * n * n..][..n].fill(T::narrow(T::Scalar::ZERO));
    a[4 * n * n + 1] = T::narrow(T::Scalar::NAN);
    (a, random.elements(BATCH * n * RHS))
}

fn codes(statuses: &[warplu::Status]) -> Vec<i32> {
    statuses.iter().map(|s| s.code()).collect()
}

/// Each plan against the call on host memory.
fn plans<T: Element>() {
    for n in [3, 11, 35] {
        let device = Device::sim_with_seed(n as u64);
        let stream = device.stream().unwrap();
        let (a, b) = input::<T>(n);
        let host_a = Batch::column_major(&a, BATCH, n, n).unwrap();
        let host_b = Batch::column_major(&b, BATCH, n, RHS).unwrap();
        let wanted = device.lu(&host_a).unwrap();
        let wanted_codes = codes(&wanted.status());

        let a = device.upload(&a).unwrap();
        let a = DeviceBatch::column_major(&a, BATCH, n, n).unwrap();
        let lu_buffer = device.buffer::<T::Scalar>(BATCH * n * n).unwrap();
        let lu = DeviceBatch::column_major(&lu_buffer, BATCH, n, n).unwrap();
        let (pivots, status) = (device.buffer(BATCH * n).unwrap(), device.buffer(BATCH).unwrap());
        LuPlan::<T>::new(&device, n, BATCH).unwrap().run(&stream, &a, &lu, &pivots, &status).unwrap();
        stream.synchronize().unwrap();
        assert_same("LU", &lu_buffer.to_vec().unwrap(), wanted.factors().as_slice());
        assert_eq!(
            (pivots.to_vec().unwrap(), status.to_vec().unwrap()),
            (wanted.all_pivots().to_vec(), wanted_codes.clone())
        );

        // x = b.
        let plan = LuSolvePlan::<T>::new(&device, n, BATCH, RHS).unwrap();
        for op in OPS {
            let x_buffer = device.upload(&b).unwrap();
            let x = DeviceBatch::column_major(&x_buffer, BATCH, n, RHS).unwrap();
            plan.run(&stream, &lu, &pivots, &status, op, &x, &x).unwrap();
            assert_same("solution", &x_buffer.to_vec().unwrap(), wanted.solve(&host_b, op).unwrap().x.as_slice());
        }
        let x_buffer = device.upload(&b).unwrap();
        let x = DeviceBatch::column_major(&x_buffer, BATCH, n, RHS).unwrap();
        let own = device.buffer(BATCH).unwrap();
        SolvePlan::<T>::new(&device, n, BATCH, RHS).unwrap().run(&stream, &a, &x, &x, &own).unwrap();
        assert_same("solution", &x_buffer.to_vec().unwrap(), device.solve(&host_a, &host_b).unwrap().x.as_slice());
        assert_eq!(own.to_vec().unwrap(), wanted_codes);

        let inverse_buffer = device.buffer::<T>(BATCH * n * n).unwrap();
        let inverse = DeviceBatch::column_major(&inverse_buffer, BATCH, n, n).unwrap();
        let wanted_inverse = device.invert(&host_a).unwrap();
        InversePlan::<T>::new(&device, n, BATCH).unwrap().run(&stream, &a, &inverse, &own).unwrap();
        assert_same("inverse", &inverse_buffer.to_vec().unwrap(), wanted_inverse.matrices.as_slice());
        assert_eq!(own.to_vec().unwrap(), codes(&wanted_inverse.status));
        // status = lu_status.
        let plan = LuInversePlan::<T>::new(&device, n, BATCH).unwrap();
        plan.run(&stream, &lu, &pivots, &own, &inverse, &own).unwrap();
        let wanted_inverse = wanted.inverse().unwrap();
        assert_same("inverse", &inverse_buffer.to_vec().unwrap(), wanted_inverse.matrices.as_slice());
        assert_eq!(own.to_vec().unwrap(), codes(&wanted_inverse.status));

        let (phase, log_abs) = (device.buffer(BATCH).unwrap(), device.buffer(BATCH).unwrap());
        let wanted_det = device.det(&host_a).unwrap();
        DetPlan::<T>::new(&device, n, BATCH).unwrap().run(&stream, &a, &phase, &log_abs, &own).unwrap();
        assert_same("phase", &phase.to_vec().unwrap(), &wanted_det.phase);
        assert_eq!(format!("{:?}", log_abs.to_vec().unwrap()), format!("{:?}", wanted_det.log_abs));
    }
}
for_types!(plans);

/// `lu = a`, and the determinant from factors.
fn in_place<T: Element<Scalar = T> + Scalar>() {
    for n in [5, 16, 33] {
        let device = Device::sim();
        let stream = device.stream().unwrap();
        let (a, _) = input::<T>(n);
        let wanted = device.lu(&Batch::c_order(&a, BATCH, n, n).unwrap()).unwrap();
        let buffer = device.upload(&a).unwrap();
        let lu = DeviceBatch::c_order(&buffer, BATCH, n, n).unwrap();
        let (pivots, status) = (device.buffer(BATCH * n).unwrap(), device.buffer(BATCH).unwrap());
        LuPlan::<T>::new(&device, n, BATCH).unwrap().run(&stream, &lu, &lu, &pivots, &status).unwrap();
        assert_same("LU in place", &buffer.to_vec().unwrap(), wanted.factors().as_slice());
        let (phase, log_abs) = (device.buffer(BATCH).unwrap(), device.buffer(BATCH).unwrap());
        let plan = LuDetPlan::<T>::new(&device, n, BATCH).unwrap();
        plan.run(&stream, &lu, &pivots, &status, &phase, &log_abs).unwrap();
        let wanted = wanted.det().unwrap();
        assert_same("phase", &phase.to_vec().unwrap(), &wanted.phase);
        assert_eq!(format!("{:?}", log_abs.to_vec().unwrap()), format!("{:?}", wanted.log_abs));
    }
}
for_types!(in_place: f32 f64 c32 c64);

/// Matrices in padded memory, and through an array of pointers in another order.
fn strides_and_pointers<T: Element>() {
    let n = 10;
    let device = Device::sim();
    let stream = device.stream().unwrap();
    let (a, _) = input::<T>(n);
    let wanted = device.invert(&Batch::column_major(&a, BATCH, n, n).unwrap()).unwrap();
    let layout = Layout { batch_stride: n * (n + 3) + 4, row_stride: 1, col_stride: n + 3 };
    let mut padded = vec![T::narrow(T::Scalar::ZERO); BATCH * layout.batch_stride];
    for (k, &x) in a.iter().enumerate() {
        let (b, j, i) = (k / (n * n), k / n % n, k % n);
        padded[b * layout.batch_stride + j * layout.col_stride + i] = x;
    }
    let from = device.upload(&padded).unwrap();
    let to = device.upload(&padded).unwrap();
    let status = device.buffer(BATCH).unwrap();
    let plan = InversePlan::<T>::new(&device, n, BATCH).unwrap();
    let inverse = |buffer: &[T], b: usize| -> Vec<T> {
        let at = |k: usize| b * layout.batch_stride + k / n * layout.col_stride + k % n;
        (0..n * n).map(|k| buffer[at(k)]).collect()
    };
    let batch = |buffer| DeviceBatch::strided(buffer, BATCH, n, n, layout).unwrap();
    plan.run(&stream, &batch(&from), &batch(&to), &status).unwrap();
    let got = to.to_vec().unwrap();
    for b in 0..BATCH {
        assert_same("padded", &inverse(&got, b), &wanted.matrices.as_slice()[b * n * n..][..n * n]);
    }

    let order = [3, 0, 5, 1, 4, 2];
    let addresses = |base: u64| order.map(|b| base + (b * layout.batch_stride * size_of::<T>()) as u64);
    let (ins, outs) = (addresses(from.address()), addresses(to.address()));
    let (ins, outs) = (device.upload(&ins).unwrap(), device.upload(&outs).unwrap());
    to.copy_from(&padded).unwrap();
    // SAFETY: addresses of padded matrices in buffers that live on, each output once.
    let (a, x) = unsafe {
        let pointers = |array| DeviceBatch::<T>::pointers(array, BATCH, n, n, layout).unwrap();
        (pointers(&ins), pointers(&outs))
    };
    plan.run(&stream, &a, &x, &status).unwrap();
    let (got, codes) = (to.to_vec().unwrap(), codes(&wanted.status));
    for b in 0..BATCH {
        assert_same("pointers", &inverse(&got, b), &wanted.matrices.as_slice()[b * n * n..][..n * n]);
    }
    assert_eq!(status.to_vec().unwrap(), order.map(|b| codes[b]));
}
for_types!(strides_and_pointers);

#[test]
fn the_cpu_has_no_device_memory() {
    let cpu = Device::cpu();
    let errors = [
        cpu.buffer::<f32>(3).map(drop),
        cpu.upload(&[1.0_f64]).map(drop),
        cpu.stream().map(drop),
        LuPlan::<f32>::new(&cpu, 3, 3).map(drop),
        SolvePlan::<f32>::new(&cpu, 3, 3, 1).map(drop),
        InversePlan::<f32>::new(&cpu, 3, 3).map(drop),
        DetPlan::<f32>::new(&cpu, 3, 3).map(drop),
    ];
    for error in errors {
        assert!(matches!(error, Err(Error::Unsupported(_))), "{error:?}");
    }
}

#[test]
fn sizes_that_do_not_fit_are_errors() {
    let device = Device::sim();
    let stream = device.stream().unwrap();
    let (big, small) = (device.buffer::<f32>(100).unwrap(), device.buffer::<f32>(8).unwrap());
    let shape_error = |result: Result<(), Error>, part: &str| match result {
        Err(error @ Error::Shape(_)) => assert!(error.to_string().contains(part), "{error}"),
        other => panic!("{other:?}"),
    };
    shape_error(DeviceBatch::c_order(&small, 1, 3, 3).map(drop), "beyond a device buffer of 8");
    let padded = Layout { batch_stride: 0, row_stride: 50, col_stride: 1 };
    shape_error(DeviceBatch::strided(&big, 1, 3, 3, padded).map(drop), "beyond");
    shape_error(small.copy_from(&[0.0; 9]), "9 elements");
    shape_error(small.copy_to(&mut [0.0; 7]), "7 elements");
    let pointers = device.buffer::<u64>(2).unwrap();
    // SAFETY: fails before any address is used.
    shape_error(
        unsafe { DeviceBatch::<f32>::pointers(&pointers, 3, 1, 1, Layout::c_order(1, 1)) }.map(drop),
        "pointers",
    );

    let plan = LuPlan::<f32>::new(&device, 3, 4).unwrap();
    let right = DeviceBatch::c_order(&big, 4, 3, 3).unwrap();
    let (pivots, status) = (device.buffer::<u32>(12).unwrap(), device.buffer::<i32>(4).unwrap());
    let (few_pivots, few_statuses) = (device.buffer::<u32>(11).unwrap(), device.buffer::<i32>(3).unwrap());
    for (batch, n) in [(5, 3), (3, 3), (4, 4), (4, 2)] {
        let wrong = DeviceBatch::c_order(&big, batch, n, n).unwrap();
        shape_error(plan.run(&stream, &wrong, &right, &pivots, &status), "a: the plan is for 4 matrices of 3 x 3");
        shape_error(plan.run(&stream, &right, &wrong, &pivots, &status), "lu: the plan is for 4 matrices of 3 x 3");
    }
    shape_error(plan.run(&stream, &right, &right, &few_pivots, &status), "pivots needs 12 elements");
    shape_error(plan.run(&stream, &right, &right, &pivots, &few_statuses), "status needs 4 elements");
    let solve = LuSolvePlan::<f32>::new(&device, 3, 4, 2).unwrap();
    let wrong = DeviceBatch::c_order(&big, 4, 3, 1).unwrap();
    let b = DeviceBatch::c_order(&big, 4, 3, 2).unwrap();
    let run = |b: &DeviceBatch<'_, f32>, x: &DeviceBatch<'_, f32>| {
        solve.run(&stream, &right, &pivots, &status, Op::None, b, x)
    };
    shape_error(run(&wrong, &b), "b: the plan is for 4 matrices of 3 x 2");
    shape_error(run(&b, &wrong), "x: the plan is for");
    // Nothing was launched, and so nothing is left to fail.
    stream.synchronize().unwrap();
}
