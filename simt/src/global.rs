//! Device memory.

use crate::shared::{Pair, Vector};
use crate::{Pod, machine};

/// A pointer into device memory, passed by value in a kernel's arguments.
#[derive(Debug)]
#[repr(transparent)]
pub struct Global<T>(*mut T);

impl<T> Clone for Global<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Global<T> {}
// SAFETY: an address; what may be done with it is promised by the unsafe constructors.
unsafe impl<T: Pod> Send for Global<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Sync for Global<T> {}

impl<T: Pod> Global<T> {
    /// The array at `address` (0: absent, see [`Self::is_null`]).
    ///
    /// # Safety
    /// Each index used with the array stays within one allocation of the machine that runs the kernel. No two threads
    /// touch an element, one of them writing, without a barrier between. The emulator checks all of this.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(address: u64) -> Self {
        Self(core::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// Whether the array is absent.
    #[inline(always)]
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Address of element 0.
    #[inline(always)]
    #[must_use]
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// Where it begins, for the machine.
    #[inline(always)]
    pub(crate) fn pointer(self) -> *const T {
        self.0
    }

    /// The array that begins `elements` further on.
    #[inline(always)]
    #[must_use]
    pub fn offset(self, elements: i64) -> Self {
        Self(self.0.wrapping_offset(elements as isize))
    }

    /// Element `i`.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self, i: i64) -> T {
        // SAFETY: promised when the array was made.
        unsafe { machine::load_global(self.0.wrapping_offset(i as isize)) }
    }

    /// Writes element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, i: i64, value: T) {
        // SAFETY: promised when the array was made.
        unsafe { machine::store_global(self.0.wrapping_offset(i as isize), value) };
    }

    /// The same memory as numbers of another type, to whose size it is aligned.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod>(self) -> Global<U> {
        Global(self.0.cast())
    }

    /// The same memory as groups of 16 bytes (`T` twice or four times), each moved by one instruction.
    ///
    /// The array must begin at a multiple of 16 bytes.
    #[inline(always)]
    #[must_use]
    pub fn vectors<const N: usize>(self) -> Global<Vector<T, N>> {
        const { assert!(size_of::<T>() * N == 16, "a vector is 16 bytes") };
        Global(self.0.cast())
    }
}

impl Global<f32> {
    /// Two elements, in one instruction. They must begin at a multiple of 8 bytes.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_pair(self) -> [f32; 2] {
        // SAFETY: promised when the array was made.
        unsafe { machine::load_global(self.0.cast::<Pair>()).0 }
    }

    /// Writes them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_pair(self, pair: [f32; 2]) {
        // SAFETY: promised when the array was made.
        unsafe { machine::store_global(self.0.cast(), Pair(pair)) };
    }
}
