//! Sizes and strides that a batch may have, and what is said of it.

use std::fmt;

use crate::error::{Error, Result};
use crate::layout::{Layout, check_order, product};

/// What `{:?}` says of a batch: the elements may be many.
pub(super) fn told(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    (batch, rows, cols): (usize, usize, usize),
    layout: Layout,
) -> fmt::Result {
    let mut told = f.debug_struct(name);
    told.field("batch", &batch).field("rows", &rows).field("cols", &cols).field("layout", &layout);
    told.finish_non_exhaustive()
}

/// The order of square matrices.
pub(crate) fn order(rows: usize, cols: usize) -> Result<usize> {
    if rows == cols {
        Ok(rows)
    } else {
        Err(Error::Shape(format!("the matrices are {rows} x {cols}: they must be square")))
    }
}

/// Checks that so many elements are just those of a compact batch.
pub(super) fn check_compact(len: usize, batch: usize, rows: usize, cols: usize) -> Result<()> {
    check_order(rows, "rows")?;
    check_order(cols, "columns")?;
    let wanted = product(&[batch, rows, cols])?;
    if wanted == len {
        return Ok(());
    }
    Err(Error::Shape(format!("{batch} matrices of {rows} x {cols} are {wanted} elements, but the slice holds {len}")))
}

/// Checks sizes, wherever the elements are.
pub(crate) fn check_sizes(batch: usize, rows: usize, cols: usize) -> Result<()> {
    check_order(rows, "rows")?;
    check_order(cols, "columns")?;
    // A compact copy of it, as results are, must be possible, and one word for each matrix.
    product(&[batch, rows.max(1), cols.max(1), 16]).map(|_| ())
}

/// Checks a batch with strides within so many elements.
pub(super) fn check_strided(len: usize, batch: usize, rows: usize, cols: usize, layout: Layout) -> Result<()> {
    check_sizes(batch, rows, cols)?;
    if layout.span(batch, rows, cols).is_some_and(|span| span <= len) {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "{batch} matrices of {rows} x {cols} with strides ({}, {}, {}) lead beyond the slice of {len} elements",
        layout.batch_stride, layout.row_stride, layout.col_stride
    )))
}
