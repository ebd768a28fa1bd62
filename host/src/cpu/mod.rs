//! LU, and Cholesky factorization, on the CPU, the matrices of a batch in parallel.
//!
//! Small matrices, and their factors, are worked on by [`lanes`], as many side by side as a vector has lanes. Of larger
//! ones each is worked on by one thread, recursively, so that nearly all is [`product`]s of matrices, or by many, which
//! [`look_ahead`], where matrices are few. Panels, small triangles and products are worked on in the same vectors.

pub(crate) mod batch;
pub(crate) mod cholesky;
mod columns;
mod det;
mod exchange;
pub(crate) mod factor;
mod finite;
mod groups;
mod inverse;
#[cfg(test)]
mod known_bits;
pub(crate) mod lanes;
mod look_ahead;
pub(crate) mod nopiv;
mod one_by_one;
mod panel;
mod params;
mod product;
mod recursive;
pub(crate) mod refine;
mod solve;
mod substitute;
mod substitute_apart;
mod substitute_few;
mod substitute_right;
mod substitute_rows;
#[cfg(test)]
mod testing;
mod transfer;
mod transpose;
mod triangle;
mod triangular;
pub(crate) mod view;
mod workspace;

#[cfg(test)]
pub(crate) use testing::for_all_types;
