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

/// The rows that `n` sequential interchanges bring to this lane's positions `lane + 32 r`; `n` is at most `32 * R`. By a warp.
///
/// Each lane follows its positions back through the interchanges; one before step k has moved by none from step k on.
#[inline(always)]
pub fn rows_by_warp<const R: usize>(pivots: Global<u32>, n: u32) -> [u32; R] {
    let lane = warp::lane();
    let mut rows = [0; R];
    for r in 0..R {
        rows[r] = lane + 32 * r as u32;
    }
    let mut end = n;
    while end > 0 {
        let first = (end - 1) / warp::SIZE * warp::SIZE;
        let own = if first + lane < n { pivots.load((first + lane) as i64) } else { 0 };
        while end > first {
            end -= 1;
            let pivot = warp::shuffle(warp::ALL, own, end % warp::SIZE);
            for r in 0..R {
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
