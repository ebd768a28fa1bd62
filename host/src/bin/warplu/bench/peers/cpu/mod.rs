//! Libraries on the CPU. They have LU of one matrix, or of a few in a call; a batch is divided over threads here.

mod batched;
mod compact;
mod contender;
mod faer;
mod find;
mod lapack;
mod mkl;
#[cfg_attr(not(feature = "nalgebra"), path = "without_nalgebra.rs")]
mod nalgebra;
mod openblas;
#[cfg(test)]
mod tests;
mod transpose;
mod worker;

pub(in crate::bench) use self::batched::batched;
pub(in crate::bench) use self::compact::compact;
pub(in crate::bench) use self::faer::faer;
pub(in crate::bench) use self::lapack::{Blas, one_by_one};
pub(super) use self::mkl::open as open_mkl;
pub(super) use self::nalgebra::open as open_nalgebra;
pub(in crate::bench) use self::nalgebra::{Field, Nalgebra};
pub(super) use self::openblas::open as open_openblas;

use self::contender::Contestant;
use crate::bench::case::{Case, Op};
use crate::bench::peers::letter;
use crate::failure::{Failure, Result};

/// Bytes of matrices that a call is given where it takes many: they stay in a core's cache from one call to the next.
const CACHED: usize = 256 << 10;
/// Nanoseconds of a call on a tiny matrix, and those that other threads take to begin; both are rough.
const CALL: f64 = 200.0;
const WAKING: f64 = 30e3;

/// A library's calls on column-major matrices, with the memory that they need in one thread. Slices hold whole matrices, one
/// after the other, at most [`Kernels::together`].
pub(in crate::bench) trait Kernels<S: Copy>: Send {
    /// What the library notes of an interchange.
    type Pivot: Copy + Default + Send + Sync;
    /// Whether inverses take the place of factors.
    const IN_PLACE: bool;
    /// Whether rows are exchanged for the sake of accuracy.
    const PIVOTS: bool = true;

    /// How much it notes of a matrix of order `n`.
    fn noted(n: usize) -> usize {
        n
    }

    /// Matrices of a call.
    fn together(&self) -> usize {
        1
    }

    /// Matrices to their factors.
    fn factor(&mut self, a: &mut [S], pivots: &mut [Self::Pivot]) -> Result<()>;

    /// Matrices to their factors, elsewhere.
    fn factor_into(&mut self, a: &[S], out: &mut [S], pivots: &mut [Self::Pivot]) -> Result<()> {
        out.copy_from_slice(a);
        self.factor(out, pivots)
    }

    /// Right-hand sides to solutions, of matrices or their transposes.
    fn solve(&mut self, transposed: bool, lu: &[S], pivots: &[Self::Pivot], x: &mut [S]) -> Result<()>;

    /// Factors to inverses: those in `lu`, or those in `out` if that is in place.
    fn invert(&mut self, lu: &[S], pivots: &[Self::Pivot], out: &mut [S]) -> Result<()>;

    /// Whether the determinant of a matrix has the other sign than the product of the diagonal, by its pivots.
    fn is_odd(pivots: &[Self::Pivot]) -> bool;

    /// A matrix's interchanges as warplu has them: the row that row k was exchanged with, from 0.
    fn interchanges(pivots: &[Self::Pivot]) -> Vec<u32>;
}

/// Whether these libraries do a case: they know no 16-bit types.
pub(in crate::bench) fn do_case(case: &Case) -> bool {
    case.op != Op::Copy && letter(case.dtype).is_some()
}

/// LAPACK's calls for an operation.
pub(in crate::bench) fn route(op: Op) -> &'static str {
    match op {
        Op::Lu | Op::Det => "getrf",
        Op::LuInv => "getri",
        Op::LuSolve => "getrs",
        Op::Solve => "getrf+getrs",
        Op::Inv => "getrf+getri",
        Op::Copy => "copy",
    }
}

/// How many threads a case is worth: one if that is done before the others have begun.
fn threads(case: &Case) -> usize {
    let nanoseconds = case.batch as f64 * CALL + case.flops() / 4.0;
    if nanoseconds < WAKING { 1 } else { rayon::current_num_threads() }
}

/// Matrices of a call that takes many, of a batch that `threads` threads work on: alone, the library divides the batch itself.
fn together<S>(case: &Case, threads: usize) -> usize {
    let cached = CACHED / (case.n * case.n * size_of::<S>());
    if threads == 1 { case.batch } else { cached.clamp(1, case.batch) }
}

/// An error if LAPACK finds an argument wrong. A singular matrix is none.
fn check(call: &str, info: i64) -> Result<()> {
    if info >= 0 { Ok(()) } else { Err(Failure::Bench(format!("{call}: argument {} is wrong", -info))) }
}

/// A permutation of rows as warplu's interchanges: the row that row k was exchanged with.
fn interchanges(permutation: &[u32]) -> Vec<u32> {
    let mut rows: Vec<_> = (0..permutation.len() as u32).collect();
    let exchanged = permutation.iter().enumerate().map(|(k, row)| {
        let at = k + rows[k..].iter().position(|found| found == row).unwrap_or(0);
        rows.swap(k, at);
        at as u32
    });
    exchanged.collect()
}
