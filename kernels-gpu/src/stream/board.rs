//! What the warps keep in shared memory.

use simt::shared::{self, Shared};
use simt::warp;

use crate::shape::round_up;
use crate::stream::NB;
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
    /// Where each pivot row of panel p was when the panel began, at `p % 2`: shape (2, NB).
    slots: Shared<u32>,
    /// Rows that are brought from one place to another after a panel: shape (2 NB).
    pub moves: Shared<u32>,
    /// Bit by bit, which rows of panel p were no pivot rows, at `p % 2`: shape (2, WORDS).
    open: Shared<u32>,
    /// Votes: shape (32).
    pub flags: Shared<u32>,
    /// The pivot rows of panel p as of their steps, each with the reciprocal of its pivot, at `p % warps`: shape (warps, NB, ROW). A warp
    /// that is alone has them where `rows` are.
    pivots: Shared<T>,
    /// The pivot rows of panel q in the columns of another, at `q % 2`: shape (2, NB, ROW).
    rows: Shared<T>,
    /// The 8 rows before those of the next panel, while there are pivot rows among them: shape (NB, NB). For two warps.
    pub head: Strip<T>,
    /// L, panel q from row `8 q` on: shape (panels, 16 tiles - 8 q, NB).
    panels: Shared<T>,
    /// The next panel, as it is in A, where the last one will be: shape (16 tiles, NB).
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
    const fn words(tiles: u32) -> u32 {
        2 * TILE * tiles + 4 * NB as u32 + 2 * WORDS as u32 + 32
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
            _ => 2 * rows + (NB * NB) as u32,
        }
    }

    /// Its bytes, for a matrix of order `n` and `sides` right-hand sides, one at most.
    #[must_use]
    pub const fn bytes(n: u32, warps: u32, sides: u32) -> u32 {
        let (tiles, last) = (n.div_ceil(TILE), n.div_ceil(NB as u32) - 1);
        let numbers = Self::before_panels(warps) + Self::before(tiles, last) + TILE * tiles * (NB as u32 + sides);
        round_up(4 * Self::words(tiles), 16) + numbers * size_of::<T>() as u32
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
            let moves = slots.offset(2 * NB as u32);
            let open = moves.offset(2 * NB as u32);
            let flags = open.offset(2 * WORDS as u32);
            let rows = shared::array::<T>(round_up(4 * Self::words(tiles), 16));
            let head = rows.offset(2 * NB as u32 * Self::ROW);
            let pivots = if warps == 1 { rows } else { head.offset((NB * NB) as u32) };
            let panels = rows.offset(Self::before_panels(warps));
            let stage = panels.offset(Self::before(tiles, last));
            let side = stage.offset(TILE * tiles * NB as u32);
            let (head, stage) = (Strip::new(head), Strip::new(stage));
            Self {
                origins,
                interchanges,
                slots,
                moves,
                open,
                flags,
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

    /// Rows are where they were. By a warp.
    #[inline(always)]
    pub fn clear(&self) {
        let mut row = warp::lane();
        while row < TILE * self.tiles {
            self.origins.store(row, Strip::<T>::part(row, 0));
            row += warp::SIZE;
        }
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

    /// Where each pivot row of panel `p` was when the panel began: shape (NB).
    #[inline(always)]
    pub fn slots(&self, p: u32) -> Shared<u32> {
        self.slots.offset(p % 2 * NB as u32)
    }

    /// Bit by bit, which rows of panel `p` were no pivot rows: shape (WORDS).
    #[inline(always)]
    pub fn open(&self, p: u32) -> Shared<u32> {
        self.open.offset(p % 2 * WORDS as u32)
    }

    /// The pivot row of column `c` of panel `p` from that column on, nothing of use after the panel's last, and the reciprocal of the pivot:
    /// shape (ROW).
    #[inline(always)]
    pub fn pivot(&self, p: u32, c: u32) -> Shared<T> {
        self.pivots.offset((p % self.warps * NB as u32 + c) * Self::ROW)
    }

    /// The pivot rows of panel `q` in the columns of another: shape (NB, ROW).
    #[inline(always)]
    pub fn rows(&self, q: u32) -> Shared<T> {
        self.rows.offset(q % 2 * NB as u32 * Self::ROW)
    }
}
