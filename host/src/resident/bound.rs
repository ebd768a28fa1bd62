//! What a plan is given, as it sees it: of which type and shape, where, and in which buffer.

use std::sync::Arc;

use numbers::matrix::Matrices;
use simt::Pod;

use super::batch::{DeviceBatch, DeviceBatchMut, Placed};
use super::pivots::Pivots;
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::uses::Allocation;
use crate::error::{Error, Result};
use crate::launch::matrices_at;
use crate::layout::Layout;
use crate::operation::{ElementType, Extent, Operand, Operands, Size};

/// An operand of a run.
#[derive(Clone, Copy)]
pub(super) struct Bound<'a> {
    element: ElementType,
    matrices: Matrices<u8>,
    what: What,
    pub(super) allocation: &'a Arc<Allocation>,
    /// Bytes of the allocation before it.
    pub(super) offset: usize,
}

/// What there is.
#[derive(Clone, Copy)]
enum What {
    Matrices {
        batch: usize,
        rows: usize,
        cols: usize,
    },
    /// So many values.
    Values(usize),
    /// So many interchanges of rows of matrices of order n.
    Pivots {
        len: usize,
        n: usize,
    },
}

impl<'a, T: Pod> Placed<'a, T> {
    fn bound(&self) -> Bound<'a> {
        let what = What::Matrices { batch: self.batch, rows: self.rows, cols: self.cols };
        let (element, matrices) = (ElementType::of::<T>(), self.matrices.cast());
        Bound { element, matrices, what, allocation: self.allocation, offset: 0 }
    }
}

impl<'a, T: Pod> From<&DeviceBatch<'a, T>> for Bound<'a> {
    fn from(batch: &DeviceBatch<'a, T>) -> Self {
        batch.placed().bound()
    }
}

impl<'a, T: Pod> From<&DeviceBatchMut<'a, T>> for Bound<'a> {
    fn from(batch: &DeviceBatchMut<'a, T>) -> Self {
        batch.placed().bound()
    }
}

impl<'a, T: Pod> From<DeviceSlice<'a, T>> for Bound<'a> {
    fn from(slice: DeviceSlice<'a, T>) -> Self {
        let matrices = matrices_at(slice.address(), Layout::column_major(1, 1));
        let (element, what) = (ElementType::of::<T>(), What::Values(slice.len()));
        Self { element, matrices, what, allocation: slice.allocation, offset: slice.byte_offset() }
    }
}

impl<'a, T: Pod> From<DeviceSliceMut<'a, T>> for Bound<'a> {
    fn from(slice: DeviceSliceMut<'a, T>) -> Self {
        slice.inner().into()
    }
}

impl<'a> From<&'a Pivots> for Bound<'a> {
    fn from(pivots: &'a Pivots) -> Self {
        let values = Self::from(DeviceSlice::from(&pivots.buffer));
        Self { what: What::Pivots { len: pivots.buffer.len(), n: pivots.n }, ..values }
    }
}

impl Operands for &[Bound<'_>] {
    fn at(&self, number: usize) -> Matrices<u8> {
        self[number].matrices
    }
}

impl Bound<'_> {
    /// How many matrices it is of.
    pub(super) fn batch(&self) -> usize {
        match self.what {
            What::Matrices { batch, .. } => batch,
            What::Values(len) | What::Pivots { len, .. } => len,
        }
    }

    /// Checks that it is what a run on so many matrices of a size takes for this operand.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn expect(&self, operand: &Operand, size: Size, batch: usize) -> Result<()> {
        let (rows, cols) = operand.extent.shape(size);
        let holds = |len: usize| rows.checked_mul(batch).is_some_and(|wanted| wanted <= len);
        let fits = match (self.what, operand.extent) {
            (What::Matrices { batch: own_batch, rows: own_rows, cols: own_cols }, Extent::Square | Extent::Sides) => {
                (own_batch, own_rows, own_cols) == (batch, rows, cols)
            }
            (What::Values(len), Extent::One) => holds(len),
            // No other values: these alone are known to be below n.
            (What::Pivots { len, n }, Extent::Rows) => n == size.n && holds(len),
            _ => false,
        };
        if fits && self.element == operand.element { Ok(()) } else { Err(self.misfit(operand, size, batch)) }
    }

    /// Why it does not fit.
    #[cold]
    fn misfit(&self, operand: &Operand, size: Size, batch: usize) -> Error {
        let (what, (rows, cols)) = (operand.name, operand.extent.shape(size));
        if self.element != operand.element {
            return operand.wrong_type();
        }
        Error::Shape(match self.what {
            What::Matrices { batch: own, rows: own_rows, cols: own_cols } => format!(
                "{what} must be {batch} matrices of {rows} x {cols}, as the plan and the other batches are, but is \
                 {own} of {own_rows} x {own_cols}"
            ),
            What::Pivots { n, .. } if n != size.n => {
                format!("the pivots are of matrices of order {n}, not of order {}", size.n)
            }
            What::Values(len) | What::Pivots { len, .. } => {
                format!("{what} needs {} elements, but the buffer holds {len}", rows.saturating_mul(batch))
            }
        })
    }
}
