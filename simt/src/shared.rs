//! The dynamic shared memory of the block.

use core::marker::PhantomData;

use num_complex::Complex;

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

    /// The same memory as an array of another type, at whose alignment it must begin.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod>(self) -> Shared<U> {
        Shared { base: self.base, element: PhantomData }
    }
}

impl Shared<f32> {
    /// Two elements, in one instruction from compute capability 8.0 on. They must begin at a multiple of 8 bytes.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_pair(self) -> [f32; 2] {
        if cfg!(all(target_arch = "nvptx64", not(target_feature = "sm_80"))) {
            return [self.load(0), self.load(1)]; // LLVM takes pairs through local memory
        }
        // SAFETY: promised when the array was made.
        unsafe { machine::load_shared::<Pair>(self.base, 0).0 }
    }

    /// Writes them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_pair(self, pair: [f32; 2]) {
        if cfg!(all(target_arch = "nvptx64", not(target_feature = "sm_80"))) {
            self.store(0, pair[0]);
            self.store(1, pair[1]);
            return;
        }
        // SAFETY: promised when the array was made.
        unsafe { machine::store_shared(self.base, 0, Pair(pair)) };
    }
}

/// 8 bytes that move through memory in one instruction.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Pair(pub(crate) [f32; 2]);

// SAFETY: an array of plain values, without padding.
unsafe impl Pod for Pair {}

/// 16 bytes that move through memory in one instruction.
///
/// Of other sizes there would be padding, so these are not plain values:
/// ```compile_fail
/// fn plain<T: simt::Pod>() {}
/// plain::<simt::shared::Vector<f32, 1>>();
/// ```
/// ```
/// fn plain<T: simt::Pod>() {}
/// plain::<simt::shared::Vector<f32, 4>>();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Vector<T, const N: usize>(pub [T; N]);

macro_rules! pod_vectors {
    ($($t:ty, $n:literal;)*) => {$(
        const _: () = assert!(size_of::<[$t; $n]>() == 16, "a vector is 16 bytes");
        // SAFETY: 16 bytes of plain values, so there is no padding.
        unsafe impl Pod for Vector<$t, $n> {}
    )*};
}

pod_vectors! {
    f32, 4;
    u32, 4;
    f64, 2;
    Complex<f32>, 2;
    Complex<f64>, 1;
}
