//! The trailing update of a column-by-column LU: an element a thread, square tiles a block.

use simt::shared::{self, Shared};
use simt::{Pod, sync_threads, thread};

use crate::kernels::grid::{Tile, split, tiles};
use kernels_gpu::shape::{Problem, Shape};
use numbers::matrix::{Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Arguments of the update kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct UpdateArgs<T: Pod> {
    /// The matrices, n x n: row k of U and column k of L are final.
    pub lu: Matrices<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
    /// The column.
    pub k: u32,
}

/// Shape of the update with tiles of `D` where `problem.n` rows are left below row k.
#[must_use]
pub fn shape<const D: u32>(problem: &Problem, kind: ScalarKind) -> Shape {
    let tiles = tiles::<D>(problem.n) as u64;
    Shape {
        blocks: problem.batch.saturating_mul(tiles * tiles),
        cluster: 1,
        threads: D * D,
        shared_bytes: 2 * D * kind.size(),
    }
}

/// The body of the kernel: trailing matrix -= column k of L times row k of U.
#[inline(always)]
pub fn update<T: Scalar, const D: u32>(args: UpdateArgs<T>) {
    let UpdateArgs { n, k, .. } = args;
    let tiles = tiles::<D>(n - k - 1);
    let (matrix, index) = split(tiles * tiles);
    let lu = args.lu.matrix(args.first + matrix);
    let tile = Tile::<D>::new(index, tiles, lu.rows_are_close());
    let (row, col) = (k + 1 + tile.row, k + 1 + tile.col);
    // SAFETY: `shape` asks for these bytes.
    // Shape (D) each.
    let (u, l): (Shared<T>, Shared<T>) = unsafe { (shared::array(0), shared::array(D * size_of::<T>() as u32)) };

    // The first D threads have the part of row k, the next D that of column k.
    let t = thread::index();
    if t < D {
        if col + t < n {
            u.store(t, lu.load(k, col + t));
        }
    } else if t < 2 * D && row + t - D < n {
        l.store(t - D, lu.load(row + t - D, k));
    }
    sync_threads();

    let (i, j) = (row + tile.i, col + tile.j);
    if i < n && j < n {
        lu.store(i, j, lu.load(i, j).sub_mul(l.load(tile.i), u.load(tile.j)));
    }
}
