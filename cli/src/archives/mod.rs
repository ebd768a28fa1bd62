//! What the verbs do with archives.

mod det;
mod inv;
mod lu;
mod solve;

pub(crate) use det::run as det;
pub(crate) use inv::run as inv;
pub(crate) use lu::run as lu;
pub(crate) use solve::run as solve;

use warplu::{Batch, Element};

use crate::memory::zeros;

/// The elements of a matrix in C order.
fn row_major<T: Element>(matrix: &Batch<'_, T>) -> std::io::Result<Vec<T>> {
    let cols = matrix.cols();
    let mut all = zeros(matrix.rows() * cols)?;
    all.iter_mut().enumerate().for_each(|(at, x)| *x = matrix.get(0, at / cols, at % cols));
    Ok(all)
}
