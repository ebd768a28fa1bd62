//! What a plan is given, as it sees it: of which type and shape, where, and in which buffers.

use std::sync::Arc;

use numbers::matrix::Matrices;
use simt::Pod;

use super::batch::{DeviceBatch, DeviceBatchMut, Placed};
use super::pivots::Pivots;
use super::ragged_pivots::RaggedPivots;
use super::sizes::{RaggedSizes, Sizes};
use super::slice::{DeviceSlice, DeviceSliceMut};
use super::table::{DeviceRagged, DeviceRaggedMut, Table};
use super::uses::Allocation;
use crate::error::{Error, Result};
use crate::launch::matrices_at;
use crate::layout::Layout;
use crate::operation::{ElementType, Extent, Operand};

/// An operand of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    element: ElementType,
    /// Where it is; of many sizes, where their addresses are.
    matrices: Matrices<u8>,
    what: What<'a>,
    pub(super) allocation: &'a Arc<Allocation>,
    /// Bytes of the allocation before it.
    pub(super) offset: usize,
}

/// What there is.
#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Matrices {
        batch: usize,
        rows: usize,
        cols: usize,
    },
    /// Matrices of many sizes: the strides of each group, and the buffer with their addresses.
    Table {
        sizes: &'a RaggedSizes,
        layouts: &'a [Layout],
        addresses: &'a Arc<Allocation>,
    },
    /// So many values.
    Values(usize),
    /// So many interchanges of rows of matrices of order n.
    Pivots {
        len: usize,
        n: usize,
    },
    /// Interchanges of rows of matrices of many sizes.
    RaggedPivots(&'a RaggedSizes),
}

impl<'a, T: Pod> From<&Placed<'a, T>> for Bound<'a> {
    fn from(placed: &Placed<'a, T>) -> Self {
        let what = What::Matrices { batch: placed.batch, rows: placed.rows, cols: placed.cols };
        let (element, matrices) = (ElementType::of::<T>(), placed.matrices.cast());
        Self { element, matrices, what, allocation: placed.allocation, offset: 0 }
    }
}

impl<'a, T: Pod> From<&DeviceBatch<'a, T>> for Bound<'a> {
    fn from(batch: &DeviceBatch<'a, T>) -> Self {
        batch.placed().into()
    }
}

impl<'a, T: Pod> From<&DeviceBatchMut<'a, T>> for Bound<'a> {
    fn from(batch: &DeviceBatchMut<'a, T>) -> Self {
        batch.placed().into()
    }
}

impl<'a, T: Pod> From<&'a Table<'_, T>> for Bound<'a> {
    fn from(table: &'a Table<'_, T>) -> Self {
        let Table { slice, sizes, addresses, layouts } = table;
        let what = What::Table { sizes, layouts, addresses: &addresses.allocation };
        Self { element: ElementType::of::<T>(), what, allocation: slice.allocation, ..addresses.into() }
    }
}

impl<'a, T: Pod> From<&'a DeviceRagged<'_, T>> for Bound<'a> {
    fn from(matrices: &'a DeviceRagged<'_, T>) -> Self {
        matrices.table().into()
    }
}

impl<'a, T: Pod> From<&'a DeviceRaggedMut<'_, T>> for Bound<'a> {
    fn from(matrices: &'a DeviceRaggedMut<'_, T>) -> Self {
        matrices.table().into()
    }
}

impl<'a, T: Pod> From<DeviceSlice<'a, T>> for Bound<'a> {
    fn from(slice: DeviceSlice<'a, T>) -> Self {
        let (element, what) = (ElementType::of::<T>(), What::Values(slice.len()));
        let (matrices, offset) = (values_at(slice.address()), slice.byte_offset());
        Self { element, matrices, what, allocation: slice.allocation, offset }
    }
}

impl<'a, T: Pod> From<DeviceSliceMut<'a, T>> for Bound<'a> {
    fn from(slice: DeviceSliceMut<'a, T>) -> Self {
        slice.inner().into()
    }
}

impl<'a> From<&'a Pivots> for Bound<'a> {
    fn from(pivots: &'a Pivots) -> Self {
        let what = What::Pivots { len: pivots.buffer.len(), n: pivots.n };
        Self { what, ..(&pivots.buffer).into() }
    }
}

impl<'a> From<&'a RaggedPivots> for Bound<'a> {
    fn from(pivots: &'a RaggedPivots) -> Self {
        Self { what: What::RaggedPivots(&pivots.sizes), ..(&pivots.pivots.buffer).into() }
    }
}

impl<'a, T: Pod> From<&'a super::DeviceBuffer<T>> for Bound<'a> {
    fn from(buffer: &'a super::DeviceBuffer<T>) -> Self {
        DeviceSlice::from(buffer).into()
    }
}

/// Values as matrices of one column.
fn values_at(address: u64) -> Matrices<u8> {
    matrices_at(address, Layout::column_major(1, 1))
}

impl<'a> Bound<'a> {
    /// How many matrices it is of.
    pub(super) fn batch(&self) -> usize {
        match self.what {
            What::Matrices { batch, .. } => batch,
            What::Values(len) | What::Pivots { len, .. } => len,
            What::Table { sizes, .. } | What::RaggedPivots(sizes) => sizes.batch(),
        }
    }

    /// Whether it is of many sizes.
    pub(super) fn is_ragged(&self) -> bool {
        matches!(self.what, What::Table { .. } | What::RaggedPivots(_))
    }

    /// The buffer with addresses of what it is, if they are in one.
    pub(super) fn addresses(&self) -> Option<&'a Arc<Allocation>> {
        if let What::Table { addresses, .. } = self.what { Some(addresses) } else { None }
    }

    /// What a group has of it.
    pub(super) fn of_group(&self, operand: &Operand, sizes: &Sizes, group: usize) -> Matrices<u8> {
        let Sizes::Many(matrices, _) = sizes else { return self.matrices };
        let group_of = |sizes: &RaggedSizes| sizes.groups()[group];
        let each = operand.element.bytes;
        match self.what {
            What::Table { sizes, layouts, .. } => {
                let pointers = self.matrices.base.cast::<u64>().offset(group_of(sizes).first as i64);
                Matrices { pointers, ..matrices_at(0, layouts[group]) }
            }
            What::RaggedPivots(sizes) => values_at(self.at(each * group_of(sizes).rows_before)),
            _ => values_at(self.at(each * group_of(matrices).first)),
        }
    }

    /// The address of the byte of this number.
    fn at(&self, byte: usize) -> u64 {
        self.matrices.base.address() + byte as u64
    }

    /// Checks that it is what a run on so many matrices takes for this operand.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn expect(&self, operand: &Operand, sizes: &Sizes, batch: usize) -> Result<()> {
        let fits = match sizes {
            Sizes::One(size) => {
                let (rows, cols) = operand.extent.shape(size.of_each);
                let holds = |len: usize| rows.checked_mul(batch).is_some_and(|wanted| wanted <= len);
                match (self.what, operand.extent) {
                    (What::Matrices { batch: own_batch, rows: own_rows, cols: own_cols }, extent) => {
                        extent.is_matrix() && (own_batch, own_rows, own_cols) == (batch, rows, cols)
                    }
                    (What::Values(len), Extent::One) => holds(len),
                    // No other values: these alone are known to be below n.
                    (What::Pivots { len, n }, Extent::Rows) => n == size.of_each.n && holds(len),
                    _ => false,
                }
            }
            Sizes::Many(matrices, sides) => match (self.what, operand.extent) {
                (What::Table { sizes: own, .. }, Extent::Square) => own == matrices,
                (What::Table { sizes: own, .. }, Extent::Sides) => Some(own) == sides.as_ref(),
                (What::RaggedPivots(own), Extent::Rows) => own == matrices,
                (What::Values(len), Extent::One) => batch <= len,
                _ => false,
            },
        };
        if fits && self.element == operand.element { Ok(()) } else { Err(self.misfit(operand, sizes, batch)) }
    }

    /// Why it does not fit.
    #[cold]
    fn misfit(&self, operand: &Operand, sizes: &Sizes, batch: usize) -> Error {
        let what = operand.name;
        if self.element != operand.element {
            return operand.wrong_type();
        }
        let Sizes::One(size) = sizes else {
            return Error::Shape(match self.what {
                What::Values(len) if operand.extent == Extent::One => {
                    format!("`{what}` needs {batch} elements, but the buffer holds {len}")
                }
                _ if self.is_ragged() => format!(
                    "`{what}` is not of the sizes of the plan, or they are in another order: make it with the sizes that \
                     the plan was made with"
                ),
                _ => format!("`{what}` is of one size, but the plan is for many: make it with the plan's sizes"),
            });
        };
        let (rows, cols) = operand.extent.shape(size.of_each);
        Error::Shape(match self.what {
            What::Matrices { batch: own, rows: own_rows, cols: own_cols } => format!(
                "`{what}` must be {batch} matrices of {rows} x {cols}, as the plan and the other batches are, but is \
                 {own} of {own_rows} x {own_cols}"
            ),
            What::Pivots { n, .. } if n != size.of_each.n => {
                format!("the {what} are of matrices of order {n}, not of order {}", size.of_each.n)
            }
            What::Values(len) | What::Pivots { len, .. } => {
                format!("`{what}` needs {} elements, but the buffer holds {len}", rows.saturating_mul(batch))
            }
            _ => format!("`{what}` is of many sizes, but the plan is for one: make the plan with its sizes"),
        })
    }
}
