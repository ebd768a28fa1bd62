//! What a plan reads and what it writes, which may be the same.

use warplu::resident::{DeviceBatch, DeviceBatchMut};
use warplu::{Device, Element, Error};

use crate::matrices::Matrices;

type Result<T> = std::result::Result<T, Error>;

/// Inputs and results of one size, such as right-hand sides and solutions.
pub(crate) enum Sides<'s, 'a, T: Element> {
    Apart(&'s DeviceBatch<'a, T>, &'s mut DeviceBatchMut<'a, T>),
    InPlace(&'s mut DeviceBatchMut<'a, T>),
}

/// Inputs and results as a plan takes them.
///
/// # Safety
/// As for [`DeviceBuffer::from_raw`], of both.
pub(crate) unsafe fn with_sides<T: Element, R>(
    device: &Device,
    b: Matrices,
    to: Matrices,
    run: impl FnOnce(Sides<'_, '_, T>) -> Result<R>,
) -> Result<R> {
    let batch = |m: Matrices| (m.batch(), m.rows(), m.cols(), m.layout());
    // SAFETY: the caller's promise.
    let mut x = unsafe { to.buffer::<T>(device)? };
    let (count, rows, cols, layout) = batch(to);
    if b == to {
        return run(Sides::InPlace(&mut DeviceBatchMut::strided(&mut x, count, rows, cols, layout)?));
    }
    // SAFETY: the caller's promise.
    let from = unsafe { b.buffer::<T>(device)? };
    let mut x = DeviceBatchMut::strided(&mut x, count, rows, cols, layout)?;
    let (count, rows, cols, layout) = batch(b);
    run(Sides::Apart(&DeviceBatch::strided(&from, count, rows, cols, layout)?, &mut x))
}
