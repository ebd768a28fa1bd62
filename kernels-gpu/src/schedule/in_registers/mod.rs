//! Matrices of order up to 32, one or several in the registers of a warp.
//!
//! A thread group of `LANES` lanes holds a matrix: lane l has rows l, l + LANES, ..., all columns of them.
//!
//! ```text
//!            N columns
//!          +-----------+
//!   lane 0 | row 0     |     LANES = 4, LANE_ROWS = 2, N = 8: eight matrices a warp
//!   lane 1 | row 1     |
//!   ...    |           |     for each column k (right-looking, unblocked: LAPACK's xGETF2):
//!   lane 0 | row 4     |     1. the group finds the pivot by one maximum (`pivot`)
//!   lane 1 | row 5     |     2. the lane that has the pivot row writes it to shared memory
//!   ...    |           |     3. all lanes read it from there, and update their rows
//!          +-----------+
//! ```
//!
//! Rows are never interchanged: each remembers the step in which it was the pivot row, and is stored accordingly;
//! LAPACK's pivots come from tracking where interchanges would have moved it. Accesses to device memory coalesce in
//! any layout, by way of shared memory if need be (`warp_matrices`). The warps of a block are independent.
//!
//! - `N`: the largest order, and columns of the register array
//! - `LANES`: lanes of a matrix
//! - `LANE_ROWS`: rows of a lane; `LANES * LANE_ROWS >= N`

pub mod gesv;
pub mod getrf;
pub mod getrf_nopiv;
pub mod inverse;
pub mod pivot;
pub mod potrf;
pub mod storage;
pub mod warp_matrices;

pub use gesv::gesv;
pub use getrf::getrf;
pub use getrf_nopiv::getrf_nopiv;
pub use inverse::inverse;
pub use potrf::potrf;
pub use storage::shape;
