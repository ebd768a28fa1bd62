//! A block below the diagonal: X L^H = A, by a warp, column by column.
//!
//! Columns are divided by the diagonal of L at the end, and until then by none: multipliers of the columns after one are
//! over its pivot. So from one column to the next there are a shuffle and a multiply-add.

use simt::warp;

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::memory::vector::Vectorized;
use crate::schedule::cholesky::BLOCK;
use crate::schedule::cholesky::blocks::{Block, left};
use crate::schedule::cholesky::storage::SharedStorage;

/// Replaces the block by its solution, with the diagonal block that is in shared memory.
#[inline(always)]
pub(super) fn substitute<T: Mma, const IN_SHARED: bool>(block: &mut Block<T>, shared: &SharedStorage<T, IN_SHARED>) {
    for h in 0..2 {
        for j in 0..7 {
            let (from, e) = ((warp::lane() & !3) + j / 2, (j % 2) as usize);
            let column = shared.diagonal.offset((8 * h as u32 + j) * BLOCK + 8 * h as u32);
            let l = T::load_pair(column.offset(fragment::column())); // zeros up to column j
            for half in 0..2 {
                let x = warp::shuffle(warp::ALL, T::get(&block[h], 2 * half + e), from);
                for q in 0..2 {
                    let rest = T::get(&block[h], 2 * half + q).sub_mul(x, l[q]);
                    T::set(&mut block[h], 2 * half + q, rest);
                }
            }
        }
        if h == 0 {
            // Rows 8 to 15 of the diagonal block, in the order of the left factor's columns.
            let mut l = T::NO_ROW;
            for e in 0..2 {
                let column = fragment::column() + e as u32;
                let parts = (-shared.diagonal.load(column * BLOCK + 8 + fragment::row())).to_parts();
                for part in 0..T::PARTS {
                    l.as_mut()[part][e] = parts[part];
                }
            }
            let x = left::<T>(&block[0]);
            T::multiply_parts::<false, true>(&mut block[1], &x, &l);
        }
        let reciprocals = T::Real::load_pair(shared.reciprocals.offset(8 * h as u32 + fragment::column()));
        for e in 0..4 {
            let x = T::get(&block[h], e).scale(reciprocals[e % 2]);
            T::set(&mut block[h], e, x);
        }
    }
}
