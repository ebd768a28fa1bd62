//! Sizes of matrices.

use std::fmt;

use crate::error::{Error, Result};
use crate::layout::{check_order, product};

/// Rows and columns of a matrix in a ragged batch. Wherever one is wanted, an order will do, or (rows, columns).
///
/// ```
/// use warplu::Shape;
/// assert_eq!(Shape::from(3), Shape { rows: 3, cols: 3 });
/// assert_eq!(Shape::from((3, 1)), Shape { rows: 3, cols: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl Shape {
    /// Elements.
    ///
    /// ```
    /// # use warplu::Shape;
    /// assert_eq!(Shape::from((3, 2)).len(), 6);
    /// ```
    #[must_use]
    pub const fn len(self) -> usize {
        self.rows.saturating_mul(self.cols)
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # use warplu::Shape;
    /// assert!(Shape::from((3, 0)).is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Refuses sizes that no memory holds.
    pub(super) fn check(self) -> Result<()> {
        check_order(self.rows, "rows")?;
        check_order(self.cols, "columns")
    }
}

impl From<usize> for Shape {
    /// That of a square matrix.
    fn from(order: usize) -> Self {
        Self { rows: order, cols: order }
    }
}

impl From<(usize, usize)> for Shape {
    fn from((rows, cols): (usize, usize)) -> Self {
        Self { rows, cols }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.rows, self.cols)
    }
}

/// Elements of all matrices, of which there may be a compact copy in memory.
pub(super) fn total(shapes: impl IntoIterator<Item = Shape>) -> Result<usize> {
    let too_many = || Error::Shape("the matrices have more elements than any memory holds".to_owned());
    let total = shapes.into_iter().try_fold(0_usize, |total, shape| {
        shape.check()?;
        total.checked_add(shape.len()).ok_or_else(too_many)
    })?;
    // Sixteen bytes each is the most that an element takes.
    product(&[total, 16]).map(|_| total)
}
