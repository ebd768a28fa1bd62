//! The time of plans on matrices that are on the device already.

use warplu::resident::{DetPlan, DeviceBatch, InversePlan, LuPlan, SolvePlan, Stream};
use warplu::{Device, Element, Scalar};

use super::{Case, Effort, Op, time};

/// Seconds that a measurement should last, so that waiting for its end does not count.
const LONG_ENOUGH: f64 = 2e-3;
/// Most runs of a measurement.
const MOST_RUNS: usize = 200;

/// Seconds of each measurement; `None` on the CPU, which has no memory of its own.
pub(super) fn measure<T: Element>(
    device: &Device,
    case: Case,
    effort: Effort,
    a: &[T],
    b: &[T],
) -> warplu::Result<Option<Vec<f64>>> {
    let Case { op, n, batch, rhs } = case;
    if device.to_string() == "cpu" || n == 0 || batch == 0 || (op == Op::Solve && rhs == 0) {
        return Ok(None);
    }
    let stream = device.stream()?;
    let a = device.upload(a)?;
    let a = DeviceBatch::c_order(&a, batch, n, n)?;
    let status = device.buffer::<i32>(batch)?;
    let seconds = match op {
        Op::Lu => {
            let plan = LuPlan::<T>::new(device, n, batch)?;
            let (lu, pivots) = (device.buffer::<T::Scalar>(batch * n * n)?, device.buffer(batch * n)?);
            let lu = DeviceBatch::c_order(&lu, batch, n, n)?;
            repeat(&stream, effort, || plan.run(&stream, &a, &lu, &pivots, &status))
        }
        Op::Solve => {
            let plan = SolvePlan::<T>::new(device, n, batch, rhs)?;
            let (b, x) = (device.upload(b)?, device.buffer::<T>(batch * n * rhs)?);
            let (b, x) = (DeviceBatch::c_order(&b, batch, n, rhs)?, DeviceBatch::c_order(&x, batch, n, rhs)?);
            repeat(&stream, effort, || plan.run(&stream, &a, &b, &x, &status))
        }
        Op::Inv => {
            let plan = InversePlan::<T>::new(device, n, batch)?;
            let inverse = device.buffer::<T>(batch * n * n)?;
            let inverse = DeviceBatch::c_order(&inverse, batch, n, n)?;
            repeat(&stream, effort, || plan.run(&stream, &a, &inverse, &status))
        }
        Op::Det => {
            let plan = DetPlan::<T>::new(device, n, batch)?;
            let (phase, log_abs) = (device.buffer(batch)?, device.buffer::<<T::Scalar as Scalar>::Real>(batch)?);
            repeat(&stream, effort, || plan.run(&stream, &a, &phase, &log_abs, &status))
        }
    };
    seconds.map(Some)
}

/// Seconds of a run, measured several times. Short runs are measured many at a time.
fn repeat(stream: &Stream, effort: Effort, run: impl Fn() -> warplu::Result<()>) -> warplu::Result<Vec<f64>> {
    let runs = |count: usize| {
        time(|| {
            (0..count).try_for_each(|_| run())?;
            stream.synchronize()
        })
    };
    for _ in 0..effort.warmup {
        runs(1)?;
    }
    let once = runs(1)?;
    let count = ((LONG_ENOUGH / once.max(1e-9)).ceil() as usize).clamp(1, MOST_RUNS);
    (0..effort.reps).map(|_| Ok(runs(count)? / count as f64)).collect()
}
