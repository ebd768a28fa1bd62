//! What is solved.

use numbers::matrix::Matrices;
use simt::global::Global;

/// Systems A X = B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Systems<T> {
    pub(crate) a: Matrices<T>, // shape (batch, n, n)
    pub(crate) b: Matrices<T>, // shape (batch, n, rhs)
    pub(crate) x: Matrices<T>, // shape (batch, n, rhs), may be b
    pub(crate) status: Global<i32>,
}
