//! Turns LAPACK's sequential row interchanges (`ipiv`) into a permutation.
//!
//! Throughout, interchange k swaps rows k and `pivots[k]`, and row i of PA is row `permutation[i]` of A.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::thread_group::ThreadGroup;

/// Writes the permutation of `n` interchanges to shared memory. Called by a whole block; one barrier.
#[inline(always)]
pub fn from_pivots(pivots: Global<u32>, permutation: Shared<u32>, n: u32) {
    let mut first = warp::index() * warp::SIZE;
    while first < n {
        let [row] = rows_by_warp_from(pivots, first, n);
        if first + warp::lane() < n {
            permutation.store(first + warp::lane(), row);
        }
        first += block::dim();
    }
    sync_threads();
}

/// Entries `lane + 32 r` of the permutation of `n <= 32 * LANE_ROWS` interchanges. Called by a whole warp.
#[inline(always)]
pub fn rows_by_warp<const LANE_ROWS: usize>(pivots: Global<u32>, n: u32) -> [u32; LANE_ROWS] {
    rows_by_warp_from(pivots, 0, n)
}

/// Entries `first + lane + 32 r` of the permutation of `n` interchanges. Called by a whole warp.
///
/// Each lane traces its rows back from the last interchange to the first.
#[inline(always)]
pub fn rows_by_warp_from<const LANE_ROWS: usize>(pivots: Global<u32>, first: u32, n: u32) -> [u32; LANE_ROWS] {
    let lane = warp::lane();
    let mut rows = [0; LANE_ROWS];
    for r in 0..LANE_ROWS {
        rows[r] = first + lane + 32 * r as u32;
    }
    let mut end = n;
    while end > 0 {
        let first = (end - 1) / warp::SIZE * warp::SIZE;
        let own = if first + lane < n { pivots.load((first + lane) as i64) } else { 0 };
        while end > first {
            end -= 1;
            let pivot = warp::shuffle(warp::ALL, own, end % warp::SIZE);
            for r in 0..LANE_ROWS {
                rows[r] = match (rows[r] == end, rows[r] == pivot) {
                    (true, _) => pivot,
                    (_, true) => end,
                    _ => rows[r],
                };
            }
        }
    }
    rows
}

/// Whether this thread sees no row interchanged with an earlier one, as none is in what LAPACK's LU leaves. The threads
/// of a block see all rows.
#[inline(always)]
pub fn are_ascending(pivots: Global<u32>, n: u32) -> bool {
    let mut are_ascending = true;
    let mut k = thread::index();
    while k < n {
        are_ascending &= pivots.load(k as i64) >= k;
        k += block::dim();
    }
    are_ascending
}

/// Entry `first + lane` of the permutation of interchanges that [are ascending](are_ascending), for a multiple of 32.
/// Called by a whole warp.
///
/// As above, but later interchanges move none of these rows, and an earlier one moves a row only to its own place.
#[inline(always)]
pub fn row_of_ascending(pivots: Global<u32>, first: u32, n: u32) -> u32 {
    let lane = warp::lane();
    let mut next = if first + lane < n { pivots.load((first + lane) as i64) } else { n };
    let mut row = next;
    let mut end = first + warp::SIZE; // of the interchanges to trace
    while end > 0 {
        let (begin, own) = (end - warp::SIZE, next);
        if begin > 0 {
            next = pivots.load((begin - warp::SIZE + lane) as i64);
        }
        for i in (0..warp::SIZE).rev() {
            let k = begin + i;
            let pivot = warp::shuffle(warp::ALL, own, i);
            row = if pivot == row && k < first + lane { k } else { row };
        }
        end = begin;
    }
    row
}

/// This lane's entry of the permutation of `n` interchanges, where lane k holds `pivots[k]`. Called by a thread group.
#[inline(always)]
pub fn row_by_group<const LANES: usize>(group: &ThreadGroup<LANES>, pivot: u32, n: u32) -> u32 {
    let mut row = group.row;
    for k in 0..LANES {
        if (k as u32) < n {
            let p = group.broadcast(pivot, k as u32);
            let (upper, lower) = (group.broadcast(row, k as u32), group.broadcast(row, p));
            if group.row == p {
                row = upper;
            }
            if group.row == k as u32 {
                row = lower;
            }
        }
    }
    row
}

/// The position to which the first `steps` interchanges move a row of A that is none of their pivot rows.
///
/// `pivot_rows[k]` is the row of A that became pivot row k; interchange k moves the row at position k to its place.
#[inline(always)]
pub fn position(row: u32, steps: u32, pivot_rows: Shared<u32>) -> u32 {
    let mut at = row;
    while at < steps {
        at = pivot_rows.load(at);
    }
    at
}
