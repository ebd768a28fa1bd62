//! Right-looking Cholesky factorization of one small matrix by a block of threads, as soon as can be: a warp has 16 rows,
//! and factors its block on the diagonal while the others still apply the panel before.
//!
//! ```text
//! load      each warp its rows  device memory -> tiles in shared memory, the block on the diagonal in registers; negated
//! for each panel p of 16 columns, from left to right, between two barriers:
//!     warps below:
//!         SYRK      A[w, q] -= L[w, p - 1] L[q, p - 1]^H      for all q from p on
//!         TRSM      L[w, p] = A[w, p] L[p, p]^-H
//!     warp p + 1, then:
//!         SYRK      A[w, w] -= L[w, p] L[w, p]^H
//!         POTF2     A[w, w] -> L[w, w]
//! ```

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{sync_threads, warp};

use crate::memory::matrix::Strided;
use crate::numbers::mma::Mma;
use crate::schedule::cholesky::blocks::{Block, left, load, load_diagonal, right, store, zero};
use crate::schedule::cholesky::storage::SharedStorage;
use crate::schedule::cholesky::{BLOCK, diagonal, substitute};

/// Warps of a block.
pub(crate) const WARPS: u32 = 8;
/// The largest order: 16 rows a warp.
pub(crate) const MAX_ORDER: u32 = BLOCK * WARPS;

/// What a block of threads keeps in shared memory.
pub(crate) struct Storage<T: Mma> {
    /// With what substitutions with the blocks on the diagonal of even number need.
    even: SharedStorage<T, true>,
    /// The same of odd number: multipliers, shape (BLOCK, BLOCK), and reciprocals, shape (BLOCK).
    odd: (Shared<T>, Shared<T::Real>),
}

impl<T: Mma> Storage<T> {
    /// For order `n`.
    #[inline(always)]
    pub(crate) fn new(layout: &mut Layout, n: u32) -> Self {
        let even = SharedStorage::new(layout, n);
        Self { even, odd: (layout.array(BLOCK * BLOCK), layout.array(BLOCK)) }
    }

    /// With the block on the diagonal of panel `p`.
    #[inline(always)]
    fn of(&self, p: u32) -> SharedStorage<T, true> {
        let (diagonal, reciprocals) = self.odd;
        if p.is_multiple_of(2) { self.even } else { self.even.with_diagonal(diagonal, reciprocals) }
    }
}

/// Replaces the lower triangle of a matrix of order `n` by its factor. The status, known to all threads.
#[inline(always)]
pub(crate) fn factor<T: Mma>(storage: &Storage<T>, a: &impl Strided<T>, n: u32) -> i32 {
    let (shared, panels, w) = (storage.even, n.div_ceil(BLOCK), warp::index());
    let mut own = [T::ZEROS; 2]; // the block on the diagonal
    if w < panels {
        let mut q = 0;
        while q < w {
            shared.keep((w, q), &load(a, n, (w, q)));
            q += 1;
        }
        own = load_diagonal(a, n, w);
    }
    if w == 0 {
        if warp::lane() == 0 {
            shared.failure.store(0, 0);
        }
        factor_own(storage, a, n, &own);
    }
    sync_threads();
    let mut p = 0;
    while p < panels {
        if p < w && w < panels {
            let mut x = block(&shared, a, n, (w, p));
            if p > 0 {
                apply(&mut x, &shared, a, n, (w, p, p - 1));
                let mut q = p + 1;
                while q < w {
                    let mut rest = block(&shared, a, n, (w, q));
                    apply(&mut rest, &shared, a, n, (w, q, p - 1));
                    shared.keep((w, q), &rest);
                    q += 1;
                }
                apply(&mut own, &shared, a, n, (w, w, p - 1));
            }
            substitute::substitute(&mut x, &storage.of(p));
            store(a, n, (w, p), &x);
            zero(a, n, (w, p));
            shared.keep((w, p), &x);
            if w == p + 1 {
                apply(&mut own, &shared, a, n, (w, w, p));
                factor_own(storage, a, n, &own);
            }
        }
        sync_threads();
        p += 1;
    }
    shared.failure.load(0) as i32
}

/// Factors this warp's block on the diagonal, after those of the warps before.
#[inline(always)]
fn factor_own<T: Mma>(storage: &Storage<T>, a: &impl Strided<T>, n: u32, own: &Block<T>) {
    let shared = storage.of(warp::index());
    let status = diagonal::factor(own, &shared, a, (warp::index(), n));
    if warp::lane() == 0 && shared.failure.load(0) == 0 {
        shared.failure.store(0, status as u32);
    }
}

/// Block (i, k) of -A or -L.
#[inline(always)]
fn block<T: Mma>(shared: &SharedStorage<T, true>, a: &impl Strided<T>, n: u32, (i, k): (u32, u32)) -> Block<T> {
    [shared.tile(a, n, (i, 2 * k)), shared.tile(a, n, (i, 2 * k + 1))]
}

/// `c += L[i, p] L[q, p]^H`, for block (i, q).
#[inline(always)]
fn apply<T: Mma>(
    c: &mut Block<T>,
    shared: &SharedStorage<T, true>,
    a: &impl Strided<T>,
    n: u32,
    (i, q, p): (u32, u32, u32),
) {
    for half in 0..2 {
        let rows = left::<T>(&shared.tile(a, n, (i, 2 * p + half)));
        let columns = shared.tile(a, n, (q, 2 * p + half));
        for h in 0..2 {
            T::multiply_parts::<false, true>(&mut c[h], &rows, &right::<T>(&columns, h));
        }
    }
}
