//! A panel factored by a warp (`xGETF2`): each lane holds whole rows of it.
//!
//! Rows are not interchanged meanwhile; a pivot row just stops being a candidate. The next pivot is searched for as
//! soon as its column is updated, before the other columns are: each hides the other's latency.

use simt::hint::opaque;
use simt::warp;

use crate::collective::fragment::COLUMNS;
use crate::collective::mma::Mma;
use crate::schedule::left_looking::pivot::{Pivot, find_pivot, find_pivot_exact, lane_row};
use crate::schedule::left_looking::storage::{BIT_WORDS, SharedStorage};
use crate::schedule::left_looking::{NB, width};

/// A lane's rows of a panel, and of the right-hand sides.
struct Rows<T, const LANE_ROWS: usize, const RHS: usize> {
    /// Row [`lane_row`]`(r)`, shifted so that the current column comes first; what follows the last column is unused.
    x: [[T; COLUMNS]; LANE_ROWS],
    /// All bits of a magnitude where a row is a candidate, else 0.
    candidate_mask: [u32; LANE_ROWS],
    /// The right-hand sides in these rows.
    rhs: [[T; RHS]; LANE_ROWS],
}

/// Factors panel `p` in shared memory, with as few rows a lane as it needs. `zero` becomes the first zero pivot,
/// counted from 1, unless it is set already.
#[inline(always)]
pub fn factor<T: Mma, const TILES: usize, const RHS: usize>(shared: &SharedStorage<T>, p: u32, n: u32, zero: &mut u32) {
    match (n - p * NB).div_ceil(warp::SIZE) {
        1 => factor_rows::<T, 1, RHS>(shared, p, n, zero),
        2 => factor_rows::<T, 2, RHS>(shared, p, n, zero),
        3 if TILES > 4 => factor_rows::<T, 3, RHS>(shared, p, n, zero),
        4 if TILES > 6 => factor_rows::<T, 4, RHS>(shared, p, n, zero),
        5 if TILES > 8 => factor_rows::<T, 5, RHS>(shared, p, n, zero),
        _ => {}
    }
}

/// As [`factor`]. L replaces the panel, the pivot rows go to [`SharedStorage::u_row`], right-hand sides are updated.
#[inline(always)]
fn factor_rows<T: Mma, const LANE_ROWS: usize, const RHS: usize>(
    shared: &SharedStorage<T>,
    p: u32,
    n: u32,
    zero: &mut u32,
) {
    let left = n - p * NB;
    let columns = width(p, n);
    let mut rows =
        Rows { x: [[T::ZERO; COLUMNS]; LANE_ROWS], candidate_mask: [0; LANE_ROWS], rhs: [[T::ZERO; RHS]; LANE_ROWS] };
    for r in 0..LANE_ROWS {
        if lane_row(r) < shared.height(p) {
            rows.x[r] = shared.panel(p).load_row(lane_row(r));
            for k in 0..RHS {
                rows.rhs[r][k] = shared.rhs(p).load(lane_row(r));
            }
        }
        rows.candidate_mask[r] = if lane_row(r) < left { u32::MAX / 2 } else { 0 };
    }
    if RHS > 0 {
        warp::sync(warp::ALL); // all lanes have read the right-hand side
    }
    let mut pivot = find_pivot(&rows.column(0), &rows.candidate_mask);
    let mut c = 0;
    while c < opaque(columns.min(NB / 2)) {
        pivot = rows.eliminate::<COLUMNS>(shared, (p, c), pivot, zero);
        c += 1;
    }
    while c < opaque(columns) {
        pivot = rows.eliminate::<{ COLUMNS / 2 }>(shared, (p, c), pivot, zero);
        c += 1;
    }
    for r in 0..BIT_WORDS as usize {
        let bits = if r < LANE_ROWS {
            warp::ballot(warp::ALL, rows.candidate_mask[r] != 0 || lane_row(r) >= left)
        } else {
            u32::MAX
        };
        if warp::lane() == 0 {
            shared.non_pivots(p).store(r as u32, bits);
        }
    }
    let pivots = shared.pivot_rows(p).load();
    for r in 0..LANE_ROWS {
        for k in 0..RHS {
            if rows.candidate_mask[r] != 0 {
                shared.rhs(p).store(pivots.position(lane_row(r), NB), rows.rhs[r][k]);
            }
        }
    }
}

impl<T: Mma, const LANE_ROWS: usize, const RHS: usize> Rows<T, LANE_ROWS, RHS> {
    /// Column `c`, counted from the current one.
    #[inline(always)]
    fn column(&self, c: usize) -> [T; LANE_ROWS] {
        let mut column = [T::ZERO; LANE_ROWS];
        for r in 0..LANE_ROWS {
            column[r] = self.x[r][c];
        }
        column
    }

    /// Shares the pivot row of column `c` of panel `p` with all lanes.
    #[inline(always)]
    fn broadcast_pivot_row<const LEFT: usize>(&self, shared: &SharedStorage<T>, (p, c): (u32, u32), pivot: &Pivot<T>) {
        for r in 0..LANE_ROWS {
            if pivot.own == Some(r) {
                let mut row = [T::ZERO; LEFT];
                row.copy_from_slice(&self.x[r][..LEFT]);
                T::store_row(shared.u_row(p, c), &row, 0);
                shared.pivot_rows(p).store(c, lane_row(r));
                for k in 0..RHS {
                    shared.rhs(p).store(c, self.rhs[r][k]);
                }
            }
        }
        if pivot.own.is_some() {
            shared.u_row(p, c).store(NB, pivot.reciprocal);
        }
        warp::sync(warp::ALL);
    }

    /// Eliminates column `c` of panel `p`, with at most `LEFT` columns left, and returns the next one's pivot. Former
    /// pivot rows are updated as well, but never used.
    #[inline(always)]
    fn eliminate<const LEFT: usize>(
        &mut self,
        shared: &SharedStorage<T>,
        (p, c): (u32, u32),
        mut pivot: Pivot<T>,
        zero: &mut u32,
    ) -> Pivot<T> {
        let mut l = [T::ZERO; LANE_ROWS];
        if pivot.fast_path_is_exact {
            self.broadcast_pivot_row::<LEFT>(shared, (p, c), &pivot);
            let reciprocal = shared.u_row(p, c).load(NB);
            for r in 0..LANE_ROWS {
                l[r] = self.x[r][0] * reciprocal;
            }
        } else {
            pivot.own = find_pivot_exact(&self.column(0), &self.candidate_mask, c, shared.pivot_rows(p));
            self.broadcast_pivot_row::<LEFT>(shared, (p, c), &pivot);
            let pivot = shared.u_row(p, c).load(0);
            let ((scale, reciprocal), is_zero) = (pivot.scaled_reciprocal(), pivot == T::ZERO);
            for r in 0..LANE_ROWS {
                l[r] = if is_zero { T::ZERO } else { self.x[r][0].scale(scale) * reciprocal };
            }
            *zero = if is_zero && *zero == 0 { p * NB + c + 1 } else { *zero };
        }
        let row: [T; LEFT] = T::load_row(shared.u_row(p, c), 0);
        let mut next = [T::ZERO; LANE_ROWS];
        for r in 0..LANE_ROWS {
            self.candidate_mask[r] = opaque(if pivot.own == Some(r) { 0 } else { self.candidate_mask[r] });
            next[r] = self.x[r][1].sub_mul(l[r], row[1]);
        }
        let next_pivot = find_pivot(&next, &self.candidate_mask);
        for k in 0..RHS {
            let known = shared.rhs(p).load(c);
            for r in 0..LANE_ROWS {
                self.rhs[r][k] = self.rhs[r][k].sub_mul(l[r], known);
            }
        }
        for r in 0..LANE_ROWS {
            if lane_row(r) < shared.height(p) {
                shared.panel(p).store(lane_row(r), c, l[r]);
            }
            self.x[r][0] = next[r];
            for i in 2..LEFT {
                self.x[r][i - 1] = self.x[r][i].sub_mul(l[r], row[i]);
            }
        }
        next_pivot
    }
}
