//! Batched LU factorization, linear solve, inversion and determinants on NVIDIA GPUs and CPUs.
//!
//! ```
//! use warplu::{Batch, Device};
//!
//! // Two 2 x 2 matrices, row by row; the second is singular.
//! let a = [4.0_f64, 3.0, 6.0, 3.0, 1.0, 2.0, 2.0, 4.0];
//! let device = Device::best(); // a GPU if there is one, else the CPU
//! let inverse = device.invert(&Batch::row_major(&a, 2, 2, 2)?)?;
//!
//! assert!(inverse.status[0].is_ok());
//! assert!((inverse.matrices.get(0, 0, 0) + 0.5).abs() < 1e-14);
//! assert!(!inverse.status[1].is_ok() && inverse.matrices.get(1, 0, 0).is_nan());
//! # Ok::<(), warplu::Error>(())
//! ```
//!
//! Matrices are [`f32`], [`f64`], [`c32`], [`c64`], or [`struct@f16`] and [`bf16`], which are computed with in f32.
//! Pivoting, pivots and statuses are LAPACK's. Each result is, bit for bit, what it would be without the rest of the
//! batch; one bad matrix spoils nothing but itself.
//!
//! # Features
//! | feature | what it adds |
//! | --- | --- |
//! | `cuda` | NVIDIA GPUs. Neither toolkit nor driver is needed to build or start: a GPU asked for opens the driver |
//! | `cust` | streams, buffers and contexts shared with the crate cust (`Device::cust_scope`), and `cuda` |
//! | `ndarray`, `faer`, `nalgebra` | arrays and views of these crates in and out, without copies |
//! | `emulator` | [`Device::sim`]: the GPU's kernels on the CPU, every access checked. Takes minutes to compile |
//!
//! # Where to go from here
//! | you want | look at |
//! | --- | --- |
//! | one solution, or several from the same factors | [`Device::solve`], [`Device::lu`] and [`Lu::solve`] |
//! | the inverse, the determinant | [`Device::invert`], [`Device::det`] |
//! | the same for positive definite matrices | [`Device::cholesky`], [`Device::with`] a [`Structure`] |
//! | the same for triangular matrices | [`Device::with`] a [`Triangular`] |
//! | the same for matrices of many sizes | the same calls, on [`Ragged`] |
//! | matrices that stay on the GPU, streams, CUDA graphs | [`resident`] |
//! | matrices in files | the same calls, on what [`out_of_core`] has |
//!
//! The [`guide`] has a chapter each on [which call](guide::which_call) to choose, on [memory and
//! threads](guide::memory), [accuracy](guide::accuracy), [statuses and errors](guide::errors), [streams and
//! graphs](guide::streams), and on the [sizes](guide::sizes) at which a GPU pays.

mod algorithm;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
mod arrays;
mod backend;
mod batch;
mod call;
mod choice;
// Without the feature there is no driver, and so nothing else either.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
mod cuda;
mod device;
mod element;
mod error;
#[doc(hidden)]
pub mod extend;
mod floats;
pub mod guide;
mod hermitian;
mod launch;
mod layout;
mod lend;
mod matrices;
mod matrix_ref;
mod norm;
mod operation;
mod ops;
mod options;
pub mod out_of_core;
mod pinned;
mod pivoting;
mod ragged;
pub mod resident;
mod residual;
mod route;
mod shard;
mod status;
mod statuses;
mod structure;
mod triangle;
mod triangular;
pub mod verify;

pub use half::{bf16, f16};
/// What device buffers may hold.
pub use simt::Pod;

pub use algorithm::Algorithm;
pub use backend::KernelResources;
pub use batch::{Batch, BatchMut};
pub use cuda::CudaError;
pub use device::{Device, DeviceInfo};
pub use element::{Double, Element, Real, RealOf, Scalar, c32, c64};
pub use error::{Error, Result};
pub use layout::Layout;
pub use lend::{InPlace, Input, Output, Owned, PivotsMut};
pub use matrices::Matrices;
pub use matrix_ref::{MatrixIter, MatrixRef};
pub use norm::Norm;
pub use numbers::op::Op;
pub use ops::{Cholesky, Conditions, Determinants, ErrorBounds, Inverse, Lu, Norms};
pub use ops::{RaggedCholesky, RaggedFactors, RaggedLu, RefinedSolution, Refinement, Solution};
pub use options::{Options, Setting};
pub use pinned::{PinnedBuffer, PinnedVec};
pub use pivoting::Pivoting;
pub use ragged::{Ragged, RaggedMatrices, RaggedMut, Shape};
pub use residual::Residual;
pub use shard::{shard, shard_uniform};
pub use status::Status;
pub use statuses::Statuses;
pub use structure::Structure;
pub use triangle::Triangle;
pub use triangular::Triangular;

/// The README's examples are tested, too.
#[cfg(all(doctest, feature = "faer", feature = "nalgebra", feature = "ndarray"))]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Whether tests are to try everything, with `WARPLU_TESTS=all` in the environment, as `cargo xtask ci` has it.
#[cfg(test)]
fn is_exhaustive() -> bool {
    std::env::var_os("WARPLU_TESTS").is_some_and(|value| value == "all")
}
