//! Arrays of other crates as batches, and results as theirs, without copies: a feature for each crate.
//!
//! One view becomes a [`Batch`](crate::Batch) or a [`BatchMut`](crate::BatchMut), a list of matrices, which lie
//! anywhere, a [`Ragged`](crate::Ragged) or a [`RaggedMut`](crate::RaggedMut). [`place`] has what they have in common.

#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
mod place;
