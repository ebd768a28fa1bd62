//! The operations: the arguments of their kernels, and the kernels that need no schedule of their own.
//!
//! Most kernels are in [`schedule`](crate::schedule). Those here do the rest: LU of any order, solution, inversion and
//! determinants from factors, conversions.

/// Evaluates an expression in which `$T` is the scalar type of a kind.
macro_rules! with_scalar {
    ($kind:expr, $T:ident => $body:expr) => {
        match $kind {
            crate::numbers::scalar::ScalarKind::F32 => {
                type $T = f32;
                $body
            }
            crate::numbers::scalar::ScalarKind::F64 => {
                type $T = f64;
                $body
            }
            crate::numbers::scalar::ScalarKind::C32 => {
                type $T = crate::numbers::scalar::c32;
                $body
            }
            crate::numbers::scalar::ScalarKind::C64 => {
                type $T = crate::numbers::scalar::c64;
                $body
            }
        }
    };
}

mod args;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod cluster_probe;
pub mod convert;
pub mod det;
pub mod finish;
pub mod getrf;
pub mod getri;
pub mod getrs;
pub mod probe;

pub use args::{GesvArgs, GetrfArgs, GetriArgs, GetrsArgs, InverseArgs, NON_FINITE};
