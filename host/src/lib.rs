//! Batched LU factorization, linear solve, inversion and determinants on NVIDIA GPUs and CPUs.
//!
//! ```
//! use warplu::{Batch, Device};
//!
//! // Two 2 x 2 matrices, row by row; the second is singular.
//! let a = [4.0_f64, 3.0, 6.0, 3.0, 1.0, 2.0, 2.0, 4.0];
//! let device = Device::best(); // a GPU if there is one, else the CPU
//! let inverse = device.invert(&Batch::c_order(&a, 2, 2, 2)?)?;
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
//! | `papers` | the algorithms of four published papers, to compare with: `warplu::papers` |
//! | `cli` | the command line |
//!
//! # Which call
//! - **One solution for each matrix**: [`Device::solve`]. It is faster and more accurate than to invert and multiply.
//! - **Several solutions, one after the other**: [`Device::lu`] once, then [`Lu::solve`] each time. Factors stay where
//!   they were made, on a GPU in its memory; [`Lu::refactor`] factors other matrices into the same memory. Determinants
//!   and inverses come from the same factors.
//! - **The inverse itself**: [`Device::invert`]. It is faster than [`Lu::inverse`], but leaves no factors.
//! - **Determinants**: [`Device::det`], as sign (or phase) and logarithm.
//! - **Matrices of many sizes**: a [`Ragged`] batch, and [`Device::solve_ragged`], [`Device::lu_ragged`] and so on.
//! - **Positive definite matrices**, such as covariances: [`Device::cholesky`] in the place of [`Device::lu`], and the
//!   other calls by a device [`with_structure`](Device::with_structure).
//! - **How far to trust any of these**: [`Lu::rcond`], the reciprocal condition numbers, at the price of a few solves;
//!   [`Lu::refine`] improves solutions and bounds their errors.
//! - **Solutions in double precision where that is slow**: [`Device::solve_refined`], by factors in single precision.
//!
//! Where results go:
//! - to fresh vectors, by the calls above;
//! - to memory that you have, by `_into`, which saves the allocation in a loop: [`Device::invert_into`],
//!   [`Device::solve_into`], [`Device::lu_into`], [`Lu::solve_into`];
//! - to the place of the input, by `_in_place`.
//!
//! Where matrices are:
//! - **in host memory**: any of these calls. Batches larger than the GPU's memory pass through in chunks. In
//!   page-locked memory ([`Device::pinned`], [`Device::pin`]) the GPU reads and writes them directly, which pays for
//!   memory that several calls use;
//! - **in GPU memory**, yours or that of other libraries: [`resident`], whose plans neither allocate nor wait;
//! - **in files**, or wherever else they can be read by ranges: [`out_of_core`].
//!
//! A singular or non-finite matrix is no error. Its [`Status`] says so, and its result is NaN. Where that is an error
//! for you, call `check()` on the result, or [`Statuses::check`].
//!
//! # Threads and memory
//! Devices, factors, buffers, streams and plans are `Send` and `Sync`, and may be used by several threads at once. On
//! the CPU, matrices are spread over rayon's threads. Between calls on host memory a GPU's [`Device`] keeps at most 66
//! MiB of page-locked memory and 256 MiB of GPU memory; clones of a device share what is kept.
//! [`Device::with_memory_limit`] bounds the GPU memory that a call may use. All of this is for each GPU where a device
//! is [several](Device::cuda_list), which do a call on host memory together.

mod algorithm;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
mod arrays;
mod backend;
mod batch;
mod call;
mod choice;
mod cpu;
#[cfg_attr(not(feature = "cuda"), path = "cuda_stub.rs")]
mod cuda;
mod device;
mod element;
mod elements;
mod error;
mod floats;
mod fresh;
mod hermitian;
mod launch;
mod layout;
mod mat;
mod matrices;
mod matrix_ref;
mod norm;
mod op;
mod ops;
pub mod out_of_core;
#[cfg(feature = "papers")]
pub mod papers;
#[cfg(not(feature = "papers"))]
#[path = "papers_stub.rs"]
mod papers;
mod pinned;
mod ragged;
pub mod resident;
mod residual;
mod route;
mod status;
mod statuses;
mod structure;
mod triangle;
pub mod verify;

pub use half::{bf16, f16};
/// What device buffers may hold.
pub use simt::Pod;

pub use algorithm::Algorithm;
pub use backend::KernelResources;
pub use batch::{Batch, BatchMut};
pub use cuda::CudaError;
pub use device::Device;
pub use element::{Double, Element, Real, RealOf, Scalar, c32, c64};
pub use error::{Error, Result};
pub use layout::Layout;
pub use matrices::Matrices;
pub use matrix_ref::{MatrixIter, MatrixRef};
pub use norm::Norm;
pub use op::Op;
pub use ops::{Cholesky, Conditions, Determinants, ErrorBounds, Inverse, Lu, Norms};
pub use ops::{RaggedInverse, RaggedLu, RaggedSolution, RefinedSolution, Refinement, Solution};
pub use pinned::{PinnedBuffer, PinnedVec};
pub use ragged::{Ragged, RaggedMatrices, RaggedMut, Shape};
pub use residual::Residual;
pub use status::Status;
pub use statuses::Statuses;
pub use structure::Structure;
pub use triangle::Triangle;

/// The README's examples are tested, too.
#[cfg(all(doctest, feature = "faer", feature = "nalgebra", feature = "ndarray"))]
#[doc = include_str!("../../README.md")]
struct Readme;
