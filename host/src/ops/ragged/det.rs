//! Determinants of matrices of many orders.

use super::groups::{Groups, layout_key};
use crate::call::Call;
use crate::device::Device;
use crate::element::{Element, Real, RealOf, Scalar};
use crate::error::Result;
use crate::ops::{Determinants, Logs};
use crate::ragged::{Ragged, Spots, check_square};
use crate::status::Status;
use crate::statuses::Statuses;

impl Device {
    /// The determinant of each matrix of a ragged batch; see [`Device::det`].
    ///
    /// ```
    /// use warplu::{Device, Ragged};
    /// let a = [0.0_f64, 2.0, 3.0, 0.0, 5.0];
    /// let det = Device::cpu().det_ragged(&Ragged::c_order(&a, &[2, 1])?)?;
    /// assert_eq!(det.phase, [-1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a matrix is not square; a device's errors.
    pub fn det_ragged<T: Element>(&self, a: &Ragged<'_, T>) -> Result<Determinants<T>> {
        check_square(&a.spots)?;
        let n = |b: usize| a.spots[b].shape.rows;
        let groups = Groups::new(a.batch(), |b| (n(b), layout_key(self, &a.spots[b])), |b| (n(b), 0))?;
        let bytes = |b: usize| n(b) * n(b) * size_of::<T>();
        let parts = groups.each(self, bytes, |members| {
            // SAFETY: borrowed to be read.
            let from = unsafe { Spots::of(&a.spots, members) };
            of_group::<T>(self, &from)
        })?;
        in_order(&groups, parts)
    }
}

/// Those of matrices of one size.
pub(super) fn of_group<T: Element>(device: &Device, from: &Spots<'_, T>) -> Result<Determinants<T>> {
    let mut call = Call::new(device, from.as_slice().len());
    call.gather(from);
    Logs::new(from.as_slice().len())?.of_matrices(call, from.shape().rows)
}

/// Those of groups, in the order of the batch.
pub(super) fn in_order<T: Element>(groups: &Groups, parts: Vec<Determinants<T>>) -> Result<Determinants<T>> {
    let [mut values, mut phase] = [Vec::new(), Vec::new()];
    let (mut log_abs, mut status) = (Vec::new(), Vec::new());
    for part in parts {
        values.push(part.values);
        phase.push(part.phase);
        log_abs.push(part.log_abs);
        status.push(part.status.into_vec());
    }
    Ok(Determinants {
        values: groups.in_order(&values, T::Scalar::ONE)?,
        phase: groups.in_order(&phase, T::Scalar::ONE)?,
        log_abs: groups.in_order(&log_abs, RealOf::<T>::from_f64(0.0))?,
        status: Statuses::new(groups.in_order(&status, Status::Ok)?),
    })
}
