//! The types that matrices are stored in, with vectors to compute with.

use numbers::element::Arithmetic;

use crate::lanes::LaneScalar;

/// A type that matrices are stored in.
pub(crate) trait Element: numbers::element::Element<Scalar: CpuScalar> {}

impl<T: numbers::element::Element<Scalar: CpuScalar>> Element for T {}

/// A type of arithmetic.
pub(crate) trait CpuScalar: Arithmetic + numbers::element::Element<Scalar = Self> + LaneScalar {}

impl<T: Arithmetic + LaneScalar> CpuScalar for T {}
