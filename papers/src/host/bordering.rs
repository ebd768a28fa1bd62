//! Inversion of Hermitian matrices by bordering.

use kernels_gpu::operation::finish::FinishArgs;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;
use warplu::Result;
use warplu::extend::{Array, Machine, Space, Steps};

use super::{load, load_finish};
use crate::kernels::bordering::{BorderArgs, DOT_BLOCKS};

/// A kernel, and the order of what it computes in step t.
type Kernel = (&'static str, fn(u32) -> u32);

/// The kernels of a step, in order.
const STEP: [Kernel; 6] = [
    ("border_product", |t| t),
    ("border_dot", |t| t),
    ("border_beta", |_| 1),
    ("border_outer", |t| t),
    ("border_scale", |t| t),
    ("border_add", |t| t + 1),
];

/// The inverses of Hermitian matrices of which only the upper triangle is read, all of each inverse; it is all NaN where
/// the status is not 0: k if the leading block of order k is the first that is singular.
pub(super) fn invert<T: Scalar>(machine: &Machine<'_>, size: Problem, space: &mut Space) -> Result<Steps> {
    let n = size.n as usize;
    // q q^H, q, r, a partial dot product and beta of each matrix, one kind after the other.
    let scratch: Array<T> = space.array(&[n * (n + 2) + DOT_BLOCKS as usize + 1])?;
    let mut kernels = Vec::with_capacity(STEP.len());
    for (name, order) in STEP {
        kernels.push((load(machine, name, T::KIND, &size)?, order));
    }
    let finish = load_finish(machine, T::KIND, &size)?;
    Ok(Steps::new(move |job| {
        let (a, inverse, status) = (job.matrices::<T>(0), job.matrices::<T>(1), job.values(2));
        let (n, order, matrices) = (size.n, i64::from(size.n), job.batch() as i64);
        let scratch = job.array(scratch);
        let q = scratch.offset(matrices * order * order);
        let r = q.offset(matrices * order);
        let partial = r.offset(matrices * order);
        let beta = partial.offset(matrices * i64::from(DOT_BLOCKS));
        // As the inverse lies, so that both are coalesced.
        let by_columns = inverse.row_stride.unsigned_abs() <= inverse.col_stride.unsigned_abs();
        let (row_stride, col_stride) = if by_columns { (1, order) } else { (order, 1) };
        // SAFETY: no address.
        let pointers = unsafe { Global::new(0) };
        let outer = Matrices { base: scratch, pointers, batch_stride: order * order, row_stride, col_stride };

        for t in 0..n {
            // Step 0 has no W yet.
            let kernels = kernels.iter().map(|&(entry, order)| (entry, order(t))).filter(|&(_, order)| order > 0);
            for (entry, order) in kernels {
                let args = |first, end| BorderArgs { a, inverse, outer, q, r, partial, beta, status, first, end, n, t };
                // SAFETY: the operands and the scratch memory are of this size.
                unsafe { job.launch(entry, Problem { n: order, ..size }, args)? };
            }
        }
        // SAFETY: the same.
        unsafe {
            job.launch(finish, size, |first, end| FinishArgs {
                x: inverse,
                a: inverse,
                before: status,
                status,
                first,
                end,
                rows: n,
                cols: n,
                look_at_pivots: 0,
                by_columns: 0,
            })
        }
    }))
}
