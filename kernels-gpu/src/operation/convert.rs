//! Conversion between 16-bit storage and f32 arithmetic, one warp per matrix.

use simt::{Pod, block, thread, warp};

use crate::shape::{Problem, Shape};
use numbers::matrix::{Matrices, View};
use numbers::scalar::{ScalarKind, Storage};

/// Threads of a block.
pub const THREADS: u32 = 128;

/// Arguments of the conversion kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ConvertArgs<From: Pod, To: Pod> {
    /// The matrices, rows x cols.
    pub from: Matrices<From>,
    /// Where they go in the other format, rows x cols.
    pub to: Matrices<To>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Rows of each matrix.
    pub rows: u32,
    /// Columns of each matrix.
    pub cols: u32,
}

/// The launch shape of both conversions.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    Shape {
        blocks: problem.batch.div_ceil((THREADS / warp::SIZE) as u64),
        cluster: 1,
        threads: THREADS,
        shared_bytes: 0,
    }
}

/// 16 bits to f32.
#[inline(always)]
pub fn widen<S: Storage>(args: ConvertArgs<S, f32>) {
    convert(args, S::widen);
}

/// f32 to 16 bits, rounded to nearest even.
#[inline(always)]
pub fn narrow<S: Storage>(args: ConvertArgs<f32, S>) {
    convert(args, S::narrow);
}

#[inline(always)]
fn convert<From: Pod, To: Pod>(args: ConvertArgs<From, To>, element: impl Fn(From) -> To) {
    let matrix = args.first + block::index() as u64 * (THREADS / warp::SIZE) as u64 + warp::index() as u64;
    if matrix >= args.end {
        return;
    }
    let (from, to) = (args.from.matrix(matrix), args.to.matrix(matrix));
    let rows_first = to.rows_are_close();
    let (fast, slow) = if rows_first { (args.rows, args.cols) } else { (args.cols, args.rows) };
    let mut s = 0;
    while s < slow {
        let mut f = thread::index() % warp::SIZE;
        while f < fast {
            let (i, j) = if rows_first { (f, s) } else { (s, f) };
            to.store(i, j, element(from.load(i, j)));
            f += warp::SIZE;
        }
        s += 1;
    }
}
