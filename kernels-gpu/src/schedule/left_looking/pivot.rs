//! The pivot of a panel's column, and the rows that earlier columns of the panel chose.
//!
//! Rows are not interchanged while a panel is factored. A *row* is therefore counted as the panel began, a *position*
//! as LAPACK's interchanges would have it by then; [`Pivots::position`] leads from one to the other.

use simt::shared::Shared;
use simt::warp;

use crate::collective::mma::Mma;
use crate::collective::pivot::{Key, Ties, largest};
use crate::schedule::left_looking::NB;
use numbers::scalar::Real;

/// The row of the panel that is this lane's row number `r`.
#[inline(always)]
pub fn lane_row(r: usize) -> u32 {
    warp::SIZE * r as u32 + warp::lane()
}

/// The pivot row of each column of a panel, in shared memory. Bytes, as no panel has more than 160 rows: shape (NB).
#[derive(Clone, Copy)]
pub struct PivotRows {
    bytes: Shared<u8>,
}

impl PivotRows {
    /// Words that they take.
    pub const WORDS: u32 = NB / 4;

    /// The pivot rows stored in `words`.
    #[inline(always)]
    pub fn new(words: Shared<u32>) -> Self {
        Self { bytes: words.cast() }
    }

    /// Sets the pivot row of column `c`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, c: u32, row: u32) {
        self.bytes.store(c, row as u8);
    }

    /// All of them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self) -> Pivots {
        Pivots(self.bytes.cast::<u64>().load(0))
    }
}

/// The pivot rows of a panel, in a register.
#[derive(Clone, Copy)]
pub struct Pivots(u64);

impl Pivots {
    /// The pivot row of column `c`.
    #[inline(always)]
    pub fn row(self, c: u32) -> u32 {
        (self.0 >> (8 * c)) as u32 & 0xff
    }

    /// Where `row` is after the first `steps` interchanges, if it is not among their pivot rows. Step k moves the row
    /// at position k to where pivot row k was.
    #[inline(always)]
    pub fn position(self, row: u32, steps: u32) -> u32 {
        let mut at = row;
        while at < steps {
            at = self.row(at);
        }
        at
    }
}

/// The pivot of a column.
#[derive(Clone, Copy)]
pub struct Pivot<T> {
    /// Which of this lane's rows is the pivot row, if any.
    pub own: Option<usize>,
    /// The reciprocal of the pivot, in the lane that holds it.
    pub reciprocal: T,
    /// Whether no other candidate has the same upper bits, and the pivot is neither zero nor near the ends of the
    /// range.
    pub fast_path_is_exact: bool,
}

/// The largest candidate by the upper bits of magnitudes. `candidate_mask` has all bits of a magnitude for candidates,
/// 0 for other rows.
#[inline(always)]
pub fn find_pivot<T: Mma, const LANE_ROWS: usize>(
    column: &[T; LANE_ROWS],
    candidate_mask: &[u32; LANE_ROWS],
) -> Pivot<T> {
    let (mut best, mut pivot) = (column[0].magnitude_bits() & candidate_mask[0], column[0]);
    let (mut row, mut is_tie) = (0, false);
    for r in 1..LANE_ROWS {
        let upper = column[r].magnitude_bits() & candidate_mask[r];
        let is_larger = upper > best;
        is_tie = upper == best || (is_tie && !is_larger);
        pivot = if is_larger { column[r] } else { pivot };
        row = if is_larger { r } else { row };
        best = if is_larger { upper } else { best };
    }
    // The lowest bit marks a tie within the lane, so that of equal magnitudes a tied one wins and is noticed.
    let key = 2 * best + is_tie as u32;
    let largest = warp::max_u32(warp::ALL, key);
    let reciprocal = pivot.reciprocal();
    let holders = warp::ballot(warp::ALL, key == largest);
    let is_unique = holders & holders.wrapping_sub(1) == 0 && largest & 1 == 0;
    Pivot {
        own: if key == largest { Some(row) } else { None },
        reciprocal,
        fast_path_is_exact: is_unique && T::Real::MODERATE.contains(&(largest / 2)),
    }
}

/// The largest candidate in column `c` by all bits, of equal ones that at the first position, as in LAPACK.
/// `pivot_rows` are those of the columns before. Returns which of this lane's rows it is, if any.
#[inline(always)]
pub fn find_pivot_exact<T: Mma, const LANE_ROWS: usize>(
    column: &[T; LANE_ROWS],
    candidate_mask: &[u32; LANE_ROWS],
    c: u32,
    pivot_rows: PivotRows,
) -> Option<usize> {
    let pivots = pivot_rows.load();
    warp::sync(warp::ALL); // the next one may be stored
    let mut best: Key = (0, 0, 0);
    let mut row = 0;
    for r in 0..LANE_ROWS {
        if candidate_mask[r] != 0 {
            let (upper, lower) = column[r].abs1().to_words();
            let candidate = (upper, lower, Ties::First.rank(pivots.position(lane_row(r), c)));
            if candidate > best {
                (best, row) = (candidate, r);
            }
        }
    }
    // No two candidates have the same position, so the rank alone tells which one it is.
    let (_, _, rank) = largest(best);
    if rank == best.2 && rank != 0 { Some(row) } else { None }
}
