//! Matrices of many sizes in device memory, with a table of their addresses.

use std::ptr;

use simt::Pod;

use super::sizes::RaggedSizes;
use super::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::ragged::{Spot, back_to_back, check_apart, strided};

/// A buffer with matrices of many sizes, to read, and a table of their addresses in device memory, which is made with
/// it.
///
/// It is for plans of the same sizes, and for any number of runs.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceRagged, RaggedSizes};
/// let device = Device::best();
/// let sizes = RaggedSizes::orders(&[2, 1])?;
/// let a = device.upload(&[2.0, 1.0, 1.0, 1.0, 4.0])?;
/// let matrices = DeviceRagged::row_major(&a, &sizes)?; // for any number of runs
/// # let _ = matrices;
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceRagged<'a, T: Pod>(Table<'a, T>);

/// A buffer with matrices of many sizes, to write or to work on in place, and a table of their addresses in device
/// memory, which is made with it.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceRaggedMut, InPlace, InversePlan, RaggedSizes, of};
/// let device = Device::best();
/// let sizes = RaggedSizes::orders(&[2, 1])?;
/// let (mut a, mut status) = (device.upload(&[2.0, 1.0, 1.0, 1.0, 4.0])?, device.buffer(2)?);
/// let mut matrices = DeviceRaggedMut::row_major(&mut a, &sizes)?;
/// let plan = InversePlan::<f64>::new(&device, &sizes)?;
/// plan.run(&device.stream()?, of::Inverse { a: InPlace, inverse: &mut matrices, status: &mut status })?;
/// assert_eq!(a.to_vec()?, [1.0, -1.0, -1.0, 2.0, 0.25]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceRaggedMut<'a, T: Pod>(Table<'a, T>);

/// Matrices, and where they are.
#[derive(Debug)]
pub(super) struct Table<'a, T: Pod> {
    pub(super) slice: DeviceSlice<'a, T>,
    pub(super) sizes: RaggedSizes,
    /// The address of each, in the plan's order.
    pub(super) addresses: DeviceBuffer<u64>,
    /// Of each group.
    pub(super) layouts: Vec<Layout>,
}

impl<'a, T: Pod> DeviceRagged<'a, T> {
    /// Matrices of these sizes one after the other, each row by row.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{DeviceRagged, RaggedSizes};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// assert!(DeviceRagged::row_major(&device.upload(&[0.0; 5])?, &sizes).is_ok());
    /// assert!(DeviceRagged::row_major(&device.upload(&[0.0; 4])?, &sizes).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer does not hold exactly their elements; as [`Device::buffer`].
    pub fn row_major(buffer: impl Into<DeviceSlice<'a, T>>, sizes: &RaggedSizes) -> Result<Self> {
        Table::compact(buffer.into(), sizes, Layout::row_major).map(Self)
    }

    /// Matrices of these sizes one after the other, each column by column.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{DeviceRagged, RaggedSizes};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// assert!(DeviceRagged::column_major(&device.upload(&[0.0; 5])?, &sizes).is_ok());
    /// assert!(DeviceRagged::column_major(&device.upload(&[0.0; 4])?, &sizes).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::row_major`].
    pub fn column_major(buffer: impl Into<DeviceSlice<'a, T>>, sizes: &RaggedSizes) -> Result<Self> {
        Table::compact(buffer.into(), sizes, Layout::column_major).map(Self)
    }

    /// Matrices of these sizes at `offsets` of the buffer, with the strides that `layout` tells of each by its
    /// number, which are the same for all of one size; batch strides are not used.
    ///
    /// ```
    /// # use warplu::resident::{DeviceRagged, RaggedSizes};
    /// # use warplu::{Device, Layout};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[1, 2])?;
    /// // Diagonal blocks of order 1 and 2 of a 3 x 3 matrix.
    /// let a = device.upload(&[1.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.0, 4.0, 5.0])?;
    /// let blocks = DeviceRagged::strided(&a, &sizes, &[0, 4], |_| Layout::row_major(3, 3))?;
    /// # let _ = blocks;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many offsets as matrices, if a matrix leads out of the buffer, or has other
    /// strides than one of its size; as [`Device::buffer`].
    pub fn strided(
        buffer: impl Into<DeviceSlice<'a, T>>,
        sizes: &RaggedSizes,
        offsets: &[usize],
        layout: impl Fn(usize) -> Layout,
    ) -> Result<Self> {
        let buffer = buffer.into();
        let spots = strided(start(&buffer), buffer.len(), &sizes.shapes(), offsets, layout)?;
        Table::new(buffer, sizes, &spots).map(Self)
    }

    pub(super) fn table(&self) -> &Table<'a, T> {
        &self.0
    }
}

impl<'a, T: Pod> DeviceRaggedMut<'a, T> {
    /// Matrices of these sizes one after the other, each row by row.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{DeviceRaggedMut, RaggedSizes};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// assert!(DeviceRaggedMut::row_major(&mut device.upload(&[0.0; 5])?, &sizes).is_ok());
    /// assert!(DeviceRaggedMut::row_major(&mut device.upload(&[0.0; 4])?, &sizes).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`DeviceRagged::row_major`].
    pub fn row_major(buffer: impl Into<DeviceSliceMut<'a, T>>, sizes: &RaggedSizes) -> Result<Self> {
        Table::compact(buffer.into().inner(), sizes, Layout::row_major).map(Self)
    }

    /// Matrices of these sizes one after the other, each column by column.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{DeviceRaggedMut, RaggedSizes};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// assert!(DeviceRaggedMut::column_major(&mut device.upload(&[0.0; 5])?, &sizes).is_ok());
    /// assert!(DeviceRaggedMut::column_major(&mut device.upload(&[0.0; 4])?, &sizes).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`DeviceRagged::row_major`].
    pub fn column_major(buffer: impl Into<DeviceSliceMut<'a, T>>, sizes: &RaggedSizes) -> Result<Self> {
        Table::compact(buffer.into().inner(), sizes, Layout::column_major).map(Self)
    }

    /// As [`DeviceRagged::strided`], but apart from each other.
    ///
    /// ```
    /// # use warplu::resident::{DeviceRaggedMut, RaggedSizes};
    /// # use warplu::{Device, Layout};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[1, 2])?;
    /// let mut a = device.upload(&[0.0; 9])?;
    /// assert!(DeviceRaggedMut::strided(&mut a, &sizes, &[0, 4], |_| Layout::row_major(3, 3)).is_ok());
    /// assert!(DeviceRaggedMut::strided(&mut a, &sizes, &[4, 0], |_| Layout::row_major(3, 3)).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`DeviceRagged::strided`], and [`Error::Shape`] if the first to the last element of a matrix overlaps that of
    /// another.
    pub fn strided(
        buffer: impl Into<DeviceSliceMut<'a, T>>,
        sizes: &RaggedSizes,
        offsets: &[usize],
        layout: impl Fn(usize) -> Layout,
    ) -> Result<Self> {
        let buffer = buffer.into().inner();
        let spots = strided(start(&buffer), buffer.len(), &sizes.shapes(), offsets, layout)?;
        check_apart(&spots)?;
        Table::new(buffer, sizes, &spots).map(Self)
    }

    /// The buffer, to read.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{DeviceRaggedMut, RaggedSizes};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// let mut a = device.upload(&[2.0, 1.0, 1.0, 1.0, 4.0])?;
    /// assert_eq!(DeviceRaggedMut::row_major(&mut a, &sizes)?.as_slice().to_vec()?[4], 4.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        self.0.slice
    }

    /// The buffer, to write.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{DeviceRaggedMut, RaggedSizes};
    /// let device = Device::cpu();
    /// let sizes = RaggedSizes::orders(&[2, 1])?;
    /// let mut a = device.upload(&[0.0; 5])?;
    /// let mut matrices = DeviceRaggedMut::row_major(&mut a, &sizes)?;
    /// matrices.as_mut_slice().copy_from(&[2.0, 1.0, 1.0, 1.0, 4.0])?; // the next step's matrices
    /// assert_eq!(matrices.as_slice().to_vec()?[4], 4.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn as_mut_slice(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut(self.0.slice)
    }

    pub(super) fn table(&self) -> &Table<'a, T> {
        &self.0
    }
}

impl<'a, T: Pod> Table<'a, T> {
    fn compact(
        slice: DeviceSlice<'a, T>,
        sizes: &RaggedSizes,
        layout: impl Fn(usize, usize) -> Layout,
    ) -> Result<Self> {
        let spots = back_to_back(start(&slice), slice.len(), &sizes.shapes(), layout)?;
        Self::new(slice, sizes, &spots)
    }

    fn new(slice: DeviceSlice<'a, T>, sizes: &RaggedSizes, spots: &[Spot<T>]) -> Result<Self> {
        let mut layouts = Vec::new();
        for group in sizes.groups() {
            let members = &sizes.order()[group.first..][..group.count];
            let layout = spots[members[0]].layout();
            if let Some(other) = members.iter().find(|&&b| !group.shape.is_empty() && spots[b].layout() != layout) {
                return Err(Error::Shape(format!(
                    "matrices {} and {other} are both {}, but have other strides than each other: give matrices of one \
                     size the same",
                    members[0], group.shape
                )));
            }
            layouts.push(layout);
        }
        let addresses: Vec<u64> = sizes.order().iter().map(|&b| spots[b].start.addr() as u64).collect();
        let addresses = Device::new(slice.allocation.backend.clone()).upload(&addresses)?;
        Ok(Self { slice, sizes: sizes.clone(), addresses, layouts })
    }
}

/// The address of a buffer, for places in it to be counted from. It is of the device, and read by nobody here.
fn start<T: Pod>(slice: &DeviceSlice<'_, T>) -> *mut T {
    ptr::without_provenance_mut(slice.address() as usize)
}
