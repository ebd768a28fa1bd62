//! Row interchanges of matrices of many orders on a device.

use std::sync::Arc;

use simt::global::Global;

use super::order::RaggedSizes;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::resident::uses::Allocation;
use crate::resident::{DeviceSlice, Pivots};

/// Room for the row interchanges of matrices of many orders, zero-based, in a plan's order: filled by
/// [`RaggedLuPlan`](super::RaggedLuPlan).
///
/// Kernels index rows with them. So that none leads out of its matrix, they are no plain buffer: all of them are below
/// the order of their matrix.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::RaggedLuPlan;
/// let device = Device::best();
/// let plan = RaggedLuPlan::<f64>::new(&device, &[1, 2])?;
/// let pivots = device.ragged_pivots(plan.matrices())?;
/// assert_eq!(pivots.to_vecs()?, [vec![0], vec![0, 0]]); // until the plan has run
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct RaggedPivots {
    pivots: Pivots, // as those of matrices of order 1, of which each is below 1 at first
    sizes: RaggedSizes,
}

impl Device {
    /// Room for the row interchanges of matrices of a plan's sizes.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuPlan;
    /// let device = Device::sim();
    /// let plan = RaggedLuPlan::<f32>::new(&device, &[1, 2])?;
    /// assert_eq!(device.ragged_pivots(plan.matrices())?.to_vecs()?, [vec![0], vec![0, 0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub fn ragged_pivots(&self, sizes: &RaggedSizes) -> Result<RaggedPivots> {
        let len = sizes.groups().iter().map(|group| group.count * group.shape.rows).sum();
        Ok(RaggedPivots { pivots: self.pivots(len, 1)?, sizes: sizes.clone() })
    }
}

impl RaggedPivots {
    /// The interchanges of each matrix, copied as by [`DeviceBuffer::copy_to`](crate::resident::DeviceBuffer::copy_to).
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedLuPlan;
    /// let device = Device::cpu();
    /// let plan = RaggedLuPlan::<f64>::new(&device, &[2, 1])?;
    /// assert_eq!(device.ragged_pivots(plan.matrices())?.to_vecs()?, [vec![0, 0], vec![0]]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's.
    pub fn to_vecs(&self) -> Result<Vec<Vec<u32>>> {
        let (all, mut each, mut end) = (self.pivots.to_vec()?, vec![Vec::new(); self.sizes.batch()], 0);
        for group in self.sizes.groups() {
            for &b in &self.sizes.order()[group.first..][..group.count] {
                each[b] = all[end..][..group.shape.rows].to_vec();
                end += group.shape.rows;
            }
        }
        Ok(each)
    }

    /// Those of each group, if they are of a plan's sizes.
    pub(super) fn expect(&self, sizes: &RaggedSizes) -> Result<Vec<Global<u32>>> {
        if self.sizes != *sizes {
            return Err(Error::Shape(
                "the pivots are not of the sizes of the plan, or they are in another order: make them with those of \
                 the plan"
                    .to_owned(),
            ));
        }
        let (all, mut end) = (DeviceSlice::from(self.pivots.buffer()), 0);
        let of_group = |group: &super::order::Group| {
            let len = group.count * group.shape.rows;
            end += len;
            all.slice(end - len..)?.global_of(len, "pivots")
        };
        sizes.groups().iter().map(of_group).collect()
    }

    pub(super) fn allocation(&self) -> &Arc<Allocation> {
        &self.pivots.buffer().allocation
    }
}
