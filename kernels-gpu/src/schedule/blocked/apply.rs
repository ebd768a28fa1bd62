//! Factored panels applied to the slab in registers.

use core::ops::Range;

use simt::hint::opaque;
use simt::{pipeline, sync_threads, warp};

use crate::collective::fragment;
use crate::memory::matrix::GlobalMatrix;
use crate::numbers::mma::Mma;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::slab::{PivotSteps, Slab, first_row};
use crate::schedule::blocked::storage::{SharedStorage, slab_stride, stages};

/// Applies stored `panels`, the first of which are [prefetched](prefetch_first), to the slab that begins with panel
/// `first`: to all of it if they are before it, else to its panels before them. One barrier a panel.
#[inline(always)]
pub fn apply_panels<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    slab: &mut Slab<T, LANE_ROWS, PANELS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    matrix: &GlobalMatrix<T>,
    (first, panels): (u32, Range<u32>),
    n: u32,
) {
    let mut p = panels.start;
    while p < panels.end {
        let is_updated = |s: usize| !JORDAN || p < first || p > first + s as u32;
        publish_pivot_rows::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(slab, shared, steps, p, is_updated);
        match stages::<T>() {
            2 => pipeline::wait_prior::<0>(),
            _ => pipeline::wait_prior::<1>(),
        }
        sync_threads();
        let next = p + stages::<T>() - 1;
        prefetch::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(shared, steps, matrix, next, panels.end, n);
        let mut u = right_factors::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(shared, p, 0);
        for s in 0..PANELS {
            u[s] = if is_updated(s) { u[s] } else { [T::ZERO; 2] };
        }
        let from = shared.stage(p).offset(2 * warp::lane());
        for i in 0..2 * LANE_ROWS {
            // The columns of L that a left factor takes for column j and column j + 4; see `fragment`.
            let l = T::load_pair(from.offset(128 * i as u32)).map(|x| shared.split_re_im(x));
            let l4 = T::load_pair(from.offset(128 * i as u32 + 64)).map(|x| shared.split_re_im(x));
            for s in 0..PANELS {
                let x = &mut slab[s][i / 2][i % 2];
                *x = T::multiply::<false>(*x, [l[0], l[1], l4[0], l4[1]], u[s]);
            }
        }
        p += 1;
    }
    warp::sync(warp::ALL); // the ring may be overwritten
}

/// Begins to fetch the first of these panels, as many as the ring takes.
#[inline(always)]
pub fn prefetch_first<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    matrix: &GlobalMatrix<T>,
    panels: &Range<u32>,
    n: u32,
) {
    for ahead in 0..stages::<T>() - 1 {
        let p = panels.start + ahead;
        prefetch::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(shared, steps, matrix, p, panels.end, n);
    }
}

/// Begins to fetch panel `p`, if it is before `end`: L with zeros in place of U, or with `JORDAN` all of it.
#[inline(always)]
fn prefetch<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    matrix: &GlobalMatrix<T>,
    p: u32,
    end: u32,
    n: u32,
) {
    if p < end {
        let row = first_row::<LANE_ROWS>();
        let to = shared.stage(p).offset(2 * warp::lane());
        let column = p * NB + fragment::column();
        let mut first = matrix.at(opaque(row), column);
        for c in 0..2 {
            matrix.walk::<8>(first, |i, from| {
                if i < 4 * LANE_ROWS {
                    let is_wanted = if JORDAN { column + c < n } else { steps[i / 4][i % 4] > column + c };
                    let at = 128 * (i as u32 / 2) + 64 * c + i as u32 % 2;
                    pipeline::copy(to, at, from, is_wanted && row + (8 * i as u32) < n);
                }
            });
            first = first.offset(matrix.col_stride());
        }
    }
    pipeline::commit();
}

/// Applies the slab's first panel, `p`, to the others, and shifts these, so that panel p + 1 comes first. One barrier.
#[inline(always)]
pub fn apply_first<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    slab: &mut Slab<T, LANE_ROWS, PANELS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    p: u32,
) {
    publish_pivot_rows::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(slab, shared, steps, p, |s| s > 0);
    sync_threads();
    let u = right_factors::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(shared, p, 1);
    let column = p * NB + fragment::column();
    for i in 0..2 * LANE_ROWS {
        let mut l = slab[0][i / 2][i % 2];
        for e in 0..4 {
            let is_multiplier = JORDAN || steps[i / 2][i % 2 * 2 + e / 2] > column + (e % 2) as u32;
            l[e] = if is_multiplier { l[e] } else { T::ZERO };
        }
        for s in 1..PANELS {
            slab[s - 1][i / 2][i % 2] = T::multiply::<false>(slab[s][i / 2][i % 2], [l[0], l[2], l[1], l[3]], u[s]);
        }
    }
}

/// Publishes the pivot rows of panel `p`, in the slab's updated panels. With `JORDAN` it zeroes them there: the
/// update then replaces them by a product.
#[inline(always)]
fn publish_pivot_rows<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    slab: &mut Slab<T, LANE_ROWS, PANELS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    p: u32,
    is_updated: impl Fn(usize) -> bool,
) {
    let to = shared.pivot_block(p).offset(fragment::column());
    for i in 0..4 * LANE_ROWS {
        let k = steps[i / 4][i % 4].wrapping_sub(p * NB);
        if k < NB {
            let row = to.offset(k * slab_stride::<T>(PANELS));
            for s in 0..PANELS {
                if is_updated(s) {
                    let tile = &mut slab[s][i / 4][i / 2 % 2];
                    let pair = [shared.split_re_im(tile[i % 2 * 2]), shared.split_re_im(tile[i % 2 * 2 + 1])];
                    T::store_pair(row.offset(NB * s as u32), pair);
                    if JORDAN {
                        tile[i % 2 * 2] = T::ZERO;
                        tile[i % 2 * 2 + 1] = T::ZERO;
                    }
                }
            }
        }
    }
}

/// The right factors for an update by panel `p`, for the slab's panels from `first` on: -U = -inverse(L11) times the
/// pivot rows (`xTRSM` by an explicit inverse), or with `JORDAN` the pivot rows themselves.
#[inline(always)]
fn right_factors<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    p: u32,
    first: usize,
) -> [[T; 2]; PANELS] {
    let row = slab_stride::<T>(PANELS);
    let from = shared.pivot_block(p).offset(fragment::column() * row + warp::lane() / 4);
    let mut u = [[T::ZERO; 2]; PANELS];
    for s in first..PANELS {
        u[s] = [from.load(NB * s as u32), from.load(NB * s as u32 + row)];
    }
    if JORDAN {
        return u;
    }
    let inverse = T::load_pair(shared.inverse(p).offset(2 * warp::lane()));
    for pair in first / 2..PANELS.div_ceil(2) {
        // Transposed, with two panels as the 16 rows of a left factor; the second may not exist.
        let (a, b) = (u[2 * pair], if 2 * pair + 1 < PANELS { u[2 * pair + 1] } else { [T::ZERO; 2] });
        let both = T::multiply::<true>([T::ZERO; 4], [a[0], b[0], a[1], b[1]], inverse);
        u[2 * pair] = [both[0], both[1]];
        if 2 * pair + 1 < PANELS {
            u[2 * pair + 1] = [both[2], both[3]];
        }
    }
    u
}
