//! Turns LAPACK's sequential row interchanges (`ipiv`) into a permutation.
//!
//! Throughout, interchange k swaps rows k and `pivots[k]`, and row i of PA is row `permutation[i]` of A.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::thread_group::ThreadGroup;

/// Writes the permutation of `n` interchanges to shared memory. Called by a whole block; two barriers.
#[inline(always)]
pub fn from_pivots(pivots: Global<u32>, permutation: Shared<u32>, n: u32) {
    let mut i = thread::index();
    while i < n {
        permutation.store(i, i);
        i += block::dim();
    }
    sync_threads();
    if thread::index() == 0 {
        let mut k = 0;
        while k < n {
            let p = pivots.load(k as i64);
            let row = permutation.load(k);
            permutation.store(k, permutation.load(p));
            permutation.store(p, row);
            k += 1;
        }
    }
    sync_threads();
}

/// Entries `lane + 32 r` of the permutation of `n <= 32 * LANE_ROWS` interchanges. Called by a whole warp.
///
/// Each lane traces its rows back from the last interchange to the first.
#[inline(always)]
pub fn rows_by_warp<const LANE_ROWS: usize>(pivots: Global<u32>, n: u32) -> [u32; LANE_ROWS] {
    let lane = warp::lane();
    let mut rows = [0; LANE_ROWS];
    for r in 0..LANE_ROWS {
        rows[r] = lane + 32 * r as u32;
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
