//! X - V W^H, in tiles of 128 x 64 of the squares on and above the diagonal.

use simt::layout::Layout;

use crate::kernels::block_bordering::args::{Kernel, upper_tile};
use crate::kernels::block_bordering::tile::{Part, depth, each_pair, in_stages, load, multiply, part, stages};
use crate::kernels::block_bordering::{BlockArgs, SQUARE};
use kernels_gpu::collective::mma::Mma;
use kernels_gpu::schedule::multi_block::product::Adjoint;
use kernels_gpu::schedule::multi_block::update::{TILE_COLUMNS, TILE_ROWS};
use kernels_gpu::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// The launch, a block a matrix.
#[must_use]
pub fn shape<T: Mma>(problem: &Problem, _: ScalarKind) -> Shape {
    super::tile::shape::<T>(problem.batch)
}

/// The body of the kernel.
#[inline(always)]
pub fn update<T: Mma>(args: BlockArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(stages::<T>) };
    let step = args.step;
    let (b, share) = args.share(step.blocks(Kernel::Update) as u32);
    let (row_tile, column_tile) = upper_tile(share / 2);
    let (row, column) = (row_tile * TILE_ROWS, column_tile * SQUARE + share % 2 * TILE_COLUMNS);
    if column >= step.k {
        return; // the last square is half a square
    }
    let (x, w) = (args.x(b), args.w(b));
    let there = (step.k - row, step.k - column);
    let depth = depth::<T>();
    let load_stage = |stage: u32| {
        let k = stage * depth;
        load(shared.left(stage, false), (TILE_ROWS, depth), (there.0, depth), |i, j| x.at(row + i, step.k + k + j));
        load(shared.right(stage, true), (TILE_COLUMNS, depth), (there.1, depth), |i, j| w.at(column + i, k + j));
    };
    // This warp's part, negated, so that products are added.
    let mut c: Part<T> = [[T::ZEROS; 4]; 2];
    each_pair(there, |(i, j, e), r, col| {
        let pair = T::load_global_pair(x.at(row + r, column + col));
        T::set(&mut c[i][j], e, -pair[0]);
        T::set(&mut c[i][j], e + 1, -pair[1]);
    });
    in_stages(step.padded() / depth, load_stage, |stage| {
        let v = shared.left(stage, false).part(part().0, 0);
        let w = Adjoint(shared.right(stage, true).part(part().1, 0));
        multiply(&mut c, (v, w));
    });
    each_pair(there, |(i, j, e), r, col| {
        let pair = [-T::get(&c[i][j], e), -T::get(&c[i][j], e + 1)];
        T::store_global_pair(x.at(row + r, column + col), pair);
    });
}

const _: () = assert!(SQUARE == TILE_ROWS && SQUARE == 2 * TILE_COLUMNS, "a square is two tiles");
