//! A stretch of emulated memory: its bytes, which of them were written, and what is remembered of accesses to them.

use super::fault::{FaultKind, Finding};
use super::shadow::{Actor, Cell, Clash};

/// Bytes that share a cell at most: the largest access that one instruction makes.
const LARGEST_GRANULE: u32 = 16;

/// Bytes whose cells are equally fine, a multiple of the above: numbers of different sizes are mostly further apart.
const STRETCH: usize = 256;

#[derive(Debug)]
pub(super) struct Region {
    bytes: Box<[u8]>,
    /// One bit a byte.
    written: Box<[u64]>,
    /// The cells of each stretch.
    stretches: Box<[Cells]>,
}

/// What is remembered of the accesses to a stretch.
#[derive(Clone, Debug)]
struct Cells {
    /// One for each granule, none before the first access.
    cells: Box<[Cell]>,
    /// Binary logarithm of the bytes that share a cell: all accesses so far covered whole granules.
    granule: u32,
}

/// What an access met, and at which byte of the region.
#[derive(Debug)]
pub(super) enum Problem {
    Race(Clash, usize),
    Unwritten(usize),
}

impl Region {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            bytes: vec![0xFF; bytes].into(),
            written: vec![0; bytes.div_ceil(64)].into(),
            stretches: vec![Cells::default(); bytes.div_ceil(STRETCH)].into(),
        }
    }

    /// Makes all bytes unwritten.
    pub(super) fn forget(&mut self) {
        self.written.fill(0);
    }

    /// A read by a kernel.
    pub(super) fn load(&mut self, offset: usize, out: &mut [u8], actor: &Actor<'_>) -> Result<(), Problem> {
        self.for_cells(offset, out.len(), |cell| cell.read(actor))?;
        let unwritten = words(offset, out.len()).find(|&(word, bits)| self.written[word] & bits != bits);
        if let Some((word, bits)) = unwritten {
            let first = (bits & !self.written[word]).trailing_zeros();
            return Err(Problem::Unwritten(word * 64 + first as usize));
        }
        out.copy_from_slice(&self.bytes[offset..][..out.len()]);
        Ok(())
    }

    /// A write by a kernel.
    pub(super) fn store(&mut self, offset: usize, data: &[u8], actor: &Actor<'_>) -> Result<(), Problem> {
        self.for_cells(offset, data.len(), |cell| cell.write(actor))?;
        self.host_write(offset, data);
        Ok(())
    }

    /// A write by the host, which no kernel can race with.
    pub(super) fn host_write(&mut self, offset: usize, data: &[u8]) {
        self.bytes[offset..][..data.len()].copy_from_slice(data);
        for (word, bits) in words(offset, data.len()) {
            self.written[word] |= bits;
        }
    }

    /// A read by the host; unwritten bytes are 0xFF.
    pub(super) fn host_read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self.bytes[offset..][..out.len()]);
    }

    /// Visits the cells of an access.
    #[inline]
    fn for_cells(
        &mut self,
        offset: usize,
        len: usize,
        mut visit: impl FnMut(&mut Cell) -> Result<(), Clash>,
    ) -> Result<(), Problem> {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let first = at % STRETCH;
            let (cells, granule) = self.stretches[at / STRETCH].of(first, (end - at).min(STRETCH - first));
            for cell in cells {
                visit(cell).map_err(|clash| Problem::Race(clash, at))?;
                at += 1 << granule;
            }
        }
        Ok(())
    }
}

impl Default for Cells {
    fn default() -> Self {
        Self { cells: Box::default(), granule: LARGEST_GRANULE.ilog2() }
    }
}

impl Cells {
    /// The cells of the bytes from byte `offset` of the stretch on, made fine enough for them, and their granule.
    #[inline]
    fn of(&mut self, offset: usize, len: usize) -> (&mut [Cell], u32) {
        let needed = (offset | len).trailing_zeros();
        if needed < self.granule || self.cells.is_empty() {
            self.refine(needed.min(self.granule));
        }
        (&mut self.cells[offset >> self.granule..(offset + len) >> self.granule], self.granule)
    }

    #[cold]
    fn refine(&mut self, granule: u32) {
        let cells = STRETCH >> granule;
        self.cells = if self.cells.is_empty() {
            vec![Cell::UNTOUCHED; cells].into()
        } else {
            let shift = self.granule - granule;
            (0..cells).map(|i| self.cells[i >> shift]).collect()
        };
        self.granule = granule;
    }
}

/// The words of a bit set, one bit a byte, that hold the bits of a range, and which bits of each.
#[inline]
fn words(offset: usize, len: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = offset + len;
    (offset / 64..end.div_ceil(64)).map(move |word| {
        let from = offset.saturating_sub(word * 64);
        let to = (end - word * 64).min(64);
        (word, (u64::MAX >> (64 - (to - from))) << from)
    })
}

impl Problem {
    /// The finding, for an access to the region that begins at byte `base` of `space`.
    #[cold]
    pub(super) fn finding(self, access: &str, base: usize, space: &str) -> Box<Finding> {
        match self {
            Self::Race(clash, offset) => {
                let did = if clash.wrote { "wrote" } else { "read" };
                let detail = format!(
                    "{access} of byte {} of {space}, which {} {did} with nothing to order the two",
                    base + offset,
                    clash.other,
                );
                Finding::against(FaultKind::Race, clash.other, detail)
            }
            Self::Unwritten(offset) => {
                let detail = format!("{access} of byte {} of {space}, which nobody wrote", base + offset);
                Finding::new(FaultKind::Unwritten, detail)
            }
        }
    }
}
