//! Fills a matrix with one value, by all threads of a block.

use simt::{block, warp};

use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::Scalar;

/// Sets all elements of a matrix of order `n` to `value`.
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
