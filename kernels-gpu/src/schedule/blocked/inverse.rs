//! Inverse by Gauss-Jordan elimination in two sweeps.
//!
//! The first sweep goes over the slabs as LU does; a stored panel is then the factor that all other panels are updated
//! with. The second applies to each slab the panels after it, divides rows by their pivots, and stores them in order.
//! The columns are permuted at the end.

use numbers::status::NON_FINITE;
use simt::{block, sync_threads, thread};

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::collective::vote::any_thread;
use crate::memory::fill::fill;
use crate::operation::InverseArgs;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::getrf::order_columns;
use crate::schedule::blocked::slab::{PanelTiles, PivotSteps, Slab, first_row, own_pivot_steps, store_panel};
use crate::schedule::blocked::storage::SharedStorage;
use crate::schedule::blocked::sweep::{eliminate, load_updated};
use numbers::matrix::GlobalMatrix;

/// The body of the kernel for orders up to `32 * LANE_ROWS * WARPS`, launched with [`shape`](super::shape).
#[inline(always)]
pub fn inverse<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(args: InverseArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes; barriers separate what one warp writes from what others read.
    let shared = unsafe { SharedStorage::<T, LANE_ROWS, PANELS, WARPS>::new(n) };
    let inverse = args.inverse.matrix(b);
    shared.initialize(n);
    sync_threads();
    let (finite, zero_pivot) = eliminate::<T, LANE_ROWS, PANELS, WARPS, true>(&args.a.matrix(b), &inverse, &shared, n);

    let mut status = if any_thread(!finite, shared.flags) { NON_FINITE } else { zero_pivot as i32 };
    sync_threads(); // the flags may be overwritten
    if status == 0 && !second_sweep(&inverse, &shared, n) {
        status = NON_FINITE;
    }
    if status == 0 {
        order_columns(&inverse, shared.pivot_rows, &shared, n);
    } else {
        fill(&inverse, T::NAN, n);
    }
    if thread::index() == 0 {
        args.status.store(b as i64, status);
    }
}

/// Completes the inverse, but for the order of its columns. Returns whether all of it is finite.
#[inline(always)]
fn second_sweep<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    inverse: &GlobalMatrix<T>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    n: u32,
) -> bool {
    let panels = n.div_ceil(NB);
    let steps = own_pivot_steps(shared);
    let mut finite = true;
    let mut first = 0;
    while first < panels {
        let after = first + 1..panels;
        let mut slab = load_updated::<T, LANE_ROWS, PANELS, WARPS, true>(inverse, inverse, shared, first, after, n);
        finite &= divide_rows(&mut slab, &steps, shared, n);
        for s in 0..PANELS {
            for i in 0..8 * LANE_ROWS {
                finite &= slab[s][i / 8][i / 4 % 2][i % 4].is_finite();
            }
        }
        for s in 0..PANELS {
            let p = first + s as u32;
            if p < panels {
                sync_threads(); // this slab, and the reorder buffer, may be overwritten
                store_ordered(&slab[s], &steps, shared, inverse, p, n);
            }
        }
        sync_threads();
        first += PANELS as u32;
    }
    !any_thread(!finite, shared.flags)
}

/// Divides rows by their pivots. Returns whether these are finite: an infinite pivot may leave only zeros behind.
#[inline(always)]
fn divide_rows<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    slab: &mut Slab<T, LANE_ROWS, PANELS>,
    steps: &PivotSteps<LANE_ROWS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    n: u32,
) -> bool {
    let mut finite = true;
    for i in 0..4 * LANE_ROWS {
        let step = steps[i / 4][i % 4];
        let pivot = if step < n { shared.pivots().load(step) } else { T::ONE };
        finite &= pivot.is_finite();
        let (scale, reciprocal) = pivot.scaled_reciprocal();
        for s in 0..PANELS {
            for c in 0..2 {
                let x = &mut slab[s][i / 4][i / 2 % 2][i % 2 * 2 + c];
                *x = x.scale(scale) * reciprocal;
            }
        }
    }
    finite
}

/// Stores panel `p`, each row as the row of its pivot step. One barrier, and one must come before.
#[inline(always)]
fn store_ordered<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    tiles: &PanelTiles<T, LANE_ROWS>,
    steps: &PivotSteps<LANE_ROWS>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    inverse: &GlobalMatrix<T>,
    p: u32,
    n: u32,
) {
    let (row, column) = (first_row::<LANE_ROWS>(), fragment::column());
    let rows = block::dim() * LANE_ROWS as u32;
    let buffer = shared.reorder_buffer;
    for i in 0..4 * LANE_ROWS {
        let step = steps[i / 4][i % 4];
        for c in 0..2 {
            if step < n {
                buffer.store((column + c) * rows + step, tiles[i / 4][i / 2 % 2][i % 2 * 2 + c as usize]);
            }
        }
    }
    sync_threads();
    let mut ordered = [[[T::ZERO; 4]; 2]; LANE_ROWS];
    for i in 0..4 * LANE_ROWS {
        for c in 0..2 {
            let row = row + 8 * i as u32;
            if row < n {
                ordered[i / 4][i / 2 % 2][i % 2 * 2 + c as usize] = buffer.load((column + c) * rows + row);
            }
        }
    }
    store_panel(&ordered, inverse, p, n);
}
