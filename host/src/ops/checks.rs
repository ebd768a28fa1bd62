//! Sizes that must agree, and results as callers get them.

use crate::batch::{Batch, BatchMut};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::ragged::Spot;
use crate::status::Status;

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

/// Checks that ragged `b` holds right-hand sides for `batch` matrices, of which `n` tells the order.
pub(super) fn ragged_right_hand_sides<T>(b: &[Spot<T>], batch: usize, n: impl Fn(usize) -> usize) -> Result<()> {
    if b.len() != batch {
        return Err(Error::Shape(format!(
            "for {batch} matrices, there must be right-hand sides for as many, but there are those of {}",
            b.len()
        )));
    }
    match (0..batch).find(|&i| b[i].shape.rows != n(i)) {
        None => Ok(()),
        Some(i) => Err(Error::Shape(format!(
            "matrix {i} is of order {}, but its right-hand sides are {}: they must have as many rows",
            n(i),
            b[i].shape
        ))),
    }
}

/// Checks the sizes of a ragged output, which are those of an input.
pub(super) fn ragged_output<T, U>(out: &[Spot<T>], wanted: &[Spot<U>]) -> Result<()> {
    if out.len() != wanted.len() {
        return Err(Error::Shape(format!(
            "the output must hold {} matrices, but it holds {}",
            wanted.len(),
            out.len()
        )));
    }
    match (0..out.len()).find(|&b| out[b].shape != wanted[b].shape) {
        None => Ok(()),
        Some(b) => Err(Error::Shape(format!(
            "matrix {b} of the output must be {}, but it is {}",
            wanted[b].shape, out[b].shape
        ))),
    }
}

/// Checks the length of a slice of results.
pub(super) fn length<T>(out: &[T], wanted: usize, what: &str) -> Result<()> {
    if out.len() == wanted {
        return Ok(());
    }
    Err(Error::Shape(format!("the slice for the {what} must have {wanted} elements, but it has {}", out.len())))
}

/// Writes statuses from their codes.
pub(super) fn hand_over(codes: &[i32], status: &mut [Status]) {
    for (status, &code) in status.iter_mut().zip(codes) {
        *status = Status::from_code(code);
    }
}
