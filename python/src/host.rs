//! Calls on host memory, for each type of elements.
//!
//! All of them are given addresses. In each, that is sound if
//! - matrices and values that are read are there, and nobody writes them meanwhile;
//! - those that are written are there, and nobody else touches them, nor what lies between them, meanwhile;
//! - a result is where its input is, with the same strides, or apart from all inputs.

use warplu::resident::{CholeskySolvePlan, DeviceBatch, DeviceBatchMut, DeviceBuffer, LuSolvePlan, Pivots, Size, of};
use warplu::{Cholesky, Device, Element, Error, Lu, Norm, Op, RealOf, Scalar, Status, Triangle};

use crate::matrices::{Matrices, values, values_mut};
use crate::method::Method;
use crate::sides::with_sides;

type Result<T> = std::result::Result<T, Error>;

/// Where determinants go: their phases and the logarithms of their sizes, and the numbers themselves; to an address of
/// 0 nothing goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logs {
    pub(crate) phase: usize,
    pub(crate) log_abs: usize,
    pub(crate) values: usize,
}

/// # Safety
/// As above.
pub(crate) unsafe fn inv<T: Element>(device: &Device, a: Matrices, to: Matrices) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let mut out = unsafe { to.batch_mut_of::<T>()? };
    if a == to {
        return Ok(device.invert_in_place(&mut out)?.into_vec());
    }
    // SAFETY: the caller's promise.
    Ok(device.invert_into(&unsafe { a.batch_of::<T>()? }, &mut out)?.into_vec())
}

/// # Safety
/// As above.
pub(crate) unsafe fn solve<T: Element>(device: &Device, a: Matrices, b: Matrices, to: Matrices) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let (a, mut x) = unsafe { (a.batch_of::<T>()?, to.batch_mut_of::<T>()?) };
    if b == to {
        return Ok(device.solve_in_place(&a, &mut x)?.into_vec());
    }
    // SAFETY: the caller's promise.
    Ok(device.solve_into(&a, &unsafe { b.batch_of::<T>()? }, &mut x)?.into_vec())
}

/// # Safety
/// As above; at `pivots` is room for (batch, n).
pub(crate) unsafe fn lu<T: Element>(device: &Device, a: Matrices, to: Matrices, pivots: usize) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let (a, mut out) = unsafe { (a.batch_of::<T>()?, to.batch_mut_of::<T::Scalar>()?) };
    // SAFETY: the caller's promise.
    let pivots = unsafe { values_mut(pivots, out.batch() * out.rows())? };
    Ok(device.lu_into(&a, &mut out, pivots)?.into_vec())
}

/// # Safety
/// As above; at `pivots` is room for (batch, n).
pub(crate) unsafe fn lu_in_place<T: Element<Scalar = T>>(
    device: &Device,
    a: Matrices,
    pivots: usize,
) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let mut out = unsafe { a.batch_mut_of::<T>()? };
    // SAFETY: the caller's promise.
    let pivots = unsafe { values_mut(pivots, out.batch() * out.rows())? };
    Ok(device.lu_in_place(&mut out, pivots)?.into_vec())
}

/// # Safety
/// As above; at `pivots` are (batch, n), and at `known`, if that is no 0, statuses of the factors.
pub(crate) unsafe fn lu_solve<T: Element<Scalar = T> + Scalar>(
    device: &Device,
    (lu, pivots): (Matrices, usize),
    op: Op,
    (b, to): (Matrices, Matrices),
    known: usize,
) -> Result<Vec<Status>> {
    let (n, batch, rhs) = (lu.rows(), lu.batch(), b.cols());
    // SAFETY: the caller's promise.
    let (factors, pivots) = unsafe { (lu.batch_of::<T>()?, values::<u32>(pivots, batch * n)?) };
    if is_cpu(device) {
        // Factors are used where they are, also one for many right-hand sides.
        // SAFETY: the caller's promise.
        let (elements, known) = unsafe { (values::<T>(lu.address(), lu.span()?)?, known_of(known, batch)?) };
        let codes =
            codes(known, batch, |b| lu.diagonal(elements, b).position(|&x| x == T::ZERO).map_or(0, |k| k as i32 + 1))?;
        let status = device.upload(&codes)?;
        // SAFETY: the caller's promise, on the CPU, which works at once.
        let buffer = unsafe { lu.buffer::<T>(device)? };
        let from = DeviceBatch::strided(&buffer, batch, n, n, lu.layout())?;
        let (plan, stream) = (LuSolvePlan::<T>::new(device, Size::order(n).batch(batch).rhs(rhs))?, device.stream()?);
        let pivots: Pivots = device.upload_pivots(pivots, n)?;
        // SAFETY: the caller's promise.
        return unsafe {
            on_cpu::<T>(device, b, to, |b, x, solved| {
                let (lu_status, status) = (&status, solved);
                plan.run(&stream, of::LuSolve { lu: &from, pivots: &pivots, lu_status, op, b, x, status })
            })
        };
    }
    let lu = Lu::<T>::from_parts(device, &factors, pivots)?;
    // SAFETY: the caller's promise.
    let mut x = unsafe { to.batch_mut_of::<T>()? };
    if b == to {
        return Ok(lu.solve_in_place(&mut x, op)?.into_vec());
    }
    // SAFETY: the caller's promise.
    Ok(lu.solve_into(&unsafe { b.batch_of::<T>()? }, &mut x, op)?.into_vec())
}

/// # Safety
/// As above; where `logs` leads there is room for (batch).
pub(crate) unsafe fn det<T: Element>(device: &Device, a: Matrices, logs: Logs) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let det = device.det(&unsafe { a.batch_of::<T>()? })?;
    // SAFETY: the caller's promise.
    unsafe { put(logs, &det)? };
    Ok(det.status.into_vec())
}

/// # Safety
/// Where `logs` leads there is room for as many.
pub(crate) unsafe fn put<T: Element>(logs: Logs, det: &warplu::Determinants<T>) -> Result<()> {
    let batch = det.status.len();
    // SAFETY: the caller's promise.
    unsafe {
        if logs.phase != 0 {
            values_mut::<T::Scalar>(logs.phase, batch)?.copy_from_slice(&det.sign);
        }
        if logs.log_abs != 0 {
            values_mut::<RealOf<T>>(logs.log_abs, batch)?.copy_from_slice(&det.log_abs);
        }
        if logs.values != 0 {
            values_mut::<T::Scalar>(logs.values, batch)?.copy_from_slice(&det.values);
        }
    }
    Ok(())
}

/// # Safety
/// As above; at `to` is room for (batch).
pub(crate) unsafe fn rcond<T: Element>(device: &Device, norm: Norm, a: Matrices, to: usize) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let a = unsafe { a.batch_of::<T>()? };
    let conditions = device.rcond(&a, norm)?;
    // SAFETY: the caller's promise.
    unsafe { values_mut::<RealOf<T>>(to, a.batch())?.copy_from_slice(&conditions.rcond) };
    Ok(conditions.status.into_vec())
}

/// # Safety
/// As above; at `ferr` and `berr` is room for (batch, k).
pub(crate) unsafe fn refine<T: Element<Scalar = T> + Scalar>(
    device: &Device,
    method: Method,
    (a, b, x): (Matrices, Matrices, Matrices),
    (ferr, berr): (usize, usize),
) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let (a, b, mut x) = unsafe { (a.batch_of::<T>()?, b.batch_of::<T>()?, x.batch_mut_of::<T>()?) };
    let bounds = match method.definite() {
        Some(triangle) => device.cholesky(&a, triangle)?.refine(&a.hermitian(triangle)?.view(), &b, &mut x)?,
        None => device.lu(&a)?.refine(&a, &b, &mut x, Op::None)?,
    };
    // SAFETY: the caller's promise.
    unsafe {
        values_mut::<RealOf<T>>(ferr, bounds.ferr.len())?.copy_from_slice(&bounds.ferr);
        values_mut::<RealOf<T>>(berr, bounds.berr.len())?.copy_from_slice(&bounds.berr);
    }
    Ok(bounds.status.into_vec())
}

/// # Safety
/// As above; at `to` is room for (batch).
pub(crate) unsafe fn growth<T: Element<Scalar = T> + Scalar>(a: Matrices, lu: Matrices, to: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    let (a, factors) = unsafe { (a.batch_of::<T>()?, lu.batch_of::<T>()?) };
    // Which rows were interchanged is all the same.
    let pivots = vec![0; lu.batch() * lu.rows()];
    let growth = Lu::<T>::from_parts(&Device::cpu(), &factors, &pivots)?.growth(&a)?;
    // SAFETY: the caller's promise.
    unsafe { values_mut::<RealOf<T>>(to, a.batch())?.copy_from_slice(&growth) };
    Ok(())
}

/// # Safety
/// As above.
pub(crate) unsafe fn cholesky<T: Element>(
    device: &Device,
    triangle: Triangle,
    a: Matrices,
    to: Matrices,
) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    let (a, mut out) = unsafe { (a.batch_of::<T>()?, to.batch_mut_of::<T::Scalar>()?) };
    Ok(device.cholesky_into(&a, triangle, &mut out)?.into_vec())
}

/// # Safety
/// As above.
pub(crate) unsafe fn cholesky_in_place<T: Element<Scalar = T>>(
    device: &Device,
    triangle: Triangle,
    a: Matrices,
) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    Ok(device.cholesky_in_place(&mut unsafe { a.batch_mut_of::<T>()? }, triangle)?.into_vec())
}

/// # Safety
/// As above; at `known`, if that is no 0, are statuses of the factors.
pub(crate) unsafe fn cho_solve<T: Element<Scalar = T> + Scalar>(
    device: &Device,
    triangle: Triangle,
    factors: Matrices,
    (b, to): (Matrices, Matrices),
    known: usize,
) -> Result<Vec<Status>> {
    let (n, batch, rhs) = (factors.rows(), factors.batch(), b.cols());
    // SAFETY: the caller's promise.
    let given = unsafe { factors.batch_of::<T>()? };
    if is_cpu(device) {
        // SAFETY: the caller's promise.
        let (elements, known) = unsafe { (values::<T>(factors.address(), factors.span()?)?, known_of(known, batch)?) };
        let codes = codes(known, batch, |b| {
            let is_good = factors.diagonal(elements, b).all(|x| x.real() > <T as Scalar>::Real::ZERO);
            if is_good { 0 } else { Status::NonFinite.code() }
        })?;
        let status = device.upload(&codes)?;
        // SAFETY: the caller's promise, on the CPU, which works at once.
        let buffer = unsafe { factors.buffer::<T>(device)? };
        let from = DeviceBatch::strided(&buffer, batch, n, n, factors.layout())?;
        let (plan, stream) =
            (CholeskySolvePlan::<T>::new(device, Size::order(n).batch(batch).rhs(rhs))?, device.stream()?);
        // SAFETY: the caller's promise.
        return unsafe {
            on_cpu::<T>(device, b, to, |b, x, solved| {
                let (factor_status, status) = (&status, solved);
                plan.run(&stream, of::CholeskySolve { factors: &from, triangle, factor_status, b, x, status })
            })
        };
    }
    let cholesky = Cholesky::<T>::from_parts(device, &given, triangle)?;
    // SAFETY: the caller's promise.
    let mut x = unsafe { to.batch_mut_of::<T>()? };
    if b == to {
        return Ok(cholesky.solve_in_place(&mut x)?.into_vec());
    }
    // SAFETY: the caller's promise.
    Ok(cholesky.solve_into(&unsafe { b.batch_of::<T>()? }, &mut x)?.into_vec())
}

/// Runs a plan of the CPU on right-hand sides that are there.
///
/// # Safety
/// As above.
unsafe fn on_cpu<T: Element>(
    device: &Device,
    b: Matrices,
    to: Matrices,
    run: impl FnOnce(Option<&DeviceBatch<'_, T>>, &mut DeviceBatchMut<'_, T>, &mut DeviceBuffer<i32>) -> Result<()>,
) -> Result<Vec<Status>> {
    let mut solved = device.buffer::<i32>(b.batch())?;
    // SAFETY: the caller's promise, on the CPU, which works at once.
    unsafe { with_sides(device, b, to, |b, x| run(b, x, &mut solved))? };
    Ok(solved.to_vec()?.into_iter().map(Status::from_code).collect())
}

/// Whether a device is the CPU, whose plans work in host memory.
fn is_cpu(device: &Device) -> bool {
    device.info().tier().is_none()
}

/// The status codes at an address; none at 0.
///
/// # Safety
/// So many are there, and nobody writes them meanwhile.
unsafe fn known_of<'a>(known: usize, batch: usize) -> Result<&'a [i32]> {
    // SAFETY: the caller's promise.
    if known == 0 { Ok(&[]) } else { unsafe { values::<i32>(known, batch) } }
}

/// The status codes of factors: those that are known, or what the factors say.
fn codes(known: &[i32], batch: usize, found: impl Fn(usize) -> i32) -> Result<Vec<i32>> {
    let mut codes = Vec::new();
    codes.try_reserve_exact(batch).map_err(|_| Error::HostMemory { bytes: batch.saturating_mul(4) })?;
    codes.extend((0..batch).map(|b| known.get(b).copied().filter(|&code| code != 0).unwrap_or_else(|| found(b))));
    Ok(codes)
}
