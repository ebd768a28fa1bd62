//! A matrix filled by all threads of a block.

use simt::{block, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::scalar::Scalar;

/// Fills a matrix of order `n`. By all threads.
#[inline(always)]
pub fn fill<T: Scalar>(matrix: &GlobalMatrix<T>, value: T, n: u32) {
    let mut j = warp::index();
    while j < n {
        let mut i = warp::lane();
        while i < n {
            if matrix.rows_are_close() {
                matrix.store(i, j, value);
            } else {
                matrix.store(j, i, value);
            }
            i += warp::SIZE;
        }
        j += block::dim() / warp::SIZE;
    }
}
