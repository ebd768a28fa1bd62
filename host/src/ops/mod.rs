//! One file a verb, each over the three backends: the CPU, and a machine (GPU or emulator) by way of the pipeline.

mod det;
mod inverse;
mod lu;
mod solve;

pub use det::Determinants;
pub use inverse::Inverse;
pub use lu::Lu;
pub use solve::Solution;

use faer::{Mat, MatRef};

use crate::batch::Batch;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::status::Status;

/// Matrix b of a batch, in the arithmetic type.
fn load<T: Element>(a: &Batch<'_, T>, b: usize) -> Mat<T::Scalar> {
    Mat::from_fn(a.rows, a.cols, |i, j| a.data[a.layout.at(b, i, j)].widen())
}

/// Writes a matrix to its place in a compact batch's slice of it.
fn store<T: Element>(x: MatRef<'_, T::Scalar>, layout: Layout, out: &mut [T]) {
    for j in 0..x.ncols() {
        for i in 0..x.nrows() {
            out[layout.at(0, i, j)] = T::narrow(x[(i, j)]);
        }
    }
}

/// Statuses from their codes.
fn statuses(codes: &[i32]) -> Vec<Status> {
    codes.iter().map(|&code| Status::from_code(code)).collect()
}

/// Checks that `b` holds right-hand sides for `batch` matrices of order `n`.
fn check_rhs<T: Element>(b: &Batch<'_, T>, batch: usize, n: usize) -> Result<()> {
    if (b.batch, b.rows) == (batch, n) {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "{batch} matrices of order {n} need as many right-hand sides of {n} rows, but there are {} of {} rows",
        b.batch, b.rows
    )))
}
