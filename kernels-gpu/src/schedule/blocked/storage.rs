//! What the warps of a block tell each other, in shared memory.

use simt::shared::{self, Shared};
use simt::{block, warp};

use crate::numbers::mma::Mma;
use crate::numbers::scalar::{Real, Scalar};
use crate::schedule::blocked::{NB, OPEN};
use crate::shape::round_up;

/// From a candidate's row to the next: the row, the reciprocal of its pivot, and room up to 16 bytes.
const fn candidate<T>() -> u32 {
    NB as u32 + 16 / size_of::<T>() as u32
}

/// The board of slabs of `S` panels, for up to `W` warps of `32 * R` rows.
#[derive(Clone, Copy)]
pub struct SharedStorage<T, const R: usize, const S: usize, const W: usize> {
    /// The step of each row: shape (warps, 32 R).
    pub steps: Shared<u32>,
    /// The pivot row of each step: shape (panels, NB).
    pub pivot_rows: Shared<u32>,
    /// The key of each warp's candidate for each pivot of a panel: shape (NB, KEYS).
    keys: Shared<u32>,
    /// Their rows: shape (NB, KEYS).
    rows: Shared<u32>,
    /// Upper and lower bits of the magnitude, rank, and row, of each warp's best candidate: shape (KEYS, 4).
    pub exact: Shared<u32>,
    /// Votes: shape (32).
    pub flags: Shared<u32>,
    /// Minus the inverse of each panel's triangle of L, as a factor of a product: shape (panels, 32, 2).
    inverses: Shared<T>,
    /// The pivot rows of a panel p in this slab, at `p % 2`: shape (2, NB, ROW).
    pivots: Shared<T>,
    /// Each warp's candidate for each pivot of a panel: shape (NB, W, candidate).
    candidates: Shared<T>,
    /// This warp's panel that is turned, or panels that come back: shape (32 R, TURN), or (STAGES, 2 R, 2, 32, 2).
    own: Shared<T>,
    /// That of all warps.
    stage: Shared<T>,
    /// Room for rows or columns that are brought to order, from here on.
    pub room: u32,
    /// 0, which ptxas cannot know.
    zero: u32,
}

impl<T: Scalar, const R: usize, const S: usize, const W: usize> SharedStorage<T, R, S, W> {
    /// Warps, and up to a multiple of 16 bytes.
    pub const KEYS: u32 = round_up(W as u32, 4);
    /// From a pivot row to the next, so that rows 0, 2, 4 and 6 begin in different banks.
    pub const ROW: u32 = (S * NB) as u32 + 16 / size_of::<T>() as u32;
    /// Panels that are on their way, or just there.
    pub const STAGES: u32 = if size_of::<T>() > 8 { 2 } else { 3 };
    /// From a row of a turned panel to the next.
    pub const TURN: u32 = NB as u32 + 16 / size_of::<T>() as u32;

    const fn own_elements() -> u32 {
        let (turn, stages) = (32 * R as u32 * Self::TURN, Self::STAGES * 256 * R as u32);
        if turn > stages { turn } else { stages }
    }

    /// Where its parts begin: words, numbers, the warps' own, and the end.
    const fn parts(warps: u32, panels: u32) -> [u32; 4] {
        let size = size_of::<T>() as u32;
        let words = warps * 32 * R as u32 + panels * NB as u32 + 2 * NB as u32 * Self::KEYS + 4 * Self::KEYS + 32;
        let numbers = round_up(4 * words, 16);
        let own = numbers + size * (panels * 64 + 2 * NB as u32 * Self::ROW + (NB * W) as u32 * candidate::<T>());
        [0, numbers, own, own + size * warps * Self::own_elements()]
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(warps: u32, panels: u32) -> u32 {
        Self::parts(warps, panels)[3]
    }

    /// Bytes that must not be used as room for rows: steps and pivot rows.
    #[must_use]
    pub const fn kept(warps: u32, panels: u32) -> u32 {
        Self::parts(warps, panels)[1]
    }

    /// The block's board, of a matrix of this order.
    ///
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    pub unsafe fn new(order: u32) -> Self {
        let panels = order.div_ceil(NB as u32);
        let warps = block::dim() / warp::SIZE;
        let [_, numbers, own, _] = Self::parts(warps, panels);
        // SAFETY: the caller's promise.
        unsafe {
            let steps = shared::array::<u32>(0);
            let pivot_rows = steps.offset(warps * 32 * R as u32);
            let keys = pivot_rows.offset(panels * NB as u32);
            let rows = keys.offset(NB as u32 * Self::KEYS);
            let exact = rows.offset(NB as u32 * Self::KEYS);
            let inverses = shared::array::<T>(numbers);
            let pivots = inverses.offset(panels * 64);
            Self {
                steps,
                pivot_rows,
                keys,
                rows,
                exact,
                flags: exact.offset(4 * Self::KEYS),
                inverses,
                pivots,
                candidates: pivots.offset(2 * NB as u32 * Self::ROW),
                own: shared::array::<T>(own).offset(warp::index() * Self::own_elements()),
                stage: shared::array::<T>(own),
                room: numbers,
                zero: order >> 24,
            }
        }
    }

    /// The keys of the candidates for the pivot of column `c` of a panel: shape (KEYS).
    #[inline(always)]
    pub fn keys(&self, c: usize) -> Shared<u32> {
        self.keys.offset(c as u32 * Self::KEYS)
    }

    /// Their rows: shape (KEYS).
    #[inline(always)]
    pub fn rows(&self, c: usize) -> Shared<u32> {
        self.rows.offset(c as u32 * Self::KEYS)
    }

    /// The candidate of warp `w` for the pivot of column `c` of a panel: the row's panel, then the pivot's reciprocal.
    #[inline(always)]
    pub fn candidate(&self, c: usize, w: u32) -> Shared<T> {
        self.candidates.offset((c as u32 * W as u32 + w) * candidate::<T>())
    }

    /// Minus the inverse of panel p's triangle: shape (32, 2), or as a matrix, (NB, NB).
    #[inline(always)]
    pub fn inverse(&self, p: u32) -> Shared<T> {
        self.inverses.offset(p * 64)
    }

    /// The pivots, where elimination is Gauss-Jordan's and there are no inverses: shape (panels NB).
    #[inline(always)]
    pub fn pivot_values(&self) -> Shared<T> {
        self.inverses
    }

    /// The pivot rows of panel `p` in the slab: shape (NB, ROW).
    #[inline(always)]
    pub fn pivots(&self, p: u32) -> Shared<T> {
        self.pivots.offset(p % 2 * NB as u32 * Self::ROW)
    }

    /// Makes it ready for a matrix of order `n`: no row was a pivot row yet. By all threads; a barrier must follow.
    #[inline(always)]
    pub fn clear(&self, n: u32) {
        let thread = warp::index() * warp::SIZE + warp::lane();
        let mut row = thread;
        while row < block::dim() * R as u32 {
            // Rows of the padding are zero, and never pivot rows.
            self.steps.store(row, if row < n { OPEN } else { OPEN - 1 });
            row += block::dim();
        }
        let mut e = thread;
        while e < NB as u32 * Self::KEYS {
            self.keys.store(e, 0); // of warps that there are not
            e += block::dim();
        }
        let mut e = thread;
        while e < 2 * NB as u32 * Self::ROW {
            self.pivots.store(e, T::ZERO); // the last panel may have fewer
            e += block::dim();
        }
    }

    /// A panel of all warps' rows, in the room of `own`: shape (NB, rows + 1).
    #[inline(always)]
    pub fn stage(&self) -> Shared<T> {
        self.stage
    }

    /// This warp's room to turn a panel: shape (32 R, TURN).
    #[inline(always)]
    pub fn turn(&self) -> Shared<T> {
        self.own
    }

    /// This warp's part of a panel that comes back, as a factor: by 16 rows, column of a lane, lane, and row of these: shape
    /// (2 R, 2, 32, 2).
    #[inline(always)]
    pub fn incoming(&self, p: u32) -> Shared<T> {
        self.own.offset(p % Self::STAGES * 256 * R as u32)
    }
}

impl<T: Mma, const R: usize, const S: usize, const W: usize> SharedStorage<T, R, S, W> {
    /// `x`, in registers that need not be those that it was loaded to, or is stored from. Else ptxas keeps both parts of c64 side by
    /// side, as they are in memory, and moves them to where the matrix instruction takes them for each product. With more rows a warp,
    /// there are too few registers for it.
    #[inline(always)]
    #[must_use]
    pub fn apart(&self, x: T) -> T {
        if size_of::<T>() < 16 || R > 1 { x } else { T::of_parts(x.to_parts().map(|part| part.flip(self.zero))) }
    }
}
