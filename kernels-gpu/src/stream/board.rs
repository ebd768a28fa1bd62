//! What the warps keep in shared memory.

use simt::shared::{self, Shared};
use simt::warp;

use crate::shape::round_up;
use crate::stream::NB;
use crate::stream::slots::Slots;
use crate::stream::strip::Strip;
use crate::wide::Wide;

/// Words with a bit for each row.
pub const WORDS: usize = 5;
/// Rows of the matrix instruction's tiles.
pub const TILE: u32 = 16;

/// The board of a matrix of so many tiles of 16 rows.
#[derive(Clone, Copy)]
pub struct Board<T> {
    /// Where in the stage the row is that belongs to each position, as [`Strip::part`] says: shape (16 tiles).
    pub origins: Shared<u32>,
    /// LAPACK's interchanges: shape (16 tiles).
    pub interchanges: Shared<u32>,
    /// Where each pivot row of panel p was when the panel began, at `p % 2`: shape (2, [`Slots::WORDS`]).
    slots: Shared<u32>,
    /// Bit by bit, which rows of panel p were no pivot rows, at `p % 2`: shape (2, WORDS).
    open: Shared<u32>,
    /// Votes: shape (32).
    pub flags: Shared<u32>,
    /// Rows that are brought from one place to another after panel p: shape (2 NB). With several warps at `p % 2`: shape (2, 2 NB).
    moves: Shared<u32>,
    /// For each two rows i and i + 8 of a tile bytes that say where in `rows` they go after panel p, and from where rows come there, at
    /// `p % 2`: shape (2, NB, tiles). For several warps.
    marks: Shared<u32>,
    /// The pivot rows of panel p as of their steps, each with the reciprocal of its pivot, at `p % 2`: shape (2, NB, ROW). A warp that is
    /// alone has those of one panel, where `rows` are.
    pivots: Shared<T>,
    /// The pivot rows of panel q in the columns of another, at `q % 2`: shape (2, NB, ROW). Each warp that prepares panels has its own.
    rows: Shared<T>,
    /// The 8 rows before those of the next panel, while there are pivot rows among them: shape (NB, NB). For several warps.
    pub head: Strip<T>,
    /// L, panel q from row `8 q` on: shape (panels, 16 tiles - 8 q, NB).
    panels: Shared<T>,
    /// The next panel, as it is in A, where the last one will be: shape (16 tiles, NB). See [`Self::is_staged`].
    pub stage: Strip<T>,
    /// The right-hand side, if there is one, with its rows where the next panel has them, as far as they are not done: shape (16 tiles).
    side: Shared<T>,
    /// Tiles of 16 rows.
    tiles: u32,
    /// Warps of the block.
    warps: u32,
}

impl<T: Wide> Board<T> {
    /// From a row to the next, so that rows 0, 2, 4 and 6 begin in different banks.
    pub const ROW: u32 = NB as u32 + 16 / size_of::<T>() as u32;

    /// Words before the numbers.
    const fn words(tiles: u32, warps: u32) -> u32 {
        let marks = if warps > 1 { 2 * NB as u32 + 2 * NB as u32 * tiles } else { 0 };
        2 * TILE * tiles + 2 * Slots::WORDS + 2 * NB as u32 + 2 * WORDS as u32 + 32 + marks
    }

    /// Numbers before panel `q`.
    const fn before(tiles: u32, q: u32) -> u32 {
        NB as u32 * TILE * tiles * q - 4 * NB as u32 * q * q.wrapping_sub(1)
    }

    /// Numbers before L: pivot rows, and the head.
    const fn before_panels(warps: u32) -> u32 {
        let rows = 2 * NB as u32 * Self::ROW;
        match warps {
            1 => rows,
            _ => warps * rows + (NB * NB) as u32,
        }
    }

    /// Whether panels come in through the stage. Several warps load numbers of 16 bytes, half a sector each, straight to registers.
    pub const fn is_staged(warps: u32) -> bool {
        warps == 1 || size_of::<T>() < 16
    }

    /// Numbers of the panels of a matrix of order `n`, of the stage, and of what a solve has there after U.
    const fn room(n: u32, warps: u32) -> u32 {
        let (tiles, panels) = (n.div_ceil(TILE), n.div_ceil(NB as u32));
        if Self::is_staged(warps) {
            Self::before(tiles, panels - 1) + TILE * tiles * NB as u32
        } else {
            Self::before(tiles, panels) + 2 * TILE * tiles
        }
    }

    /// Its bytes, for a matrix of order `n` and `sides` right-hand sides, one at most.
    #[must_use]
    pub const fn bytes(n: u32, warps: u32, sides: u32) -> u32 {
        let tiles = n.div_ceil(TILE);
        let numbers = Self::before_panels(warps) + Self::room(n, warps) + TILE * tiles * sides;
        round_up(4 * Self::words(tiles, warps), 16) + numbers * size_of::<T>() as u32
    }

    /// The board of a matrix of order `n`.
    ///
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    pub unsafe fn new(n: u32, warps: u32) -> Self {
        let (tiles, last) = (n.div_ceil(TILE), n.div_ceil(NB as u32) - 1);
        // SAFETY: the caller's promise.
        unsafe {
            let origins = shared::array::<u32>(0);
            let interchanges = origins.offset(TILE * tiles);
            let slots = interchanges.offset(TILE * tiles);
            let open = slots.offset(2 * Slots::WORDS);
            let flags = open.offset(2 * WORDS as u32);
            let moves = flags.offset(32);
            let marks = moves.offset(4 * NB as u32);
            let numbers = shared::array::<T>(round_up(4 * Self::words(tiles, warps), 16));
            let panels = numbers.offset(Self::before_panels(warps));
            let head = numbers.offset(warps.wrapping_sub(1) * 2 * NB as u32 * Self::ROW);
            let pivots = if warps == 1 { numbers } else { head.offset((NB * NB) as u32) };
            let own = if warps == 1 { 0 } else { warp::index().max(1) - 1 };
            let rows = numbers.offset(own * 2 * NB as u32 * Self::ROW);
            let stage = panels.offset(Self::before(tiles, last));
            let side = panels.offset(Self::room(n, warps));
            let (head, stage) = (Strip::new(head), Strip::new(stage));
            Self {
                origins,
                interchanges,
                slots,
                open,
                flags,
                moves,
                marks,
                pivots,
                rows,
                head,
                panels,
                stage,
                side,
                tiles,
                warps,
            }
        }
    }

    /// Rows are where they were, and no pivot is known. By a warp.
    #[inline(always)]
    pub fn clear(&self) {
        let mut row = warp::lane();
        while row < TILE * self.tiles {
            self.origins.store(row, Strip::<T>::part(row, 0));
            row += warp::SIZE;
        }
        if warp::lane() < 2 * Slots::WORDS {
            self.slots.store(warp::lane(), 0);
        }
    }

    /// The row of A that is row `i`.
    #[inline(always)]
    pub fn origin_row(&self, i: u32) -> u32 {
        self.origins.load(i) / Strip::<T>::PARTS
    }

    /// Warps of the block.
    #[inline(always)]
    pub fn warps(&self) -> u32 {
        self.warps
    }

    /// Tiles of a panel that has `q` panels before it, the first with pivot rows in its upper half if `q` is odd.
    #[inline(always)]
    pub fn tiles(&self, q: u32) -> u32 {
        self.tiles - q / 2
    }

    /// Rows that panel `q` has.
    #[inline(always)]
    pub fn height(&self, q: u32) -> u32 {
        TILE * self.tiles - NB as u32 * q
    }

    /// The room of all panels and of the next one.
    #[inline(always)]
    pub fn all_panels(&self) -> Shared<T> {
        self.panels
    }

    /// Panel `q`, from row `8 q` on.
    #[inline(always)]
    pub fn panel(&self, q: u32) -> Strip<T> {
        Strip::new(self.panels.offset(Self::before(self.tiles, q)))
    }

    /// Rows divided by 8 from a row of panel 0 to the same row of panel 1; from there to panel 2 it is one less, and so on.
    #[inline(always)]
    pub fn rows_ahead(&self) -> u32 {
        2 * self.tiles - 1
    }

    /// Rows `8 eight ..` of panel `p` before the panel before it is applied, counted from the pivot rows of that one.
    #[inline(always)]
    pub fn next(&self, p: u32, eight: u32) -> Strip<T> {
        if eight == 0 { self.head } else { self.panel(p).skip(eight - 1) }
    }

    /// The rows of the right-hand side that panel `p` has: shape (16 tiles - 8 p).
    #[inline(always)]
    pub fn side(&self, p: u32) -> Shared<T> {
        self.side.offset(NB as u32 * p)
    }

    /// Where each pivot row of panel `p` was when the panel began.
    #[inline(always)]
    pub fn slots(&self, p: u32) -> Slots {
        Slots::new(self.slots.offset(p % 2 * Slots::WORDS))
    }

    /// Bit by bit, which rows of panel `p` were no pivot rows: shape (WORDS).
    #[inline(always)]
    pub fn open(&self, p: u32) -> Shared<u32> {
        self.open.offset(p % 2 * WORDS as u32)
    }

    /// The moves of rows after panel `p`: shape (2 NB).
    #[inline(always)]
    pub fn moves(&self, p: u32) -> Shared<u32> {
        self.moves.offset(p % self.warps.min(2) * 2 * NB as u32)
    }

    /// Rows i and i + 8 of all tiles after panel `p`: where in [`Self::rows`] each of them goes, and from where rows come there, a byte each,
    /// counted from 1, or 0: shape (tiles). For several warps.
    #[inline(always)]
    pub fn marks(&self, p: u32, i: u32) -> Shared<u32> {
        self.marks.offset((p % 2 * NB as u32 + i) * self.tiles)
    }

    /// The pivot row of column `c` of panel `p` from that column on, nothing of use after the panel's last, and the reciprocal of the pivot:
    /// shape (ROW).
    #[inline(always)]
    pub fn pivot(&self, p: u32, c: u32) -> Shared<T> {
        self.pivots.offset((p % self.warps.min(2) * NB as u32 + c) * Self::ROW)
    }

    /// The pivot rows of panel `q` in the columns of another: shape (NB, ROW).
    #[inline(always)]
    pub fn rows(&self, q: u32) -> Shared<T> {
        self.rows.offset(q % 2 * NB as u32 * Self::ROW)
    }
}
