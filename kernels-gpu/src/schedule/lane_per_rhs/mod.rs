//! Inverse and several right-hand sides from LU factors, n <= 32: a lane a right-hand side, all of it in registers.
//!
//! ```text
//! lane 0: | x | . | x |     every lane solves with both triangles by itself: no lane waits for another.
//! lane 1: | x | . | x |     The factors are in shared memory, where all lanes read the same numbers at a time,
//! lane 2: | x | . | x |     16 bytes each.
//! ```
//!
//! Solutions take a block a matrix, a thread a right-hand side. An inverse takes `LANES` lanes, whose right-hand sides
//! are the rows of the unit matrix: X U = I, then X L = W, and a permutation of the columns (`xGETRI`, whose left residual
//! is as small).
//!
//! - `N`: the largest order; smaller matrices go on as the unit matrix

mod factors;
mod getri;
mod getrs;

pub use getri::{getri, shape as getri_shape};
pub use getrs::{MAX_THREADS, getrs, shape as getrs_shape, trtrs};
