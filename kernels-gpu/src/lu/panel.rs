//! The panel of a block LU: all threads of the block factor a tall matrix of up to `NB` columns.

use simt::shared::{self, Shared};
use simt::{block, sync_threads, thread, warp};

use crate::lu::key::pivot_key;
use crate::matrix::View;
use crate::scalar::{Real, Scalar};

/// Most columns of a panel.
pub const NB: usize = 8;

/// Shared memory that a panel may take: what the smallest GPU (sm_70) gives a block, less the rest.
const PANEL_BYTES: u32 = 80 * 1024;

/// Columns of a panel of `n` rows: `NB`, or fewer where these would not fit in shared memory.
#[inline(always)]
#[must_use]
pub const fn panel_width(n: u32, element_bytes: u32) -> u32 {
    let mut width = NB as u32;
    while width > 1 && (n | 1) as u64 * (width * element_bytes) as u64 > PANEL_BYTES as u64 {
        width /= 2;
    }
    width
}

/// Shared memory for the pivot search: each warp's best candidate.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<R> {
    keys: Shared<R>,   // shape (2, 32): alternately, so that one barrier a column is enough
    tags: Shared<u32>, // shape (2, 32)
}

/// Bytes of [`Candidates`], for keys of up to 8 bytes.
pub const CANDIDATES_BYTES: u32 = 2 * 32 * (8 + 4);

impl<R: Real> Candidates<R> {
    /// Candidates `offset` bytes into the shared memory.
    ///
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    #[must_use]
    pub unsafe fn at(offset: u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { keys: shared::array(offset), tags: shared::array(offset + 2 * 32 * 8) } }
    }

    /// The row with the largest key among all threads' candidates, the first on a tie. One barrier.
    #[inline(always)]
    #[must_use]
    pub fn elect(&self, mut key: R, mut row: u32, turn: u32) -> u32 {
        let mut distance = warp::SIZE / 2;
        while distance > 0 {
            let other_key = warp::shuffle_xor(warp::ALL, key, distance);
            let other_row = warp::shuffle_xor(warp::ALL, row, distance);
            if other_key > key || (other_key == key && other_row < row) {
                (key, row) = (other_key, other_row);
            }
            distance /= 2;
        }
        let slots = turn % 2 * 32;
        if warp::lane() == 0 {
            self.keys.store(slots + warp::index(), key);
            self.tags.store(slots + warp::index(), row);
        }
        sync_threads();
        let warps = block::dim() / warp::SIZE;
        (key, row) = (self.keys.load(slots), self.tags.load(slots));
        let mut w = 1;
        while w < warps {
            let (other_key, other_row) = (self.keys.load(slots + w), self.tags.load(slots + w));
            if other_key > key || (other_key == key && other_row < row) {
                (key, row) = (other_key, other_row);
            }
            w += 1;
        }
        row
    }
}

/// Factors the `rows` x `width` panel in place, `width <= NB`. `pivots[q]` becomes the row, counted from `first_row`, that
/// row q was swapped with, plus `first_row`. Returns the first column with a zero pivot, counted from 1, or 0.
///
/// The panel is complete for all threads after the caller's next barrier.
#[inline(always)]
pub fn factor_panel<T: Scalar>(
    panel: &impl View<T>,
    rows: u32,
    width: u32,
    first_row: u32,
    pivots: Shared<u32>,
    candidates: &Candidates<T::Real>,
) -> u32 {
    let mut zero_pivot = 0;
    let mut k = 0;
    while k < width {
        // Thread t owns rows t, t + threads, ...
        let mut key = T::Real::from_f64(-1.0);
        let mut row = rows;
        let mut i = thread::index();
        while i < rows {
            let candidate = pivot_key(panel.load(i, k), i >= k);
            if candidate > key {
                (key, row) = (candidate, i);
            }
            i += block::dim();
        }
        let pivot = candidates.elect(key, row, k);

        if thread::index() < width && pivot != k {
            let c = thread::index();
            let upper = panel.load(k, c);
            panel.store(k, c, panel.load(pivot, c));
            panel.store(pivot, c, upper);
        }
        if thread::index() == 0 {
            pivots.store(first_row + k, first_row + pivot);
        }
        sync_threads();

        let diagonal = panel.load(k, k);
        let zero = diagonal == T::ZERO;
        if zero && zero_pivot == 0 {
            zero_pivot = k + 1;
        }
        let divisor = diagonal.divisor();
        let mut i = thread::index();
        while i < rows {
            if i > k {
                let mut l = panel.load(i, k);
                if !zero {
                    l = l.divide(divisor);
                    panel.store(i, k, l);
                }
                let mut c = k + 1;
                while c < width {
                    panel.store(i, c, panel.load(i, c).sub_mul(l, panel.load(k, c)));
                    c += 1;
                }
            }
            i += block::dim();
        }
        k += 1;
    }
    zero_pivot
}
