//! Where the pivot rows of a panel were when it began, and where its interchanges bring the other rows.

use simt::shared::Shared;

use crate::stream::NB;

/// The pivot rows of a panel, a byte each, as a panel has no more than 160 rows: shape (NB).
#[derive(Clone, Copy)]
pub struct Slots {
    bytes: Shared<u8>,
}

impl Slots {
    /// Words that they take.
    pub const WORDS: u32 = NB as u32 / 4;

    /// Those that are there.
    #[inline(always)]
    pub fn new(words: Shared<u32>) -> Self {
        Self { bytes: words.cast() }
    }

    /// Notes that the pivot row of column `c` was at `slot`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, c: u32, slot: u32) {
        self.bytes.store(c, slot as u8);
    }

    /// All of them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self) -> Pivots {
        Pivots(self.bytes.cast::<u64>().load(0))
    }
}

/// All of them, in registers.
#[derive(Clone, Copy)]
pub struct Pivots(u64);

impl Pivots {
    /// That of column `c`.
    #[inline(always)]
    pub fn slot(self, c: u32) -> u32 {
        (self.0 >> (8 * c)) as u32 & 0xff
    }

    /// Where LAPACK's interchanges bring a row in so many steps, in which it is no pivot row: step k brings the row at position k to where
    /// pivot row k was.
    #[inline(always)]
    pub fn position(self, row: u32, steps: u32) -> u32 {
        let mut at = row;
        while at < steps {
            at = self.slot(at);
        }
        at
    }
}
