//! Iterative refinement: residuals, and how far to go on. Two things are done with it, right-hand side by right-hand
//! side.
//!
//! - Solution in double precision by factors in single precision (LAPACK `DSGESV`, `ZCGESV`). [`to_single`] rounds the
//!   matrices, [`start`] the right-hand sides, and after each solution from the factors come [`residual`] and
//!   [`norm_wise`], which adds the correction and decides whether another one is wanted. Right-hand sides and residuals
//!   are multiplied by powers of two, so that neither they nor the corrections leave the range of single precision.
//! - Improvement of solutions in the precision of the factors, and what their error bounds need (`xGERFS`): by
//!   [`residual`] and [`component_wise`], again and again.
//!
//! Right-hand sides that are done are left alone: a matrix without others is not read. No launch waits for the host.

mod component_wise;
mod decision;
mod norm_wise;
mod residual;
mod to_single;

pub use component_wise::component_wise;
pub use decision::decision_shape;
pub use norm_wise::{norm_wise, start};
pub use residual::{residual, residual_shape};
pub use to_single::{to_single, to_single_shape};

use simt::warp;

/// Warps of a block of [`residual`] and [`to_single`].
const WARPS: u32 = 4;
/// Threads of a block of [`residual`] and [`to_single`].
pub const THREADS: u32 = WARPS * warp::SIZE;
/// Most threads of a block of the other kernels, which have a block a matrix.
pub const MAX_THREADS: u32 = 256;
/// Elements that a lane has on their way at once.
const AHEAD: usize = 8;

/// The larger, or NaN if one is.
#[inline(always)]
fn worst<R: PartialOrd + Copy>(a: R, b: R) -> R {
    #[allow(clippy::eq_op, reason = "NaN")]
    let b_is_nan = b != b;
    if b > a || b_is_nan { b } else { a }
}
