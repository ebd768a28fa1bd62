//! Whatever needs a matrix and what is made of it together, some matrices at a time.

use super::SourceBatch;
use crate::batch::{Batch, order};
use crate::device::Device;
use crate::element::{Element, Scalar};
use crate::error::{Error, Result};
use crate::layout::product;
use crate::matrices::Matrices;
use crate::ops::{Lu, quiet};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;

/// Memory for a piece, unless the device has a limit or a matrix takes more.
const PIECE: usize = 1 << 30;
/// Arrays of the size of the matrices that a piece may need at once: these, their factors on the device and on the
/// host, and an inverse.
const ARRAYS: usize = 4;

/// Factors each matrix, and hands `work` one piece of the batch after the other: the number of its first matrix, its
/// matrices, and their factors. What `work` returns are the statuses of the piece.
///
/// A piece takes up to 1 GiB, or the device's [memory limit](Device::with_memory_limit), or one matrix. `others` is how
/// many numbers beside those `work` holds for each matrix, such as right-hand sides and solutions.
///
/// ```
/// use std::io;
/// use warplu::out_of_core::{self, Source, SourceBatch};
/// use warplu::{Device, Norm};
///
/// /// diag(1, i + 1) for i = 0, 1, ...
/// struct Diagonals;
/// impl Source<f64> for Diagonals {
///     fn read(&self, first: usize, to: &mut [f64]) -> io::Result<()> {
///         for (x, at) in to.iter_mut().zip(first..) {
///             *x = [1.0, 0.0, 0.0, (at / 4 + 1) as f64][at % 4];
///         }
///         Ok(())
///     }
/// }
///
/// let a = SourceBatch::row_major(&Diagonals, 1000, 2, 2)?;
/// let mut least = 1.0_f64;
/// out_of_core::with_factors(&Device::cpu(), a, 0, |_first, a, lu| {
///     let conditions = lu.rcond(&a.norms(Norm::One)?)?;
///     least = conditions.rcond.into_iter().fold(least, f64::min);
///     Ok(conditions.status)
/// })?;
/// assert_eq!(least, 1e-3);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Device::lu`], [`Error::Shape`] if there are not as many statuses as matrices, and what the source and `work`
/// return.
pub fn with_factors<T: Element>(
    device: &Device,
    a: SourceBatch<'_, T>,
    others: usize,
    mut work: impl FnMut(usize, &Batch<'_, T>, &Lu<T>) -> Result<Statuses>,
) -> Result<Statuses> {
    in_pieces(device, a, others, |device, first, a| work(first, a, &device.lu(a)?))
}

/// As [`with_factors`], without factors: hands `work` one piece of the batch after the other, with a device that tells
/// nobody of its progress, as this does.
///
/// ```
/// use warplu::out_of_core::{self, SourceBatch};
/// use warplu::{Device, Norm};
///
/// let numbers: Vec<f64> = (0..8).map(f64::from).collect();
/// let a = SourceBatch::row_major(&numbers, 8, 1, 1)?;
/// let status = out_of_core::in_pieces(&Device::cpu(), a, 0, |device, _first, a| Ok(device.rcond(a, Norm::One)?.status))?;
/// assert_eq!(status.bad().count(), 1);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] if the matrices are not square, or there are not as many statuses as matrices, and what the source and
/// `work` return.
pub fn in_pieces<T: Element>(
    device: &Device,
    a: SourceBatch<'_, T>,
    others: usize,
    mut work: impl FnMut(&Device, usize, &Batch<'_, T>) -> Result<Statuses>,
) -> Result<Statuses> {
    let (n, batch) = (order(a.rows, a.cols)?, a.batch);
    let numbers = product(&[ARRAYS, n, n])?.saturating_add(others).max(1);
    let each = numbers.saturating_mul(size_of::<T::Scalar>());
    let piece = (device.memory_limit.unwrap_or(PIECE) / each).max(1);
    let (quiet, mut statuses) = (quiet(device), filled(Status::Ok, batch)?);
    for (first, statuses) in (0..batch).step_by(piece).zip(statuses.chunks_mut(piece)) {
        let matrices = a.read(first, statuses.len())?;
        let found = work(&quiet, first, &matrices.view())?;
        if found.len() != statuses.len() {
            return Err(Error::Shape(format!(
                "the work on {} matrices must return as many statuses, but it returned {}",
                statuses.len(),
                found.len()
            )));
        }
        statuses.copy_from_slice(&found);
        device.finished(statuses.len());
    }
    Ok(Statuses::new(statuses))
}

impl<T: Element> SourceBatch<'_, T> {
    /// The `count` matrices from number `first` on, in memory.
    ///
    /// ```
    /// # use warplu::out_of_core::SourceBatch;
    /// let numbers: Vec<f64> = (0..8).map(f64::from).collect();
    /// let a = SourceBatch::row_major(&numbers, 8, 1, 1)?;
    /// assert_eq!(a.read(3, 2)?.as_slice(), [3.0, 4.0]);
    /// assert!(a.read(7, 2).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not so many, [`Error::HostMemory`] if there is no memory for them, and what the
    /// source returns.
    pub fn read(&self, first: usize, count: usize) -> Result<Matrices<T>> {
        let Self { source, batch, rows, cols, layout } = *self;
        if first.checked_add(count).is_none_or(|end| end > batch) {
            return Err(Error::Shape(format!(
                "{count} matrices from number {first} on are more than the {batch} that there are"
            )));
        }
        let mut data = filled(T::narrow(T::Scalar::ZERO), product(&[count, rows, cols])?)?;
        source.read(first * rows * cols, &mut data)?;
        Ok(Matrices::new(data, count, rows, cols, layout))
    }
}
