//! What a plan reads and what it writes, which may be the same.

use warplu::resident::{DeviceBatch, DeviceBatchMut};
use warplu::{Device, Element, Error};

use crate::matrices::Matrices;

type Result<T> = std::result::Result<T, Error>;

/// Inputs, unless they are in the place of the results, and results, as a plan takes them.
///
/// # Safety
/// As for [`DeviceBuffer::from_raw`], of both.
pub(crate) unsafe fn with_sides<T: Element, R>(
    device: &Device,
    b: Matrices,
    to: Matrices,
    run: impl FnOnce(Option<&DeviceBatch<'_, T>>, &mut DeviceBatchMut<'_, T>) -> Result<R>,
) -> Result<R> {
    let batch = |m: Matrices| (m.batch(), m.rows(), m.cols(), m.layout());
    // SAFETY: the caller's promise.
    let (from, mut x) = unsafe { (b.buffer::<T>(device)?, to.buffer::<T>(device)?) };
    let (count, rows, cols, layout) = batch(to);
    let mut x = DeviceBatchMut::strided(&mut x, count, rows, cols, layout)?;
    if b == to {
        return run(None, &mut x);
    }
    let (count, rows, cols, layout) = batch(b);
    run(Some(&DeviceBatch::strided(&from, count, rows, cols, layout)?), &mut x)
}
