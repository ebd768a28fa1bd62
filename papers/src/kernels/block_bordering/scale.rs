//! V = -W S^-1 to where B was, S^-1 to where C was, and the status.

use simt::layout::Layout;
use simt::thread;

use crate::kernels::block_bordering::tile::{Part, THREADS, depth, each_pair, in_stages, load, multiply, part, stages};
use crate::kernels::block_bordering::{BlockArgs, SQUARE};
use crate::kernels::bordering::real;
use kernels_gpu::collective::mma::Mma;
use kernels_gpu::schedule::multi_block::update::{TILE_COLUMNS, TILE_ROWS};
use kernels_gpu::shape::{Problem, Shape, quotient};
use numbers::scalar::ScalarKind;
use numbers::status::NON_FINITE;

/// The launch, a block a matrix.
#[must_use]
pub fn shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    super::tile::shape::<T>(problem.batch)
}

/// The body of the kernel: the blocks of threads after those that V is for copy S^-1.
#[inline(always)]
pub fn scale<T: Mma>(args: BlockArgs<T>) {
    let step = args.step;
    let column_tiles = step.column_tiles();
    let (b, share) = args.share((step.row_tiles() + step.corner_tiles()) * column_tiles);
    let row_tile = quotient(share, column_tiles);
    let column = (share - row_tile * column_tiles) * TILE_COLUMNS;
    if share == 0 && thread::index() == 0 {
        status(&args, b);
    }
    if row_tile < step.row_tiles() {
        product(&args, b, row_tile * TILE_ROWS, column);
    } else {
        copy(&args, b, (row_tile - step.row_tiles()) * TILE_ROWS, column);
    }
}

/// The status, from that of the inversion of S.
#[inline(always)]
fn status<T: Mma>(args: &BlockArgs<T>, b: u64) {
    let order = (args.step.k + args.step.width) as i32;
    let status = match if args.step.k == 0 { 0 } else { args.status.load(b as i64) } {
        0 => match args.corner_status.load(b as i64) {
            0 => 0,
            NON_FINITE => NON_FINITE,
            _ => order,
        },
        earlier => earlier,
    };
    args.status.store(b as i64, status);
}

/// A tile of V. In a tile of X on the diagonal, its conjugate transpose, too.
#[inline(always)]
fn product<T: Mma>(args: &BlockArgs<T>, b: u64, row: u32, column: u32) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(stages::<T>) };
    let step = args.step;
    let (x, w, corner) = (args.x(b), args.w(b), args.corner(b));
    let there = (step.k - row, step.padded() - column);
    let depth = depth::<T>();
    let load_stage = |stage: u32| {
        let k = stage * depth;
        load(shared.left(stage, false), (TILE_ROWS, depth), (there.0, depth), |i, j| w.at(row + i, k + j));
        let at = |i: u32, j: u32| corner.offset(((k + i) * step.block + column + j) as i64);
        load(shared.right(stage, false), (depth, TILE_COLUMNS), (depth, there.1), at);
    };
    let mut v: Part<T> = [[T::ZEROS; 4]; 2];
    in_stages(step.padded() / depth, load_stage, |stage| {
        let factors = (shared.left(stage, false).part(part().0, 0), shared.right(stage, false).part(0, part().1));
        multiply(&mut v, factors);
    });
    let on_diagonal = step.k & !(SQUARE - 1); // rows from here on
    each_pair(there, |(i, j, e), r, c| {
        let (r, c) = (row + r, step.k + column + c);
        let pair = [-T::get(&v[i][j], e), -T::get(&v[i][j], e + 1)];
        T::store_global_pair(x.at(r, c), pair);
        if r >= on_diagonal {
            for q in 0..2 {
                if c + (q as u32) < step.n {
                    x.at(c + q as u32, r).store(0, pair[q].conj());
                }
            }
        }
    });
}

/// A tile of S^-1: what is below the diagonal is the conjugate of what is above it.
#[inline(always)]
fn copy<T: Mma>(args: &BlockArgs<T>, b: u64, row: u32, column: u32) {
    let step = args.step;
    let (x, corner) = (args.x(b), args.corner(b));
    let load = |i: u32, j: u32| corner.load((i * step.block + j) as i64);
    let mut at = thread::index();
    while at < TILE_ROWS * TILE_COLUMNS {
        let (i, j) = (row + at / TILE_COLUMNS, column + at % TILE_COLUMNS);
        if i < step.width && j < step.width {
            let number = match i.cmp(&j) {
                core::cmp::Ordering::Less => load(i, j),
                core::cmp::Ordering::Equal => real(load(i, i)),
                core::cmp::Ordering::Greater => load(j, i).conj(),
            };
            x.at(step.k + i, step.k + j).store(0, number);
        }
        at += THREADS;
    }
}
