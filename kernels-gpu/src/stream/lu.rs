//! The kernel: LU from the left, by a warp, or by one that factors and others that prepare what comes next.

use simt::{block, pipeline, sync_threads, warp};

use crate::lu::{LuArgs, NON_FINITE};
use crate::matrix::GlobalMatrix;
use crate::product::Product;
use crate::scalar::ScalarKind;
use crate::shape::{Problem, Shape};
use crate::stream::NB;
use crate::stream::apply::{Tiles, request};
use crate::stream::board::Board;
use crate::stream::order::{settle, store_lower};
use crate::stream::panel::factor;
use crate::stream::ring::ring;
use crate::stream::upper::Sink;
use crate::vote::any_thread;

/// Shape of [`lu_stream`], by `W` warps.
#[must_use]
pub fn shape<T: Product, const W: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch, threads: W * warp::SIZE, shared_bytes: Board::<T>::bytes(problem.n, W, 0) }
}

/// The body of the kernel for orders up to `16 * B`, by `W` warps; `A` is the `W`th part of `B`, rounded up.
#[inline(always)]
pub fn lu_stream<T: Product, const B: usize, const W: u32, const A: usize>(args: LuArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes.
    let board = unsafe { Board::<T>::new(n, W) };
    let (a, lu) = (args.a.matrix(b), args.lu.matrix(b));

    let mut zero = 0;
    let mut finite = eliminate::<T, B, W, A, 0>(&board, &a, &lu, n, &mut zero);
    sync_threads(); // all is in order
    finite &= store_lower(&board, &lu, n);

    let is_finite = !any_thread(!finite, board.flags);
    if warp::index() == 0 {
        let mut k = warp::lane();
        while k < n {
            let pivot = if is_finite { board.interchanges.load(k) } else { k };
            args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
            k += warp::SIZE;
        }
        if warp::lane() == 0 {
            args.status.store(b as i64, if is_finite { zero as i32 } else { NON_FINITE });
        }
    }
}

/// Eliminates the panels of a matrix of order `n`, does the same to `K` right-hand sides, one at most, and stores U. By all threads of a
/// block. Whether U is finite, and L on the diagonal; `zero` becomes the first zero pivot, counted from 1, if there is one, in the first warp.
#[inline(always)]
pub fn eliminate<T: Product, const B: usize, const W: u32, const A: usize, const K: usize>(
    board: &Board<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
    zero: &mut u32,
) -> bool {
    match W {
        1 => alone::<T, B, K>(board, a, to, n, zero),
        _ => ring::<T, B, W, A, K>(board, a, to, n, zero),
    }
}

/// As [`eliminate`], by one warp.
#[inline(always)]
fn alone<T: Product, const B: usize, const K: usize>(
    board: &Board<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
    zero: &mut u32,
) -> bool {
    let mut finite = true;
    begin(board, a, n);
    let mut p = 0;
    while p * (NB as u32) < n {
        if p > 0 {
            pipeline::wait_prior::<0>();
            warp::sync(warp::ALL);
            let mut tiles = Tiles::<T, B>::take(board, a, p, n);
            finite &= tiles.apply(board, to, 0..p, p, n);
            tiles.put(board, p, p);
        }
        factor_one::<T, B, K>(board, p, n, zero);
        warp::sync(warp::ALL);
        finite &= settle(board, to, p, n);
        p += 1;
    }
    finite
}

/// Makes the board ready, and brings panel 0 of a matrix of order `n` into its place. By a warp.
#[inline(always)]
fn begin<T: Product>(board: &Board<T>, a: &GlobalMatrix<T>, n: u32) {
    request(board.panel(0), board.height(0), a, 0, n);
    let rows = if n > NB as u32 { board.height(0) } else { 0 }; // one panel has no room for another
    request(board.stage, rows, a, 1, n);
    board.clear();
    pipeline::wait_prior::<1>();
    warp::sync(warp::ALL);
}

/// Factors panel `p` of a matrix of order `n`, by as many rows a lane as it has.
#[inline(always)]
pub fn factor_one<T: Product, const B: usize, const K: usize>(board: &Board<T>, p: u32, n: u32, zero: &mut u32) {
    match (n - p * NB as u32).div_ceil(warp::SIZE) {
        1 => factor::<T, 1, K>(board, p, n, zero),
        2 => factor::<T, 2, K>(board, p, n, zero),
        3 if B > 4 => factor::<T, 3, K>(board, p, n, zero),
        4 if B > 6 => factor::<T, 4, K>(board, p, n, zero),
        5 if B > 8 => factor::<T, 5, K>(board, p, n, zero),
        _ => {}
    }
}
