//! The types that are elements.

use half::{bf16, f16};
use kernels_gpu::entry::Variant;
use kernels_gpu::memory::matrix::Matrices;

use crate::cpu::lanes::{Isa, Workspace};
use crate::element::{CpuScalar, Element, Scalar, by_lanes, c32, c64, sealed};
use crate::op::Op;

macro_rules! element {
    ($($t:ident $name:literal),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Scalar = $t;
            const NAME: &'static str = $name;
            const CONVERSION: Option<Variant> = None;

            fn widen(self) -> $t {
                self
            }
            fn narrow(x: $t) -> Self {
                x
            }

            by_lanes!(define);
        }
    )*};
}
element!(f32 "f32", f64 "f64", c32 "c32", c64 "c64");

macro_rules! half_element {
    ($($t:ident $name:literal $variant:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Scalar = f32;
            const NAME: &'static str = $name;
            const CONVERSION: Option<Variant> = Some(Variant::$variant);

            fn widen(self) -> f32 {
                self.to_f32()
            }
            fn narrow(x: f32) -> Self {
                $t::from_f32(x)
            }

            by_lanes!(define);
        }
    )*};
}
half_element!(f16 "f16" F16, bf16 "bf16" Bf16);

impl CpuScalar for f32 {}
impl CpuScalar for f64 {}
impl CpuScalar for c32 {}
impl CpuScalar for c64 {}
