//! The operations: the arguments of their kernels, and the kernels that need no schedule of their own.
//!
//! Most kernels are in [`schedule`](crate::schedule). Those here do the rest: LU of any order, solution, inversion and
//! determinants from factors, iterative refinement, conversions.

mod args;
pub mod cholesky_det;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod cluster_probe;
pub mod convert;
pub mod det;
pub mod finish;
pub mod getrf;
pub mod getri;
pub mod getrs;
pub mod hermitian;
pub mod identity;
pub mod probe;
pub mod refine;
pub mod triangle;

pub use args::{GesvArgs, GetrfArgs, GetrfNopivArgs, GetriArgs, GetrsArgs, InverseArgs, PotrfArgs};
