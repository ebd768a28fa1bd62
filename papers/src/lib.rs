//! The algorithms of four published papers, as these describe them: there to be compared with.
//!
//! Each runs on GPUs and in the emulator, for all types, and does what its description says: a factorization serves
//! every call that factors, an inversion [`Device::invert`](warplu::Device::invert) and
//! [`Lu::inverse`](warplu::Lu::inverse), an elimination [`Device::solve`](warplu::Device::solve). Another call is
//! [`Error::Unsupported`](warplu::Error::Unsupported).
//!
//! ```
//! use papers::Published;
//! use warplu::{Algorithm, Batch, Device};
//! let device = Device::sim().with(Algorithm::from(Published::LEFT_LOOKING));
//! let lu = device.lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
//! assert_eq!(lu.factors()?.as_slice(), [4.0, 2.0, 0.25, 1.5]);
//! # Ok::<(), warplu::Error>(())
//! ```
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_gpu_kernel))]
// Register arrays are indexed by loops that LLVM unrolls; iterators would hide the index that lanes compare with.
#![allow(clippy::needless_range_loop, clippy::manual_memcpy)]

pub mod kernels;

#[cfg(feature = "calls")]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub mod ptx;

#[cfg(feature = "calls")]
pub use host::{Allocation, Columns, Correction, Interchange, Published, Strategy, parse, verify};
