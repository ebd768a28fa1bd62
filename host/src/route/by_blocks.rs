//! Large matrices: by many blocks each, in a workspace that has the matrix and its right-hand sides side by side.

use numbers::factors::{CholeskyFactors, Factors};
use std::sync::{Arc, Mutex, PoisonError};

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::schedule::multi_block::StepArgs;
use kernels_gpu::schedule::multi_block::args::{
    CONJUGATED, NAN_WHERE_FAILED, ROWS_BY_PIVOT, UNIT_DIAGONAL, UNIT_MATRIX, row_words, work_columns,
};
use kernels_gpu::schedule::multi_block::steps::{
    FACTORS, Kernel, Part, SOLUTIONS, Step, TRANSPOSED_SOLUTIONS, copy, copy_definite,
};
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{Array, Room, Space};
use crate::backend::PanelQueue;
use crate::device::Single;
use crate::error::Result;
use crate::launch::{Given, Launcher, MultiBlock, Steps, clusters, transposed};
use numbers::op::Substitutions;

/// An operation by many blocks a matrix.
#[derive(Debug)]
pub(crate) struct ByBlocks<S> {
    kernels: MultiBlock,
    /// What solves with U for few right-hand sides.
    upper: Option<&'static Entry>,
    size: Problem,
    work: Array<S>,   // shape (batch, work_columns, n)
    rows: Array<u32>, // shape (batch, row_words)
    panels: Arc<Mutex<PanelQueue>>,
}

impl<S: Scalar> ByBlocks<S> {
    /// None where matrices of this order are for one block each. `size.rhs` counts columns beside the matrix.
    pub(crate) fn new(device: &Single, size: Problem, given: Given, space: &mut Space) -> Result<Option<Self>> {
        let (n, backend) = (size.n, &device.backend);
        let Some(kernels) = MultiBlock::prepare(backend, device.options.algorithm, S::KIND, size, given)? else {
            return Ok(None);
        };
        // Right-hand sides that stand beside the matrix while it is factored.
        let upper = match given {
            Given::Matrices => clusters(backend, device.options.algorithm, Family::Steps, S::KIND, size)?,
            Given::Definite | Given::Factors => None,
        };
        Ok(Some(Self {
            kernels,
            upper,
            size,
            work: space.array(&[n as usize, work_columns(n, size.rhs) as usize])?,
            rows: space.array(&[row_words::<S>(n) as usize])?,
            panels: backend.panel_queue()?,
        }))
    }

    /// The names of the kernels that it launches.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.kernels.names().into_iter().chain(self.upper.map(|entry| entry.name)).collect()
    }

    /// PA = LU; `a` may be `factors.lu`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices; so for the other functions.
    pub(crate) unsafe fn factor(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<S>,
        factors: Factors<S>,
        room: Room<'_>,
    ) -> Result<()> {
        let steps = self.steps(launcher, batch, a, (factors.pivots, factors.status, factors.status), room);
        let n = self.size.n;
        // SAFETY: the caller's promise.
        unsafe {
            steps.copy(Kernel::Pack, copy(0, n, 0), a)?;
            self.run_factorization(&steps, steps.args.work_columns)?;
            steps.copy(Kernel::Unpack, copy(0, n, FACTORS), factors.lu)
        }
    }

    /// A = L L^H, from lower triangles; `a` may be `factors.l`.
    pub(crate) unsafe fn cholesky(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<S>,
        factors: CholeskyFactors<S>,
        room: Room<'_>,
    ) -> Result<()> {
        let CholeskyFactors { l, status } = factors;
        let steps = self.steps(launcher, batch, a, (room.at(self.rows), status, status), room);
        let (n, division) = (self.size.n, &self.kernels.division);
        // SAFETY: the caller's promise.
        unsafe {
            steps.copy(Kernel::Pack, copy_definite(n), transposed(a))?;
            self.run_in_two_queues(&steps, &division.cholesky(self.kernels.together))?;
            steps.copy(Kernel::Unpack, Part { width: division.triangle, ..copy(0, n, 0) }, l)
        }
    }

    /// A X = B; `x` may be `b`.
    pub(crate) unsafe fn solve(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        (a, b, x): (Matrices<S>, Matrices<S>, Matrices<S>),
        (pivots, status): (Global<u32>, Global<i32>),
        room: Room<'_>,
    ) -> Result<()> {
        let steps = self.steps(launcher, batch, a, (pivots, status, status), room);
        let (n, rhs, first) = (self.size.n, self.size.rhs, self.kernels.division.first_rhs());
        // SAFETY: the caller's promise.
        unsafe {
            steps.copy(Kernel::Pack, copy(0, n, 0), a)?;
            steps.copy(Kernel::Pack, copy(first, rhs, 0), b)?;
            self.run_factorization(&steps, steps.args.work_columns)?;
            steps.solve_upper(self.upper, first, rhs)?;
            steps.status(copy(first, rhs, SOLUTIONS))?;
            steps.copy(Kernel::Unpack, copy(first, rhs, SOLUTIONS), x)
        }
    }

    /// A^-1; `inverse` may be `a`.
    pub(crate) unsafe fn invert(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        (a, inverse): (Matrices<S>, Matrices<S>),
        (pivots, status): (Global<u32>, Global<i32>),
        room: Room<'_>,
    ) -> Result<()> {
        let steps = self.steps(launcher, batch, a, (pivots, status, status), room);
        // SAFETY: the caller's promise.
        unsafe {
            steps.copy(Kernel::Pack, copy(0, self.size.n, 0), a)?;
            self.run_factorization(&steps, self.kernels.division.first_rhs())?;
            steps.copy(Kernel::Unpack, copy(0, self.size.n, FACTORS), inverse)?;
            self.invert_factors(&steps, inverse, inverse)
        }
    }

    /// A system from factors, or with one of them alone, which leaves the statuses to who asks for that; `x` may be `b`,
    /// `status` that of the factors.
    pub(crate) unsafe fn solve_from_factors(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        (factors, how): (Factors<S>, Substitutions),
        (b, x, status): (Matrices<S>, Matrices<S>, Global<i32>),
        room: Room<'_>,
    ) -> Result<()> {
        let steps = self.steps(launcher, batch, factors.lu, (factors.pivots, factors.status, status), room);
        let (n, rhs, first) = (self.size.n, self.size.rhs, self.kernels.division.first_rhs());
        let (mut lu, mut flags) = (factors.lu, ROWS_BY_PIVOT);
        let (mut lower, mut upper, mut pack_b, mut unpack) = (UNIT_DIAGONAL, 0, 0, SOLUTIONS);
        if how.transposed {
            // A^T = U^T L^T P: the interchanges come last.
            lu = transposed(lu);
            (lower, upper, pack_b, unpack) = (0, UNIT_DIAGONAL, ROWS_BY_PIVOT, TRANSPOSED_SOLUTIONS);
        }
        if how.conjugated {
            flags |= CONJUGATED;
        }
        if !how.are_both() {
            unpack = ROWS_BY_PIVOT; // which is all rows in order
        }
        let end = steps.args.work_columns;
        // SAFETY: the caller's promise.
        unsafe {
            steps.pivot_rows()?;
            steps.copy(Kernel::Pack, copy(0, n, flags), lu)?;
            steps.copy(Kernel::Pack, copy(first, rhs, pack_b), b)?;
            if how.forward {
                steps.run(&self.kernels.division.solve_lower(first, end, lower))?;
            }
            if how.backward {
                steps.run(&self.kernels.division.solve_upper(first, end, upper))?;
            }
            if how.are_both() {
                steps.status(copy(first, rhs, unpack))?;
            }
            steps.copy(Kernel::Unpack, copy(first, rhs, unpack), x)
        }
    }

    /// A^-1 from factors; `status` may be that of the factors.
    pub(crate) unsafe fn invert_from_factors(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: Factors<S>,
        (inverse, status): (Matrices<S>, Global<i32>),
        room: Room<'_>,
    ) -> Result<()> {
        let steps = self.steps(launcher, batch, factors.lu, (factors.pivots, factors.status, status), room);
        // SAFETY: the caller's promise.
        unsafe {
            steps.pivot_rows()?;
            self.invert_factors(&steps, factors.lu, inverse)
        }
    }

    /// A^-1, row by row: U^T L^T (P A^-T) = I. So it is the left residual that is small, as `xGETRI`'s. `inverse` may be
    /// `lu`.
    unsafe fn invert_factors(&self, steps: &Steps<'_, S>, lu: Matrices<S>, inverse: Matrices<S>) -> Result<()> {
        let (n, first, end) = (self.size.n, self.kernels.division.first_rhs(), steps.args.work_columns);
        // SAFETY: the caller's promise.
        unsafe {
            steps.copy(Kernel::Pack, copy(0, n, ROWS_BY_PIVOT), transposed(lu))?;
            steps.copy(Kernel::Pack, copy(first, n, ROWS_BY_PIVOT | UNIT_MATRIX), inverse)?;
            steps.run(&self.kernels.division.solve_lower(first, end, UNIT_MATRIX))?;
            steps.run(&self.kernels.division.solve_upper(first, end, UNIT_DIAGONAL))?;
            steps.status(copy(first, n, NAN_WHERE_FAILED))?;
            steps.copy(Kernel::Unpack, copy(first, n, NAN_WHERE_FAILED), transposed(inverse))
        }
    }

    /// The factorization of the columns of the matrix in the workspace, and what it does to those from there to `end`.
    unsafe fn run_factorization(&self, steps: &Steps<'_, S>, end: u32) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.run_in_two_queues(steps, &self.kernels.division.factor(end)) }
    }

    unsafe fn run_in_two_queues(&self, steps: &Steps<'_, S>, all: &[Step]) -> Result<()> {
        let mut panels = self.panels.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        unsafe { steps.run_beside(all, &mut panels) }
    }

    /// The launches for `batch` matrices; `any` are some matrices.
    fn steps<'a>(
        &'a self,
        launcher: &'a Launcher<'a>,
        batch: u64,
        any: Matrices<S>,
        (pivots, status, final_status): (Global<u32>, Global<i32>, Global<i32>),
        room: Room<'_>,
    ) -> Steps<'a, S> {
        let Problem { n, rhs, .. } = self.size;
        let args = StepArgs {
            matrices: any,
            pivots,
            status,
            final_status,
            work: room.at(self.work),
            rows: room.at(self.rows),
            first: 0,
            end: 0,
            n,
            work_columns: work_columns(n, rhs),
            column: 0,
            width: 0,
            begin: 0,
            end_column: 0,
            begin_row: 0,
            end_row: 0,
            list: 0,
            next_list: 0,
            flags: 0,
        };
        Steps { launcher, kernels: &self.kernels, args, batch }
    }
}

#[cfg(test)]
mod tests;
