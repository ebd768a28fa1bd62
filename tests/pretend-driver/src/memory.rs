//! Memory that the driver knows: of devices, pinned, and registered.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::ptr;

use crate::border::{Outcome, fault};
use crate::codes::{INVALID_VALUE, OUT_OF_MEMORY};
use crate::table::Handle;

/// What memory of a device holds at first.
const POISON: u8 = 0xa5;

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A device's, in memory of the host.
    Device,
    /// The host's, allocated by the driver.
    Pinned,
    /// The host's own.
    Registered,
}

/// One allocation.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// The context that was current.
    pub(crate) context: Handle,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Block {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }

    /// Where the driver itself allocated it.
    fn layout(&self) -> Option<Layout> {
        let align = match self.kind {
            Kind::Device => 256,
            Kind::Pinned => 4096,
            Kind::Registered => return None,
        };
        Layout::from_size_align(self.len, align).ok()
    }
}

/// All of it, by address.
pub(crate) struct Memory {
    blocks: BTreeMap<usize, Block>,
    freed: HashSet<usize>,
    /// Bytes that a device has.
    pub(crate) device_limit: usize,
    /// Bytes that may be pinned.
    pub(crate) pinned_limit: usize,
    /// The most bytes of devices at once, since somebody wanted to know.
    pub(crate) most_device: usize,
    /// The most pinned ones.
    pub(crate) most_pinned: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            blocks: BTreeMap::new(),
            freed: HashSet::new(),
            device_limit: 256 << 20,
            pinned_limit: 256 << 20,
            most_device: 0,
            most_pinned: 0,
        }
    }
}

impl Memory {
    /// A new block of `kind`, where the limits allow it.
    pub(crate) fn allocate(&mut self, kind: Kind, context: Handle, len: usize) -> Outcome<usize> {
        if len == 0 {
            return Err(INVALID_VALUE.into());
        }
        let used = match kind {
            Kind::Device => self.bytes(|block| block.kind == kind && block.context == context),
            _ => self.bytes(|block| block.kind == kind),
        };
        let limit = if kind == Kind::Device { self.device_limit } else { self.pinned_limit };
        if used.saturating_add(len) > limit {
            return Err(OUT_OF_MEMORY.into());
        }
        let mut block = Block { kind, context, start: 0, len };
        let layout = block.layout().ok_or(OUT_OF_MEMORY)?;
        // SAFETY: not of size zero.
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            return Err(OUT_OF_MEMORY.into());
        }
        // SAFETY: just allocated, of this length.
        unsafe { ptr::write_bytes(memory, POISON, len) };
        block.start = memory.expose_provenance();
        self.insert(block);
        Ok(block.start)
    }

    /// Notes a block.
    pub(crate) fn insert(&mut self, block: Block) {
        self.freed.remove(&block.start);
        self.blocks.insert(block.start, block);
        self.most_device = self.most_device.max(self.bytes(|block| block.kind == Kind::Device));
        self.most_pinned = self.most_pinned.max(self.bytes(|block| block.kind == Kind::Pinned));
    }

    /// Begins anew to look for the most bytes at once.
    pub(crate) fn forget_most(&mut self) {
        self.most_device = self.bytes(|block| block.kind == Kind::Device);
        self.most_pinned = self.bytes(|block| block.kind == Kind::Pinned);
    }

    /// Lets go of the block that begins at an address.
    pub(crate) fn free(&mut self, start: usize, kind: Kind) -> Outcome<Block> {
        match self.blocks.get(&start) {
            Some(block) if block.kind == kind => {}
            _ if self.freed.contains(&start) => return Err(fault(INVALID_VALUE, "double free")),
            _ => return Err(fault(INVALID_VALUE, format!("free of what is no {kind:?} allocation"))),
        }
        let Some(block) = self.blocks.remove(&start) else { return Err(INVALID_VALUE.into()) };
        self.freed.insert(start);
        if let Some(layout) = block.layout() {
            // SAFETY: allocated with this layout, and freed once.
            unsafe { dealloc(ptr::with_exposed_provenance_mut(start), layout) };
        }
        Ok(block)
    }

    /// The block that an address is in.
    pub(crate) fn at(&self, address: usize) -> Option<&Block> {
        let (_, block) = self.blocks.range(..=address).next_back()?;
        block.range().contains(&address).then_some(block)
    }

    /// The block that all of a range is in; an error where only a part of it is.
    pub(crate) fn around(&self, range: &Range<usize>) -> Outcome<Option<&Block>> {
        let before = self.blocks.range(..range.end).next_back().map(|(_, block)| block);
        match before.filter(|block| block.range().end > range.start) {
            None => Ok(None),
            Some(block) if block.start <= range.start && range.end <= block.range().end => Ok(Some(block)),
            Some(block) => {
                Err(fault(INVALID_VALUE, format!("{} bytes beyond a {:?} allocation", range.len(), block.kind)))
            }
        }
    }

    /// The bytes of the blocks that are wanted.
    pub(crate) fn bytes(&self, wanted: impl Fn(&Block) -> bool) -> usize {
        self.blocks.values().filter(|block| wanted(block)).map(|block| block.len).sum()
    }

    /// The number of blocks of a kind.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.blocks.values().filter(|block| block.kind == kind).count()
    }

    /// The number of blocks of a context.
    pub(crate) fn count_of(&self, context: Handle) -> usize {
        self.blocks.values().filter(|block| block.context == context).count()
    }

    /// Lets go of everything.
    pub(crate) fn clear(&mut self) {
        let all: Vec<_> = self.blocks.values().map(|block| (block.start, block.kind)).collect();
        for (start, kind) in all {
            // Listed just now, so it is there.
            let _ = self.free(start, kind);
        }
    }
}
