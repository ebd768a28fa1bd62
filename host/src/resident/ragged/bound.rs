//! What a plan for matrices of many sizes is given, as it sees it.

use numbers::matrix::Matrices;
use simt::Pod;

use super::order::{RaggedSizes, Sizes};
use super::pivots::RaggedPivots;
use super::table::{DeviceRagged, DeviceRaggedMut, Table};
use crate::backend::Memory;
use crate::error::{Error, Result};
use crate::launch::matrices_at;
use crate::layout::Layout;
use crate::operation::{Access, ElementType, Extent, Operand};
use crate::resident::plan::{Raw, Use};
use crate::resident::{DeviceSlice, DeviceSliceMut};

/// An operand of a run.
#[derive(Clone, Copy)]
pub(super) struct RaggedBound<'a> {
    element: ElementType,
    what: What<'a>,
}

#[derive(Clone, Copy)]
enum What<'a> {
    /// Matrices, of any type of elements.
    Table(&'a dyn AnyTable),
    /// A value for each matrix, as bytes: how many there are is checked.
    Values {
        bytes: DeviceSlice<'a, u8>,
        len: usize,
    },
    Pivots(&'a RaggedPivots),
}

/// A [`Table`] without its type.
trait AnyTable {
    fn expect(&self, sizes: &RaggedSizes, what: &str) -> Result<Vec<Raw>>;
    fn uses(&self, access: Access) -> [Use<'_>; 2];
}

impl<T: Pod> AnyTable for Table<'_, T> {
    fn expect(&self, sizes: &RaggedSizes, what: &str) -> Result<Vec<Raw>> {
        Ok(Table::expect(self, sizes, what)?.into_iter().map(Matrices::cast).collect())
    }

    fn uses(&self, access: Access) -> [Use<'_>; 2] {
        Table::uses(self, access)
    }
}

impl<'a, T: Pod> From<&'a DeviceRagged<'_, T>> for RaggedBound<'a> {
    fn from(matrices: &'a DeviceRagged<'_, T>) -> Self {
        Self { element: ElementType::of::<T>(), what: What::Table(matrices.table()) }
    }
}

impl<'a, T: Pod> From<&'a DeviceRaggedMut<'_, T>> for RaggedBound<'a> {
    fn from(matrices: &'a DeviceRaggedMut<'_, T>) -> Self {
        Self { element: ElementType::of::<T>(), what: What::Table(matrices.table()) }
    }
}

impl<'a, T: Pod> From<DeviceSlice<'a, T>> for RaggedBound<'a> {
    fn from(values: DeviceSlice<'a, T>) -> Self {
        let what = What::Values { bytes: values.as_bytes(), len: values.len() };
        Self { element: ElementType::of::<T>(), what }
    }
}

impl<'a, T: Pod> From<DeviceSliceMut<'a, T>> for RaggedBound<'a> {
    fn from(values: DeviceSliceMut<'a, T>) -> Self {
        values.inner().into()
    }
}

impl<'a> From<&'a RaggedPivots> for RaggedBound<'a> {
    fn from(pivots: &'a RaggedPivots) -> Self {
        Self { element: ElementType::of::<u32>(), what: What::Pivots(pivots) }
    }
}

impl<'a> RaggedBound<'a> {
    /// What each group has of it, if it is what a run on matrices of these sizes takes for this operand.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn expect(&self, operand: &Operand, sizes: &Sizes) -> Result<Vec<Raw>> {
        if self.element != operand.element {
            return Err(operand.wrong_type());
        }
        let of_operand = if operand.extent == Extent::Sides { &sizes.sides } else { &sizes.matrices };
        match (self.what, operand.extent) {
            (What::Table(table), Extent::Square | Extent::Sides) => table.expect(of_operand, operand.name),
            (What::Pivots(pivots), Extent::Rows) => {
                let groups = pivots.expect(of_operand)?.into_iter();
                Ok(groups.map(|of_group| matrices_at(of_group.address(), Layout::column_major(1, 1))).collect())
            }
            (What::Values { bytes, len }, Extent::One) => {
                let batch = of_operand.batch();
                if len < batch {
                    return Err(Error::Shape(format!(
                        "{} needs {batch} elements, but the buffer holds {len}",
                        operand.name
                    )));
                }
                let at = |first: usize| bytes.address() + (first * operand.element.bytes) as u64;
                let groups = of_operand.groups().iter();
                Ok(groups.map(|group| matrices_at(at(group.first), Layout::column_major(1, 1))).collect())
            }
            _ => Err(operand.wrong_type()),
        }
    }

    /// The buffers that it is in.
    pub(super) fn uses(&self, access: Access) -> Vec<Use<'a>> {
        match self.what {
            What::Table(table) => table.uses(access).to_vec(),
            What::Values { bytes, .. } => vec![(bytes.allocation, access)],
            What::Pivots(pivots) => vec![(pivots.allocation(), access)],
        }
    }

    /// Where it is, if it is values that are written, and the bytes of each.
    pub(super) fn written_values(&self, operand: &Operand) -> Option<(&'a Memory, usize, usize)> {
        match self.what {
            What::Values { bytes, .. } if operand.access == Access::Write => {
                Some((bytes.memory(), bytes.byte_offset(), operand.element.bytes))
            }
            _ => None,
        }
    }
}
