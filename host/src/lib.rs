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
//! The calls on [`Device`] take host memory and return host memory; batches larger than the GPU's memory go through in
//! chunks. Programs that stay on the GPU use [`resident`]. Matrices are [`f32`], [`f64`], [`c32`], [`c64`], or [`struct@f16`] and
//! [`bf16`], which are computed with in f32.
//!
//! Pivoting, pivots and statuses are LAPACK's. Each result is, bit for bit, what it would be without the rest of the batch;
//! one bad matrix spoils nothing but itself.

mod algorithm;
mod batch;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod element;
mod error;
mod layout;
mod machine;
#[cfg(feature = "ndarray")]
mod ndarray;
mod op;
mod ops;
mod pipeline;
mod plan;
pub mod resident;
mod status;
mod steps;
pub mod verify;

pub use half::{bf16, f16};

pub use algorithm::{Algorithm, Allocation, Columns, Correction, Interchange, Strategy};
pub use batch::{Batch, Matrices};
#[cfg(feature = "cuda")]
pub use cuda::CudaError;
pub use device::Device;
pub use element::{Element, Real, Scalar, c32, c64};
pub use error::{Error, Result};
pub use layout::Layout;
pub use machine::KernelResources;
pub use op::Op;
pub use ops::{Determinants, Inverse, Lu, Solution};
pub use status::Status;

/// The README's example is tested too.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
