//! Row interchanges of matrices of many orders on a device.

use super::pivots::Pivots;
use super::sizes::RaggedSizes;
use crate::device::Device;
use crate::error::Result;

/// Room for the row interchanges of matrices of many orders, zero-based, in a plan's order: filled by
/// [`LuPlan`](super::LuPlan).
///
/// Kernels index rows with them. So that none leads out of its matrix, they are no plain buffer: all of them are below
/// the order of their matrix.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::RaggedSizes;
/// let device = Device::best();
/// let sizes = RaggedSizes::orders(&[1, 2])?;
/// let pivots = device.ragged_pivots(&sizes)?;
/// assert_eq!(pivots.to_vecs()?, [vec![0], vec![0, 0]]); // until the plan has run
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct RaggedPivots {
    pub(super) pivots: Pivots, // as those of matrices of order 1, of which each is below 1 at first
    pub(super) sizes: RaggedSizes,
}

impl Device {
    /// Room for the row interchanges of matrices of a plan's sizes.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedSizes;
    /// let device = Device::sim();
    /// let sizes = RaggedSizes::orders(&[1, 2])?;
    /// assert_eq!(device.ragged_pivots(&sizes)?.to_vecs()?, [vec![0], vec![0, 0]]);
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
    /// # use warplu::resident::RaggedSizes;
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// assert_eq!(device.ragged_pivots(&sizes)?.to_vecs()?, [vec![0, 0], vec![0]]);
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
}
