//! A stretch of emulated memory: its bytes, which of them were written, and what is remembered of accesses to them.

use super::crowd::{Crowd, LARGEST_GRANULE};
use super::fault::{FaultKind, Finding};
use super::shadow::{Actor, Cell, Clash};

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
    /// Reads without room in their cells, by the first byte that the cell had then.
    crowd: Crowd,
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
        self.for_cells(offset, out.len(), |cell, crowd, at, bytes| {
            cell.read(actor, |left| crowd.keep(at, bytes, actor, left))
        })?;
        if !self.is_written(offset, out.len()) {
            return Err(self.unwritten(offset, out.len()));
        }
        copy(out, &self.bytes[offset..][..out.len()]);
        Ok(())
    }

    /// A write by a kernel.
    pub(super) fn store(&mut self, offset: usize, data: &[u8], actor: &Actor<'_>) -> Result<(), Problem> {
        self.note_write(offset, data.len(), actor)?;
        self.host_write(offset, data);
        Ok(())
    }

    /// Makes bytes unwritten, which counts as a write by a kernel.
    pub(super) fn unwrite(&mut self, offset: usize, len: usize, actor: &Actor<'_>) -> Result<(), Problem> {
        self.note_write(offset, len, actor)?;
        words(offset, len).for_each(|(word, bits)| self.written[word] &= !bits);
        Ok(())
    }

    fn note_write(&mut self, offset: usize, len: usize, actor: &Actor<'_>) -> Result<(), Problem> {
        self.for_cells(offset, len, |cell, crowd, at, bytes| {
            if !crowd.is_empty() {
                crowd.check(at, bytes, actor)?;
            }
            cell.write(actor)
        })
    }

    /// A write by the host, which no kernel can race with.
    pub(super) fn host_write(&mut self, offset: usize, data: &[u8]) {
        copy(&mut self.bytes[offset..][..data.len()], data);
        match within_word(offset, data.len()) {
            Some((word, bits)) => self.written[word] |= bits,
            None => words(offset, data.len()).for_each(|(word, bits)| self.written[word] |= bits),
        }
    }

    #[inline]
    fn is_written(&self, offset: usize, len: usize) -> bool {
        match within_word(offset, len) {
            Some((word, bits)) => self.written[word] & bits == bits,
            None => words(offset, len).all(|(word, bits)| self.written[word] & bits == bits),
        }
    }

    /// The first unwritten byte of a range that has one.
    #[cold]
    fn unwritten(&self, offset: usize, len: usize) -> Problem {
        let is_unwritten = |&at: &usize| !self.is_written(at, 1);
        Problem::Unwritten((offset..offset + len).find(is_unwritten).unwrap_or(offset))
    }

    /// A read by the host; unwritten bytes are 0xFF.
    pub(super) fn host_read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self.bytes[offset..][..out.len()]);
    }

    /// Visits the cells of an access, each with the crowd, and the bytes that it stands for: the first, and how many.
    #[inline]
    fn for_cells(
        &mut self,
        offset: usize,
        len: usize,
        mut visit: impl FnMut(&mut Cell, &mut Crowd, usize, usize) -> Result<(), Clash>,
    ) -> Result<(), Problem> {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let first = at % STRETCH;
            let (cells, granule, crowd) = self.stretches[at / STRETCH].of(first, (end - at).min(STRETCH - first));
            for cell in cells {
                visit(cell, crowd, at, 1 << granule).map_err(|clash| Problem::Race(clash, at))?;
                at += 1 << granule;
            }
        }
        Ok(())
    }
}

impl Default for Cells {
    fn default() -> Self {
        Self { cells: Box::default(), granule: LARGEST_GRANULE.ilog2(), crowd: Crowd::default() }
    }
}

impl Cells {
    /// The cells of the bytes from byte `offset` of the stretch on, made fine enough for them, their granule, and the
    /// crowd.
    #[inline]
    fn of(&mut self, offset: usize, len: usize) -> (&mut [Cell], u32, &mut Crowd) {
        let needed = (offset | len).trailing_zeros();
        if needed < self.granule || self.cells.is_empty() {
            self.refine(needed.min(self.granule));
        }
        let cells = &mut self.cells[offset >> self.granule..(offset + len) >> self.granule];
        (cells, self.granule, &mut self.crowd)
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

/// Copies bytes; mostly few, of which the compiler should know how many.
#[inline]
fn copy(to: &mut [u8], from: &[u8]) {
    macro_rules! copy_of {
        ($($bytes:literal)*) => {
            match to.len() {
                $($bytes => {
                    if let (Some(to), Some(from)) = (to.first_chunk_mut::<$bytes>(), from.first_chunk::<$bytes>()) {
                        *to = *from;
                    }
                })*
                _ => to.copy_from_slice(from),
            }
        };
    }
    copy_of!(4 8 16)
}

/// The word of a bit set, one bit a byte, that holds the bits of a range, and which they are; if it is one word. Mostly
/// it is.
#[inline]
fn within_word(offset: usize, len: usize) -> Option<(usize, u64)> {
    let first = offset % 64;
    (1..=16).contains(&len).then_some(()).filter(|()| first + len <= 64)?;
    Some((offset / 64, ((1 << len) - 1) << first))
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
                let did = match (clash.wrote, clash.asynchronously) {
                    (true, true) => "wrote asynchronously",
                    (true, false) => "wrote",
                    (false, _) => "read",
                };
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
