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
#[cfg_attr(not(feature = "nalgebra"), path = "without_nalgebra.rs")]
mod nalgebra;
mod openblas;
mod share;
#[cfg(test)]
mod tests;
mod transpose;
mod worker;

pub(in crate::bench) use self::batched::batched;
pub(in crate::bench) use self::cholesky::{faer_cholesky, one_by_one_cholesky};
pub(in crate::bench) use self::compact::compact;
pub(in crate::bench) use self::faer::faer;
pub(in crate::bench) use self::field::Field;
pub(in crate::bench) use self::lapack::{Blas, one_by_one};
pub(super) use self::mkl::open as open_mkl;
pub(in crate::bench) use self::nalgebra::Nalgebra;
pub(super) use self::nalgebra::open as open_nalgebra;
pub(super) use self::openblas::open as open_openblas;

use crate::bench::case::{Case, Op, Order};
use crate::bench::peers::calls::letter;

/// Whether these libraries do a case: they know no 16-bit types, and Cholesky factors by columns only.
pub(in crate::bench) fn do_case(case: &Case) -> bool {
    // Of a Hermitian matrix that lies row by row, the lower triangle is another one's upper.
    let suits = !case.op.is_cholesky() || case.layout == Order::ColumnMajor;
    case.op != Op::Copy && letter(case.dtype).is_some() && suits
}

/// LAPACK's calls for an operation.
pub(in crate::bench) fn route(op: Op) -> &'static str {
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
