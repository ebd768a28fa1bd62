//! The types whose arithmetic the libraries have that are part of this program.

use faer::traits::ComplexField;
use warplu::Element;

/// Such a type.
#[cfg(feature = "nalgebra")]
pub(in crate::bench) trait Field: Element<Scalar: ComplexField + nalgebra::ComplexField> {}
#[cfg(feature = "nalgebra")]
impl<T: Element<Scalar: ComplexField + nalgebra::ComplexField>> Field for T {}

/// Such a type.
#[cfg(not(feature = "nalgebra"))]
pub(in crate::bench) trait Field: Element<Scalar: ComplexField> {}
#[cfg(not(feature = "nalgebra"))]
impl<T: Element<Scalar: ComplexField>> Field for T {}
