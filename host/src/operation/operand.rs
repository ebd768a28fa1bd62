//! What an operation is given, as drivers see it.

use std::any::TypeId;

use simt::Pod;

use super::Size;
use crate::element::bytes_of;
use crate::error::{Error, Result};
use kernels_cpu::fresh::filled;
use numbers::scalar::Scalar;

/// An operand of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// As errors name it.
    pub(crate) name: &'static str,
    pub(crate) extent: Extent,
    pub(crate) element: ElementType,
    pub(crate) access: Access,
    /// What results of matrices of order 0 are, as bytes of so many; zero, if nothing is said.
    pub(crate) of_order_0: Option<Values>,
}

/// How many matrices there are, and their rows and columns.
pub(crate) type Held = (usize, (usize, usize));

/// So many values, as bytes.
type Values = fn(usize) -> Result<Vec<u8>>;

/// What an operand has for each matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// n x n elements.
    Square,
    /// n x k elements, for k right-hand sides.
    Sides,
    /// n values.
    Rows,
    /// n values for each right-hand side.
    SideRows,
    /// A value for each right-hand side.
    PerSide,
    /// One value.
    One,
}

/// What is done with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementType {
    id: TypeId,
    pub(crate) bytes: usize,
}

impl ElementType {
    pub(crate) const fn of<T: Pod>() -> Self {
        Self { id: TypeId::of::<T>(), bytes: size_of::<T>() }
    }
}

impl Extent {
    /// Whether it is matrices, with strides; else values, one after the other.
    pub(crate) fn is_matrix(self) -> bool {
        matches!(self, Self::Square | Self::Sides)
    }

    /// Rows and columns of what there is for a matrix.
    pub(crate) fn shape(self, size: Size) -> (usize, usize) {
        match self {
            Self::Square => (size.n, size.n),
            Self::Sides => (size.n, size.rhs),
            Self::Rows => (size.n, 1),
            Self::SideRows => (size.n * size.rhs, 1),
            Self::PerSide => (size.rhs, 1),
            Self::One => (1, 1),
        }
    }
}

impl Operand {
    /// One that is read.
    pub(super) const fn read<T: Pod>(name: &'static str, extent: Extent) -> Self {
        Self { name, extent, element: ElementType::of::<T>(), access: Access::Read, of_order_0: None }
    }

    /// One that is written.
    pub(super) const fn written<T: Pod>(name: &'static str, extent: Extent) -> Self {
        Self { name, extent, element: ElementType::of::<T>(), access: Access::Write, of_order_0: None }
    }

    /// One value that is written, and 1 for matrices of order 0.
    pub(super) const fn one<S: Scalar>(name: &'static str) -> Self {
        Self { of_order_0: Some(ones::<S>), ..Self::written::<S>(name, Extent::One) }
    }

    /// The statuses of results.
    pub(super) const STATUS: Self = Self::written::<i32>("status", Extent::One);

    pub(super) fn is_status(&self) -> bool {
        self.access == Access::Write && self.element == Self::STATUS.element
    }

    /// Checks for how many matrices it is, and of which shape.
    ///
    /// # Errors
    /// [`Error::Shape`], which names it.
    pub(crate) fn expect(&self, wanted: Held, held: Held) -> Result<()> {
        if held == wanted { Ok(()) } else { Err(self.misfit(wanted, held)) }
    }

    /// Checks the type of its elements.
    ///
    /// # Errors
    /// [`Error::Shape`], which names it.
    pub(crate) fn expect_type(&self, element: ElementType) -> Result<()> {
        if element == self.element { Ok(()) } else { Err(self.wrong_type()) }
    }

    /// What is said of another number of matrices or of another shape.
    #[cold]
    fn misfit(&self, (batch, (rows, cols)): Held, (own_batch, (own_rows, own_cols)): Held) -> Error {
        Error::Shape(format!(
            "`{}` must hold {batch} matrices of {rows} x {cols}, but it holds {own_batch} of {own_rows} x {own_cols}",
            self.name
        ))
    }

    /// What is said of elements of another type.
    pub(crate) fn wrong_type(&self) -> Error {
        Error::Shape(format!("`{}` is of another type of elements than the operation's", self.name))
    }
}

fn ones<S: Scalar>(count: usize) -> Result<Vec<u8>> {
    Ok(bytes_of(&filled(S::ONE, count)?).to_vec())
}
