//! The shared memory of a block of the cluster, which every block of it reaches.

use core::marker::PhantomData;

use crate::Pod;
use crate::machine::cluster as machine;
use crate::mbarrier::RemoteMbarrier;
use crate::shared::{Shared, Vector};

/// A typed array in the shared memory of a block of the cluster, made by [`Shared::of`].
///
/// It is there from when that block has begun, which a first [`cluster::sync`](crate::cluster::sync) makes sure of,
/// until that block has ended.
#[derive(Debug)]
pub struct Remote<T> {
    base: machine::RemoteBase,
    element: PhantomData<*mut T>,
}

impl<T> Clone for Remote<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Remote<T> {}

/// An array that each block of the cluster has at the same place: [`Shared`] as [`Self::of`] needs it, which is worked
/// out once for all uses.
#[derive(Debug)]
pub struct Mapped<T> {
    base: machine::LocalBase,
    element: PhantomData<*mut T>,
}

impl<T> Clone for Mapped<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Mapped<T> {}

impl<T: Pod> Mapped<T> {
    /// The array that begins `elements` further on.
    #[inline(always)]
    #[must_use]
    pub fn offset(self, elements: u32) -> Self {
        Self { base: machine::offset_local::<T>(self.base, elements), element: PhantomData }
    }

    /// That in the shared memory of the block of `rank`, as [`Shared::of`].
    #[inline(always)]
    #[must_use]
    pub fn of(self, rank: u32) -> Remote<T> {
        Remote { base: machine::remote(self.base, rank), element: PhantomData }
    }
}

impl<T: Pod> Shared<T> {
    /// The array, to be found in other blocks many times.
    #[inline(always)]
    #[must_use]
    pub fn mapped(self) -> Mapped<T> {
        Mapped { base: machine::local(self.base()), element: PhantomData }
    }

    /// The same array in the shared memory of the block of `rank`, which may be this one (`mapa`).
    ///
    /// Blocks lay out their shared memory alike, so the array begins at the same byte there. What was promised when the
    /// array was made holds for it, too, with the cluster in the place of the block. Only clusters of two blocks and more
    /// have such memory: where [`cluster::size`](crate::cluster::size) is 1, hardware crashes.
    #[inline(always)]
    #[must_use]
    pub fn of(self, rank: u32) -> Remote<T> {
        self.mapped().of(rank)
    }
}

impl<T: Pod> Remote<T> {
    /// Element `i`, of 4, 8 or 16 bytes.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self, i: u32) -> T {
        const { assert!(matches!(size_of::<T>(), 4 | 8 | 16), "remote memory is accessed by 4, 8 or 16 bytes") };
        // SAFETY: promised when the array was made.
        unsafe { machine::load_remote(self.base, i) }
    }

    /// Writes element `i`, of 4, 8 or 16 bytes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, i: u32, value: T) {
        const { assert!(matches!(size_of::<T>(), 4 | 8 | 16), "remote memory is accessed by 4, 8 or 16 bytes") };
        // SAFETY: promised when the array was made.
        unsafe { machine::store_remote(self.base, i, value) };
    }

    /// Begins to write element `i`, of 4, 8 or 16 bytes, at a multiple of as many (`st.async`).
    ///
    /// `mbarrier` is one of the block that the array is in. It counts the bytes when they are there: who has waited for
    /// its phase may
    /// read them. What this thread did before is over by then, and may be overwritten; but its other writes are not
    /// seen for that, which takes an arrival.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_async(self, i: u32, value: T, mbarrier: RemoteMbarrier) {
        const { assert!(matches!(size_of::<T>(), 4 | 8 | 16), "asynchronous stores move 4, 8 or 16 bytes") };
        // SAFETY: promised when the array and the mbarrier were made.
        unsafe { machine::store_async(self.base, i, value, mbarrier.base()) };
    }

    /// The array that begins `elements` further on.
    #[inline(always)]
    #[must_use]
    pub fn offset(self, elements: u32) -> Self {
        Self { base: machine::offset_remote::<T>(self.base, elements), element: PhantomData }
    }

    /// The same memory as groups of 16 bytes (`T` twice or four times), each moved by one instruction.
    ///
    /// The array must begin at a multiple of 16 bytes.
    #[inline(always)]
    #[must_use]
    pub fn vectors<const N: usize>(self) -> Remote<Vector<T, N>> {
        const { assert!(size_of::<T>() * N == 16, "a vector is 16 bytes") };
        self.retyped()
    }

    /// The same memory as an array of another type, at whose alignment it must begin.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod>(self) -> Remote<U> {
        self.retyped()
    }

    #[inline(always)]
    fn retyped<U>(self) -> Remote<U> {
        Remote { base: self.base, element: PhantomData }
    }
}
