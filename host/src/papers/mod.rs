//! The algorithms of four published papers, as these describe them: there to be compared with.
//!
//! Each runs on GPUs and in the emulator, for all types, and does what its description says: a factorization serves
//! every call that factors, an inversion [`Device::invert`](crate::Device::invert) and
//! [`Lu::inverse`](crate::Lu::inverse), an elimination [`Device::solve`](crate::Device::solve). Another call is
//! [`Error::Unsupported`](crate::Error::Unsupported).
//!
//! ```
//! use warplu::papers::Published;
//! use warplu::{Algorithm, Batch, Device};
//! let device = Device::sim().with(Algorithm::Published(Published::LEFT_LOOKING));
//! let lu = device.lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
//! assert_eq!(lu.factors()?.as_slice(), [4.0, 2.0, 0.25, 1.5]);
//! # Ok::<(), warplu::Error>(())
//! ```

// What the rest of the crate asks for: the parts of its routes that a published algorithm has a way of its own for.
mod inverse;
mod lu;
mod lu_inverse;
mod lu_solve;
mod solve;
mod verify;

// The launches that these are made of.
mod block_bordering;
mod block_lu;
mod bordering;
mod copy;
mod element_wise;
mod elimination;

mod published;
#[cfg(test)]
mod testing;
mod text;

pub use published::{Allocation, Columns, Correction, Interchange, Published, Strategy};

pub(crate) use lu::Lu;
pub(crate) use lu_inverse::LuInverse;
pub(crate) use verify::verify;
