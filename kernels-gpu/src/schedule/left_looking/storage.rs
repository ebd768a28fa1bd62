//! What the warps of a block keep in shared memory.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::collective::fragment::ROWS;
use crate::collective::mma::Mma;
use crate::schedule::left_looking::NB;
use crate::schedule::left_looking::back_substitution::Upper;
use crate::schedule::left_looking::pivot::PivotRows;
use crate::schedule::left_looking::swizzled_panel::SwizzledPanel;

/// Words with a bit for each row of a panel.
pub const BIT_WORDS: u32 = 5;
/// Most rows that a panel's interchanges move: its pivot rows, and those that were in their places.
pub const MOVED_ROWS: u32 = 2 * NB;

/// The shared memory of a matrix of `tiles` tiles of 16 rows, `rows` in all. With several warps, what a panel leaves to
/// the next one is double-buffered, for even and odd panels; `buffers` is 1 or 2.
#[derive(Clone, Copy)]
pub struct SharedStorage<T: Mma> {
    /// Which row of A is now at each position, as the place of its first part in the staging: shape (rows).
    pub permutation: Shared<u32>,
    /// LAPACK's `ipiv`, from 0: shape (rows).
    pub ipiv: Shared<u32>,
    /// See [`Self::pivot_rows`]: shape (2, [`PivotRows::WORDS`]).
    pivot_rows: Shared<u32>,
    /// See [`Self::non_pivots`]: shape (2, [`BIT_WORDS`]).
    non_pivots: Shared<u32>,
    /// For votes of the block: shape (32).
    pub flags: Shared<u32>,
    /// See [`Self::row_copies`]: shape (buffers, [`MOVED_ROWS`]).
    row_copies: Shared<u32>,
    /// See [`Self::exchange`]. For several warps: shape (2, NB, tiles).
    exchange: Shared<u32>,
    /// See [`Self::row_buffer`]. This warp's, of those of all preparing warps: shape (2, NB, ROW).
    row_buffer: Shared<T>,
    /// The 8 rows above the next panel's, until U is computed from them. For several warps: shape (NB, NB).
    block_above: SwizzledPanel<T>,
    /// See [`Self::u_row`]. A warp on its own has it in the row buffer: shape (buffers, NB, ROW).
    u_rows: Shared<T>,
    /// The right-hand side, if there is one: shape (rows).
    rhs: Shared<T>,
    /// L, panel q from row 8 q on: shape (panels, rows - 8 q, NB).
    panels: Shared<T>,
    /// The next panel as it is in A, where the last panel of L will be; see [`Self::has_staging`]: shape (rows, NB).
    pub staging: SwizzledPanel<T>,
    /// U, when a solve no longer needs L.
    pub upper: Upper<T>,
    tiles: u32,
    warps: u32,
}

impl<T: Mma> SharedStorage<T> {
    /// Leading dimension of the row buffers, so that rows 0, 2, 4 and 6 begin in different banks.
    pub const ROW: u32 = NB + 16 / size_of::<T>() as u32;

    /// Numbers of L before panel `q`.
    const fn before(tiles: u32, q: u32) -> u32 {
        NB * ROWS * tiles * q - NB * NB / 2 * (q * q - q)
    }

    /// Whether panels pass through the staging. Several warps load numbers of 16 bytes, half a sector each, straight to
    /// registers.
    pub const fn has_staging(warps: u32) -> bool {
        warps == 1 || size_of::<T>() < 16
    }

    /// Buffers of what a panel leaves to the next one.
    const fn buffers(warps: u32) -> u32 {
        if warps == 1 { 1 } else { 2 }
    }

    /// The arrays for a matrix of order `n` and `rhs` right-hand sides, one at most.
    #[inline(always)]
    fn layout(layout: &mut Layout, n: u32, warps: u32, rhs: u32) -> Self {
        let (tiles, panels) = (n.div_ceil(ROWS), n.div_ceil(NB));
        let (rows, buffers) = (ROWS * tiles, Self::buffers(warps));
        let last = Self::before(tiles, panels - 1);
        let last_rows = if Self::has_staging(warps) { rows } else { rows - NB * (panels - 1) };

        let permutation = layout.array(rows);
        let ipiv = layout.array(rows);
        let pivot_rows = layout.array(2 * PivotRows::WORDS);
        let non_pivots = layout.array(2 * BIT_WORDS);
        let flags = layout.array(32);
        let row_copies = layout.array(buffers * MOVED_ROWS);
        let exchange = layout.array(if warps == 1 { 0 } else { 2 * NB * tiles });
        let (row_buffer, block_above, u_rows) = if warps == 1 {
            let (row_buffer, u_rows) =
                layout.either(|layout| layout.array(2 * NB * Self::ROW), |layout| layout.array(NB * Self::ROW));
            (row_buffer, layout.array(0), u_rows)
        } else {
            let row_buffers = layout.array((warps - 1) * 2 * NB * Self::ROW);
            (row_buffers, layout.array(NB * NB), layout.array(2 * NB * Self::ROW))
        };
        let upper_order = if rhs == 0 { 0 } else { n };
        let rhs = layout.array(rows * rhs);
        let (panels, upper) = layout
            .either(|layout| layout.array::<T>(last + last_rows * NB), |layout| Upper::layout(layout, upper_order));
        Self {
            permutation,
            ipiv,
            pivot_rows,
            non_pivots,
            flags,
            row_copies,
            exchange,
            row_buffer,
            block_above: SwizzledPanel::new(block_above),
            u_rows,
            rhs,
            panels,
            staging: SwizzledPanel::new(panels.offset(last)),
            upper,
            tiles,
            warps,
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(n: u32, warps: u32, rhs: u32) -> u32 {
        Layout::bytes(|layout| Self::layout(layout, n, warps, rhs))
    }

    /// # Safety
    /// As for [`Layout::place`]: the launch has asked for [`Self::bytes`].
    #[inline(always)]
    pub unsafe fn new(n: u32, warps: u32, rhs: u32) -> Self {
        // SAFETY: the caller's promise.
        let shared = unsafe { Layout::place(|layout| Self::layout(layout, n, warps, rhs)) };
        let own = if warps == 1 { 0 } else { warp::index().max(1) - 1 };
        Self { row_buffer: shared.row_buffer.offset(own * 2 * NB * Self::ROW), ..shared }
    }

    /// Initializes the order of rows and the pivot rows. By a warp.
    #[inline(always)]
    pub fn clear(&self) {
        let mut row = warp::lane();
        while row < ROWS * self.tiles {
            self.permutation.store(row, SwizzledPanel::<T>::part(row, 0));
            row += warp::SIZE;
        }
        if warp::lane() < 2 * PivotRows::WORDS {
            self.pivot_rows.store(warp::lane(), 0);
        }
    }

    /// The row of A that is at position `i` now.
    #[inline(always)]
    pub fn row_of_a(&self, i: u32) -> u32 {
        self.permutation.load(i) / SwizzledPanel::<T>::PARTS
    }

    /// Warps of the block.
    #[inline(always)]
    pub fn warps(&self) -> u32 {
        self.warps
    }

    /// Tiles from panel `q`'s diagonal block down. If q is odd, that block is the lower half of the first one.
    #[inline(always)]
    pub fn tiles(&self, q: u32) -> u32 {
        self.tiles - q / 2
    }

    /// Rows of panel `q`.
    #[inline(always)]
    pub fn height(&self, q: u32) -> u32 {
        ROWS * self.tiles - NB * q
    }

    /// Panel `q`, from row `8 q` on: shape (rows - 8 q, NB).
    #[inline(always)]
    pub fn panel(&self, q: u32) -> SwizzledPanel<T> {
        SwizzledPanel::new(self.panels.offset(Self::before(self.tiles, q)))
    }

    /// Blocks of 8 rows between a row of panel 0 and the same row of panel 1; each further panel has one less.
    #[inline(always)]
    pub fn blocks_to_next_panel(&self) -> u32 {
        2 * self.tiles - 1
    }

    /// Block `block` of 8 rows of panel `p` before panel p - 1 is applied; block 0 has that panel's rows of U.
    #[inline(always)]
    pub fn unapplied_block(&self, p: u32, block: u32) -> SwizzledPanel<T> {
        if block == 0 { self.block_above } else { self.panel(p).skip(block - 1) }
    }

    /// The right-hand side in the rows of panel `p`: shape (rows - 8 p).
    #[inline(always)]
    pub fn rhs(&self, p: u32) -> Shared<T> {
        self.rhs.offset(NB * p)
    }

    /// The pivot rows of panel `p`, counted from its first row: where they were when the panel began.
    #[inline(always)]
    pub fn pivot_rows(&self, p: u32) -> PivotRows {
        PivotRows::new(self.pivot_rows.offset(p % 2 * PivotRows::WORDS))
    }

    /// A bit for each row of panel `p`, set if it did not become a pivot row: shape (BIT_WORDS).
    #[inline(always)]
    pub fn non_pivots(&self, p: u32) -> Shared<u32> {
        self.non_pivots.offset(p % 2 * BIT_WORDS)
    }

    /// Panel `p`'s interchanges as [`RowCopy`](crate::schedule::left_looking::laswp::RowCopy)s: shape (MOVED_ROWS).
    #[inline(always)]
    pub fn row_copies(&self, p: u32) -> Shared<u32> {
        self.row_copies.offset(p % Self::buffers(self.warps) * MOVED_ROWS)
    }

    /// Where rows i and i + 8 of each tile go in the row buffer after panel `p`, and where their new contents are: four
    /// bytes, each an offset plus 1, or 0 for none. Shape (tiles).
    #[inline(always)]
    pub fn exchange(&self, p: u32, i: u32) -> Shared<u32> {
        self.exchange.offset((p % 2 * NB + i) * self.tiles)
    }

    /// The pivot row of column `c` of panel `p` from that column on, with the pivot's reciprocal at NB: shape (ROW).
    #[inline(always)]
    pub fn u_row(&self, p: u32, c: u32) -> Shared<T> {
        self.u_rows.offset((p % Self::buffers(self.warps) * NB + c) * Self::ROW)
    }

    /// Rows that a warp's lanes exchange, such as panel `q`'s pivot rows in the columns of another: shape (NB, ROW).
    #[inline(always)]
    pub fn row_buffer(&self, q: u32) -> Shared<T> {
        self.row_buffer.offset(q % 2 * NB * Self::ROW)
    }
}
