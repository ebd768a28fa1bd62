//! How plans know their operations, and what they are given for operands.

use simt::Pod;

use crate::operation::Operation;
use crate::resident::bound::Bound;
use crate::resident::plan::Given;
use crate::resident::{DeviceBatch, DeviceBatchMut, DeviceRagged, DeviceRaggedMut, Pivots, RaggedPivots};

/// What a plan's operation is.
pub trait Described<T> {
    fn operation() -> Operation;
}

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

/// Given for an operand that is where its result will be, and is read before that is written. Where this is known at run
/// time only, an operand may be an [`Option`] of a [`DeviceBatch`](crate::resident::DeviceBatch): `None` is in place.
#[derive(Clone, Copy, Debug)]
pub struct InPlace;

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
