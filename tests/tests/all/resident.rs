//! Plans on device memory, the emulator's and the CPU's: the same bits as the calls on host memory, in place, in any
//! layout.

use warplu::resident::{
    DetPlan, DeviceBatch, DeviceBatchMut, DeviceBuffer, InPlace, InversePlan, LuDetPlan, LuInversePlan, LuPlan,
    LuSolvePlan, Size, SolvePlan, of,
};
use warplu::verify::Random;
use warplu::{Batch, Device, Element, Layout, Lu, Op, Scalar, Status};
use warplu_tests::compare::{assert_same, factors, pivots};
use warplu_tests::matrices::{mixed, number};
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

const BATCH: usize = 6;
const RHS: usize = 3;

/// Matrices, with a singular and a NaN one among them, and right-hand sides.
fn input<T: Element>(n: usize) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(n as u64);
    (mixed(&mut random, BATCH, n), random.elements(BATCH * n * RHS))
}

fn codes(statuses: &[Status]) -> Vec<i32> {
    statuses.iter().map(|s| s.code()).collect()
}

/// As text, in which all NaN are one.
fn text<R: std::fmt::Debug>(values: &[R]) -> String {
    format!("{values:?}")
}

/// Each plan against the call on host memory, for all that it is planned for and for fewer.
fn plans<T: Element>() {
    for (n, device) in [3, 11, 35].into_iter().flat_map(|n| devices(n as u64).map(|device| (n, device))) {
        let stream = device.stream().unwrap();
        let (a_data, b_data) = input::<T>(n);
        let (a_buffer, b_buffer) = (device.upload(&a_data).unwrap(), device.upload(&b_data).unwrap());
        let lu_plan = LuPlan::<T>::new(&device, Size::order(n).batch(BATCH)).unwrap();
        let lu_solve = LuSolvePlan::<T>::new(&device, Size::order(n).batch(BATCH).rhs(RHS)).unwrap();
        let lu_inverse = LuInversePlan::<T>::new(&device, Size::order(n).batch(BATCH)).unwrap();
        let solve = SolvePlan::<T>::new(&device, Size::order(n).batch(BATCH).rhs(RHS)).unwrap();
        let invert = InversePlan::<T>::new(&device, Size::order(n).batch(BATCH)).unwrap();
        let det = DetPlan::<T>::new(&device, Size::order(n).batch(BATCH)).unwrap();
        for batch in [BATCH, 4, 1, 0] {
            let host_a = Batch::column_major(&a_data[..batch * n * n], batch, n, n).unwrap();
            let host_b = Batch::column_major(&b_data[..batch * n * RHS], batch, n, RHS).unwrap();
            let a = DeviceBatch::column_major(&a_buffer, batch, n, n).unwrap();
            let b = DeviceBatch::column_major(&b_buffer, batch, n, RHS).unwrap();
            let wanted = device.lu(&host_a).unwrap();

            let mut lu_buffer = device.buffer::<T::Scalar>(batch * n * n).unwrap();
            let (mut swaps, mut status) = (device.pivots(batch, n).unwrap(), device.buffer(batch).unwrap());
            let mut lu = DeviceBatchMut::column_major(&mut lu_buffer, batch, n, n).unwrap();
            lu_plan.run(&stream, of::Lu { a: &a, lu: &mut lu, pivots: &mut swaps, status: &mut status }).unwrap();
            assert_same("LU", &lu_buffer.to_vec().unwrap(), factors(&wanted).as_slice());
            assert_eq!(swaps.to_vec().unwrap(), pivots(&wanted));
            assert_eq!(status.to_vec().unwrap(), codes(wanted.status()));

            let lu = DeviceBatch::column_major(&lu_buffer, batch, n, n).unwrap();
            let mut x_buffer = device.buffer::<T>(batch * n * RHS).unwrap();
            let mut solved = device.buffer(batch).unwrap();
            for op in OPS {
                let mut x = DeviceBatchMut::column_major(&mut x_buffer, batch, n, RHS).unwrap();
                let operands = of::LuSolve {
                    lu: &lu,
                    pivots: &swaps,
                    lu_status: &status,
                    op,
                    b: &b,
                    x: &mut x,
                    status: &mut solved,
                };
                lu_solve.run(&stream, operands).unwrap();
                let wanted = wanted.solve(&host_b, op).unwrap();
                assert_eq!(solved.to_vec().unwrap(), codes(&wanted.status));
                assert_same("solution from factors", &x_buffer.to_vec().unwrap(), wanted.x.as_slice());
                let mut place = device.upload(&b_data).unwrap();
                let mut x = DeviceBatchMut::column_major(&mut place, batch, n, RHS).unwrap();
                let operands = of::LuSolve {
                    lu: &lu,
                    pivots: &swaps,
                    lu_status: &status,
                    op,
                    b: InPlace,
                    x: &mut x,
                    status: &mut solved,
                };
                lu_solve.run(&stream, operands).unwrap();
                assert_same("in place", &place.to_vec().unwrap()[..batch * n * RHS], wanted.x.as_slice());
            }
            let mut own = device.buffer(batch).unwrap();
            let wanted_x = device.solve(&host_a, &host_b).unwrap();
            let mut x = DeviceBatchMut::column_major(&mut x_buffer, batch, n, RHS).unwrap();
            solve.run(&stream, of::Solve { a: &a, b: &b, x: &mut x, status: &mut own }).unwrap();
            assert_same("solution", &x_buffer.to_vec().unwrap(), wanted_x.x.as_slice());
            assert_eq!(own.to_vec().unwrap(), codes(&wanted_x.status));
            let mut place = device.upload(&b_data).unwrap();
            let mut x = DeviceBatchMut::column_major(&mut place, batch, n, RHS).unwrap();
            solve.run(&stream, of::Solve { a: &a, b: InPlace, x: &mut x, status: &mut own }).unwrap();
            assert_same("in place", &place.to_vec().unwrap()[..batch * n * RHS], wanted_x.x.as_slice());

            let mut out = device.buffer::<T>(batch * n * n).unwrap();
            let wanted_inverse = device.invert(&host_a).unwrap();
            let mut inverse = DeviceBatchMut::column_major(&mut out, batch, n, n).unwrap();
            invert.run(&stream, of::Inverse { a: &a, inverse: &mut inverse, status: &mut own }).unwrap();
            assert_same("inverse", &out.to_vec().unwrap(), wanted_inverse.matrices.as_slice());
            assert_eq!(own.to_vec().unwrap(), codes(&wanted_inverse.status));
            let mut place = device.upload(&a_data).unwrap();
            let mut inverse = DeviceBatchMut::column_major(&mut place, batch, n, n).unwrap();
            invert.run(&stream, of::Inverse { a: InPlace, inverse: &mut inverse, status: &mut own }).unwrap();
            assert_same("in place", &place.to_vec().unwrap()[..batch * n * n], wanted_inverse.matrices.as_slice());
            let wanted_inverse = wanted.inverse().unwrap();
            let mut inverse = DeviceBatchMut::column_major(&mut out, batch, n, n).unwrap();
            let operands =
                of::LuInverse { lu: &lu, pivots: &swaps, lu_status: &status, inverse: &mut inverse, status: &mut own };
            lu_inverse.run(&stream, operands).unwrap();
            assert_same("inverse from factors", &out.to_vec().unwrap(), wanted_inverse.matrices.as_slice());
            assert_eq!(own.to_vec().unwrap(), codes(&wanted_inverse.status));

            let [mut values, mut sign] = [(); 2].map(|()| device.buffer(batch).unwrap());
            let mut log_abs = device.buffer(batch).unwrap();
            let wanted_det = device.det(&host_a).unwrap();
            let operands =
                of::Det { a: &a, values: &mut values, sign: &mut sign, log_abs: &mut log_abs, status: &mut own };
            det.run(&stream, operands).unwrap();
            assert_same("determinant", &values.to_vec().unwrap(), &wanted_det.values);
            assert_same("sign", &sign.to_vec().unwrap(), &wanted_det.sign);
            assert_eq!(text(&log_abs.to_vec().unwrap()), text(&wanted_det.log_abs));
            assert_eq!(own.to_vec().unwrap(), codes(&wanted_det.status));
        }
    }
}
for_types!(plans);

/// Factors in the place of the matrices, and the determinant from them.
fn in_place<T: Element<Scalar = T> + Scalar>(device: &Device, n: usize) {
    let stream = device.stream().unwrap();
    let (a, _) = input::<T>(n);
    let wanted: Lu<T> = device.lu(&Batch::row_major(&a, BATCH, n, n).unwrap()).unwrap();
    let mut buffer = device.upload(&a).unwrap();
    let (mut swaps, mut status) = (device.pivots(BATCH, n).unwrap(), device.buffer(BATCH).unwrap());
    let mut lu = DeviceBatchMut::row_major(&mut buffer, BATCH, n, n).unwrap();
    let operands = of::Lu { a: InPlace, lu: &mut lu, pivots: &mut swaps, status: &mut status };
    LuPlan::<T>::new(device, Size::order(n).batch(BATCH)).unwrap().run(&stream, operands).unwrap();
    assert_same("LU in place", &buffer.to_vec().unwrap(), factors(&wanted).as_slice());
    assert_eq!(swaps.to_vec().unwrap(), pivots(&wanted));
    let [mut values, mut sign] = [(); 2].map(|()| device.buffer(BATCH).unwrap());
    let mut log_abs = device.buffer(BATCH).unwrap();
    let lu = DeviceBatch::row_major(&buffer, BATCH, n, n).unwrap();
    let plan = LuDetPlan::<T>::new(device, Size::order(n).batch(BATCH)).unwrap();
    let operands = of::LuDet {
        lu: &lu,
        pivots: &swaps,
        lu_status: &status,
        values: &mut values,
        sign: &mut sign,
        log_abs: &mut log_abs,
    };
    plan.run(&stream, operands).unwrap();
    let wanted = wanted.det().unwrap();
    assert_same("determinant", &values.to_vec().unwrap(), &wanted.values);
    assert_same("sign", &sign.to_vec().unwrap(), &wanted.sign);
    assert_eq!(text(&log_abs.to_vec().unwrap()), text(&wanted.log_abs));
}

#[test]
fn factors_take_the_place_of_matrices() {
    for (n, device) in [5, 16, 33].into_iter().flat_map(|n| devices(n as u64).map(|device| (n, device))) {
        in_place::<f32>(&device, n);
        in_place::<f64>(&device, n);
        in_place::<warplu::c32>(&device, n);
        in_place::<warplu::c64>(&device, n);
    }
}

/// Padded matrices, in a range of a buffer and through an array of pointers in another order; what is between them
/// stays.
fn strides_and_pointers<T: Element>() {
    let n = 10;
    let (a, _) = input::<T>(n);
    let layout = Layout { batch_stride: n * (n + 3) + 4, row_stride: 1, col_stride: n + 3 };
    let before = 17;
    let at = |k: usize| before + k / (n * n) * layout.batch_stride + k / n % n * layout.col_stride + k % n;
    let spread = |matrices: &[T]| {
        let mut padded = vec![number::<T>(77.0); before + BATCH * layout.batch_stride];
        matrices.iter().enumerate().for_each(|(k, &x)| padded[at(k)] = x);
        padded
    };
    let padded = spread(&a);
    for device in devices(2) {
        let stream = device.stream().unwrap();
        let wanted = device.invert(&Batch::column_major(&a, BATCH, n, n).unwrap()).unwrap();
        let wanted_whole = spread(wanted.matrices.as_slice());
        let from = device.upload(&padded).unwrap();
        let mut to = device.upload(&padded).unwrap();
        let mut statuses = device.upload(&[99; BATCH + 5]).unwrap();
        let plan = InversePlan::<T>::new(&device, Size::order(n).batch(BATCH)).unwrap();
        let source = DeviceBatch::strided(from.slice(before..).unwrap(), BATCH, n, n, layout).unwrap();
        let mut out = DeviceBatchMut::strided(to.slice_mut(before..).unwrap(), BATCH, n, n, layout).unwrap();
        let operands = of::Inverse { a: &source, inverse: &mut out, status: statuses.slice_mut(2..2 + BATCH).unwrap() };
        plan.run(&stream, operands).unwrap();
        assert_same("padded", &to.to_vec().unwrap(), &wanted_whole);
        let wanted_codes = codes(&wanted.status);
        assert_eq!(statuses.to_vec().unwrap(), [&[99, 99], &wanted_codes[..], &[99; 3]].concat());

        let order = [3, 0, 5, 1, 4, 2];
        to.copy_from(&padded).unwrap();
        let addresses = |base: u64| order.map(|b| base + (at(b * n * n) * size_of::<T>()) as u64);
        let (ins, outs) = (addresses(from.address()), addresses(to.address()));
        let (ins, outs) = (device.upload(&ins).unwrap(), device.upload(&outs).unwrap());
        // SAFETY: addresses of padded matrices in buffers that live on, each output once.
        let (source, mut out) = unsafe {
            let out = DeviceBatchMut::<T>::pointers(&outs, BATCH, n, n, layout).unwrap();
            (DeviceBatch::<T>::pointers(&ins, BATCH, n, n, layout).unwrap(), out)
        };
        plan.run(&stream, of::Inverse { a: &source, inverse: &mut out, status: statuses.slice_mut(..BATCH).unwrap() })
            .unwrap();
        assert_same("pointers", &to.to_vec().unwrap(), &wanted_whole);
        assert_eq!(statuses.to_vec().unwrap()[..BATCH], order.map(|b| wanted_codes[b]));
    }
}
for_types!(strides_and_pointers);

/// Matrices of order 0 fare well and have the determinant 1; without right-hand sides a matrix has a status all the
/// same.
#[test]
fn empty_matrices_have_statuses() {
    for device in devices(0) {
        let stream = device.stream().unwrap();
        for batch in [0, 1, 5] {
            let none = device.upload::<f64>(&[]).unwrap();
            let (mut x, mut y) = (device.upload::<f64>(&[]).unwrap(), device.upload::<f64>(&[]).unwrap());
            let a = DeviceBatch::row_major(&none, batch, 0, 0).unwrap();
            let mut out = DeviceBatchMut::row_major(&mut x, batch, 0, 0).unwrap();
            let mut sides = DeviceBatchMut::row_major(&mut y, batch, 0, 2).unwrap();
            let [mut values, mut sign, mut log_abs] = [(); 3].map(|()| device.upload(&[7.0; 5]).unwrap());
            let mut swaps = device.pivots(batch, 0).unwrap();
            let mut status = device.buffer(5).unwrap();
            let wanted: Vec<i32> = (0..5).map(|i| if i < batch { 0 } else { 7 }).collect();
            let mut run = |what: &str, call: &mut dyn FnMut(&mut DeviceBuffer<i32>) -> warplu::Result<()>| {
                status.copy_from(&[7; 5]).unwrap();
                call(&mut status).unwrap_or_else(|e| panic!("{device} {what}: {e}"));
                assert_eq!(status.to_vec().unwrap(), wanted, "{device}: {what} of {batch}");
            };
            run("inverse", &mut |status| {
                let operands = of::Inverse { a: &a, inverse: &mut out, status };
                InversePlan::new(&device, Size::order(0).batch(batch))?.run(&stream, operands)
            });
            run("LU", &mut |status| {
                let operands = of::Lu { a: &a, lu: &mut out, pivots: &mut swaps, status };
                LuPlan::new(&device, Size::order(0).batch(batch))?.run(&stream, operands)
            });
            run("solution", &mut |status| {
                let operands = of::Solve { a: &a, b: InPlace, x: &mut sides, status };
                SolvePlan::new(&device, Size::order(0).batch(batch).rhs(2))?.run(&stream, operands)
            });
            run("determinant", &mut |status| {
                let operands = of::Det { a: &a, values: &mut values, sign: &mut sign, log_abs: &mut log_abs, status };
                DetPlan::new(&device, Size::order(0).batch(batch))?.run(&stream, operands)
            });
            let lu_status = device.upload(&[0; 5]).unwrap();
            run("inverse from factors", &mut |status| {
                let operands =
                    of::LuInverse { lu: &a, pivots: &swaps, lu_status: &lu_status, inverse: &mut out, status };
                LuInversePlan::new(&device, Size::order(0).batch(batch))?.run(&stream, operands)
            });
            run("solution from factors", &mut |status| {
                let plan = LuSolvePlan::new(&device, Size::order(0).batch(batch).rhs(2))?;
                let operands = of::LuSolve {
                    lu: &a,
                    pivots: &swaps,
                    lu_status: &lu_status,
                    op: Op::None,
                    b: InPlace,
                    x: &mut sides,
                    status,
                };
                plan.run(&stream, operands)
            });
            let ones = |one: f64| -> Vec<f64> { (0..5).map(|i| if i < batch { one } else { 7.0 }).collect() };
            assert_eq!((sign.to_vec().unwrap(), log_abs.to_vec().unwrap()), (ones(1.0), ones(0.0)), "{device}");
            assert_eq!(values.to_vec().unwrap(), ones(1.0), "{device}");
        }
        for n in [3, 40] {
            let matrices = device.upload(&vec![0.0_f64; 2 * n * n]).unwrap();
            let mut none = device.upload::<f64>(&[]).unwrap();
            let mut status = device.upload(&[7; 2]).unwrap();
            let a = DeviceBatch::row_major(&matrices, 2, n, n).unwrap();
            let mut sides = DeviceBatchMut::row_major(&mut none, 2, n, 0).unwrap();
            let plan = SolvePlan::<f64>::new(&device, Size::order(n).batch(2).rhs(0)).unwrap();
            plan.run(&stream, of::Solve { a: &a, b: InPlace, x: &mut sides, status: &mut status }).unwrap();
            assert_eq!(status.to_vec().unwrap(), [1, 1], "{device}, n = {n}: no right-hand sides");
        }
    }
}

/// Others' memory, on the CPU: a vector is worked on where it is.
#[test]
fn memory_of_others_is_worked_on_in_place() {
    let cpu = Device::cpu();
    let mut data = vec![2.0_f64, 1.0, 1.0, 1.0, 4.0, 0.0, 0.0, 2.0];
    // SAFETY: the vector outlives the buffer, and nobody else touches it meanwhile.
    let mut buffer =
        unsafe { DeviceBuffer::<f64>::from_raw(&cpu, data.as_mut_ptr().expose_provenance() as u64, 8) }.unwrap();
    assert_eq!((buffer.len(), buffer.address()), (8, data.as_ptr().addr() as u64));
    let (stream, mut status) = (cpu.stream().unwrap(), cpu.buffer(2).unwrap());
    let mut a = DeviceBatchMut::row_major(&mut buffer, 2, 2, 2).unwrap();
    let operands = of::Inverse { a: InPlace, inverse: &mut a, status: &mut status };
    InversePlan::<f64>::new(&cpu, Size::order(2).batch(2)).unwrap().run(&stream, operands).unwrap();
    drop(buffer);
    assert_eq!(data, [1.0, -1.0, -1.0, 2.0, 0.25, 0.0, 0.0, 0.5]);
    // SAFETY: refused before anything is touched.
    let (odd, foreign) =
        unsafe { (DeviceBuffer::<f64>::from_raw(&cpu, 4, 1), DeviceBuffer::<f64>::from_raw(&Device::sim(), 8, 1)) };
    assert!(odd.unwrap_err().to_string().contains("not aligned for elements of 8 bytes"));
    assert!(foreign.unwrap_err().to_string().contains("no memory but its own"));
}

/// Streams, marks and copies.
#[test]
fn streams_copy_between_ranges() {
    for device in devices(3) {
        let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
        let (from, mut to) = (device.upload(&[1, 2, 3, 4]).unwrap(), device.upload(&[0; 6]).unwrap());
        one.copy(from.slice(1..=2).unwrap(), to.slice_mut(3..5).unwrap()).unwrap();
        let mut mark = one.record().unwrap();
        other.wait(&mark).unwrap();
        other.upload(&[9, 8], to.slice_mut(..2).unwrap()).unwrap();
        let mut back = [0; 5];
        other.download(to.slice(1..).unwrap(), &mut back).unwrap();
        assert_eq!(back, [8, 0, 2, 3, 0]);
        mark.synchronize().unwrap();
        assert!(mark.query().unwrap() && one.record().unwrap().seconds_since(&mark).unwrap() >= 0.0);
        let earlier = one.record().unwrap();
        one.record_again(&mut mark).unwrap();
        assert!(mark.seconds_since(&earlier).unwrap() >= 0.0);
        assert!(one.copy(from.slice(..3).unwrap(), to.slice_mut(..2).unwrap()).is_err());
        assert!(one.upload(&[1], &mut to).is_err() && one.download(&from, &mut [0; 3]).is_err());
        let (first, end) = (3, 2);
        for range in [from.slice(first..end), from.slice(4..=4), from.slice(..5)] {
            assert!(range.unwrap_err().to_string().contains("leaves a device buffer of 4"));
        }
    }
}
