//! The types whose arithmetic the libraries have that are part of this program.

use faer::traits::ComplexField;
use warplu::Element;

/// Such a type.
pub(crate) trait Field: Element<Scalar: ComplexField + nalgebra::ComplexField> {}
impl<T: Element<Scalar: ComplexField + nalgebra::ComplexField>> Field for T {}
