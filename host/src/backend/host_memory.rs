//! Memory of the CPU, aligned as a GPU's is.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// Every allocation begins at a multiple of this.
const ALIGNMENT: usize = 256;

/// Bytes of host memory, zero at first. The system gives their pages when they are first touched.
#[derive(Debug)]
pub(crate) struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: plain memory with one owner; whoever uses its address promises what an address needs.
unsafe impl Send for HostMemory {}
// SAFETY: as above: it hands out its address only.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// `bytes` of memory, or `None` if there is not so much.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })?;
        Some(Self { start, layout })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}
