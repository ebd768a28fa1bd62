//! The panel factorization of a blocked LU (LAPACK `xGETF2`): a tall matrix of up to `NB` columns, by one thread block.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::memory::matrix::View;
use crate::numbers::scalar::{Real, Scalar};

/// Most columns of a panel.
pub const NB: usize = 8;

/// The shared memory that a panel may take, so that a block fits on sm_70 (96 KiB).
const PANEL_BYTES: u32 = 80 * 1024;

/// Columns of a panel of `n` rows: `NB`, or fewer if these do not fit in shared memory.
#[inline(always)]
#[must_use]
pub const fn panel_width(n: u32, element_bytes: u32) -> u32 {
    let mut width = NB as u32;
    while width > 1 && (n | 1) as u64 * (width * element_bytes) as u64 > PANEL_BYTES as u64 {
        width /= 2;
    }
    width
}

/// The best candidate of each warp, in a block's pivot search.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<R> {
    keys: Shared<R>,   // shape (2, 32): double-buffered, so that one barrier a search is enough
    rows: Shared<u32>, // shape (2, 32)
}

impl<R: Real> Candidates<R> {
    /// Their place in a block's shared memory.
    #[inline(always)]
    #[must_use]
    pub fn new(layout: &mut Layout) -> Self {
        Self { keys: layout.packed(2 * 32), rows: layout.packed(2 * 32) }
    }

    /// The row with the largest key among all threads' candidates, the first on a tie. One barrier.
    ///
    /// `search` is even in one search and odd in the next.
    #[inline(always)]
    #[must_use]
    pub fn largest(&self, mut key: R, mut row: u32, search: u32) -> u32 {
        let mut distance = warp::SIZE / 2;
        while distance > 0 {
            let other_key = warp::shuffle_xor(warp::ALL, key, distance);
            let other_row = warp::shuffle_xor(warp::ALL, row, distance);
            if other_key > key || (other_key == key && other_row < row) {
                (key, row) = (other_key, other_row);
            }
            distance /= 2;
        }
        let buffer = search % 2 * 32;
        if warp::lane() == 0 {
            self.keys.store(buffer + warp::index(), key);
            self.rows.store(buffer + warp::index(), row);
        }
        sync_threads();
        let warps = block::dim() / warp::SIZE;
        (key, row) = (self.keys.load(buffer), self.rows.load(buffer));
        let mut w = 1;
        while w < warps {
            let (other_key, other_row) = (self.keys.load(buffer + w), self.rows.load(buffer + w));
            if other_key > key || (other_key == key && other_row < row) {
                (key, row) = (other_key, other_row);
            }
            w += 1;
        }
        row
    }
}

/// The magnitude by which candidates are compared. NaN counts as 0; a row that is no candidate has a smaller key.
#[inline(always)]
#[must_use]
pub fn pivot_key<T: Scalar>(x: T, is_candidate: bool) -> T::Real {
    let magnitude = x.abs1();
    if !is_candidate {
        T::Real::from_f64(-1.0)
    } else if magnitude >= T::Real::ZERO {
        magnitude
    } else {
        T::Real::ZERO
    }
}

/// Factors a `rows` x `width` panel in place, `width <= NB`, whose first row is row `first_row` of the matrix.
///
/// Its interchanges become `pivots[first_row..]`. Returns the first column with a zero pivot, counted from 1, or 0.
/// A barrier must follow.
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
        let pivot = candidates.largest(key, row, k);

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
