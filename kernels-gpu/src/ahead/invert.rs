//! The kernel: Gauss-Jordan elimination in place, by warps that update and one that factors.

use simt::{block, warp};

use crate::ahead::board::Board;
use crate::ahead::columns::{Columns, parked_bytes, prepare};
use crate::ahead::finish::finish;
use crate::ahead::panel::Rows;
use crate::ahead::{NB, meet, panel_warp, threads, updaters};
use crate::inverse::InvertArgs;
use crate::product::Product;
use crate::scalar::ScalarKind;
use crate::shape::{Problem, Shape};
use crate::vote::any_thread;

/// Shape of the kernels whose panels are factored ahead.
#[must_use]
pub fn shape<T: Product, const B: usize, const Q: usize, const K: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    Shape {
        blocks: problem.batch,
        threads: threads(B, Q),
        shared_bytes: Board::<T, B, Q>::bytes() + parked_bytes::<T>(B, Q, K),
    }
}

/// The body of the kernel for orders up to `16 * B`.
#[inline(always)]
pub fn invert_ahead<T: Product, const B: usize, const Q: usize, const K: usize, const R: usize, const P: usize>(
    args: InvertArgs<T>,
) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes.
    let board = unsafe { Board::<T, B, Q>::new() };
    board.clear();
    if updaters(B, Q) > 1 && warp::index() == panel_warp(B, Q) {
        let finite = factor_all::<T, B, Q, R>(&board, n);
        let _ = any_thread(!finite, board.flags);
    } else {
        // SAFETY: `shape` asks for these bytes, too.
        let mut columns = unsafe { Columns::<T, B, Q, K>::load(&args.a.matrix(b), n) };
        let mut finite = true;
        if updaters(B, Q) > 1 {
            update_all::<T, B, Q, K, P>(&mut columns, &board, n);
        } else {
            finite = eliminate::<T, B, Q, K, R>(&mut columns, &board, n);
        }
        finish::<T, B, Q, K, R>(&mut columns, &board, &args, b, finite);
    }
}

/// Factors the panels of a matrix of order `n`, one a round, and says whether all pivots are finite.
#[inline(always)]
fn factor_all<T: Product, const B: usize, const Q: usize, const R: usize>(board: &Board<T, B, Q>, n: u32) -> bool {
    let mut rows = Rows::<T, R>::new(n);
    meet(); // panel 0 is there
    let mut p = 0;
    while p * (NB as u32) < n {
        rows.take(board);
        meet(); // panel p is taken
        rows.factor(board, p, n);
        meet(); // panel p is factored
        meet(); // as `prepare` does
        meet(); // panel p + 1 is there
        p += 1;
    }
    rows.finite
}

/// Applies the panels of a matrix of order `n`, one a round.
#[inline(always)]
fn update_all<T: Product, const B: usize, const Q: usize, const K: usize, const P: usize>(
    columns: &mut Columns<T, B, Q, K>,
    board: &Board<T, B, Q>,
    n: u32,
) {
    columns.hand_over(board, 0);
    meet(); // panel 0 is there
    let panels = n.div_ceil(NB as u32);
    let mut p = 0;
    loop {
        if p < panels {
            meet(); // panel p is taken
        }
        if p > 0 {
            columns.apply(board, p - 1);
            columns.take_back(board, p - 1);
        }
        if p == panels {
            return;
        }
        columns.hand_over(board, p + 1);
        meet(); // panel p is factored
        prepare::<T, B, Q, P>(board, p);
        meet(); // panel p + 1 is there
        p += 1;
    }
}

/// Eliminates the panels of a matrix of order `n`, by a warp that has all of them, and says whether all pivots are finite.
#[inline(always)]
fn eliminate<T: Product, const B: usize, const Q: usize, const K: usize, const R: usize>(
    columns: &mut Columns<T, B, Q, K>,
    board: &Board<T, B, Q>,
    n: u32,
) -> bool {
    let mut rows = Rows::<T, R>::new(n);
    let mut p = 0;
    while p * (NB as u32) < n {
        columns.hand_over(board, p);
        warp::sync(warp::ALL);
        rows.take(board);
        rows.factor(board, p, n);
        warp::sync(warp::ALL);
        columns.apply(board, p);
        columns.take_back(board, p);
        p += 1;
    }
    rows.finite
}
