//! Factored panels applied to the slab in registers.

use core::ops::Range;

use simt::hint::opaque;
use simt::{pipeline, sync_threads, warp};

use crate::collective::fragment::{self, COLUMNS};
use crate::collective::mma::Mma;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::slab::{PivotSteps, Slab, first_row};
use crate::schedule::blocked::storage::{SharedStorage, slab_stride, stages};
use numbers::matrix::GlobalMatrix;

/// Applies stored `panels`, the first of which are [prefetched](prefetch_first), to the slab that begins with panel
/// `first`: to all of it if they are before it, else to its panels before them. Two barriers a panel, with `JORDAN`
/// one.
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
        if !JORDAN {
            solve_pivot_rows::<T, LANE_ROWS, PANELS, WARPS, 0>(slab, shared, steps, p);
        }
        let mut u = right_factors::<T, LANE_ROWS, PANELS, WARPS, 0>(shared, p);
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
                *x = add_product::<T, JORDAN>(*x, [l[0], l[1], l4[0], l4[1]], u[s]);
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

/// Begins to fetch panel `p`, if it is before `end`: L below its diagonal block, with zeros in place of other rows, or
/// with `JORDAN` all of it.
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
                    let is_wanted = if JORDAN { column + c < n } else { is_below(steps[i / 4][i % 4], p) };
                    let at = 128 * (i as u32 / 2) + 64 * c + i as u32 % 2;
                    pipeline::copy(to, at, from, is_wanted && row + (8 * i as u32) < n);
                }
            });
            first = first.offset(matrix.col_stride());
        }
    }
    pipeline::commit();
}

/// Applies the slab's first panel, `p`, to the others, and shifts these, so that panel p + 1 comes first. Two barriers,
/// with `JORDAN` one.
#[inline(always)]
pub fn apply_first<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    slab: &mut Slab<T, LANE_ROWS, PANELS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    p: u32,
) {
    publish_pivot_rows::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(slab, shared, steps, p, |s| s > 0);
    sync_threads();
    if !JORDAN {
        solve_pivot_rows::<T, LANE_ROWS, PANELS, WARPS, 1>(slab, shared, steps, p);
    }
    let u = right_factors::<T, LANE_ROWS, PANELS, WARPS, 1>(shared, p);
    for i in 0..2 * LANE_ROWS {
        let mut l = slab[0][i / 2][i % 2];
        for e in 0..4 {
            let is_factor = JORDAN || is_below(steps[i / 2][i % 2 * 2 + e / 2], p);
            l[e] = if is_factor { l[e] } else { T::ZERO };
        }
        for s in 1..PANELS {
            slab[s - 1][i / 2][i % 2] = add_product::<T, JORDAN>(slab[s][i / 2][i % 2], [l[0], l[2], l[1], l[3]], u[s]);
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

/// Solves L11 U12 = A12 (`xTRSM`) for the published pivot rows of panel `p`, in the slab's panels from `FIRST` on:
/// minus U12 replaces them where they were published, U12 in the slab. One barrier, and one must come before.
///
/// So the update multiplies by the very numbers that are stored in the end, and each error of PA - LU is bounded by
/// |L||U| in its place. A product with the inverse of L11 would leave errors of the size of |inverse||A12|.
#[inline(always)]
fn solve_pivot_rows<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const FIRST: usize>(
    slab: &mut Slab<T, LANE_ROWS, PANELS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    steps: &PivotSteps<LANE_ROWS>,
    p: u32,
) {
    const { assert!(PANELS * COLUMNS <= warp::SIZE as usize, "a column a lane") };
    let stride = slab_stride::<T>(PANELS);
    // Opaque, the addresses are found anew each time. Where numbers take four registers, none is left to keep them in.
    let lane = if size_of::<T>() < 16 { warp::lane() } else { opaque(warp::lane()) };
    // By one warp, for all: the barrier takes less than each warp's own substitution would.
    if warp::index() == 0 && lane >= NB * FIRST as u32 && lane < NB * PANELS as u32 {
        let column = shared.pivot_block(p).offset(lane);
        let mut u = [T::ZERO; COLUMNS];
        for i in 0..COLUMNS {
            u[i] = column.load(i as u32 * stride);
            let l: [T; COLUMNS] = T::load_row(shared.triangle(p).offset((COLUMNS * i) as u32), 0);
            for k in 0..i {
                u[i] = u[i].sub_mul(l[k], u[k]);
            }
        }
        for i in 0..COLUMNS {
            column.store(i as u32 * stride, -u[i]);
        }
    }
    sync_threads();
    let from = shared.pivot_block(p).offset(fragment::column());
    let first_step = opaque(p * NB); // else what was computed to publish the rows stays in registers, too
    for i in 0..4 * LANE_ROWS {
        let k = steps[i / 4][i % 4].wrapping_sub(first_step);
        if k < NB {
            for s in FIRST..PANELS {
                let pair = T::load_pair(from.offset(k * stride + NB * s as u32));
                for c in 0..2 {
                    slab[s][i / 4][i / 2 % 2][i % 2 * 2 + c] = shared.split_re_im(-pair[c]);
                }
            }
        }
    }
}

/// The right factors for an update by panel `p`, for the slab's panels from `FIRST` on: minus its rows of U, or with
/// `JORDAN` the pivot rows themselves.
#[inline(always)]
fn right_factors<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const FIRST: usize>(
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    p: u32,
) -> [[T; 2]; PANELS] {
    let row = slab_stride::<T>(PANELS);
    let from = shared.pivot_block(p).offset(fragment::column() * row + warp::lane() / 4);
    let mut u = [[T::ZERO; 2]; PANELS];
    for s in FIRST..PANELS {
        u[s] = [from.load(NB * s as u32), from.load(NB * s as u32 + row)];
    }
    u
}

/// Whether a row with this pivot step is below the diagonal block of panel `p`: a candidate after it.
#[inline(always)]
fn is_below(step: u32, p: u32) -> bool {
    step >= (p + 1) * NB
}

/// `c + l * u`. Nothing of multipliers that are next to subnormal may be lost; to norms, as with `JORDAN`, it would
/// not matter.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn add_product<T: Mma, const JORDAN: bool>(c: [T; 4], l: [T; 4], u: [T; 2]) -> [T; 4] {
    if JORDAN { T::multiply::<false, false>(c, l, u) } else { T::multiply_any(c, l, u) }
}
