//! Page-locked host memory, which GPUs copy from and to by themselves.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;
use std::sync::{PoisonError, RwLock};

use simt::Pod;

use crate::backend::{Backend, Staging};
use crate::cuda::Registered;
use crate::device::Device;
use crate::element::bytes_of_mut;
use crate::error::Result;
use crate::layout::product;

/// The memory that is page-locked by this module: begin and end addresses. There are few.
static LOCKED: RwLock<Vec<(usize, usize)>> = RwLock::new(Vec::new());

/// Whether bytes are within memory that is page-locked, so that a machine may copy them itself. Whoever borrows them
/// keeps them so.
pub(crate) fn covers(start: *const u8, len: usize) -> bool {
    let (first, end) = (start.addr(), start.addr().saturating_add(len));
    let locked = LOCKED.read().unwrap_or_else(PoisonError::into_inner);
    len > 0 && locked.iter().any(|&(own_first, own_end)| own_first <= first && end <= own_end)
}

/// An entry of [`LOCKED`].
#[derive(Debug)]
struct Entry(usize, usize);

impl Entry {
    fn new(bytes: &[u8]) -> Self {
        let entry = Self(bytes.as_ptr().addr(), bytes.as_ptr().addr() + bytes.len());
        LOCKED.write().unwrap_or_else(PoisonError::into_inner).push((entry.0, entry.1));
        entry
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut locked = LOCKED.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = locked.iter().position(|&own| own == (self.0, self.1)) {
            locked.swap_remove(at);
        }
    }
}

/// Elements in page-locked host memory, zero at first. Calls whose matrices lie in it are spared the copies that others
/// need: the GPU reads and writes it directly. It derefs to a slice, and lives on the heap where there is no GPU.
///
/// Page-locking takes the system about half a second a GiB: keep the memory, do not make it for one call.
///
/// ```
/// use warplu::{Batch, BatchMut, Device};
/// let device = Device::best();
/// let mut a = device.pinned::<f64>(4)?;
/// a.copy_from_slice(&[2.0, 1.0, 1.0, 1.0]);
/// let mut inverse = device.pinned::<f64>(4)?;
/// device.invert_into(&Batch::row_major(&a, 1, 2, 2)?, &mut BatchMut::row_major(&mut inverse, 1, 2, 2)?)?.check()?;
/// assert_eq!(*inverse, [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    // Before the memory, as fields drop in order.
    _entry: Entry,
    memory: Staging,
    len: usize,
    element: PhantomData<T>,
}

/// A vector that one had, page-locked while this value lives; see [`PinnedBuffer`]. It owns the memory: what a borrow
/// that is leaked would leave page-locked could be freed and given to others.
///
/// ```
/// use warplu::{Batch, Device};
/// let mut a = vec![2.0, 1.0, 1.0, 1.0];
/// let mut pinned = Device::best().pin(&mut a)?;
/// pinned[0] = 4.0; // it is a slice
/// let a = pinned.into_vec();
/// assert_eq!(a, [4.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct PinnedVec<T> {
    entry: Option<Entry>,
    registered: Option<Registered>,
    data: Vec<T>,
}

impl Device {
    /// `len` elements of page-locked memory, which all GPUs of the process copy from and to.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut a = Device::best().pinned::<f64>(4)?;
    /// a.copy_from_slice(&[2.0, 1.0, 1.0, 1.0]); // it is a slice, of zeros at first
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::HostMemory`](crate::Error::HostMemory), or the driver's error, if there is not so much.
    pub fn pinned<T: Pod>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let memory = self.first().staging(product(&[len, size_of::<T>()])?.max(1))?;
        Ok(PinnedBuffer { _entry: Entry::new(memory.as_slice()), memory, len, element: PhantomData })
    }

    /// Page-locks the elements of a vector that one has, and takes them out of it; [`PinnedVec::into_vec`] gives them
    /// back. Worth it for memory that several calls use. After an error the vector is as before.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let device = Device::best();
    /// let mut a = vec![2.0, 1.0, 1.0, 1.0];
    /// let pinned = device.pin(&mut a)?;
    /// for _ in 0..3 {
    ///     let inverse = device.invert(&Batch::row_major(&pinned, 1, 2, 2)?)?;
    ///     assert_eq!(inverse.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// }
    /// assert_eq!(pinned.into_vec(), [2.0, 1.0, 1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The driver's, such as that the memory is page-locked already.
    pub fn pin<T: Pod>(&self, data: &mut Vec<T>) -> Result<PinnedVec<T>> {
        let bytes = bytes_of_mut(data);
        let registered = match self.first() {
            Backend::Cuda(cuda) if !bytes.is_empty() => {
                // SAFETY: the result has both, and drops the registration before the memory.
                Some(unsafe { Registered::new(&cuda.gpu, bytes.as_mut_ptr(), bytes.len())? })
            }
            _ => None,
        };
        let entry = Entry::new(bytes);
        Ok(PinnedVec { entry: Some(entry), registered, data: std::mem::take(data) })
    }
}

impl<T: Pod> PinnedVec<T> {
    /// The vector, no longer page-locked. A copy of it where the driver does not unlock its memory now, as while the
    /// thread captures a graph.
    ///
    /// ```
    /// # use warplu::Device;
    /// let mut a = vec![2.0, 1.0];
    /// assert_eq!(Device::cpu().pin(&mut a)?.into_vec(), [2.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        let unlocked = self.unlock();
        let data = std::mem::take(&mut self.data);
        if unlocked { data } else { data.leak().to_vec() }
    }
}

impl<T> PinnedVec<T> {
    /// Whether the memory may be freed. Until the driver lets go of its pages it copies from and to these, whoever has
    /// their addresses by then: so nobody else may get them.
    fn unlock(&mut self) -> bool {
        self.entry = None;
        self.registered.take().is_none_or(Registered::end)
    }
}

impl<T> Drop for PinnedVec<T> {
    fn drop(&mut self) {
        if !self.unlock() {
            std::mem::take(&mut self.data).leak();
        }
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: aligned, as long as this, and all bytes are written; any bytes make plain values.
        unsafe { slice::from_raw_parts(self.memory.as_slice().as_ptr().cast(), self.len) }
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed by nobody else.
        unsafe { slice::from_raw_parts_mut(self.memory.as_mut_slice().as_mut_ptr().cast(), self.len) }
    }
}

impl<T> Deref for PinnedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.data
    }
}

impl<T> DerefMut for PinnedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_memory_is_known_while_it_lives() {
        let device = Device::sim();
        let buffer = device.pinned::<u64>(10).unwrap();
        let start = buffer.as_ptr().cast::<u8>();
        assert!(buffer.iter().all(|&x| x == 0));
        assert!(covers(start, 80) && covers(start.wrapping_add(8), 72));
        assert!(!covers(start, 81) && !covers(start.wrapping_sub(1), 2) && !covers(start, 0));
        drop(buffer);
        assert!(!covers(start, 80));
        let mut data = vec![1_u8; 16];
        let start = data.as_ptr();
        let mut pinned = device.pin(&mut data).unwrap();
        assert!(covers(start, 16));
        pinned[3] = 2;
        assert!(data.is_empty());
        let data = pinned.into_vec();
        assert!(!covers(start, 16));
        assert_eq!((data.as_ptr(), data[3]), (start, 2));
    }
}
