//! The factorization of a diagonal block, by a warp. A lane has a row; half of the lanes do as the others do.
//!
//! The chain from one pivot to the next is short: a shuffle, a reciprocal square root, and the update of the next pivot
//! by the lane that has it. All other elements of a column follow through shared memory.

use numbers::status::{NON_FINITE, not_positive};
use simt::math::Fused;
use simt::warp;

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::cholesky::BLOCK;
use crate::schedule::cholesky::blocks::Block;
use crate::schedule::cholesky::storage::{SharedStorage, row_length};
use numbers::matrix::Strided;
use numbers::scalar::{Real, Scalar};

/// Rows and columns of the block, for arrays.
const ROWS: usize = BLOCK as usize;

/// Factors diagonal block `p` of a matrix of order `n` and stores it to device memory; what substitutions need goes to
/// shared memory. The status that comes of it.
#[inline(always)]
pub(super) fn factor<T: Mma, const IN_SHARED: bool>(
    block: &Block<T>,
    shared: &SharedStorage<T, IN_SHARED>,
    l: &impl Strided<T>,
    (p, n): (u32, u32),
) -> i32 {
    let mut x = transpose(block, shared); // this lane's row of -A
    let (row, width) = (warp::lane() % BLOCK, n - p * BLOCK);
    let mut status = 0;
    for j in 0..ROWS {
        if (j as u32) < width {
            let pivot = warp::shuffle(warp::ALL, -x[j].real(), j as u32);
            let root = if T::Real::MODERATE.contains(&pivot.to_words().0) {
                pivot.reciprocal_sqrt()
            } else {
                if status == 0 && !(pivot > <T::Real as Scalar>::ZERO && pivot.is_finite()) {
                    let column = p * BLOCK + j as u32;
                    status = if pivot.is_finite() { not_positive(column + 1) } else { NON_FINITE };
                }
                T::Real::from_f64(1.0) / Fused::sqrt(pivot)
            };
            // The multipliers are over the pivot, as the column is without its root.
            let own = -x[j].scale(root).scale(root).conj();
            let column = shared.diagonal.offset(j as u32 * BLOCK);
            if warp::lane() < BLOCK {
                column.store(row, if row > j as u32 { own } else { T::ZERO });
            }
            if j + 1 < ROWS {
                x[j + 1] = if row == j as u32 + 1 { x[j + 1].sub_mul(x[j], own) } else { x[j + 1] };
            }
            warp::sync(warp::ALL);
            let multipliers: [T; ROWS] = T::load_row(column, j + 1);
            for k in j + 1..ROWS {
                let rest = x[k].sub_mul(x[j], multipliers[k]);
                x[k] = if k == j + 1 && row == j as u32 + 1 { x[k] } else { rest };
            }
            x[j] = if row == j as u32 { T::from_real(pivot.root(root)) } else { -x[j].scale(root) };
            if warp::lane() == 0 {
                shared.reciprocals.store(j as u32, root);
            }
        }
    }
    store(&x, l, (p * BLOCK + row, p * BLOCK), n);
    status
}

/// From two tiles to a row a lane.
#[inline(always)]
fn transpose<T: Mma, const IN_SHARED: bool>(block: &Block<T>, shared: &SharedStorage<T, IN_SHARED>) -> [T; ROWS] {
    for h in 0..2 {
        for half in 0..2 {
            let row = shared.scratch.offset((fragment::row() + 8 * half as u32) * row_length::<T>());
            let pair = [T::get(&block[h], 2 * half), T::get(&block[h], 2 * half + 1)];
            T::store_pair(row.offset(8 * h as u32 + fragment::column()), pair);
        }
    }
    warp::sync(warp::ALL);
    let x = T::load_row(shared.scratch.offset(warp::lane() % BLOCK * row_length::<T>()), 0);
    warp::sync(warp::ALL); // before the next block
    x
}

/// Stores row `row` of the block, from column `first` on; zeros above the diagonal.
#[inline(always)]
fn store<T: Mma>(x: &[T; ROWS], l: &impl Strided<T>, (row, first): (u32, u32), n: u32) {
    if warp::lane() < BLOCK && row < n {
        let mut at = l.at(row, first);
        for j in 0..ROWS {
            let column = first + j as u32;
            if column < n {
                at.store(0, if row >= column { x[j] } else { T::ZERO });
            }
            at = at.offset(l.col_stride());
        }
    }
}
