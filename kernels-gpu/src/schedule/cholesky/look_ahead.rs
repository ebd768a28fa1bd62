//! Right-looking Cholesky factorization of a small matrix by a block of threads, as soon as can be: a warp has 16 rows, and
//! factors its block on the diagonal while the others still apply the panel before. Warps of their own have rows below the
//! matrix, where it is the top of a larger one.
//!
//! ```text
//! load      each warp its rows  device memory -> tiles in shared memory, the block on the diagonal in registers
//! for each panel p of 16 columns, from left to right, between two barriers:
//!     warps below:
//!         SYRK      A[w, q] -= L[w, p - 1] L[q, p - 1]^H      for q from p on, left of the diagonal
//!         TRSM      L[w, p] = A[w, p] L[p, p]^-H
//!         SYRK      A[w, w] -= L[w, p] L[w, p]^H
//!     warp p + 1, then:
//!         POTF2     A[w, w] -> L[w, w]
//! ```
//!
//! All blocks are negated once they are updated.

use simt::global::Global;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{pipeline, sync_threads, warp};

use crate::collective::mma::Mma;
use crate::schedule::cholesky::blocks::{Block, extend_diagonal, left, load_diagonal, map, right, store};
use crate::schedule::cholesky::soonest::Share;
use crate::schedule::cholesky::storage::SharedStorage;
use crate::schedule::cholesky::{BLOCK, soonest, substitute};
use numbers::matrix::Strided;

/// Warps that have rows of the matrix.
const WARPS: u32 = 8;
/// Warps that have rows below it.
const WARPS_BELOW: u32 = 2;
/// Threads of a block.
pub(crate) const THREADS: u32 = (WARPS + WARPS_BELOW) * warp::SIZE;
/// The largest order: 16 rows a warp.
pub(crate) const MAX_ORDER: u32 = BLOCK * WARPS;
/// Rows below the matrix that a block of threads has.
pub(crate) const ROWS_BELOW: u32 = BLOCK * WARPS_BELOW;

/// What a block of threads keeps in shared memory.
pub(crate) struct Storage<T: Mma> {
    /// Rows of the matrix, and then those below; with what substitutions with the blocks on the diagonal of even number
    /// need.
    even: SharedStorage<T, true>,
    /// The same of odd number: multipliers, shape (BLOCK, BLOCK), and reciprocals, shape (BLOCK).
    odd: (Shared<T>, Shared<T::Real>),
}

impl<T: Mma> Storage<T> {
    /// For order `n`, with rows below or without.
    #[inline(always)]
    pub(crate) fn new(layout: &mut Layout, n: u32, has_rows_below: bool) -> Self {
        let even = SharedStorage::new(layout, n + if has_rows_below { ROWS_BELOW } else { 0 });
        Self { even, odd: (layout.array(BLOCK * BLOCK), layout.array(BLOCK)) }
    }

    /// With the block on the diagonal of panel `p`.
    #[inline(always)]
    fn of(&self, p: u32) -> SharedStorage<T, true> {
        let (diagonal, reciprocals) = self.odd;
        if p.is_multiple_of(2) { self.even } else { self.even.with_diagonal(diagonal, reciprocals) }
    }
}

/// The rows of a warp.
#[derive(Clone, Copy)]
struct Rows {
    /// Their number, in sixteens: in the matrix, of all rows that it is the top of, and in shared memory.
    number: u32,
    kept: u32,
    /// One past the last row that there is.
    end: u32,
    /// Blocks that are left of their block on the diagonal, or in all columns.
    blocks: u32,
}

impl Rows {
    /// Those of this warp, of a matrix of so many panels and of order `n`; the rows below are `below.0..below.1`.
    #[inline(always)]
    fn own(panels: u32, n: u32, below: (u32, u32)) -> Self {
        let w = warp::index();
        if w < WARPS {
            return Self { number: w, kept: w, end: n, blocks: if w < panels { w } else { 0 } };
        }
        let number = below.0 / BLOCK + w - WARPS;
        let blocks = if number * BLOCK < below.1 { panels } else { 0 };
        Self { number, kept: panels + w - WARPS, end: below.1, blocks }
    }
}

/// Where the factor goes.
pub(crate) struct Target<T: Mma, L> {
    /// The strict lower triangle.
    pub(crate) strict: L,
    /// The diagonal, whose numbers are real: shape (n).
    pub(crate) roots: Global<T::Real>,
}

/// Factors a matrix of order `n`, of which `a` has the lower triangle, and replaces the rows `below.0..below.1` of `a` by
/// `A L^-H`: `below.0` is a multiple of [`BLOCK`], and they are no more than [`ROWS_BELOW`]. The conjugate of the factor
/// goes to the target, if there is one. The status, known to all threads.
#[inline(always)]
pub(crate) fn factor<T: Mma, L: Strided<T>>(
    storage: &Storage<T>,
    a: &impl Strided<T>,
    (n, below): (u32, (u32, u32)),
    target: Option<&Target<T, L>>,
) -> i32 {
    let (shared, panels, w) = (storage.even, n.div_ceil(BLOCK), warp::index());
    let rows = Rows::own(panels, n, below);
    let mut q = 0;
    while q < rows.blocks {
        shared.begin_copy(a, rows.end, (rows.number, q), (rows.kept, q));
        q += 1;
    }
    pipeline::commit();
    let mut own = [T::ZEROS; 2]; // the block on the diagonal
    if w < panels {
        own = load_diagonal(a, n, w);
        extend_diagonal::<T>(&mut own, n, w);
    }
    if w == 0 && warp::lane() == 0 {
        shared.failure.store(0, 0);
    }
    let mut stage = 0;
    while stage <= panels {
        let p = stage.wrapping_sub(1);
        let is_below = stage > 0 && p < rows.blocks;
        if is_below {
            let mut x = updated(&shared, (rows.kept, p), p);
            let mut q = p + 1;
            while p > 0 && q < rows.blocks {
                let rest = updated(&shared, (rows.kept, q), p);
                shared.keep((rows.kept, q), &rest);
                q += 1;
            }
            substitute::substitute(&mut x, &storage.of(p));
            shared.keep((rows.kept, p), &x);
            if w < panels {
                apply(&mut own, &shared, (w, w, p));
            }
        }
        if w == stage && w < panels {
            let (share, status) = soonest::factor(&own, &storage.of(w), w);
            if warp::lane() == 0 && shared.failure.load(0) == 0 {
                shared.failure.store(0, status as u32);
            }
            if let Some(target) = target {
                store_diagonal(&share, target, w, n);
            }
        }
        if is_below {
            let x = kept(&shared, (rows.kept, p)); // again, so that no registers are held for it
            if w >= WARPS {
                store(a, rows.end, (rows.number, p), &x);
            } else if let Some(target) = target {
                store(&target.strict, n, (w, p), &map::<T>(&x, T::conj));
            }
        }
        if stage == 0 {
            pipeline::wait_prior::<0>();
        }
        sync_threads();
        stage += 1;
    }
    shared.failure.load(0) as i32
}

/// A block from shared memory.
#[inline(always)]
fn kept<T: Mma>(shared: &SharedStorage<T, true>, at: (u32, u32)) -> Block<T> {
    [shared.kept(at, 0), shared.kept(at, 1)]
}

/// Block (i, q) of -A with the panels before `p` applied; the last of them is not yet.
#[inline(always)]
fn updated<T: Mma>(shared: &SharedStorage<T, true>, at: (u32, u32), p: u32) -> Block<T> {
    let mut block = kept(shared, at);
    if p <= 1 {
        block = map::<T>(&block, |x| -x); // as it was loaded
    }
    if p > 0 {
        apply(&mut block, shared, (at.0, at.1, p - 1));
    }
    block
}

/// `c += L[i, p] L[q, p]^H`, for block (i, q).
#[inline(always)]
fn apply<T: Mma>(c: &mut Block<T>, shared: &SharedStorage<T, true>, (i, q, p): (u32, u32, u32)) {
    for half in 0..2 {
        let rows = left::<T>(&shared.kept((i, p), half));
        let columns = shared.kept((q, p), half);
        for h in 0..2 {
            T::multiply_parts::<false, true>(&mut c[h], &rows, &right::<T>(&columns, h));
        }
    }
}

/// Stores what this lane has of its row of block `p` on the diagonal, conjugated.
#[inline(always)]
fn store_diagonal<T: Mma, L: Strided<T>>(x: &Share<T>, target: &Target<T, L>, p: u32, n: u32) {
    let (row, first) = (p * BLOCK + warp::lane() % BLOCK, p * BLOCK);
    if soonest::is_sharer::<T>() && row < n {
        let mut at = target.strict.at(row, first + soonest::column::<T>(0));
        for i in 0..soonest::columns::<T>() {
            let column = soonest::column::<T>(i);
            if row > first + column {
                at.store(0, x[i].conj());
            } else if row == first + column {
                target.roots.store(row as i64, x[i].real());
            }
            at = at.offset((soonest::column::<T>(i + 1) - column) as i64 * target.strict.col_stride());
        }
    }
}
