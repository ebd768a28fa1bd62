//! The elimination of a panel's columns, one after the other.

use simt::hint::opaque;

use crate::collective::mma::Mma;
use crate::schedule::multi_block::panel::candidates::Candidate;
use crate::schedule::multi_block::panel::exchange::Exchange;
use crate::schedule::multi_block::panel::rows::PanelRows;

/// Eliminates the `width` columns of the panel that begins at column `k`, which is column `column` of its rows in
/// shared memory. Calls `note` with each pivot.
#[inline(always)]
pub fn eliminate<T: Mma, const NB: usize, const LANE_ROWS: usize, const BY_WARP: bool>(
    rows: &mut PanelRows<T, NB, LANE_ROWS>,
    exchange: &Exchange<T, NB, BY_WARP>,
    at: (u32, u32, u32),
    note: impl FnMut(u32, &Candidate<T>),
) {
    if NB == 32 {
        eliminate_quarters::<T, NB, LANE_ROWS, BY_WARP, 32, 24, 16, 8>(rows, exchange, at, note);
    } else if NB == 16 {
        eliminate_quarters::<T, NB, LANE_ROWS, BY_WARP, 16, 12, 8, 4>(rows, exchange, at, note);
    } else {
        eliminate_quarters::<T, NB, LANE_ROWS, BY_WARP, 8, 8, 4, 4>(rows, exchange, at, note);
    }
}

/// A quarter of the columns after the other, so that fewer and fewer are updated.
#[inline(always)]
fn eliminate_quarters<
    T: Mma,
    const NB: usize,
    const LANE_ROWS: usize,
    const BY_WARP: bool,
    const Q1: usize,
    const Q2: usize,
    const Q3: usize,
    const Q4: usize,
>(
    rows: &mut PanelRows<T, NB, LANE_ROWS>,
    exchange: &Exchange<T, NB, BY_WARP>,
    (k, column, width): (u32, u32, u32),
    mut note: impl FnMut(u32, &Candidate<T>),
) {
    let quarter = NB as u32 / 4;
    rows.begin(exchange, k);
    // All columns but the last; a quarter ends one column before the next begins, for its last one has that many left.
    let (end, mut c) = (width - 1, opaque(0)); // else LLVM unrolls the first loop
    while c < end && c + 1 < quarter {
        let (sender, pivot) = rows.advance::<Q1, BY_WARP>(exchange, k, c);
        note(c, &pivot);
        rows.update::<Q1, BY_WARP>(exchange, (k, column, c), (sender, pivot.place));
        c += 1;
    }
    while c < end && c + 1 < 2 * quarter {
        let (sender, pivot) = rows.advance::<Q2, BY_WARP>(exchange, k, c);
        note(c, &pivot);
        rows.update::<Q2, BY_WARP>(exchange, (k, column, c), (sender, pivot.place));
        c += 1;
    }
    while c < end && c + 1 < 3 * quarter {
        let (sender, pivot) = rows.advance::<Q3, BY_WARP>(exchange, k, c);
        note(c, &pivot);
        rows.update::<Q3, BY_WARP>(exchange, (k, column, c), (sender, pivot.place));
        c += 1;
    }
    while c < end {
        let (sender, pivot) = rows.advance::<Q4, BY_WARP>(exchange, k, c);
        note(c, &pivot);
        rows.update::<Q4, BY_WARP>(exchange, (k, column, c), (sender, pivot.place));
        c += 1;
    }
    note(c, &rows.end(exchange, (k, column), c));
}
