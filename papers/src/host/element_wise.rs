//! LU column by column, an element a thread, and solutions from it.

use numbers::problem::Problem;
use numbers::scalar::Scalar;
use warplu::extend::{Machine, Steps};
use warplu::{Error, Result};

use super::copy::Copy;
use super::load;
use crate::kernels::element_wise::UpdateArgs;
use crate::kernels::pivot::PivotArgs;
use crate::kernels::substitution::SubstituteArgs;

/// PA = LU, with tiles of this size, or of the size that the order asks for.
pub(super) fn lu<T: Scalar>(machine: &Machine<'_>, tile: Option<u32>, size: Problem) -> Result<Steps> {
    let n = size.n;
    let by_order = match n {
        0..=512 => 8,
        513..=8191 => 16,
        _ => 32,
    };
    let tile = tile.unwrap_or(by_order);
    if ![8, 16, 32].contains(&tile) {
        return Err(Error::Unsupported(format!("element-wise LU with tiles of {tile}: use 8, 16 or 32")));
    }
    let copy = Copy::load(machine, T::KIND)?;
    let pivot = load(machine, "pivot", T::KIND, &size)?;
    let update = load(machine, &format!("update_tile{tile}"), T::KIND, &size)?;
    Ok(Steps::new(move |job| {
        let (lu, pivots, status) = (job.matrices::<T>(1), job.values(2), job.values(3));
        // SAFETY: the operands are these, of this size.
        unsafe { copy.enqueue(job, job.matrices(0), lu, (n, n))? };
        for k in 0..n {
            let (rows, below) = (Problem { n: n - k, ..size }, Problem { n: n - k - 1, ..size });
            // SAFETY: the same.
            unsafe {
                job.launch(pivot, rows, |first, end| PivotArgs {
                    a: lu,
                    b: lu,
                    pivots,
                    status,
                    first,
                    end,
                    n,
                    rhs: 0,
                    k,
                    keep_l: 1,
                })?;
                job.launch(update, below, |first, end| UpdateArgs { lu, first, end, n, k })?;
            }
        }
        Ok(())
    }))
}

/// A X = B from factors, by forward and backward substitution. X is all NaN where the factors' status is not 0.
pub(super) fn solve<T: Scalar>(machine: &Machine<'_>, size: Problem) -> Result<Steps> {
    let entry = load(machine, "substitute_factors", T::KIND, &size)?;
    Ok(Steps::new(move |job| {
        let (lu, pivots, status) = (job.matrices::<T>(0), job.values(1), job.values(2));
        let (b, x) = (job.matrices(3), job.matrices(4));
        let Problem { n, rhs, .. } = size;
        let args = |first, end| SubstituteArgs { lu, pivots, status, b, x, first, end, n, rhs };
        // SAFETY: the operands are these, of this size.
        unsafe { job.launch(entry, size, args) }
    }))
}
