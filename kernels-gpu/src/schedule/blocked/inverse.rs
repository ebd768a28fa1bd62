//! Inverse by a block a matrix, one slab after the other.
//!
//! Gauss-Jordan elimination in two sweeps. In the first, each slab is given the panels before it, and eliminated; what a panel is
//! then is what all others need of it. In the second, each is given the panels after it, and stored, its rows in order and
//! divided by their pivots. Columns are brought to order in the end.

use simt::{block, sync_threads, warp};

use crate::collective::vote::any_thread;
use crate::memory::fill::fill;
use crate::memory::matrix::GlobalMatrix;
use crate::numbers::mma::Mma;
use crate::numbers::scalar::Real;
use crate::operation::InverseArgs;
use crate::operation::NON_FINITE;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::apply::{Slab, own_steps};
use crate::schedule::blocked::fragment::{Place, Steps, Tile};
use crate::schedule::blocked::getrf::order_columns;
use crate::schedule::blocked::storage::SharedStorage;
use crate::schedule::blocked::sweep::{sweep, with_panels};

/// The body of the kernel for orders up to `32 * R * W`; its shape is that of [`getrf`](crate::schedule::blocked::getrf()).
#[inline(always)]
pub fn inverse<T: Mma, const R: usize, const S: usize, const W: usize>(args: InverseArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes.
    let board = unsafe { SharedStorage::<T, R, S, W>::new(n) };
    let inverse = args.inverse.matrix(b);
    board.clear(n);
    sync_threads();
    let (finite, zero) = sweep::<T, R, S, W, true>(&args.a.matrix(b), &inverse, &board, n);

    let mut status = if any_thread(!finite, board.flags) { NON_FINITE } else { zero as i32 };
    sync_threads(); // the flags have been read
    if status == 0 && !second_sweep(&inverse, &board, n) {
        status = NON_FINITE;
    }
    if status == 0 {
        order_columns(&inverse, board.pivot_rows, &board, n);
    } else {
        fill(&inverse, T::NAN, n);
    }
    if warp::index() == 0 && warp::lane() == 0 {
        args.status.store(b as i64, status);
    }
}

/// The inverse, but for its columns' order, from the panels of the first sweep. Whether all of it is finite.
#[inline(always)]
fn second_sweep<T: Mma, const R: usize, const S: usize, const W: usize>(
    inverse: &GlobalMatrix<T>,
    board: &SharedStorage<T, R, S, W>,
    n: u32,
) -> bool {
    let panels = n.div_ceil(NB as u32);
    let steps = own_steps(board);
    let mut finite = true;
    let mut first = 0;
    while first < panels {
        let mut slab = with_panels::<T, R, S, W, true>(inverse, inverse, board, first, first + 1..panels, n);
        finite &= divide(&mut slab, &steps, board, n);
        for s in 0..S {
            for i in 0..8 * R {
                finite &= slab[s][i / 8][i / 4 % 2][i % 4].is_finite();
            }
        }
        for s in 0..S {
            let p = first + s as u32;
            if p < panels {
                sync_threads(); // nobody needs this slab as it was, nor what is in the stage
                store_in_order(&slab[s], &steps, board, inverse, p, n);
            }
        }
        sync_threads();
        first += S as u32;
    }
    !any_thread(!finite, board.flags)
}

/// Divides rows by the pivots of their steps, and says whether these are finite: one that is not may leave no other trace.
#[inline(always)]
fn divide<T: Mma, const R: usize, const S: usize, const W: usize>(
    slab: &mut Slab<T, R, S>,
    steps: &Steps<R>,
    board: &SharedStorage<T, R, S, W>,
    n: u32,
) -> bool {
    let mut finite = true;
    for i in 0..4 * R {
        let step = steps[i / 4][i % 4];
        let pivot = if step < n { board.pivot_values().load(step) } else { T::ONE };
        finite &= pivot.is_finite();
        let scale = T::Real::safe_scale(pivot.abs1());
        let reciprocal = pivot.scale(scale).reciprocal();
        for s in 0..S {
            for c in 0..2 {
                let x = &mut slab[s][i / 4][i / 2 % 2][i % 2 * 2 + c];
                *x = x.scale(scale) * reciprocal;
            }
        }
    }
    finite
}

/// Stores panel `p`, each row where its step is. A barrier must come before.
#[inline(always)]
fn store_in_order<T: Mma, const R: usize, const S: usize, const W: usize>(
    tile: &Tile<T, R>,
    steps: &Steps<R>,
    board: &SharedStorage<T, R, S, W>,
    inverse: &GlobalMatrix<T>,
    p: u32,
    n: u32,
) {
    let place = Place::own::<R>();
    let rows = block::dim() * R as u32;
    let stage = board.stage();
    for i in 0..4 * R {
        let step = steps[i / 4][i % 4];
        for c in 0..2 {
            if step < n {
                stage.store((place.column + c) * rows + step, tile[i / 4][i / 2 % 2][i % 2 * 2 + c as usize]);
            }
        }
    }
    sync_threads();
    let mut ordered = [[[T::ZERO; 4]; 2]; R];
    for i in 0..4 * R {
        for c in 0..2 {
            let row = place.row + 8 * i as u32;
            if row < n {
                ordered[i / 4][i / 2 % 2][i % 2 * 2 + c as usize] = stage.load((place.column + c) * rows + row);
            }
        }
    }
    place.store(&ordered, inverse, p, n);
}
