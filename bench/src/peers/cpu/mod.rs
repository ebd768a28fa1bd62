//! Libraries on the CPU. They have LU of one matrix, or of a few in a call; a batch is divided over threads here.

mod batched;
mod cholesky;
mod compact;
mod contender;
mod faer;
mod field;
mod find;
mod kernels;
mod lapack;
mod mkl;
mod nalgebra;
mod openblas;
mod share;
#[cfg(test)]
mod tests;
mod transpose;
mod worker;

pub(crate) use self::batched::batched;
pub(crate) use self::cholesky::{faer_cholesky, one_by_one_cholesky};
pub(crate) use self::compact::compact;
pub(crate) use self::faer::faer;
pub(crate) use self::field::Field;
pub(crate) use self::lapack::{Blas, one_by_one};
pub(super) use self::mkl::open as open_mkl;
pub(crate) use self::nalgebra::nalgebra;
pub(super) use self::openblas::open as open_openblas;

use crate::case::{Case, Op, Order};
use crate::peers::calls::letter;

/// Whether these libraries do a case: they know no 16-bit types, and Cholesky factors by columns only.
pub(crate) fn do_case(case: &Case) -> bool {
    // Of a Hermitian matrix that lies row by row, the lower triangle is another one's upper.
    let suits = !case.op.is_cholesky() || case.layout == Order::ColumnMajor;
    case.op != Op::Copy && letter(case.dtype).is_some() && suits
}

/// LAPACK's calls for an operation.
pub(crate) fn route(op: Op) -> &'static str {
    match op {
        Op::Lu | Op::Det => "getrf",
        Op::LuInv => "getri",
        Op::LuSolve => "getrs",
        Op::Solve | Op::SolveRefined => "getrf+getrs",
        Op::Inv => "getrf+getri",
        Op::Chol => "potrf",
        Op::CholInv => "potri",
        Op::CholSolve => "potrs",
        Op::Copy => "copy",
    }
}
