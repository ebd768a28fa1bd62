//! The factorization of a diagonal block as in [`diagonal`](super::diagonal), as soon as can be: without a branch from the
//! first column to the last, the next root is computed while multipliers are on their way through shared memory. Two
//! lanes, l and l + 16, share row l: they have its vectors of 16 bytes in turn. Of c64 each has the whole row, as passing
//! a number from lane to lane takes longer than computing it in both.
//!
//! That takes registers, of which blocks of many matrices have none to spare.

use numbers::status::{NON_FINITE, not_positive};
use simt::math::Fused;
use simt::shared::Shared;
use simt::warp;

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::cholesky::BLOCK;
use crate::schedule::cholesky::blocks::Block;
use crate::schedule::cholesky::storage::{SharedStorage, row_length};
use numbers::scalar::{Real, Scalar};

/// Rows and columns of the block, for arrays.
const ROWS: usize = BLOCK as usize;

/// What a lane has of its row: the first [`columns`] numbers.
pub(super) type Share<T> = [T; ROWS];

/// Lanes that share a row.
#[inline(always)]
const fn sharers<T: Mma>() -> usize {
    if T::VECTOR == 1 { 1 } else { 2 }
}

/// Columns of a lane.
#[inline(always)]
pub(super) const fn columns<T: Mma>() -> usize {
    ROWS / sharers::<T>()
}

/// Whether this lane has columns that no other has.
#[inline(always)]
pub(super) fn is_sharer<T: Mma>() -> bool {
    warp::lane() < sharers::<T>() as u32 * BLOCK
}

/// Which of the lanes of a row this is.
#[inline(always)]
fn sharer<T: Mma>() -> u32 {
    warp::lane() / BLOCK % sharers::<T>() as u32
}

/// Which of the lanes of a row has column `j`, and as its how manyth.
#[inline(always)]
const fn place<T: Mma>(j: usize) -> (u32, usize) {
    let vector = j / T::VECTOR;
    ((vector % sharers::<T>()) as u32, vector / sharers::<T>() * T::VECTOR + j % T::VECTOR)
}

/// The column that is this lane's number `i`.
#[inline(always)]
pub(super) fn column<T: Mma>(i: usize) -> u32 {
    let vector = (i / T::VECTOR * sharers::<T>()) as u32 + sharer::<T>();
    vector * T::VECTOR as u32 + (i % T::VECTOR) as u32
}

/// This lane's columns of a row, from its number `first` on, which begins a vector.
#[inline(always)]
fn load_share<T: Mma>(row: Shared<T>, first: usize) -> Share<T> {
    let mut share = [T::ZERO; ROWS];
    let own = row.offset(sharer::<T>() * T::VECTOR as u32);
    for v in first / T::VECTOR..columns::<T>() / T::VECTOR {
        let part = T::load_vector(own, (v * sharers::<T>()) as u32);
        for e in 0..T::VECTOR {
            share[v * T::VECTOR + e] = part[e];
        }
    }
    share
}

/// What lane `owner` of this row passes in.
#[inline(always)]
fn of_row<T: Mma>(x: T, owner: u32) -> T {
    if sharers::<T>() == 1 { x } else { warp::shuffle(warp::ALL, x, owner * BLOCK + warp::lane() % BLOCK) }
}

/// Factors diagonal block `p`, of which `block` is the negative, and leaves what substitutions need in shared memory.
/// This lane's columns of its row of L, of which those right of the diagonal mean nothing, and the status.
#[inline(always)]
pub(super) fn factor<T: Mma, const IN_SHARED: bool>(
    block: &Block<T>,
    shared: &SharedStorage<T, IN_SHARED>,
    p: u32,
) -> (Share<T>, i32) {
    to_rows(block, shared);
    let mut x = own_share(shared); // of -A
    let row = warp::lane() % BLOCK;
    let mut is_moderate = true;
    let mut left = of_row(x[0], 0); // column j of the row, for all of its lanes
    let mut pivot = warp::shuffle(warp::ALL, -left.real(), 0);
    for j in 0..ROWS {
        is_moderate &= T::Real::MODERATE.contains(&pivot.to_words().0);
        let (this, root) = (pivot, pivot.reciprocal_sqrt());
        let own = multiplier(left, root);
        let multipliers = shared.diagonal.offset(j as u32 * BLOCK);
        if warp::lane() < BLOCK {
            multipliers.store(row, if row > j as u32 { own } else { T::ZERO });
        }
        if warp::lane() == 0 {
            shared.reciprocals.store(j as u32, root);
        }
        let mut right = left; // column j + 1, likewise
        if j + 1 < ROWS {
            let (owner, at) = place::<T>(j + 1);
            let next = x[at].sub_mul(left, own); // the pivot in the lane that has it
            pivot = warp::shuffle(warp::ALL, -next.real(), owner * BLOCK + j as u32 + 1);
            warp::sync(warp::ALL);
            // Those of columns that are done are zero.
            let first = at / T::VECTOR * T::VECTOR;
            let multipliers = load_share(multipliers, first);
            for i in first..columns::<T>() {
                x[i] = x[i].sub_mul(left, multipliers[i]);
            }
            right = of_row(x[at], owner);
        }
        let (owner, at) = place::<T>(j);
        let done = if row == j as u32 { T::from_real(this.root(root)) } else { -left.scale(root) };
        x[at] = if sharer::<T>() == owner { done } else { x[at] };
        left = right;
    }
    if is_moderate {
        return (x, 0);
    }
    let status = factor_carefully(shared, p);
    (own_share(shared), status)
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

/// This lane's columns of its row.
#[inline(always)]
fn own_share<T: Mma, const IN_SHARED: bool>(shared: &SharedStorage<T, IN_SHARED>) -> Share<T> {
    let x = load_share(shared.scratch.offset(warp::lane() % BLOCK * row_length::<T>()), 0);
    warp::sync(warp::ALL); // before the next block
    x
}
