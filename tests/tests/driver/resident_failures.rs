//! As `failures.rs`, for programs that keep their matrices, factors and memory on the device or pinned.

use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, LuPlan, LuSolvePlan, Size, of};
use warplu::{Batch, Device, Error, Op};

use super::failures::fail_each;
use super::work::{BATCH, N, numbers};

/// Device memory that has room for the factors.
const LIMIT: usize = 64 << 10;

#[test]
fn every_call_of_work_with_kept_factors_may_fail() {
    // Where there is no memory for factors on the GPU, they are kept on the host.
    fail_each(LIMIT, |device| {
        let numbers = numbers();
        let a = Batch::row_major(&numbers, BATCH, N, N)?;
        let mut lu = device.lu(&a)?;
        lu.refactor(&a)?;
        drop(lu.solve(&Batch::row_major(&numbers[..BATCH * N], BATCH, N, 1)?, Op::None)?);
        assert_eq!(lu.clone().factors()?.as_slice(), numbers);
        Ok(())
    });
}

#[test]
fn every_call_of_work_with_pinned_memory_may_fail() {
    fail_each(LIMIT, |device| {
        let numbers = numbers();
        let mut input = device.pinned::<f64>(numbers.len())?;
        input.copy_from_slice(&numbers);
        let mut registered = numbers.clone();
        let registered = device.pin(&mut registered)?;
        for a in [&*input, &*registered] {
            let inverse = device.invert(&Batch::row_major(a, BATCH, N, N)?)?;
            assert_eq!(inverse.matrices.as_slice(), numbers);
        }
        Ok(())
    });
}

#[test]
fn every_call_of_plans_may_fail() {
    fail_each(LIMIT, |device| {
        let numbers = numbers();
        let (one, two) = (device.stream()?, device.stream()?);
        let (a, b) = (device.upload(&numbers)?, device.upload(&numbers[..BATCH * N])?);
        let (mut lu, mut inverse) = (device.buffer::<f64>(numbers.len())?, device.buffer::<f64>(numbers.len())?);
        let (mut x, mut status) = (device.buffer::<f64>(BATCH * N)?, device.buffer::<i32>(BATCH)?);
        let (mut pivots, mut other) = (device.pivots(BATCH, N)?, device.buffer::<i32>(BATCH)?);
        let a = DeviceBatch::row_major(&a, BATCH, N, N)?;
        let factor = LuPlan::<f64>::new(device, Size::order(N).batch(BATCH))?;
        let operands = of::Lu {
            a: &a,
            lu: &mut DeviceBatchMut::row_major(&mut lu, BATCH, N, N)?,
            pivots: &mut pivots,
            status: &mut status,
        };
        factor.run(&one, operands)?;
        let out = &mut DeviceBatchMut::row_major(&mut inverse, BATCH, N, N)?;
        let operands = of::Inverse { a: &a, inverse: out, status: &mut other };
        InversePlan::<f64>::new(device, Size::order(N).batch(BATCH))?.run(&two, operands)?;
        // The other stream waits for the first.
        let factors = DeviceBatch::row_major(&lu, BATCH, N, N)?;
        let sides = DeviceBatch::column_major(&b, BATCH, N, 1)?;
        let solutions = &mut DeviceBatchMut::column_major(&mut x, BATCH, N, 1)?;
        let operands = of::LuSolve {
            lu: &factors,
            pivots: &pivots,
            lu_status: &status,
            op: Op::None,
            b: &sides,
            x: solutions,
            status: &mut other,
        };
        LuSolvePlan::<f64>::new(device, Size::order(N).batch(BATCH))?.run(&two, operands)?;
        let mark = two.record()?;
        one.wait(&mark)?;
        let mut pinned = device.pinned::<f64>(numbers.len())?;
        one.download(&inverse, &mut pinned)?;
        assert_eq!(*pinned, *numbers);
        one.upload(&pinned, &mut inverse)?;
        assert_eq!(lu.to_vec()?, numbers);
        mark.synchronize()
    });
}

/// The program ends in the middle of work: everything is dropped as it is.
#[test]
fn every_call_may_fail_where_nobody_waits() {
    fn queue(device: &Device) -> Result<(), Error> {
        let numbers = numbers();
        let (one, two) = (device.stream()?, device.stream()?);
        let a = device.upload(&numbers)?;
        let (mut b, mut c) = (device.buffer::<f64>(numbers.len())?, device.buffer::<f64>(numbers.len())?);
        one.copy(&a, &mut b)?;
        two.copy(&b, &mut c)?;
        one.copy(&c, &mut b)
    }
    fail_each(LIMIT, queue);
}
