//! The dynamic shared memory of the block.

use core::marker::PhantomData;

use crate::{Pod, machine};

/// A typed array in the block's shared memory.
#[derive(Debug)]
pub struct Shared<T> {
    base: machine::SharedBase,
    element: PhantomData<*mut T>,
}

impl<T> Clone for Shared<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

/// The array that begins `offset` bytes into the block's dynamic shared memory.
///
/// # Safety
/// `offset` is a multiple of `T`'s alignment, and each index used with the array stays within the bytes that the launch
/// asked for. No two threads touch an element, one of them writing, without a barrier between. The emulator checks all
/// of this.
#[inline(always)]
#[must_use]
pub unsafe fn array<T: Pod>(offset: u32) -> Shared<T> {
    const { assert!(size_of::<T>().is_multiple_of(4), "shared memory holds words of 4 bytes") };
    // SAFETY: the caller's promise is the machine's.
    Shared { base: unsafe { machine::shared_base(offset) }, element: PhantomData }
}

impl<T: Pod> Shared<T> {
    /// Element `i`.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self, i: u32) -> T {
        // SAFETY: promised when the array was made.
        unsafe { machine::load_shared(self.base, i) }
    }

    /// Writes element `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, i: u32, value: T) {
        // SAFETY: promised when the array was made.
        unsafe { machine::store_shared(self.base, i, value) };
    }

    /// Where it begins, for the machine.
    #[inline(always)]
    pub(crate) fn base(self) -> machine::SharedBase {
        self.base
    }

    /// The array that begins `elements` further on. Constant indices into it become part of the instruction.
    #[inline(always)]
    #[must_use]
    pub fn offset(self, elements: u32) -> Self {
        Self { base: machine::offset_shared::<T>(self.base, elements), element: PhantomData }
    }

    /// The same memory as groups of 16 bytes (`T` twice or four times), each moved by one instruction.
    ///
    /// The array must begin at a multiple of 16 bytes.
    #[inline(always)]
    #[must_use]
    pub fn vectors<const N: usize>(self) -> Shared<Vector<T, N>> {
        const { assert!(size_of::<T>() * N == 16, "a vector is 16 bytes") };
        Shared { base: self.base, element: PhantomData }
    }
}

/// 16 bytes that move through memory in one instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Vector<T, const N: usize>(pub [T; N]);

// SAFETY: an array of plain values; `vectors` admits 16 bytes only, so there is no padding.
unsafe impl<T: Pod, const N: usize> Pod for Vector<T, N> {}
