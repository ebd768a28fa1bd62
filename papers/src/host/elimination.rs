//! Gaussian elimination of the augmented system, then back substitution, in copies of the matrices.

use kernels_gpu::operation::finish::FinishArgs;
use kernels_gpu::shape::Shape;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use warplu::extend::{Array, Machine, Space, Steps};
use warplu::{Error, Result};

use super::copy::Copy;
use super::{Strategy, kernel, load, load_finish};
use crate::kernels::elimination::{EliminateArgs, columns_shape, rows_shape};
use crate::kernels::pivot::PivotArgs;
use crate::kernels::substitution::SubstituteArgs;

/// The options of [`Published::Elimination`](super::Published::Elimination).
#[derive(Clone, Copy, Debug)]
pub(super) struct Elimination {
    pub(super) strategy: Strategy,
    pub(super) threads: u32,
    pub(super) pivoting: bool,
}

impl Elimination {
    fn name(self) -> &'static str {
        match self.strategy {
            Strategy::Rows => "eliminate_rows",
            Strategy::RowsShared => "eliminate_rows_shared",
            Strategy::Columns => "eliminate_columns",
            Strategy::ColumnsShared => "eliminate_columns_shared",
        }
    }

    /// The launch for a column with `problem.n` rows below the pivot.
    fn shape(self, problem: &Problem, kind: ScalarKind) -> Shape {
        match self.strategy {
            Strategy::Rows => rows_shape(problem, self.threads, false, kind),
            Strategy::RowsShared => rows_shape(problem, self.threads, true, kind),
            Strategy::Columns => columns_shape(problem, self.threads, false, kind),
            Strategy::ColumnsShared => columns_shape(problem, self.threads, true, kind),
        }
    }

    fn check(self, machine: &Machine<'_>, below: &Problem, kind: ScalarKind) -> Result<()> {
        let threads = self.threads;
        if ![64, 128, 256, 512, 1024].contains(&threads) {
            return Err(Error::Unsupported(format!(
                "elimination with {threads} threads a block: use 64, 128, 256, 512 or 1024"
            )));
        }
        let (bytes, limit) = (self.shape(below, kind).shared_bytes, machine.shared_bytes());
        if bytes > limit {
            return Err(Error::Unsupported(format!(
                "elimination with the pivot row in shared memory takes {bytes} bytes of it for order {}, and a block \
                 has {limit}: use the strategy `columns`",
                below.n + 1
            )));
        }
        Ok(())
    }

    /// A X = B: X is all NaN where the status is not 0. The status: with pivoting as that of LU, without k where the k-th
    /// pivot is zero; and not finite where X is not.
    pub(super) fn steps<T: Scalar>(self, machine: &Machine<'_>, size: Problem, space: &mut Space) -> Result<Steps> {
        let (n, rhs) = (size.n, size.rhs);
        let below = Problem { n: n.saturating_sub(1), ..size };
        self.check(machine, &below, T::KIND)?;
        let eliminate = kernel(self.name(), T::KIND)?;
        machine.load(eliminate, n, self.shape(&below, T::KIND).shared_bytes)?;
        let pivot = load(machine, "pivot", T::KIND, &size)?;
        let substitute = load(machine, "substitute_upper", T::KIND, &size)?;
        let (finish, copy) = (load_finish(machine, T::KIND, &size)?, Copy::load(machine, T::KIND)?);
        let own: Array<T> = space.array(&[n as usize, n as usize])?;
        let pivots: Array<u32> = space.array(&[n as usize])?; // written with pivoting only
        Ok(Steps::new(move |job| {
            // In C order, which the strategies are made for.
            let (a, b) = (job.square(own, n, true), job.matrices::<T>(2));
            let (pivots, status) = (job.array(pivots), job.values(3));
            // SAFETY: the operands and the copies are of this size.
            unsafe {
                copy.enqueue(job, job.matrices(0), a, (n, n))?;
                copy.enqueue(job, job.matrices(1), b, (n, rhs))?;
            }
            for k in 0..n {
                if self.pivoting {
                    let left = Problem { n: n - k, ..size };
                    let args = |first, end| PivotArgs { a, b, pivots, status, first, end, n, rhs, k, keep_l: 0 };
                    // SAFETY: the same.
                    unsafe { job.launch(pivot, left, args)? };
                }
                let shape = |batch| self.shape(&Problem { n: n - k - 1, batch, rhs }, T::KIND);
                let args = |first, end| EliminateArgs { a, b, first, end, n, rhs, k };
                // SAFETY: the same.
                unsafe { job.launch_as(eliminate, shape, args)? };
            }
            // SAFETY: the same.
            unsafe {
                job.launch(substitute, size, |first, end| SubstituteArgs {
                    lu: a,
                    pivots,
                    status,
                    b,
                    x: b,
                    first,
                    end,
                    n,
                    rhs,
                })?;
                job.launch(finish, size, |first, end| FinishArgs {
                    x: b,
                    a,
                    before: status,
                    status,
                    first,
                    end,
                    rows: n,
                    cols: rhs,
                    look_at_pivots: (!self.pivoting).into(),
                    // Without pivots that were looked at, a matrix that is not finite is seen by its solutions only.
                    by_columns: self.pivoting.into(),
                })
            }
        }))
    }
}
