//! How plans know their operations, and what they are given for operands.

use simt::Pod;

use super::{Cholesky, CholeskyDet, CholeskyInverse, CholeskySolve, Det, InPlace, Inverse};
use super::{Lu, LuDet, LuInverse, LuSolve, Solve};
use crate::element::Element;
use crate::operation::{self, Operation};
use crate::resident::bound::Bound;
use crate::resident::plan::Given;
use crate::resident::{DeviceBatch, DeviceBatchMut, DeviceRagged, DeviceRaggedMut, Pivots, RaggedPivots};

/// What a plan's operation is.
pub trait Described<T> {
    fn operation() -> Operation;
}

macro_rules! described {
    ($($name:ident by $operation:ident),+) => {$(
        impl<T: Element> Described<T> for $name {
            fn operation() -> Operation {
                operation::$operation::<T>()
            }
        }
    )+};
}
described!(
    Lu by factor_lu,
    LuSolve by lu_solve,
    LuInverse by lu_invert,
    LuDet by lu_det,
    Inverse by invert,
    Solve by solve,
    Det by det,
    Cholesky by factor_cholesky,
    CholeskySolve by cholesky_solve,
    CholeskyInverse by cholesky_invert,
    CholeskyDet by cholesky_det
);

/// What a run is given.
pub trait Bind<'r, O, T> {
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>>;
}

/// Matrices, or [`Interchanges`], that are read.
pub trait Reads<'r, T> {
    fn bound(self) -> Bound<'r>;
}

/// Matrices, or [`Interchanges`], that are written.
pub trait Writes<'r, T> {
    fn bound(self) -> Bound<'r>;
}

/// Matrices that are read, unless they are where the results will be, which have elements of type `To`.
pub trait Source<'r, T, To = T> {
    fn bound(self, result: &Bound<'r>) -> Bound<'r>;
}

/// Row interchanges, as what an operand is made of.
#[derive(Debug)]
pub enum Interchanges {}

macro_rules! operands {
    ($access:ident<$element:ty> for $($operand:ty),+) => {$(
        impl<'r> $access<'r, $element> for $operand {
            fn bound(self) -> Bound<'r> {
                (&*self).into()
            }
        }
    )+};
    ($access:ident for $($operand:ty),+) => {$(
        impl<'r, T: Pod> $access<'r, T> for $operand {
            fn bound(self) -> Bound<'r> {
                (&*self).into()
            }
        }
    )+};
}
operands!(Reads for &'r DeviceBatch<'_, T>, &'r DeviceRagged<'_, T>);
operands!(Writes for &'r mut DeviceBatchMut<'_, T>, &'r mut DeviceRaggedMut<'_, T>);
operands!(Reads<Interchanges> for &'r Pivots, &'r RaggedPivots);
operands!(Writes<Interchanges> for &'r mut Pivots, &'r mut RaggedPivots);

impl<'r, T: Pod, To> Source<'r, T, To> for &'r DeviceBatch<'_, T> {
    fn bound(self, _: &Bound<'r>) -> Bound<'r> {
        self.into()
    }
}

impl<'r, T: Pod, To> Source<'r, T, To> for &'r DeviceRagged<'_, T> {
    fn bound(self, _: &Bound<'r>) -> Bound<'r> {
        self.into()
    }
}

/// In the place of the result, if there are none.
impl<'r, T: Pod> Source<'r, T> for Option<&'r DeviceBatch<'_, T>> {
    fn bound(self, result: &Bound<'r>) -> Bound<'r> {
        self.map_or(*result, Into::into)
    }
}

impl<'r, T> Source<'r, T> for InPlace {
    fn bound(self, result: &Bound<'r>) -> Bound<'r> {
        *result
    }
}
