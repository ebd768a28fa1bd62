//! LU, and Cholesky factorization, on the CPU, the matrices of a batch in parallel: for the CPU what kernels are for a GPU.
//!
//! Small matrices, and their factors, are worked on by `lanes`, as many side by side as a vector has lanes. Of larger
//! ones each is worked on by one thread, recursively, so that nearly all is `product`s of matrices, or by many
//! (`look_ahead`), where matrices are few. Panels, small triangles and products are worked on in the same vectors.
//!
//! [`calls`] are the way in. They go through a table of functions, one for each type that matrices are stored in: all
//! arithmetic is compiled once, in this crate, and not anew in each that calls it.

mod batch;
pub mod calls;
mod cholesky;
mod columns;
mod det;
mod element;
mod error;
mod exchange;
mod factor;
mod finite;
pub mod fresh;
mod groups;
mod inverse;
#[cfg(test)]
mod known_bits;
mod lanes;
mod look_ahead;
pub mod mat;
mod multiply;
mod nopiv;
mod one_by_one;
mod panel;
pub mod parallel;
mod params;
mod product;
mod recursive;
mod refine;
mod solve;
mod substitute;
mod substitute_apart;
mod substitute_dots;
mod substitute_few;
mod substitute_right;
mod table;
#[cfg(test)]
mod testing;
mod transfer;
mod transpose;
mod triangle;
mod triangles;
mod triangular;
mod view;
#[cfg(test)]
mod without_vectors;
mod workspace;

pub use error::{NoMemory, Result};
#[cfg(test)]
use testing::for_all_types;
