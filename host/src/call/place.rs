//! Where the matrices of a call are, and how chunks of them are copied from and to there.

use std::marker::PhantomData;

use simt::Pod;

use crate::element::{bytes_of, bytes_of_mut};
use crate::error::Result;
use crate::layout::Layout;
use crate::operation::ElementType;
use crate::pinned;
use kernels_cpu::fresh::Fresh;

/// An input or an output of a call.
pub(super) struct Port<'a> {
    /// Bytes of a matrix on its way; 0 for what stays where it is.
    pub(super) each: usize,
    pub(super) place: Place<'a>,
    /// What it has for each matrix.
    pub(super) element: ElementType,
    pub(super) shape: (usize, usize),
    /// How that lies where it is worked on.
    pub(super) layout: Layout,
}

/// Where the matrices of a port are.
pub(super) enum Place<'a> {
    /// In each machine's own memory, those of matrix b at `start + b * stride`, if it is the machine's.
    Machine { starts: Vec<u64>, stride: usize },
    /// In memory of the caller that the CPU works in, as above; or, `by_address`, there are the matrices' addresses.
    Host { start: u64, stride: usize, by_address: bool },
    /// In page-locked memory, compact, from which the machine copies by itself.
    DirectIn(Span<'a>),
    /// As above, to which the machine copies by itself.
    DirectOut(Span<'a>),
    /// Anywhere, to be read.
    Feed(Box<dyn Feed + 'a>),
    /// Anywhere, to be written.
    Drain(Box<dyn Drain + 'a>),
}

/// Compact matrices that are read by ranges of bytes, which begin and end between elements.
pub(crate) trait Feed: Sync {
    /// Fills `to`, which is aligned for the elements, with the bytes from `first` on.
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()>;
}

/// Compact matrices that are written by ranges of bytes, which begin and end between elements and do not overlap.
pub(crate) trait Drain: Sync {
    /// Takes the bytes from `first` on, which are aligned for the elements.
    fn write(&self, first: usize, from: &[u8]) -> Result<()>;
}

/// Bytes of the caller, borrowed for the call. Workers share them: each touches its own chunks only.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    start: *mut u8,
    len: usize,
    borrow: PhantomData<&'a mut [u8]>,
}

// SAFETY: plain bytes, of which each worker reads or writes the ranges of the chunks that it has taken, and no other.
unsafe impl Send for Span<'_> {}
// SAFETY: as above.
unsafe impl Sync for Span<'_> {}

impl<'a> Span<'a> {
    fn new(start: *mut u8, len: usize) -> Self {
        Self { start, len, borrow: PhantomData }
    }

    /// Where the range begins, which must be within.
    pub(super) fn at(&self, first: usize, bytes: usize) -> *mut u8 {
        assert!(first.checked_add(bytes).is_some_and(|end| end <= self.len), "a chunk leaves its batch");
        self.start.wrapping_add(first)
    }

    fn is_pinned(&self) -> bool {
        pinned::covers(self.start, self.len)
    }
}

impl Feed for Span<'_> {
    fn read(&self, first: usize, to: &mut [u8]) -> Result<()> {
        // SAFETY: within the borrowed bytes, which no other worker writes in this range.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(self.at(first, to.len()), to.len()) };
        Ok(())
    }
}

impl Drain for Span<'_> {
    fn write(&self, first: usize, from: &[u8]) -> Result<()> {
        // SAFETY: within bytes that are borrowed to be written; no other worker touches this range.
        unsafe { self.at(first, from.len()).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        Ok(())
    }
}

impl<'a> Place<'a> {
    /// Elements to read.
    pub(super) fn slice<T: Pod>(elements: &'a [T]) -> Self {
        let bytes = bytes_of(elements);
        // Never written through: the place is one to read.
        Self::reading(Span::new(bytes.as_ptr().cast_mut(), bytes.len()))
    }

    /// Elements to write.
    pub(super) fn slice_mut<T: Pod>(elements: &'a mut [T]) -> Self {
        let bytes = bytes_of_mut(elements);
        Self::writing(Span::new(bytes.as_mut_ptr(), bytes.len()))
    }

    /// Elements to read and then to write: each chunk is read before it is written.
    pub(super) fn slice_in_place<T: Pod>(elements: &'a mut [T]) -> (Self, Self) {
        let bytes = bytes_of_mut(elements);
        let span = Span::new(bytes.as_mut_ptr(), bytes.len());
        (Self::reading(span), Self::writing(span))
    }

    /// Room to write.
    pub(super) fn fresh<T: Pod>(room: &'a mut Fresh<T>) -> Self {
        Self::writing(Span::new(room.as_mut_ptr().cast(), room.len() * size_of::<T>()))
    }

    fn reading(span: Span<'a>) -> Self {
        if span.is_pinned() { Self::DirectIn(span) } else { Self::Feed(Box::new(span)) }
    }

    fn writing(span: Span<'a>) -> Self {
        if span.is_pinned() { Self::DirectOut(span) } else { Self::Drain(Box::new(span)) }
    }
}
