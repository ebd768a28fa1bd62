//! How a device does an operation: which kernels, in which order, with what memory. A route is chosen once for an
//! order; then it only enqueues. Calls on host memory and plans take the same ones.

mod by_blocks;
mod cholesky;
mod cholesky_det;
mod cholesky_inverse;
mod cholesky_solve;
mod definite_det;
mod definite_inverse;
mod definite_solve;
mod det;
mod inverse;
mod lu;
mod lu_inverse;
mod lu_solve;
mod refine;
mod solve;
mod solve_refined;
mod space;
mod systems;
mod wide;

pub(crate) use by_blocks::ByBlocks;
pub(crate) use cholesky::Cholesky;
pub(crate) use cholesky_det::CholeskyDet;
pub(crate) use cholesky_inverse::CholeskyInverse;
pub(crate) use cholesky_solve::CholeskySolve;
pub(crate) use definite_det::DefiniteDet;
pub(crate) use definite_inverse::DefiniteInverse;
pub(crate) use definite_solve::DefiniteSolve;
pub(crate) use det::{Det, LuDet, Parts};
pub(crate) use inverse::Inverse;
pub(crate) use lu::{Lu, OwnFactors};
pub(crate) use lu_inverse::LuInverse;
pub(crate) use lu_solve::{LuSolve, Sides};
pub(crate) use refine::{Refine, RefinePorts};
pub(crate) use solve::Solve;
pub(crate) use solve_refined::{Refined, SolveRefined};
pub(crate) use space::{Array, Room, RoomMemory, Space};
pub(crate) use systems::Systems;
pub(crate) use wide::Wide;

use numbers::problem::Problem;

use crate::error::Result;
use crate::layout::check_order;

/// The size that a route is chosen for: an order, and a number of right-hand sides. What it enqueues has a batch of its
/// own.
pub(crate) fn problem(n: usize, rhs: usize) -> Result<Problem> {
    check_order(n, "rows and columns")?;
    check_order(rhs, "right-hand sides")?;
    Ok(Problem { n: n as u32, batch: 1, rhs: rhs as u32 })
}
