//! The panel in shared memory: pivot search by a binary tree, a row a thread.

use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use super::Workspace;
use numbers::matrix::View;
use numbers::pivot::pivot_key;
use numbers::scalar::{Real, Scalar};

/// Factors rows `k0..n` of the panel, `width` columns. Notes pivots and the rows that moved. The first column with a
/// zero pivot, counted from 1 from the matrix's first, or 0. Begins and ends with a barrier.
#[inline(always)]
pub(super) fn factor<T: Scalar, const NB: usize>(work: &Workspace<T, NB>, k0: u32, width: u32, n: u32) -> u32 {
    let panel = &work.panel;
    let mut zero_pivot = 0;
    let mut c = 0;
    while c < width {
        sync_threads();
        let k = k0 + c;
        let mut i = thread::index();
        while i < n - k {
            work.keys.store(i, pivot_key(panel.load(k + i, c), true));
            work.tags.store(i, k + i);
            i += block::dim();
        }
        sync_threads();
        let pivot = largest(work.keys, work.tags, n - k);

        let t = thread::index();
        if t < width && pivot != k {
            let upper = panel.load(k, t);
            panel.store(k, t, panel.load(pivot, t));
            panel.store(pivot, t, upper);
        }
        if t == 0 {
            work.pivots.store(k, pivot);
            let row = work.rows.load(k);
            work.rows.store(k, work.rows.load(pivot));
            work.rows.store(pivot, row);
        }
        sync_threads();

        let diagonal = panel.load(k, c);
        let zero = diagonal == T::ZERO;
        if zero && zero_pivot == 0 {
            zero_pivot = k + 1;
        }
        let divisor = diagonal.divisor();
        let mut i = k + 1 + t;
        while i < n {
            let mut l = panel.load(i, c);
            if !zero {
                l = l.divide(divisor);
                panel.store(i, c, l);
            }
            let mut j = c + 1;
            while j < width {
                panel.store(i, j, panel.load(i, j).sub_mul(l, panel.load(k, j)));
                j += 1;
            }
            i += block::dim();
        }
        c += 1;
    }
    sync_threads();
    zero_pivot
}

/// The tag of the largest of `count` keys, the smallest tag on a tie. Thread t compares keys t and t + half.
#[inline(always)]
fn largest<R: Real>(keys: Shared<R>, tags: Shared<u32>, count: u32) -> u32 {
    let mut active = count;
    while active > 1 {
        let half = active.div_ceil(2);
        let mut t = thread::index();
        while t < active - half {
            let (key, tag) = (keys.load(t + half), tags.load(t + half));
            if key > keys.load(t) || (key == keys.load(t) && tag < tags.load(t)) {
                keys.store(t, key);
                tags.store(t, tag);
            }
            t += block::dim();
        }
        sync_threads();
        active = half;
    }
    tags.load(0)
}
