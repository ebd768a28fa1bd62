//! Hermitian matrices, tile by tile of their lower triangles: a block of threads reads a tile, and writes its conjugate
//! transpose above the diagonal.
//!
//! Cholesky factors become those of LU without interchanges, so that what is there for these serves both: of A = L L^H,
//! with the diagonal D of L, they are L D^-1 and D L^H.

use simt::global::Global;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use crate::shape::{Problem, Shape, quotient};
use numbers::matrix::{GlobalMatrix, Matrices, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Rows and columns of a tile.
const TILE: u32 = 32;
/// From a row of a tile to the next in shared memory: columns, too, are in different banks.
const ROW: u32 = TILE + 1;

/// Arguments of [`lu_of_cholesky`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LuOfCholeskyArgs<T: Scalar> {
    /// Factors from a Cholesky kernel, n x n.
    pub l: Matrices<T>,
    /// The same as those from an LU kernel, n x n. Not `l`.
    pub lu: Matrices<T>,
    /// Their pivots, which interchange nothing: shape (batch, n).
    pub pivots: Global<u32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

/// Arguments of [`mirror`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MirrorArgs<T: Scalar> {
    /// Matrices, n x n, of which what is above the diagonal is replaced by what is below.
    pub a: Matrices<T>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Order of the matrices.
    pub n: u32,
}

#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout) -> (Shared<T>, Shared<T>) {
    (layout.array(TILE * ROW), layout.array(TILE)) // a tile, and the diagonal of L in its columns
}

/// Tiles on and below the diagonal.
const fn tiles(n: u32) -> u32 {
    let rows = n.div_ceil(TILE);
    rows * (rows + 1) / 2
}

/// The launch: a block a tile.
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(shared_storage::<T>));
    Shape { blocks: problem.batch.saturating_mul(tiles(problem.n) as u64), cluster: 1, threads: THREADS, shared_bytes }
}

/// The matrix of this block, and the first row and column of its tile.
#[inline(always)]
fn place(n: u32) -> (u32, u32, u32) {
    let matrix = quotient(block::index(), tiles(n));
    let (mut row, mut left) = (0, block::index() - matrix * tiles(n));
    while left > row {
        row += 1;
        left -= row;
    }
    (matrix, row * TILE, left * TILE)
}

/// The body of the kernel that makes LU factors of Cholesky factors.
#[inline(always)]
pub fn lu_of_cholesky<T: Scalar>(args: LuOfCholeskyArgs<T>) {
    let n = args.n;
    let (matrix, row, column) = place(n);
    let b = args.first + matrix as u64;
    let (l, lu) = (args.l.matrix(b), args.lu.matrix(b));
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from other threads' reads.
    let (tile, diagonal) = unsafe { Layout::place(shared_storage::<T>) };
    if thread::index() < TILE && column + thread::index() < n {
        let k = column + thread::index();
        diagonal.store(thread::index(), l.load(k, k));
        if row == column {
            args.pivots.store(b as i64 * n as i64 + k as i64, k);
        }
    }
    each(&l, |i, j| {
        if row + i < n && row + i >= column + j {
            tile.store(i * ROW + j, l.load(row + i, column + j));
        }
    });
    sync_threads();
    each(&lu, |i, j| {
        if row + i < n && row + i > column + j {
            lu.store(row + i, column + j, tile.load(i * ROW + j).divide(diagonal.load(j).divisor()));
        }
    });
    each(&lu, |j, i| {
        if row + i < n && row + i >= column + j {
            lu.store(column + j, row + i, tile.load(i * ROW + j).conj() * diagonal.load(j));
        }
    });
}

/// The body of the kernel that makes matrices Hermitian.
#[inline(always)]
pub fn mirror<T: Scalar>(args: MirrorArgs<T>) {
    let n = args.n;
    let (matrix, row, column) = place(n);
    let a = args.a.matrix(args.first + matrix as u64);
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from other threads' reads.
    let (tile, _) = unsafe { Layout::place(shared_storage::<T>) };
    each(&a, |i, j| {
        if row + i < n && row + i >= column + j {
            tile.store(i * ROW + j, a.load(row + i, column + j));
        }
    });
    sync_threads();
    each(&a, |j, i| {
        if row + i < n && row + i >= column + j {
            let x = tile.load(i * ROW + j);
            a.store(column + j, row + i, if row + i == column + j { T::from_real(x.real()) } else { x.conj() });
        }
    });
}

/// Calls `visit` for the elements of a tile. Neighbouring lanes have neighbours in the memory of `matrix`.
#[inline(always)]
fn each<T: Scalar>(matrix: &GlobalMatrix<T>, mut visit: impl FnMut(u32, u32)) {
    let (fast, mut slow) = (thread::index() % TILE, thread::index() / TILE);
    while slow < TILE {
        if matrix.rows_are_close() {
            visit(fast, slow);
        } else {
            visit(slow, fast);
        }
        slow += THREADS / TILE;
    }
}
