//! Slices of W = X B: a block of threads has a tile of 128 x 64, and the part of the sum over some columns of X.
//!
//! Left of the tile's rows on the diagonal, X is the conjugate transpose of what is above it.

use simt::layout::Layout;

use crate::kernels::block_bordering::BlockArgs;
use crate::kernels::block_bordering::tile::{Part, depth, each_pair, in_stages, load, multiply, part, stages};
use kernels_gpu::collective::mma::Mma;
use kernels_gpu::schedule::multi_block::product::Adjoint;
use kernels_gpu::schedule::multi_block::update::{TILE_COLUMNS, TILE_ROWS};
use kernels_gpu::shape::{Problem, Shape, quotient};
use numbers::scalar::ScalarKind;

/// The launch, a block a matrix: [`Division::blocks`](super::Division::blocks) says how many there are to be.
#[must_use]
pub fn shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    super::tile::shape::<T>(problem.batch)
}

/// The body of the kernel.
#[inline(always)]
pub fn product<T: Mma>(args: BlockArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(stages::<T>) };
    let step = args.step;
    let (row_tiles, column_tiles) = (step.row_tiles(), step.column_tiles());
    let (b, share) = args.share(row_tiles * column_tiles * step.slices());
    let row_of_slice = quotient(share, column_tiles);
    let column = (share - row_of_slice * column_tiles) * TILE_COLUMNS;
    let slice = quotient(row_of_slice, row_tiles);
    let row = (row_of_slice - slice * row_tiles) * TILE_ROWS;
    let first = slice * step.slice;
    let end = if step.k - first < step.slice { step.k } else { first + step.slice };
    let there = (step.k - row, step.padded() - column);

    let x = args.x(b);
    let depth = depth::<T>();
    let load_stage = |stage: u32| {
        let k = first + stage * depth;
        if k < row {
            load(shared.left(stage, true), (depth, TILE_ROWS), (depth, there.0), |i, j| x.at(k + i, row + j));
        } else {
            load(shared.left(stage, false), (TILE_ROWS, depth), (there.0, depth), |i, j| x.at(row + i, k + j));
        }
        let from = step.k + column;
        load(shared.right(stage, false), (depth, TILE_COLUMNS), (depth, there.1), |i, j| x.at(k + i, from + j));
    };
    let mut w: Part<T> = [[T::ZEROS; 4]; 2];
    in_stages((end - first) / depth, load_stage, |stage| {
        let b = shared.right(stage, false).part(0, part().1);
        if first + stage * depth < row {
            let x = Adjoint(shared.left(stage, true).part(0, part().0));
            multiply(&mut w, (x, b));
        } else {
            let x = shared.left(stage, false).part(part().0, 0);
            multiply(&mut w, (x, b));
        }
    });
    let to = args.slice(b, slice);
    each_pair(there, |(i, j, e), r, col| {
        T::store_global_pair(to.at(row + r, column + col), [T::get(&w[i][j], e), T::get(&w[i][j], e + 1)]);
    });
}
