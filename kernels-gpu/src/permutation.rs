//! From sequential interchanges to a permutation.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, sync_threads, thread};

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
