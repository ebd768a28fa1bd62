//! The panel factorization of a blocked LU (LAPACK `xGETF2`), by one block: a thread a row, two barriers a column.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::memory::row_panel::RowPanel;
use crate::memory::vector::Vectorized;
use numbers::pivot::pivot_key;
use numbers::scalar::Real;

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

/// Factors a panel in place, whose first row is row `k0` of `n`, and its first `width` columns. Begins and ends with a
/// barrier.
///
/// Interchange q becomes `pivots[q]`, and moves the entries of `rows`, too. Returns the first column with a zero pivot,
/// counted from 1 from the matrix's first, or 0.
#[inline(always)]
pub fn factor_panel<T: Vectorized, const NB: usize>(
    panel: &RowPanel<T, NB>,
    (k0, width, n): (u32, u32, u32),
    pivots: Shared<u32>,
    rows: Shared<u32>,
    candidates: &Candidates<T::Real>,
) -> u32 {
    let (t, count) = (thread::index(), n - k0);
    let mut zero_pivot = 0;
    sync_threads();
    let mut c = 0;
    while c < width {
        // Thread t owns rows t, t + threads, ...
        let mut key = T::Real::from_f64(-1.0);
        let mut row = count;
        let mut i = t;
        while i < count {
            let candidate = pivot_key(panel.load(i, c), i >= c);
            if candidate > key {
                (key, row) = (candidate, i);
            }
            i += block::dim();
        }
        let pivot = candidates.largest(key, row, c);

        if t < NB as u32 && pivot != c {
            let upper = panel.load(c, t);
            panel.store(c, t, panel.load(pivot, t));
            panel.store(pivot, t, upper);
        }
        if t == 0 {
            pivots.store(c, k0 + pivot);
            let upper = rows.load(k0 + c);
            rows.store(k0 + c, rows.load(k0 + pivot));
            rows.store(k0 + pivot, upper);
        }
        sync_threads();

        let diagonal = panel.load(c, c);
        if diagonal == T::ZERO && zero_pivot == 0 {
            zero_pivot = k0 + c + 1;
        }
        let u = panel.load_row_from(c, c);
        let mut i = t;
        while i < count {
            if i > c {
                eliminate(panel, i, c, diagonal, &u);
            }
            i += block::dim();
        }
        c += 1;
    }
    sync_threads();
    zero_pivot
}

/// Column c of row i becomes L, and the columns right of it are updated; `u` is the pivot row.
#[inline(always)]
pub(super) fn eliminate<T: Vectorized, const NB: usize>(
    panel: &RowPanel<T, NB>,
    i: u32,
    c: u32,
    diagonal: T,
    u: &[T; NB],
) {
    let mut l = panel.load(i, c);
    if diagonal != T::ZERO {
        l = l.divide(diagonal.divisor());
    }
    let c = opaque(c);
    let mut row = panel.load_row_from(i, c);
    for j in 0..NB {
        if j as u32 == c {
            row[j] = l;
        }
        if j as u32 > c {
            row[j] = row[j].sub_mul(l, u[j]);
        }
    }
    panel.store_row_from(i, &row, c);
}
