//! U12 = L11^-1 A12: what the rows of a panel's pivots become, right of it (`xTRSM`). By substitution, a thread a column.

use simt::shared::Shared;
use simt::thread;

use crate::memory::matrix::{GlobalMatrix, View};
use crate::numbers::mma::Mma;
use crate::schedule::multi_block::Workspace;

/// The triangle of L of the panel that begins at column `k`, to shared memory: shape (NB, NB), column after column. By the
/// block's `threads`; a barrier must follow.
#[inline(always)]
pub fn load_triangle<T: Mma, const NB: usize>(work: &Workspace<T>, triangle: Shared<T>, k: u32, threads: u32) {
    for e in 0..(NB * NB).div_ceil(threads as usize) {
        let at = e as u32 * threads + thread::index();
        let (i, j) = (at / NB as u32, at % NB as u32);
        if i < NB as u32 {
            let row = work.pivot_rows().load((k + i) as i64);
            triangle.store(j * NB as u32 + i, work.at(row, k).load(j as i64));
        }
    }
}

/// Column `column` of U12.
#[inline(always)]
pub fn solve<T: Mma, const NB: usize>(
    work: &Workspace<T>,
    triangle: Shared<T>,
    k: u32,
    column: u32,
    is_there: bool,
) -> [T; NB] {
    let mut u = [T::ZERO; NB];
    for i in 0..NB {
        if is_there {
            u[i] = work.at(work.pivot_rows().load((k + i as u32) as i64), column).load(0);
        }
    }
    for j in 0..NB - 1 {
        let l: [T; NB] = T::load_row(triangle.offset((j * NB) as u32), j + 1);
        for i in j + 1..NB {
            u[i] = u[i].sub_mul(l[i], u[j]);
        }
    }
    u
}

/// Stores it to the factors.
#[inline(always)]
pub fn store<T: Mma, const NB: usize>(lu: &GlobalMatrix<T>, u: &[T; NB], k: u32, column: u32) {
    for i in 0..NB {
        lu.store(k + i as u32, column, u[i]);
    }
}
