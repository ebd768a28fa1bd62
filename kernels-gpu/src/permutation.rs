//! From sequential interchanges to a permutation.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

/// Writes the permutation of `n` sequential interchanges: row i of PA is row `permutation[i]` of A. Two barriers.
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

/// As [`from_pivots`], by a warp, for `n` up to `32 * R`; the entries from `n` on are themselves.
#[inline(always)]
pub fn from_pivots_by_warp<const R: usize>(pivots: Global<u32>, permutation: Shared<u32>, n: u32) {
    let lane = warp::lane();
    for r in 0..R {
        permutation.store(lane + 32 * r as u32, lane + 32 * r as u32);
    }
    warp::sync(warp::ALL);
    let mut first = 0;
    while first < n {
        let k = first + lane;
        let own = if k < n { pivots.load(k as i64) } else { k };
        let end = if n - first < warp::SIZE { n - first } else { warp::SIZE };
        let mut i = 0;
        while i < end {
            let pivot = warp::shuffle(warp::ALL, own, i);
            if lane == 0 {
                let (row, other) = (permutation.load(first + i), permutation.load(pivot));
                permutation.store(first + i, other);
                permutation.store(pivot, row);
            }
            i += 1;
        }
        first += warp::SIZE;
    }
    warp::sync(warp::ALL);
}

/// Where LAPACK's interchanges have brought a row after so many steps, of which it was no pivot row: step k brings the row at
/// position k to where pivot row k was.
#[inline(always)]
pub fn position(row: u32, steps: u32, pivot_rows: Shared<u32>) -> u32 {
    let mut at = row;
    while at < steps {
        at = pivot_rows.load(at);
    }
    at
}
