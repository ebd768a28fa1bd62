//! Left-looking Cholesky factorization, A = L L^H, of a matrix by the warps of a block (`xPOTRF` of a lower triangle).
//!
//! ```text
//! for each panel p of 16 columns, from left to right:
//!     load      A[>=p, p]  device memory -> 16 x 16 blocks in registers, negated
//!     SYRK      A[i, p] -= L[i, <p] L[p, <p]^H        by matrix instructions; a warp has `ROWS` blocks at a time
//!     POTF2     A[p, p] -> L[p, p]                    by warp 0, while the others update their first blocks
//!     TRSM      L[i, p] = A[i, p] L[p, p]^-H          substituted column by column
//!     store     to device memory, and for later panels to shared memory
//! ```
//!
//! What a lane holds of a block are two tiles of matrix instructions. A tile of L is kept in shared memory as the lanes
//! hold it, so that it comes back by whole vectors, and serves as the left factor of products and, conjugated, as the
//! right one: see [`fragment`](crate::collective::fragment). Where L is too large, it comes back from device memory.
//! All blocks are negated until they are stored, so that products are added.
//!
//! Substitution, not products with inverses of the diagonal blocks, bounds the error element by element.
//!
//! Const generics: `WARPS` of a block; `ROWS`, blocks of a warp at a time; `IN_SHARED`, whether L is in shared memory.

mod blocks;
mod diagonal;
pub(super) mod look_ahead;
mod soonest;
mod storage;
mod substitute;

use simt::layout::Layout;
use simt::{block, sync_threads, warp};

use crate::collective::mma::Mma;
use crate::operation::PotrfArgs;
use crate::shape::{Problem, Shape};
use blocks::{Block, left, load, load_diagonal, right, store, zero};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::ScalarKind;
use storage::SharedStorage;

/// Rows and columns of a block.
const BLOCK: u32 = 16;

/// The launch: a block of threads a matrix.
#[must_use]
pub fn shape<T: Mma, const WARPS: u32, const IN_SHARED: bool>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = storage::bytes::<T, IN_SHARED>(problem.n);
    Shape { blocks: problem.batch, cluster: 1, threads: WARPS * warp::SIZE, shared_bytes }
}

/// The body of the kernel.
#[inline(always)]
pub fn potrf<T: Mma, const WARPS: u32, const ROWS: usize, const IN_SHARED: bool>(args: PotrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    let (a, l) = (args.a.matrix(b), args.l.matrix(b));
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from other threads' accesses.
    let shared = unsafe { Layout::place(|layout| SharedStorage::<T, IN_SHARED>::new(layout, n)) };
    let panels = n.div_ceil(BLOCK);

    let mut status = 0; // known to warp 0
    let mut p = 0;
    while p < panels {
        // The diagonal block is the whole first turn of warp 0.
        let mut has_diagonal = warp::index() == 0;
        let mut is_first = true;
        let mut row = if has_diagonal { p } else { p + 1 + (warp::index() - 1) * ROWS as u32 };
        while row < panels || is_first {
            let count = if has_diagonal { 1 } else { (panels - row.min(panels)).min(ROWS as u32) };
            let mut c: [Block<T>; ROWS] = [[T::ZEROS; 2]; ROWS];
            if has_diagonal {
                c[0] = load_diagonal(&a, n, p);
            } else {
                for r in 0..ROWS {
                    if (r as u32) < count {
                        c[r] = load(&a, n, (row + r as u32, p));
                    }
                }
            }
            if count > 0 {
                update(&mut c, &shared, &l, n, (row, count, p));
            }
            if has_diagonal {
                let found = diagonal::factor(&c[0], &shared, &l, (p, n));
                status = if status == 0 { found } else { status };
            }
            if is_first {
                block_barrier::<WARPS>();
            }
            for r in 0..ROWS {
                if (r as u32) < count && !has_diagonal {
                    substitute::substitute(&mut c[r], &shared);
                    store(&l, n, (row + r as u32, p), &c[r]);
                    zero(&l, n, (row + r as u32, p));
                    shared.keep((row + r as u32, p), &c[r]);
                }
            }
            // What is left after the first turn is divided anew: warp 0 has more time now.
            row = if is_first { p + 1 + (WARPS - 1 + warp::index()) * ROWS as u32 } else { row + WARPS * ROWS as u32 };
            (is_first, has_diagonal) = (false, false);
        }
        block_barrier::<WARPS>();
        p += 1;
    }
    finish(&shared, &l, n, status);
    if warp::index() == 0 && warp::lane() == 0 {
        args.status.store(b as i64, status);
    }
}

/// `c += L[row.., <p] L[p, <p]^H`.
#[inline(always)]
fn update<T: Mma, const ROWS: usize, const IN_SHARED: bool>(
    c: &mut [Block<T>; ROWS],
    shared: &SharedStorage<T, IN_SHARED>,
    l: &GlobalMatrix<T>,
    n: u32,
    (row, count, p): (u32, u32, u32),
) {
    let mut k = 0; // in tiles of 8 columns
    while k < 2 * p {
        let pivot = shared.tile(l, n, (p, k));
        let (upper, lower) = (right::<T>(&pivot, 0), right::<T>(&pivot, 1));
        for r in 0..ROWS {
            if (r as u32) < count {
                let a = left::<T>(&shared.tile(l, n, (row + r as u32, k)));
                T::multiply_parts::<false, true>(&mut c[r][0], &a, &upper);
                T::multiply_parts::<false, true>(&mut c[r][1], &a, &lower);
            }
        }
        k += 1;
    }
}

/// A barrier of the block, or of its only warp.
#[inline(always)]
fn block_barrier<const WARPS: u32>() {
    if WARPS == 1 {
        warp::sync(warp::ALL);
    } else {
        sync_threads();
    }
}

/// The whole factor of a matrix that has none is NaN.
#[inline(always)]
fn finish<T: Mma, const IN_SHARED: bool>(
    shared: &SharedStorage<T, IN_SHARED>,
    l: &GlobalMatrix<T>,
    n: u32,
    status: i32,
) {
    if warp::index() == 0 && warp::lane() == 0 {
        shared.failure.store(0, status as u32);
    }
    sync_threads();
    if shared.failure.load(0) != 0 {
        let mut e = simt::thread::index();
        while e < n * n {
            let j = crate::shape::quotient(e, n);
            l.store(e - j * n, j, T::NAN);
            e += block::dim();
        }
    }
}
