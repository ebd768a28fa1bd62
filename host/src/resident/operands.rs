//! The buffers that a kernel of the caller's works on.

use std::sync::Arc;

use simt::Pod;

use super::slice::{DeviceSlice, DeviceSliceMut};
use super::uses::{Access, Allocation};

/// The buffers, or ranges of them, that a launch reads and writes: others' work on them is waited for, and they are not
/// freed before the launch is done.
///
/// ```
/// use warplu::resident::Operands;
/// let device = warplu::Device::cpu();
/// let (x, mut y) = (device.upload(&[1.0, 2.0])?, device.buffer::<f64>(2)?);
/// let operands = Operands::new().reads(&x).writes(&mut y);
/// # let _ = operands;
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Operands<'a>(pub(super) Vec<(&'a Arc<Allocation>, Access)>);

impl<'a> Operands<'a> {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, and one that is read.
    #[must_use]
    pub fn reads<T: Pod + 'a>(mut self, slice: impl Into<DeviceSlice<'a, T>>) -> Self {
        self.0.push((slice.into().allocation, Access::Read));
        self
    }

    /// The same, and one that is written, and perhaps read.
    #[must_use]
    pub fn writes<T: Pod + 'a>(mut self, slice: impl Into<DeviceSliceMut<'a, T>>) -> Self {
        self.0.push((slice.into().inner().allocation, Access::Write));
        self
    }
}
