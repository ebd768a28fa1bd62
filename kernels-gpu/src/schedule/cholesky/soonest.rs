//! The factorization of a diagonal block as in [`diagonal`](super::diagonal), as soon as can be: without a branch from the
//! first column to the last, the next root is computed while multipliers are on their way through shared memory.
//!
//! That takes registers, of which blocks of many matrices have none to spare.

use simt::math::Fused;
use simt::warp;

use crate::collective::fragment;
use crate::numbers::mma::Mma;
use crate::numbers::scalar::{Real, Scalar};
use crate::operation::{NON_FINITE, not_positive};
use crate::schedule::cholesky::BLOCK;
use crate::schedule::cholesky::blocks::Block;
use crate::schedule::cholesky::storage::{SharedStorage, row_length};

/// Rows and columns of the block, for arrays.
const ROWS: usize = BLOCK as usize;

/// Factors diagonal block `p`, of which `block` is the negative, and leaves what substitutions need in shared memory.
/// This lane's row of L, of which what is right of the diagonal means nothing, and the status.
#[inline(always)]
pub(super) fn factor<T: Mma, const IN_SHARED: bool>(
    block: &Block<T>,
    shared: &SharedStorage<T, IN_SHARED>,
    p: u32,
) -> ([T; ROWS], i32) {
    to_rows(block, shared);
    let mut x = own_row(shared); // of -A
    let row = warp::lane() % BLOCK;
    let mut is_moderate = true;
    let mut pivot = warp::shuffle(warp::ALL, -x[0].real(), 0);
    for j in 0..ROWS {
        is_moderate &= T::Real::MODERATE.contains(&pivot.to_words().0);
        let (this, root) = (pivot, pivot.reciprocal_sqrt());
        let own = multiplier(x[j], root);
        let column = shared.diagonal.offset(j as u32 * BLOCK);
        if warp::lane() < BLOCK {
            column.store(row, if row > j as u32 { own } else { T::ZERO });
        }
        if warp::lane() == 0 {
            shared.reciprocals.store(j as u32, root);
        }
        if j + 1 < ROWS {
            let next = x[j + 1].sub_mul(x[j], own); // the pivot in the lane that has it
            pivot = warp::shuffle(warp::ALL, -next.real(), j as u32 + 1);
            warp::sync(warp::ALL);
            let multipliers: [T; ROWS] = T::load_row(column, j + 1);
            for k in j + 1..ROWS {
                x[k] = x[k].sub_mul(x[j], multipliers[k]);
            }
        }
        x[j] = if row == j as u32 { T::from_real(this.root(root)) } else { -x[j].scale(root) };
    }
    if is_moderate {
        return (x, 0);
    }
    let status = factor_carefully(shared, p);
    (own_row(shared), status)
}

/// The multiplier of a row with `x` left of it in -A: over the pivot, as the column is without its root.
#[inline(always)]
fn multiplier<T: Mma>(x: T, root: T::Real) -> T {
    -x.scale(root).scale(root).conj()
}

/// The same in shared memory, where the rows of -A still are, for pivots of any magnitude and for those that are not
/// positive.
#[inline(always)]
fn factor_carefully<T: Mma, const IN_SHARED: bool>(shared: &SharedStorage<T, IN_SHARED>, p: u32) -> i32 {
    let row = warp::lane() % BLOCK;
    let own = shared.scratch.offset(row * row_length::<T>());
    let mut status = 0;
    let mut j = 0;
    while j < BLOCK {
        let pivot = -shared.scratch.load(j * row_length::<T>() + j).real();
        if status == 0 && !(pivot > <T::Real as Scalar>::ZERO && pivot.is_finite()) {
            status = if pivot.is_finite() { not_positive(p * BLOCK + j + 1) } else { NON_FINITE };
        }
        let is_moderate = T::Real::MODERATE.contains(&pivot.to_words().0);
        let root = if is_moderate { pivot.reciprocal_sqrt() } else { T::Real::from_f64(1.0) / Fused::sqrt(pivot) };
        let (column, x) = (shared.diagonal.offset(j * BLOCK), own.load(j));
        warp::sync(warp::ALL); // before the pivot is replaced
        if warp::lane() < BLOCK {
            column.store(row, if row > j { multiplier(x, root) } else { T::ZERO });
            own.store(j, if row == j { T::from_real(pivot.root(root)) } else { -x.scale(root) });
        }
        if warp::lane() == 0 {
            shared.reciprocals.store(j, root);
        }
        warp::sync(warp::ALL);
        let mut k = j + 1;
        while k < BLOCK {
            if warp::lane() < BLOCK {
                own.store(k, own.load(k).sub_mul(x, column.load(k)));
            }
            k += 1;
        }
        warp::sync(warp::ALL);
        j += 1;
    }
    status
}

/// From two tiles to rows, in shared memory.
#[inline(always)]
fn to_rows<T: Mma, const IN_SHARED: bool>(block: &Block<T>, shared: &SharedStorage<T, IN_SHARED>) {
    for h in 0..2 {
        for half in 0..2 {
            let row = shared.scratch.offset((fragment::row() + 8 * half as u32) * row_length::<T>());
            let pair = [T::get(&block[h], 2 * half), T::get(&block[h], 2 * half + 1)];
            T::store_pair(row.offset(8 * h as u32 + fragment::column()), pair);
        }
    }
    warp::sync(warp::ALL);
}

/// This lane's row.
#[inline(always)]
fn own_row<T: Mma, const IN_SHARED: bool>(shared: &SharedStorage<T, IN_SHARED>) -> [T; ROWS] {
    let x = T::load_row(shared.scratch.offset(warp::lane() % BLOCK * row_length::<T>()), 0);
    warp::sync(warp::ALL); // before the next block
    x
}
