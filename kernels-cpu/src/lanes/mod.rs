//! Batches of small matrices on a CPU: LU, solutions, inverses and determinants, and solutions and inverses from
//! factors, of as many matrices side by side as a vector has lanes, matrix w of a group in lane w.
//!
//! A caller chooses an [`Isa`], makes a [`Workspace`] for each thread, and hands over some matrices, which are worked
//! on in groups of [`Isa::lanes`]. A group is interleaved in the workspace, so that element (i, j) of all of its
//! matrices is one vector, worked on by code generic over [`vector`] and [`number`], and taken apart again; the
//! smallest matrices never leave registers.
//!
//! The algorithms are LAPACK's, with partial pivoting. Every element of a result comes from the same operations in the
//! same order (fused multiply-adds in the order of k, then one division), so that it has the same bits for every vector
//! with fused multiply-adds, every lane, storage order and size of the group; what is in other lanes never matters.

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

mod arrange;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod cholesky;
mod complex;
mod deinterleave;
mod det;
mod doubles;
mod eliminate;
mod exchange;
mod factor;
mod group;
mod interleave;
mod inverse;
mod inverse_factored;
mod invert;
mod isa;
mod log_product;
#[cfg(target_arch = "aarch64")]
mod neon;
mod number;
mod operation;
mod portable;
mod quotient;
mod room;
mod routine;
mod single;
mod small;
mod small_given;
mod small_sides;
mod solve;
mod solve_factored;
mod square;
mod substitute;
mod subtract;
mod vector;
mod widened;
mod workspace;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub(crate) use cholesky::{
    cholesky, cholesky_det, cholesky_inverse, cholesky_inverse_factored, cholesky_solve, cholesky_solve_factored,
};
pub(crate) use det::det;
pub(crate) use factor::factor;
pub(crate) use inverse::inverse;
pub(crate) use inverse_factored::inverse_factored;
#[cfg(test)]
pub(crate) use isa::FORCED;
pub(crate) use isa::{Isa, LaneScalar};
pub(crate) use number::Number;
pub(crate) use routine::{Routine, enter};
pub(crate) use solve::solve;
pub(crate) use solve_factored::solve_factored;
pub(crate) use vector::{MAX_LANES, Stage, Vector};
pub(crate) use workspace::{Kept, Workspace};
