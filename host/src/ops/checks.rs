//! Sizes that must agree.

use crate::batch::{Batch, BatchMut};
use crate::element::Element;
use crate::error::{Error, Result};

/// Checks that `b` holds right-hand sides for `batch` matrices of order `n`.
pub(super) fn right_hand_sides<T: Element>(b: &Batch<'_, T>, batch: usize, n: usize) -> Result<()> {
    if (b.batch, b.rows) == (batch, n) {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "for {batch} matrices of order {n}, the right-hand sides must be {batch} batches of {n} rows, but there \
         are {} of {} rows",
        b.batch, b.rows
    )))
}

/// Checks that `a` may be the matrices, so many of this order, that factors are of.
pub(super) fn factored<T>(a: &Batch<'_, T>, (batch, n): (usize, usize)) -> Result<()> {
    if (a.batch, a.rows, a.cols) == (batch, n, n) {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "the factors are of {batch} matrices of {n} x {n}, but there are {} of {} x {}: give those that were factored",
        a.batch, a.rows, a.cols
    )))
}

/// Checks the shape of an output.
pub(super) fn output<T>(out: &BatchMut<'_, T>, (batch, rows, cols): (usize, usize, usize)) -> Result<()> {
    if (out.batch, out.rows, out.cols) == (batch, rows, cols) {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "the output must hold {batch} matrices of {rows} x {cols}, but it holds {} of {} x {}",
        out.batch, out.rows, out.cols
    )))
}

/// Checks the length of a slice of results.
pub(super) fn length<T>(out: &[T], wanted: usize, what: &str) -> Result<()> {
    if out.len() == wanted {
        return Ok(());
    }
    Err(Error::Shape(format!("the slice for the {what} must have {wanted} elements, but it has {}", out.len())))
}

/// Checks the pivots of matrix b, as many as it has rows.
pub(super) fn pivots(b: usize, pivots: &[u32]) -> Result<()> {
    let n = pivots.len();
    let Some(at) = pivots.iter().position(|&pivot| pivot as usize >= n) else { return Ok(()) };
    let (pivot, last) = (pivots[at], n - 1);
    Err(Error::Shape(format!(
        "pivot {at} of matrix {b} is {pivot}, but rows are counted from 0 to {last}: subtract 1 from LAPACK's"
    )))
}
