//! Batches of small matrices on a CPU: LU, solutions, inverses and determinants of as many matrices side by side as a vector has
//! lanes, matrix w of a group in lane w.
//!
//! A caller chooses an [`Isa`], makes a [`Workspace`] for each thread, and hands over one [`Group`] after the other, each with
//! up to [`Isa::lanes`] matrices. The matrices are interleaved in the workspace, so that element (i, j) of all of them is one
//! vector, worked on by code generic over [`vector`] and [`number`], and taken apart again.
//!
//! The algorithms are LAPACK's, with partial pivoting. Every element of a result comes from the same operations in the same order
//! (fused multiply-adds in the order of k, then one division), so that it has the same bits for every vector with fused
//! multiply-adds, every lane, storage order and size of the group; what is in other lanes never matters.

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod complex;
mod deinterleave;
mod det;
mod eliminate;
mod exchange;
mod factor;
mod group;
mod interleave;
mod inverse;
mod invert;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod number;
mod operation;
mod portable;
mod routine;
mod single;
mod small;
mod solve;
mod substitute;
mod subtract;
mod vector;
mod widened;
mod workspace;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub(crate) use det::det;
pub(crate) use factor::factor;
pub(crate) use group::Group;
pub(crate) use inverse::inverse;
pub(crate) use isa::{Isa, LaneScalar};
pub(crate) use number::Number;
pub(crate) use routine::Routine;
pub(crate) use solve::solve;
pub(crate) use vector::{MAX_LANES, Vector};
pub(crate) use workspace::Workspace;
