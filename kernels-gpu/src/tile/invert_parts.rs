//! Inverse of a matrix that is too large to be held in registers: a part of its panels is held after the other.

use simt::hint::opaque;
use simt::{block, sync_threads, warp};

use crate::inverse::InvertArgs;
use crate::lu::NON_FINITE;
use crate::matrix::{GlobalMatrix, View};
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};
use crate::tile::lu::{factor_parts, memory, shape as lu_shape};
use crate::tile::scatter::scatter_columns;
use crate::tile::triangles::sweep;
use crate::vote::any_thread;
use crate::wide::Wide;

/// Shape of [`invert_parts`], by up to `W` warps.
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize, const Q: usize, const W: u32>(
    problem: &Problem,
    kind: ScalarKind,
) -> Shape {
    lu_shape::<T, R, NB, Q, W, true>(problem, kind)
}

/// The body of the kernel for orders up to `32 * R`: LU in place of the inverse, the inverses of the triangles in place of
/// them, and their product.
#[inline(always)]
pub fn invert_parts<T: Wide, const R: usize, const NB: usize, const Q: usize>(args: InvertArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let (board, stage) = memory::<T, R, NB, Q, true>(n);
    let inverse = args.inverse.matrix(b);
    let last = factor_parts::<T, R, NB, Q, true>(&args.a.matrix(b), &inverse, &board, &stage, n, false);
    let mut status = last.status(&board, n);
    last.put_in_order(&board, &stage, &inverse, n);
    sync_threads(); // all see the factors

    if status == 0 {
        let mut finite = true;
        let mut sweeps = 0;
        // One piece of code for both.
        while sweeps < opaque(2) {
            finite = sweep(&inverse, &board, &stage, n, sweeps == 0);
            sweeps += 1;
        }
        if any_thread(!finite, board.flags()) {
            status = NON_FINITE;
        }
    }
    if status == 0 {
        // A panel's room is that of as many rows.
        scatter_columns::<T, NB>(&inverse, board.pivot_rows(), stage.room(), n);
    } else {
        fill(&inverse, T::NAN, n);
    }
    if warp::index() == 0 && warp::lane() == 0 {
        args.status.store(b as i64, status);
    }
}

/// Fills a matrix of order `n`. By all threads.
#[inline(always)]
fn fill<T: Scalar>(matrix: &GlobalMatrix<T>, value: T, n: u32) {
    let mut j = warp::index();
    while j < n {
        let mut i = warp::lane();
        while i < n {
            if matrix.rows_are_close() {
                matrix.store(i, j, value);
            } else {
                matrix.store(j, i, value);
            }
            i += warp::SIZE;
        }
        j += block::dim() / warp::SIZE;
    }
}
