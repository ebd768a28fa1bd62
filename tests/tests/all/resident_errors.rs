//! What plans on device memory refuse, before anything is launched: wrong sizes, other devices, pivots that lead
//! nowhere.

use warplu::resident::{
    DetPlan, DeviceBatch, DeviceBatchMut, DeviceBuffer, DeviceSliceMut, InPlace, InversePlan, LuInversePlan, LuPlan,
    LuSolvePlan, Pivots, Size, SolvePlan, of,
};
use warplu::{Device, Error, Layout, Op};
use warplu_tests::devices;

/// Asserts a shape error whose message holds `part`.
#[track_caller]
fn says<R: std::fmt::Debug>(result: Result<R, Error>, part: &str) {
    match result {
        Err(Error::Shape(text)) => assert!(text.contains(part), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sizes_that_do_not_fit() {
    for device in devices(1) {
        let stream = device.stream().unwrap();
        let (big, mut small) = (device.upload(&[1.0_f32; 200]).unwrap(), device.upload(&[1.0_f32; 8]).unwrap());
        says(DeviceBatch::row_major(&small, 1, 3, 3), "lead beyond a device buffer of 8");
        says(DeviceBatch::row_major(small.slice(5..).unwrap(), 1, 2, 2), "lead beyond a device buffer of 3");
        let padded = Layout { batch_stride: 0, row_stride: 99, col_stride: 1 };
        says(DeviceBatch::strided(&big, 1, 3, 3, padded), "lead beyond a device buffer of 200");
        says(small.copy_from(&[0.0; 9]), "a slice of 9 elements does not fit a device buffer of 8");
        says(small.copy_to(&mut [0.0; 7]), "a slice of 7 elements does not fit a device buffer of 8");
        let pointers = device.upload(&[0_u64; 2]).unwrap();
        // SAFETY: refused before any address is used.
        says(unsafe { DeviceBatch::<f32>::pointers(&pointers, 3, 1, 1, Layout::row_major(1, 1)) }, "needs 3 elements");

        let plan = LuPlan::<f32>::new(&device, Size::order(3).batch(4)).unwrap();
        let right = DeviceBatch::row_major(&big, 4, 3, 3).unwrap();
        let (mut room, mut other) = (device.buffer::<f32>(200).unwrap(), device.buffer::<f32>(200).unwrap());
        let (mut swaps, mut status) = (device.pivots(5, 3).unwrap(), device.upload(&[7; 5]).unwrap());
        {
            let mut out = DeviceBatchMut::row_major(&mut room, 4, 3, 3).unwrap();
            for (batch, n) in [(3, 3), (5, 3), (4, 4), (4, 2)] {
                let wrong = DeviceBatch::row_major(&big, batch, n, n).unwrap();
                let mut wrong_out = DeviceBatchMut::row_major(&mut other, batch, n, n).unwrap();
                let operands = of::Lu { a: &wrong, lu: &mut out, pivots: &mut swaps, status: &mut status };
                let run = plan.run(&stream, operands);
                // As many as there are of the first operand there must be of the others.
                says(
                    run,
                    match (batch, n) {
                        (3, 3) => "`lu` must be 3 matrices of 3 x 3",
                        (5, 3) => "the plan is for at most 4 matrices, not for 5",
                        _ => "`a` must be 4 matrices of 3 x 3",
                    },
                );
                let operands = of::Lu { a: &right, lu: &mut wrong_out, pivots: &mut swaps, status: &mut status };
                let run = plan.run(&stream, operands);
                says(run, "`lu` must be 4 matrices of 3 x 3");
            }
            let many = DeviceBatch::row_major(&big, 5, 3, 3).unwrap();
            let mut many_out = DeviceBatchMut::row_major(&mut other, 5, 3, 3).unwrap();
            let more = "the plan is for at most 4 matrices, not for 5";
            let operands = of::Lu { a: &many, lu: &mut many_out, pivots: &mut swaps, status: &mut status };
            says(plan.run(&stream, operands), more);
            let operands = of::Lu { a: InPlace, lu: &mut many_out, pivots: &mut swaps, status: &mut status };
            says(plan.run(&stream, operands), more);
            let invert = InversePlan::<f32>::new(&device, Size::order(3).batch(4)).unwrap();
            says(invert.run(&stream, of::Inverse { a: &many, inverse: &mut many_out, status: &mut status }), more);
            let operands = of::Inverse { a: &right, inverse: &mut many_out, status: &mut status };
            says(invert.run(&stream, operands), "`inverse` must be 4 matrices of 3 x 3");
            let (mut few, mut another) = (device.pivots(3, 3).unwrap(), device.pivots(4, 2).unwrap());
            let operands = of::Lu { a: &right, lu: &mut out, pivots: &mut few, status: &mut status };
            says(plan.run(&stream, operands), "`pivots` needs 12 elements");
            let operands = of::Lu { a: &right, lu: &mut out, pivots: &mut another, status: &mut status };
            says(plan.run(&stream, operands), "of matrices of order 2, not of order 3");
            let few = status.slice_mut(..3).unwrap();
            let operands = of::Lu { a: &right, lu: &mut out, pivots: &mut swaps, status: few };
            says(plan.run(&stream, operands), "`status` needs 4 elements");
        }
        let solve = LuSolvePlan::<f32>::new(&device, Size::order(3).batch(4).rhs(2)).unwrap();
        let (narrow, sides) =
            (DeviceBatch::row_major(&big, 4, 3, 1).unwrap(), DeviceBatch::row_major(&big, 4, 3, 2).unwrap());
        let mut out = DeviceBatchMut::row_major(&mut room, 4, 3, 2).unwrap();
        let lu_status = device.buffer::<i32>(4).unwrap();
        let solves = |b: &DeviceBatch<'_, f32>, x: &mut DeviceBatchMut<'_, f32>, status: DeviceSliceMut<'_, i32>| {
            let (lu, pivots, lu_status, op) = (&right, &swaps, &lu_status, Op::None);
            solve.run(&stream, of::LuSolve { lu, pivots, lu_status, op, b, x, status })
        };
        says(solves(&narrow, &mut out, (&mut status).into()), "`b` must be 4 matrices of 3 x 2");
        says(solves(&sides, &mut out, status.slice_mut(..3).unwrap()), "`status` needs 4 elements");
        let mut narrow = DeviceBatchMut::row_major(&mut other, 4, 3, 1).unwrap();
        says(solves(&sides, &mut narrow, (&mut status).into()), "`x` must be 4 matrices of 3 x 2");
        let solve = SolvePlan::<f32>::new(&device, Size::order(3).batch(4).rhs(2)).unwrap();
        let operands = of::Solve { a: &right, b: &sides, x: &mut narrow, status: &mut status };
        says(solve.run(&stream, operands), "`x` must be 4 matrices of 3 x 2");
        assert_eq!(status.to_vec().unwrap(), [7; 5], "{device}: nothing was launched");
    }
}

#[test]
fn outputs_that_overlap_themselves() {
    for device in devices(1) {
        let mut room = device.buffer::<f64>(64).unwrap();
        let strides = [(0, 4, 1), (16, 0, 1), (16, 4, 0), (8, 4, 1), (15, 4, 1), (16, 3, 1), (1, 1, 4)];
        for (batch_stride, row_stride, col_stride) in strides {
            let layout = Layout { batch_stride, row_stride, col_stride };
            assert!(DeviceBatch::strided(&room, 2, 4, 4, layout).is_ok(), "inputs may");
            says(
                DeviceBatchMut::strided(&mut room, 2, 4, 4, layout),
                "overlap: an output needs a place for each element",
            );
        }
        // One matrix needs no batch stride.
        let layout = Layout { batch_stride: 0, row_stride: 4, col_stride: 1 };
        assert!(DeviceBatchMut::strided(&mut room, 1, 4, 4, layout).is_ok());
        let pointers = device.upload(&[0_u64]).unwrap();
        let layout = Layout { batch_stride: 0, row_stride: 1, col_stride: 1 };
        // SAFETY: refused before any address is used.
        says(unsafe { DeviceBatchMut::<f64>::pointers(&pointers, 1, 2, 2, layout) }, "overlap");
    }
}

#[test]
fn other_devices() {
    let pairs = [(Device::sim(), Device::sim()), (Device::cpu(), Device::sim()), (Device::sim(), Device::cpu())];
    for (own, other) in pairs {
        let foreign = "must be of one device";
        let (stream, other_stream) = (own.stream().unwrap(), other.stream().unwrap());
        let data = [2.0_f64, 1.0, 1.0, 1.0];
        let (a, other_a) = (own.upload(&data).unwrap(), other.upload(&data).unwrap());
        let (mut x, mut other_x) = (own.upload(&[7.0; 4]).unwrap(), other.upload(&[7.0; 4]).unwrap());
        let (mut status, mut other_status) = (own.upload(&[7]).unwrap(), other.upload(&[7]).unwrap());
        let (mut swaps, mut other_swaps) = (own.pivots(1, 2).unwrap(), other.pivots(1, 2).unwrap());
        {
            let batch = DeviceBatch::row_major(&a, 1, 2, 2).unwrap();
            let other_batch = DeviceBatch::row_major(&other_a, 1, 2, 2).unwrap();
            let mut out = DeviceBatchMut::row_major(&mut x, 1, 2, 2).unwrap();
            let mut other_out = DeviceBatchMut::row_major(&mut other_x, 1, 2, 2).unwrap();
            let invert = InversePlan::<f64>::new(&own, Size::order(2)).unwrap();
            says(invert.run(&other_stream, of::Inverse { a: &batch, inverse: &mut out, status: &mut status }), foreign);
            says(invert.run(&stream, of::Inverse { a: &other_batch, inverse: &mut out, status: &mut status }), foreign);
            says(invert.run(&stream, of::Inverse { a: &batch, inverse: &mut other_out, status: &mut status }), foreign);
            says(invert.run(&stream, of::Inverse { a: &batch, inverse: &mut out, status: &mut other_status }), foreign);
            let operands = of::Inverse { a: InPlace, inverse: &mut other_out, status: &mut status };
            says(invert.run(&stream, operands), foreign);
            let factor = LuPlan::<f64>::new(&own, Size::order(2)).unwrap();
            let operands = of::Lu { a: &batch, lu: &mut out, pivots: &mut other_swaps, status: &mut status };
            says(factor.run(&stream, operands), foreign);
            let solve = LuSolvePlan::<f64>::new(&own, Size::order(2).rhs(2)).unwrap();
            let (codes, other_codes) = (own.buffer::<i32>(1).unwrap(), other.buffer::<i32>(1).unwrap());
            let mut solve =
                |lu: &DeviceBatch<'_, f64>, pivots: &Pivots, lu_status: &_, status: &mut DeviceBuffer<i32>| {
                    let (op, b, x) = (Op::None, &batch, &mut out);
                    says(solve.run(&stream, of::LuSolve { lu, pivots, lu_status, op, b, x, status }), foreign);
                };
            solve(&batch, &other_swaps, &codes, &mut status);
            solve(&batch, &swaps, &other_codes, &mut status);
            solve(&other_batch, &swaps, &codes, &mut status);
            solve(&batch, &swaps, &codes, &mut other_status);
            let operands = of::Solve { a: &batch, b: &other_batch, x: &mut out, status: &mut status };
            says(SolvePlan::new(&own, Size::order(2).rhs(2)).unwrap().run(&stream, operands), foreign);
            let inverse = LuInversePlan::<f64>::new(&own, Size::order(2)).unwrap();
            let (lu, pivots, lu_status) = (&batch, &other_swaps, &other_status);
            let operands = of::LuInverse { lu, pivots, lu_status, inverse: &mut out, status: &mut status };
            says(inverse.run(&stream, operands), foreign);
            let det = DetPlan::<f64>::new(&own, Size::order(2)).unwrap();
            for (values, sign, logs) in [(&other, &own, &own), (&own, &other, &own), (&own, &own, &other)] {
                let [values, sign, log_abs] = &mut [values, sign, logs].map(|of| of.buffer(1).unwrap());
                says(det.run(&stream, of::Det { a: &batch, values, sign, log_abs, status: &mut status }), foreign);
            }
            // What is of one device works.
            let operands = of::Lu { a: &batch, lu: &mut out, pivots: &mut swaps, status: &mut status };
            factor.run(&stream, operands).unwrap();
        }
        assert_eq!((status.to_vec().unwrap(), other_status.to_vec().unwrap()), (vec![0], vec![7]));
        assert_eq!(other_x.to_vec().unwrap(), [7.0; 4]);
        says(stream.copy(&other_a, &mut x), foreign);
        says(stream.copy(&a, &mut other_x), foreign);
        says(stream.upload(&data, &mut other_x), foreign);
        says(stream.download(&other_a, &mut [0.0; 4]), foreign);
        let mut mark = stream.record().unwrap();
        says(other_stream.wait(&mark), foreign);
        says(other_stream.record_again(&mut mark), foreign);
        says(other_stream.record().unwrap().seconds_since(&mark), foreign);
    }
}

#[test]
fn pivots_that_lead_nowhere() {
    for device in devices(1) {
        says(
            device.upload_pivots(&[1, 2, 3], 3),
            "a pivot is 3, but the rows of matrices of order 3 are counted from 0",
        );
        says(device.upload_pivots(&[0, u32::MAX], 2), "a pivot is 4294967295");
        says(device.upload_pivots(&[0; 5], 2), "5 pivots are not those of matrices of order 2");
        says(device.upload_pivots(&[0], 0), "a pivot is 0");
        assert_eq!(device.upload_pivots(&[2, 2, 2, 0, 1, 2], 3).unwrap().to_vec().unwrap(), [2, 2, 2, 0, 1, 2]);
        // Fresh ones are zeros, and so lead to row 0 only: a wrong permutation, but one within the matrices.
        for n in [3, 8, 20, 40] {
            let stream = device.stream().unwrap();
            let identity: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k % (n + 1) == 0))).collect();
            let b: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let (a, b_buffer) = (device.upload(&identity).unwrap(), device.upload(&b).unwrap());
            let (swaps, mut status) = (device.pivots(1, n).unwrap(), device.upload(&[0]).unwrap());
            assert_eq!(swaps.to_vec().unwrap(), vec![0; n]);
            let lu = DeviceBatch::row_major(&a, 1, n, n).unwrap();
            let (mut x, mut inverse) = (device.buffer::<f64>(n).unwrap(), device.buffer::<f64>(n * n).unwrap());
            let sides = DeviceBatch::row_major(&b_buffer, 1, n, 1).unwrap();
            let mut out = DeviceBatchMut::row_major(&mut x, 1, n, 1).unwrap();
            let plan = LuSolvePlan::<f64>::new(&device, Size::order(n)).unwrap();
            let lu_status = device.upload(&[0]).unwrap();
            let operands = of::LuSolve {
                lu: &lu,
                pivots: &swaps,
                lu_status: &lu_status,
                op: Op::None,
                b: &sides,
                x: &mut out,
                status: &mut status,
            };
            plan.run(&stream, operands).unwrap();
            let mut permuted = b.clone();
            (0..n).for_each(|k| permuted.swap(k, 0));
            assert_eq!(x.to_vec().unwrap(), permuted, "{device}, n = {n}");
            let mut out = DeviceBatchMut::row_major(&mut inverse, 1, n, n).unwrap();
            let plan = LuInversePlan::<f64>::new(&device, Size::order(n)).unwrap();
            let operands = of::LuInverse {
                lu: &lu,
                pivots: &swaps,
                lu_status: &lu_status,
                inverse: &mut out,
                status: &mut status,
            };
            plan.run(&stream, operands).unwrap();
            assert!(inverse.to_vec().unwrap().iter().filter(|&&x| x == 1.0).count() == n, "{device}, n = {n}");
        }
    }
}
