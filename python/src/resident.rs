//! Calls on GPU memory, in the caller's stream, for each type of elements.
//!
//! All of them are given addresses. In each, that is sound if, from when the stream gets there until the work is done,
//! - matrices and values are there, in memory of the GPU;
//! - nobody else touches what is written, or writes what is read;
//! - a result is where its input is, with the same strides, or apart from all inputs.

use warplu::resident::{
    CholeskyPlan, CholeskySolvePlan, DetPlan, DeviceBatch, DeviceBatchMut, DeviceBuffer, InPlace, InversePlan, LuPlan,
    LuSolvePlan, Pivots, Size, SolvePlan, Stream, of,
};
use warplu::{Device, Element, Error, Op, Triangle};

use crate::bad::{Bad, of_codes};
use crate::host::Logs;
use crate::matrices::Matrices;
use crate::method::Method;
use crate::place::{Gpu, handle};
use crate::plans::plan;
use crate::sides::with_sides;

type Result<T> = std::result::Result<T, Error>;

/// A call: the stream, and the statuses of its matrices.
struct Call<'a> {
    gpu: &'a Gpu,
    stream: Stream,
    status: DeviceBuffer<i32>,
}

impl<'a> Call<'a> {
    /// # Safety
    /// As above, of the statuses; the stream is one of the GPU.
    unsafe fn new(gpu: &'a Gpu, status: usize, batch: usize) -> Result<Self> {
        // SAFETY: the caller's promise; the stream is given back before the call returns.
        let stream = unsafe { Stream::from_raw(&gpu.device, handle(gpu.stream))? };
        // SAFETY: the caller's promise.
        let status = unsafe { DeviceBuffer::from_raw(&gpu.device, status as u64, batch)? };
        Ok(Self { gpu, stream, status })
    }

    /// Looks for bad matrices, for which it waits, if they are asked for; gives the stream back.
    ///
    /// Buffers that the caller still has then are dropped without a wait for the work on them.
    fn finish(self, check: bool) -> Result<Bad> {
        let Self { stream, status, .. } = self;
        let mut bad = None;
        if check && !status.is_empty() {
            let mut codes = vec![0; status.len()];
            stream.download(&status, &mut codes)?;
            bad = of_codes(codes.into_iter());
        }
        // SAFETY: the caller keeps what the work is on until it is done, and plans have marks of their own.
        unsafe { stream.release() };
        Ok(bad)
    }

    /// Memory for others in the call.
    ///
    /// # Safety
    /// As above.
    unsafe fn values<T: warplu::Pod>(&self, address: usize, len: usize) -> Result<DeviceBuffer<T>> {
        // SAFETY: the caller's promise.
        unsafe { DeviceBuffer::from_raw(&self.gpu.device, address as u64, len) }
    }
}

/// # Safety
/// As above.
pub(crate) unsafe fn inv<T: Element>(
    gpu: &Gpu,
    method: Method,
    (a, to): (Matrices, Matrices),
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch) = (a.rows(), a.batch());
    let plan =
        plan(gpu, (n, 0), method, batch, |device, batch| InversePlan::<T>::new(device, Size::order(n).batch(batch)))?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        with_sides::<T, _>(&gpu.device, a, to, |a, inverse| {
            let operands = of::Inverse { a, inverse, status: &mut call.status };
            plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
            call.finish(check)
        })
    }
}

/// # Safety
/// As above.
pub(crate) unsafe fn solve<T: Element>(
    gpu: &Gpu,
    method: Method,
    (a, b, to): (Matrices, Matrices, Matrices),
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch, rhs) = (a.rows(), a.batch(), b.cols());
    let plan = plan(gpu, (n, rhs), method, batch, |device, batch| {
        SolvePlan::<T>::new(device, Size::order(n).batch(batch).rhs(rhs))
    })?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let buffer = a.buffer::<T>(&gpu.device)?;
        let a = DeviceBatch::strided(&buffer, batch, n, a.cols(), a.layout())?;
        with_sides::<T, _>(&gpu.device, b, to, |b, x| {
            let operands = of::Solve { a: &a, b, x, status: &mut call.status };
            plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
            call.finish(check)
        })
    }
}

/// # Safety
/// As above; at `pivots` is room for (batch, n).
pub(crate) unsafe fn lu<T: Element>(
    gpu: &Gpu,
    method: Method,
    (a, to, pivots): (Matrices, Matrices, usize),
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch) = (a.rows(), a.batch());
    let plan = plan(gpu, (n, 0), method, batch, |device, batch| LuPlan::<T>::new(device, Size::order(n).batch(batch)))?;
    // SAFETY: the caller's promise; the plan writes pivots before anybody reads them.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let (from, mut lu) = (a.buffer::<T>(&gpu.device)?, to.buffer::<T::Scalar>(&gpu.device)?);
        let mut pivots = Pivots::from_buffer(call.values(pivots, batch * n)?, n)?;
        let from = DeviceBatch::strided(&from, batch, n, a.cols(), a.layout())?;
        let mut lu = DeviceBatchMut::strided(&mut lu, batch, to.rows(), to.cols(), to.layout())?;
        let operands = of::Lu { a: &from, lu: &mut lu, pivots: &mut pivots, status: &mut call.status };
        plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
        call.finish(check)
    }
}

/// # Safety
/// As above; at `pivots` is room for (batch, n).
pub(crate) unsafe fn lu_in_place<T: Element<Scalar = T>>(
    gpu: &Gpu,
    method: Method,
    (a, pivots): (Matrices, usize),
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch) = (a.rows(), a.batch());
    let plan = plan(gpu, (n, 0), method, batch, |device, batch| LuPlan::<T>::new(device, Size::order(n).batch(batch)))?;
    // SAFETY: the caller's promise; the plan writes pivots before anybody reads them.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let mut buffer = a.buffer::<T>(&gpu.device)?;
        let mut pivots = Pivots::from_buffer(call.values(pivots, batch * n)?, n)?;
        let mut lu = DeviceBatchMut::strided(&mut buffer, batch, n, a.cols(), a.layout())?;
        let operands = of::Lu { a: InPlace, lu: &mut lu, pivots: &mut pivots, status: &mut call.status };
        plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
        call.finish(check)
    }
}

/// # Safety
/// As above; at `pivots` are (batch, n), which are below n unless `validate` says that they may not be, and at `known`
/// are the statuses of the factors.
pub(crate) unsafe fn lu_solve<T: Element<Scalar = T>>(
    gpu: &Gpu,
    (lu, pivots, validate): (Matrices, usize, bool),
    op: Op,
    (b, to): (Matrices, Matrices),
    known: usize,
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch, rhs) = (lu.rows(), lu.batch(), b.cols());
    let make = |device: &Device, batch| LuSolvePlan::<T>::new(device, Size::order(n).batch(batch).rhs(rhs));
    let plan = plan(gpu, (n, rhs), Method::default(), batch, make)?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let (buffer, given) = (lu.buffer::<T>(&gpu.device)?, call.values::<i32>(known, batch)?);
        let pivots = call.values::<u32>(pivots, batch * n)?;
        if validate && !pivots.is_empty() {
            let mut copy = vec![0; pivots.len()];
            call.stream.download(&pivots, &mut copy)?;
            below(&copy, n)?;
        }
        let pivots = Pivots::from_buffer(pivots, n)?;
        let lu = DeviceBatch::strided(&buffer, batch, n, lu.cols(), lu.layout())?;
        with_sides::<T, _>(&gpu.device, b, to, |b, x| {
            let (pivots, status) = (&pivots, &mut call.status);
            let operands = of::LuSolve { lu: &lu, pivots, lu_status: &given, op, b, x, status };
            plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
            call.finish(check)
        })
    }
}

/// # Safety
/// As above; where `logs` leads there is room for (batch).
pub(crate) unsafe fn det<T: Element>(
    gpu: &Gpu,
    method: Method,
    (a, logs): (Matrices, Logs),
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch) = (a.rows(), a.batch());
    let plan =
        plan(gpu, (n, 0), method, batch, |device, batch| DetPlan::<T>::new(device, Size::order(n).batch(batch)))?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let (mut values, mut sign) = (call.values(logs.values, batch)?, call.values(logs.phase, batch)?);
        let mut log_abs = call.values(logs.log_abs, batch)?;
        let buffer = a.buffer::<T>(&gpu.device)?;
        let a = DeviceBatch::strided(&buffer, batch, n, a.cols(), a.layout())?;
        let (values, sign, log_abs) = (&mut values, &mut sign, &mut log_abs);
        let operands = of::Det { a: &a, values, sign, log_abs, status: &mut call.status };
        plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
        call.finish(check)
    }
}

/// # Safety
/// As above.
pub(crate) unsafe fn cholesky<T: Element>(
    gpu: &Gpu,
    triangle: Triangle,
    (a, to): (Matrices, Matrices),
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch, method) = (a.rows(), a.batch(), Method::default());
    let plan =
        plan(gpu, (n, 0), method, batch, |device, batch| CholeskyPlan::<T>::new(device, Size::order(n).batch(batch)))?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let (from, mut l) = (a.buffer::<T>(&gpu.device)?, to.buffer::<T::Scalar>(&gpu.device)?);
        let from = DeviceBatch::strided(&from, batch, n, a.cols(), a.layout())?;
        let mut l = DeviceBatchMut::strided(&mut l, batch, to.rows(), to.cols(), to.layout())?;
        let operands = of::Cholesky { a: &from, factors: &mut l, triangle, status: &mut call.status };
        plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
        call.finish(check)
    }
}

/// # Safety
/// As above.
pub(crate) unsafe fn cholesky_in_place<T: Element<Scalar = T>>(
    gpu: &Gpu,
    triangle: Triangle,
    a: Matrices,
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch, method) = (a.rows(), a.batch(), Method::default());
    let plan =
        plan(gpu, (n, 0), method, batch, |device, batch| CholeskyPlan::<T>::new(device, Size::order(n).batch(batch)))?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let mut buffer = a.buffer::<T>(&gpu.device)?;
        let mut l = DeviceBatchMut::strided(&mut buffer, batch, n, a.cols(), a.layout())?;
        let operands = of::Cholesky { a: InPlace, factors: &mut l, triangle, status: &mut call.status };
        plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
        call.finish(check)
    }
}

/// # Safety
/// As above; at `known` are the statuses of the factors.
pub(crate) unsafe fn cho_solve<T: Element<Scalar = T>>(
    gpu: &Gpu,
    triangle: Triangle,
    factors: Matrices,
    (b, to): (Matrices, Matrices),
    known: usize,
    (status, check): (usize, bool),
) -> Result<Bad> {
    let (n, batch, rhs) = (factors.rows(), factors.batch(), b.cols());
    let make = |device: &Device, batch| CholeskySolvePlan::<T>::new(device, Size::order(n).batch(batch).rhs(rhs));
    let plan = plan(gpu, (n, rhs), Method::default(), batch, make)?;
    // SAFETY: the caller's promise.
    unsafe {
        let mut call = Call::new(gpu, status, batch)?;
        let (buffer, given) = (factors.buffer::<T>(&gpu.device)?, call.values::<i32>(known, batch)?);
        let factors = DeviceBatch::strided(&buffer, batch, n, factors.cols(), factors.layout())?;
        with_sides::<T, _>(&gpu.device, b, to, |b, x| {
            let (factors, factor_status, status) = (&factors, &given, &mut call.status);
            let operands = of::CholeskySolve { factors, triangle, factor_status, b, x, status };
            plan.run(gpu, &call.stream, |plan| plan.run(&call.stream, operands))?;
            call.finish(check)
        })
    }
}

/// Refuses pivots that are no rows of matrices of order `n`.
fn below(pivots: &[u32], n: usize) -> Result<()> {
    match pivots.iter().position(|&pivot| pivot as usize >= n) {
        None => Ok(()),
        Some(at) => Err(Error::Shape(format!(
            "pivot {} of matrix {} is {}, but rows are counted from 0 to {}: subtract 1 from LAPACK's or \
             PyTorch's",
            at % n,
            at / n,
            pivots[at].cast_signed(),
            n - 1
        ))),
    }
}
