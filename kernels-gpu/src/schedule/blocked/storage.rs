//! What the warps of a block share.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{Pod, block, thread, warp};

use crate::collective::mma::Mma;
use crate::schedule::blocked::{CANDIDATE, NB, PADDING};
use crate::shape::round_up;
use numbers::scalar::{Real, Scalar};

/// From one row of a panel to the next: 16 bytes of padding let rows begin in different banks.
#[must_use]
pub const fn panel_stride<T>() -> u32 {
    NB + 16 / size_of::<T>() as u32
}

/// From one row of a slab to the next: 16 bytes of padding let rows 0, 2, 4 and 6 begin in different banks.
#[must_use]
pub const fn slab_stride<T>(panels: usize) -> u32 {
    panels as u32 * NB + 16 / size_of::<T>() as u32
}

/// Buffers in the ring of panels that come back: one is in use, copies to the others are under way.
#[must_use]
pub const fn stages<T>() -> u32 {
    if size_of::<T>() > 8 { 2 } else { 3 }
}

/// Rows whose columns a warp permutes at once: 32 bytes of each column.
#[must_use]
pub const fn ordered_rows<T>() -> u32 {
    32 / size_of::<T>() as u32
}

/// The arrays of a block.
#[derive(Clone, Copy)]
pub struct SharedStorage<T, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize> {
    /// The step at which each row became a pivot row, `CANDIDATE` or `PADDING`: shape (warps, 32 LANE_ROWS).
    pub pivot_steps: Shared<u32>,
    /// The pivot row of each step: shape (panels, NB).
    pub pivot_rows: Shared<u32>,
    /// For each column of a panel, the key of each warp's candidate: shape (NB, KEYS).
    keys: Shared<u32>,
    /// The rows of these candidates: shape (NB, KEYS).
    candidate_rows: Shared<u32>,
    /// Each warp's candidate of the exact search, a key of three words and the row: shape (KEYS, 4).
    pub exact_keys: Shared<u32>,
    /// For votes of the block: shape (32).
    pub flags: Shared<u32>,
    /// L's diagonal block of each panel, with anything in place of U: shape (panels, NB, NB). With `JORDAN`, the pivot
    /// of each step instead: shape (panels, NB).
    triangles: Shared<T>,
    /// The pivot rows of panel p in this slab, then minus its rows of U, at `p % 2`: shape (2, NB, slab_stride).
    pivot_blocks: Shared<T>,
    /// The candidates themselves, a row of the panel and its pivot's reciprocal: shape (NB, WARPS, panel_stride).
    candidates: Shared<T>,
    /// This warp's transpose buffer, or its ring of panels that come back: shape (WARP_BUFFER).
    warp_buffer: Shared<T>,
    /// A panel whose rows are permuted; overlaps the buffers of all warps: shape (NB, warps, 32 LANE_ROWS).
    pub reorder_buffer: Shared<T>,
    /// Rows whose columns are permuted; overlaps all arrays from `triangles` on: shape (warps, ordered_rows, n).
    pub row_buffers: Shared<T>,
    /// 0, which ptxas cannot know.
    opaque_zero: u32,
}

impl<T: Scalar, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>
    SharedStorage<T, LANE_ROWS, PANELS, WARPS>
{
    /// `WARPS`, rounded up to whole vectors of keys.
    const KEYS: u32 = round_up(WARPS as u32, 4);
    /// Rows of a warp.
    const ROWS: u32 = 32 * LANE_ROWS as u32;
    /// Numbers in a buffer of the ring: a warp's rows of a panel.
    const STAGE: u32 = Self::ROWS * NB;
    /// Numbers in a warp's buffer.
    const WARP_BUFFER: u32 = {
        let (transpose, ring) = (Self::ROWS * panel_stride::<T>(), stages::<T>() * Self::STAGE);
        if transpose > ring { transpose } else { ring }
    };

    /// The arrays of `warps` warps, for a matrix of order `n`; the buffer is that of the first warp.
    #[inline(always)]
    fn layout(layout: &mut Layout, warps: u32, n: u32) -> Self {
        let panels = n.div_ceil(NB);
        let [pivot_steps, pivot_rows, keys, candidate_rows, exact_keys, flags] =
            layout.arrays([warps * Self::ROWS, panels * NB, NB * Self::KEYS, NB * Self::KEYS, 4 * Self::KEYS, 32]);
        let (([triangles, pivot_blocks, candidates], (warp_buffer, reorder_buffer)), row_buffers) = layout.either(
            |layout| {
                let numbers = layout.arrays([
                    panels * NB * NB,
                    2 * NB * slab_stride::<T>(PANELS),
                    NB * WARPS as u32 * panel_stride::<T>(),
                ]);
                let buffers = layout.either(
                    |layout| layout.packed(warps * Self::WARP_BUFFER),
                    |layout| layout.packed(NB * warps * Self::ROWS),
                );
                (numbers, buffers)
            },
            |layout| layout.packed(warps * ordered_rows::<T>() * n),
        );
        Self {
            pivot_steps,
            pivot_rows,
            keys,
            candidate_rows,
            exact_keys,
            flags,
            triangles,
            pivot_blocks,
            candidates,
            warp_buffer,
            reorder_buffer,
            row_buffers,
            opaque_zero: n >> 24,
        }
    }

    /// Its bytes, for `warps` warps and a matrix of order `n`.
    #[must_use]
    pub fn bytes(warps: u32, n: u32) -> u32 {
        Layout::bytes(|layout| Self::layout(layout, warps, n))
    }

    /// The arrays of this block, for a matrix of order `n`.
    ///
    /// # Safety
    /// As for [`Layout::place`]: the launch has asked for [`Self::bytes`].
    #[inline(always)]
    pub unsafe fn new(n: u32) -> Self {
        // SAFETY: the caller's promise.
        let shared = unsafe { Layout::place(|layout| Self::layout(layout, block::dim() / warp::SIZE, n)) };
        // Here, and not at each use: else LLVM finds two ways to compute the address, and keeps both in registers.
        Self { warp_buffer: shared.warp_buffer.offset(warp::index() * Self::WARP_BUFFER), ..shared }
    }

    /// Makes all rows of the matrix candidates, and zeroes what no warp writes. By all threads; a barrier must follow.
    #[inline(always)]
    pub fn initialize(&self, n: u32) {
        fill(self.pivot_steps, block::dim() * LANE_ROWS as u32, |row| if row < n { CANDIDATE } else { PADDING });
        fill(self.keys, NB * Self::KEYS, |_| 0); // of absent warps
        fill(self.pivot_blocks, 2 * NB * slab_stride::<T>(PANELS), |_| T::ZERO); // of a narrow last panel
    }

    /// The keys of the candidates for column `c` of a panel: shape (KEYS).
    #[inline(always)]
    pub fn keys(&self, c: usize) -> Shared<u32> {
        self.keys.offset(c as u32 * Self::KEYS)
    }

    /// Their rows: shape (KEYS).
    #[inline(always)]
    pub fn candidate_rows(&self, c: usize) -> Shared<u32> {
        self.candidate_rows.offset(c as u32 * Self::KEYS)
    }

    /// The candidate of warp `w` for column `c` of a panel, its row and then the pivot's reciprocal: shape (NB + 1).
    #[inline(always)]
    pub fn candidate(&self, c: usize, w: u32) -> Shared<T> {
        self.candidates.offset((c as u32 * WARPS as u32 + w) * panel_stride::<T>())
    }

    /// L's diagonal block of panel `p`, with anything in place of U: shape (NB, NB).
    #[inline(always)]
    pub fn triangle(&self, p: u32) -> Shared<T> {
        self.triangles.offset(p * NB * NB)
    }

    /// With `JORDAN`, the pivot of each step: shape (panels, NB).
    #[inline(always)]
    pub fn pivots(&self) -> Shared<T> {
        self.triangles
    }

    /// The pivot rows of panel `p` in this slab: shape (NB, slab_stride).
    #[inline(always)]
    pub fn pivot_block(&self, p: u32) -> Shared<T> {
        self.pivot_blocks.offset(p % 2 * NB * slab_stride::<T>(PANELS))
    }

    /// Where this warp transposes tiles into rows and back: shape (32 LANE_ROWS, panel_stride).
    #[inline(always)]
    pub fn transpose_buffer(&self) -> Shared<T> {
        self.warp_buffer
    }

    /// This warp's rows of panel `p` as it comes back; by tile, column of a lane, lane, and row of a lane:
    /// shape (2 LANE_ROWS, 2, 32, 2).
    #[inline(always)]
    pub fn stage(&self, p: u32) -> Shared<T> {
        self.warp_buffer.offset(p % stages::<T>() * Self::STAGE)
    }
}

impl<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>
    SharedStorage<T, LANE_ROWS, PANELS, WARPS>
{
    /// `x` with its parts in separate registers. Loads leave those of c64 side by side, and ptxas would move them for
    /// each matrix instruction. With more rows per lane, registers are too scarce for that.
    #[inline(always)]
    #[must_use]
    pub fn split_re_im(&self, x: T) -> T {
        if size_of::<T>() < 16 || LANE_ROWS > 1 {
            x
        } else {
            T::of_parts(x.to_parts().map(|part| part.flip(self.opaque_zero)))
        }
    }
}

/// Fills an array by all threads.
#[inline(always)]
fn fill<T: Pod>(array: Shared<T>, len: u32, value: impl Fn(u32) -> T) {
    let mut i = thread::index();
    while i < len {
        array.store(i, value(i));
        i += block::dim();
    }
}
