//! Where the matrices of a call are, and how chunks of them are copied from and to there.

use std::marker::PhantomData;

use simt::Pod;

use crate::element::bytes_of;
use crate::error::Result;
use crate::layout::Layout;
use crate::operation::ElementType;
use crate::pinned;
use kernels_cpu::fresh::filled;

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
    /// In memory of the caller that the CPU works in, as above.
    Host { start: u64, stride: usize },
    /// There, too, each matrix at its address.
    Addresses(Vec<u64>),
    /// In a copy that the CPU works in.
    Staged(Box<Staged<'a>>),
    /// In page-locked memory, compact, from which the machine copies by itself.
    DirectIn(Span<'a>),
    /// As above, to which the machine copies by itself.
    DirectOut(Span<'a>),
    /// Anywhere, to be read.
    Feed(Box<dyn Feed + 'a>),
    /// Anywhere, to be written.
    Drain(Box<dyn Drain + 'a>),
}

/// Memory of a call for what the CPU writes, on its way to where the caller has it.
pub(super) struct Staged<'a> {
    start: u64,
    /// Bytes of a matrix.
    stride: usize,
    /// Words, which are aligned for all elements.
    memory: Vec<u64>,
    to: Box<dyn Drain + 'a>,
}

impl<'a> Staged<'a> {
    /// Memory for matrices of `stride` bytes each, which is allocated later.
    pub(super) fn new(stride: usize, to: Box<dyn Drain + 'a>) -> Self {
        Self { start: 0, stride, memory: Vec::new(), to }
    }

    /// Allocates memory for so many matrices.
    pub(super) fn allocate(&mut self, batch: usize) -> Result<()> {
        self.memory = filled(0, (batch * self.stride).div_ceil(size_of::<u64>()))?;
        self.start = self.memory.as_mut_ptr().expose_provenance() as u64;
        Ok(())
    }

    /// Hands over what has been written, of all matrices.
    pub(super) fn hand_over(&self, batch: usize) -> Result<()> {
        self.to.write(0, &bytes_of(&self.memory)[..batch * self.stride])
    }
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
    /// Where a machine works on matrix `first` and those after it, if nothing is copied.
    pub(super) fn stays_at(&self, machine: usize, first: usize) -> Option<u64> {
        match self {
            Self::Machine { starts, stride } => Some(starts[machine].wrapping_add((first * stride) as u64)),
            Self::Host { start, stride } => Some(start + (first * stride) as u64),
            Self::Staged(staged) => Some(staged.start + (first * staged.stride) as u64),
            Self::Addresses(all) => Some(all.as_ptr().wrapping_add(first).expose_provenance() as u64),
            Self::DirectIn(_) | Self::DirectOut(_) | Self::Feed(_) | Self::Drain(_) => None,
        }
    }

    /// `len` elements to read, from `start` on.
    ///
    /// # Safety
    /// They are there, and borrowed for 'a.
    pub(super) unsafe fn reading<T: Pod>(start: *const T, len: usize) -> Self {
        // Never written through: the place is one to read.
        let span = Span::new(start.cast_mut().cast(), len * size_of::<T>());
        if span.is_pinned() { Self::DirectIn(span) } else { Self::Feed(Box::new(span)) }
    }

    /// `len` elements to write, from `start` on.
    ///
    /// # Safety
    /// There is room for them, borrowed for 'a: for this place, and for one to read that is the same.
    pub(super) unsafe fn writing<T: Pod>(start: *mut T, len: usize) -> Self {
        let span = Span::new(start.cast(), len * size_of::<T>());
        if span.is_pinned() { Self::DirectOut(span) } else { Self::Drain(Box::new(span)) }
    }
}
