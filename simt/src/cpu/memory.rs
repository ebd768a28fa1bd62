//! The emulated device memory.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::fault::Finding;
use super::region::Region;
use super::shadow::Actor;

/// Bytes that are locked, and have their checks set up, at a time.
const PAGE: usize = 4096;

/// Every allocation begins at a multiple of this.
const ALIGNMENT: u64 = 256;

/// Addresses left free after each allocation: an index out of bounds meets no neighbour, and none fits 32 bits.
const GAP: u64 = 1 << 32;

/// The next free address. None is given out twice, so that a freed buffer's address stays wrong.
static NEXT_ADDRESS: AtomicU64 = AtomicU64::new(GAP);

/// A device's memory: the buffers that kernels may use. Clones are the same memory.
#[derive(Clone, Default)]
pub struct Memory {
    /// Sorted by address.
    allocations: Arc<Mutex<Vec<Arc<Allocation>>>>,
}

/// An allocation in a [`Memory`], freed when dropped.
pub struct Buffer {
    memory: Memory,
    allocation: Arc<Allocation>,
}

/// A host copy that leaves its buffer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("bytes {offset}..{offset}+{bytes} are not within a buffer of {len} bytes")]
pub struct OutOfRange {
    /// Where the copy begins in the buffer.
    pub offset: usize,
    /// How long it is.
    pub bytes: usize,
    /// How long the buffer is.
    pub len: usize,
}

/// Pages are locked one at a time; there is nothing in them before the first access.
pub(super) struct Allocation {
    pub(super) address: u64,
    pub(super) len: usize,
    pages: Box<[Mutex<Option<Box<Region>>>]>,
}

impl Memory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A buffer of `bytes` bytes, unwritten: the host reads 0xFF from it, kernels must not read it.
    #[must_use]
    pub fn allocate(&self, bytes: usize) -> Buffer {
        let span = (bytes as u64).next_multiple_of(ALIGNMENT) + GAP;
        let mut allocations = lock(&self.allocations);
        let address = NEXT_ADDRESS.fetch_add(span, Ordering::Relaxed);
        let i = allocations.partition_point(|other| other.address < address);
        self.insert(&mut allocations, i, address, bytes)
    }

    /// The same at an address of the caller's, such as that of host memory whose bytes it is to stand for; `None` where
    /// it is 0 or the buffer would overlap another.
    ///
    /// ```
    /// let memory = simt::cpu::Memory::new();
    /// let buffer = memory.allocate_at(0x1000, 64).unwrap();
    /// assert_eq!(buffer.address(), 0x1000);
    /// assert!(memory.allocate_at(0x103f, 1).is_none());
    /// ```
    #[must_use]
    pub fn allocate_at(&self, address: u64, bytes: usize) -> Option<Buffer> {
        let end = address.checked_add(bytes as u64).filter(|_| address > 0)?;
        let mut allocations = lock(&self.allocations);
        let i = allocations.partition_point(|other| other.address < address);
        let is_free = allocations.get(i).is_none_or(|next| end <= next.address && address < next.address)
            && i.checked_sub(1).is_none_or(|i| allocations[i].address + allocations[i].len as u64 <= address);
        is_free.then(|| self.insert(&mut allocations, i, address, bytes))
    }

    /// A new allocation, as the `i`th by its address.
    fn insert(&self, allocations: &mut Vec<Arc<Allocation>>, i: usize, address: u64, bytes: usize) -> Buffer {
        let pages = (0..bytes.div_ceil(PAGE)).map(|_| Mutex::default()).collect();
        let allocation = Arc::new(Allocation { address, len: bytes, pages });
        allocations.insert(i, Arc::clone(&allocation));
        Buffer { memory: self.clone(), allocation }
    }

    /// Bytes of all buffers that there are.
    #[must_use]
    pub fn allocated(&self) -> usize {
        lock(&self.allocations).iter().map(|allocation| allocation.len).sum()
    }

    /// What is allocated now, sorted by address.
    pub(super) fn snapshot(&self) -> Vec<Arc<Allocation>> {
        lock(&self.allocations).clone()
    }
}

impl Buffer {
    /// The address for kernels, a multiple of 256 and never 0. It means nothing to the host.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.allocation.address
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.allocation.len
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies `data` to the bytes from `offset` on.
    ///
    /// # Errors
    /// If the copy leaves the buffer; then nothing is copied.
    pub fn write(&self, offset: usize, data: &[u8]) -> Result<(), OutOfRange> {
        self.check(offset, data.len())?;
        for (page, within, part) in pieces(offset, data.len()) {
            let mut page = lock(&self.allocation.pages[page]);
            page.get_or_insert_with(new_page).host_write(within, &data[part]);
        }
        Ok(())
    }

    /// Copies the bytes from `offset` on to `out`.
    ///
    /// # Errors
    /// If the copy leaves the buffer; then nothing is copied.
    pub fn read(&self, offset: usize, out: &mut [u8]) -> Result<(), OutOfRange> {
        self.check(offset, out.len())?;
        for (page, within, part) in pieces(offset, out.len()) {
            match &*lock(&self.allocation.pages[page]) {
                Some(page) => page.host_read(within, &mut out[part]),
                None => out[part].fill(0xFF),
            }
        }
        Ok(())
    }

    fn check(&self, offset: usize, bytes: usize) -> Result<(), OutOfRange> {
        let len = self.len();
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= len);
        if fits { Ok(()) } else { Err(OutOfRange { offset, bytes, len }) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut allocations = lock(&self.memory.allocations);
        if let Ok(i) = allocations.binary_search_by_key(&self.allocation.address, |a| a.address) {
            allocations.remove(i);
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("allocations", &lock(&self.allocations).len()).finish()
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("address", &self.address()).field("len", &self.len()).finish()
    }
}

impl Allocation {
    /// Whether it holds all of the bytes at `address`.
    #[inline]
    pub(super) fn holds(&self, address: u64, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.address);
        offset <= self.len as u64 && bytes as u64 <= self.len as u64 - offset
    }

    /// A read by a kernel, within bounds.
    pub(super) fn load(&self, offset: usize, out: &mut [u8], actor: &Actor<'_>) -> Result<(), Box<Finding>> {
        for (page, within, part) in pieces(offset, out.len()) {
            let loaded = lock(&self.pages[page]).get_or_insert_with(new_page).load(within, &mut out[part], actor);
            loaded.map_err(|problem| problem.finding("a read", page * PAGE, &self.name()))?;
        }
        Ok(())
    }

    /// A write by a kernel, within bounds.
    pub(super) fn store(&self, offset: usize, data: &[u8], actor: &Actor<'_>) -> Result<(), Box<Finding>> {
        for (page, within, part) in pieces(offset, data.len()) {
            let stored = lock(&self.pages[page]).get_or_insert_with(new_page).store(within, &data[part], actor);
            stored.map_err(|problem| problem.finding("a write", page * PAGE, &self.name()))?;
        }
        Ok(())
    }

    /// What messages call it.
    pub(super) fn name(&self) -> String {
        format!("the {} bytes allocated at {:#x}", self.len, self.address)
    }
}

#[cold]
fn new_page() -> Box<Region> {
    Box::new(Region::new(PAGE))
}

/// A range of bytes cut at the ends of pages: the page, the offset in it, and which part of the range.
#[inline]
fn pieces(offset: usize, len: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let within = (offset + done) % PAGE;
        let part = done..len.min(done + PAGE - within);
        (done < len).then(|| {
            done = part.end;
            ((offset + part.start) / PAGE, within, part)
        })
    })
}

/// Nothing that is locked here is left half done by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
