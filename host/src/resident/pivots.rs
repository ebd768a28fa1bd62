//! Row interchanges on a device.

use super::buffer::DeviceBuffer;
use super::uses::{Access, Work};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::product;

/// Room for the row interchanges of a batch, (batch, n), zero-based: filled by [`LuPlan`](super::LuPlan), or with what
/// one has.
///
/// Kernels index rows with them. So that none leads out of its matrix, they are no plain buffer: all of them are below
/// n.
///
/// ```
/// use warplu::Device;
/// let pivots = Device::best().upload_pivots(&[1, 1], 2)?; // of one matrix of order 2
/// assert_eq!(pivots.to_vec()?, [1, 1]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Pivots {
    pub(super) buffer: DeviceBuffer<u32>,
    pub(super) n: usize,
}

impl Device {
    /// Room for the row interchanges of `batch` matrices of order `n`.
    ///
    /// ```
    /// let pivots = warplu::Device::sim().pivots(2, 3)?;
    /// assert_eq!(pivots.to_vec()?, [0; 6]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::buffer`].
    pub fn pivots(&self, batch: usize, n: usize) -> Result<Pivots> {
        let buffer = self.buffer(product(&[batch, n])?)?;
        // Zero is a row of every matrix. Streams of others wait for this one, as does who frees them.
        let backend = self.machine()?;
        let work = Work::new(backend.clone(), backend.queue()?);
        {
            let _turn = work.turn();
            buffer.allocation.enter(&work, Access::Write)?;
            work.queue.fill(&buffer.allocation.memory, 0, 0, size_of::<u32>() * buffer.len())?;
        }
        work.synchronize()?;
        Ok(Pivots { buffer, n })
    }

    /// Row interchanges that one has, (batch, n), counted from 0.
    ///
    /// ```
    /// let device = warplu::Device::sim();
    /// assert!(device.upload_pivots(&[1, 1], 2).is_ok());
    /// assert!(device.upload_pivots(&[2, 2], 2).is_err()); // LAPACK's, from 1
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if one is not below n, or they are not as many as those of whole matrices; as
    /// [`Device::buffer`].
    pub fn upload_pivots(&self, pivots: &[u32], n: usize) -> Result<Pivots> {
        if n > 0 && !pivots.len().is_multiple_of(n) {
            return Err(Error::Shape(format!("{} pivots are not those of matrices of order {n}", pivots.len())));
        }
        match pivots.iter().find(|&&pivot| pivot as usize >= n) {
            Some(pivot) => Err(Error::Shape(format!(
                "a pivot is {pivot}, but the rows of matrices of order {n} are counted from 0: subtract 1 from LAPACK's"
            ))),
            None => Ok(Pivots { buffer: self.upload(pivots)?, n }),
        }
    }
}

impl Pivots {
    /// Row interchanges in a buffer that others have filled.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::Pivots;
    /// let buffer = Device::cpu().upload(&[1_u32, 1])?;
    /// // SAFETY: both are below 2, and nobody writes them.
    /// let pivots = unsafe { Pivots::from_buffer(buffer, 2)? };
    /// assert_eq!(pivots.to_vec()?, [1, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Safety
    /// They are below n, whenever a plan's work reads them.
    ///
    /// # Errors
    /// [`Error::Shape`] if they are not as many as those of whole matrices.
    pub unsafe fn from_buffer(buffer: DeviceBuffer<u32>, n: usize) -> Result<Self> {
        if n > 0 && !buffer.len().is_multiple_of(n) {
            return Err(Error::Shape(format!("{} pivots are not those of matrices of order {n}", buffer.len())));
        }
        Ok(Self { buffer, n })
    }

    /// The interchanges, copied as by [`DeviceBuffer::copy_to`].
    ///
    /// ```
    /// # use warplu::Device;
    /// assert_eq!(Device::cpu().upload_pivots(&[1, 1], 2)?.to_vec()?, [1, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's.
    pub fn to_vec(&self) -> Result<Vec<u32>> {
        self.buffer.to_vec()
    }

    /// The buffer that they are in.
    ///
    /// ```
    /// # use warplu::Device;
    /// assert_eq!(Device::cpu().pivots(3, 2)?.buffer().len(), 6);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn buffer(&self) -> &DeviceBuffer<u32> {
        &self.buffer
    }
}
