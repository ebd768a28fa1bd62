//! Inversion and solution from the matrices themselves, in one launch: no factors are stored.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::inverse::InvertArgs;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};
use kernels_gpu::shape::Problem;
use kernels_gpu::solve::FactorSolveArgs;
use simt::global::Global;

use super::{Size, Steps};
use crate::algorithm::Algorithm;
use crate::error::Result;
use crate::machine::Machine;
use crate::plan;

/// The kernel of [`Family::Invert`] or [`Family::FactorSolve`] that a plan uses; none where it goes by factors, as it does where the
/// kernel for one right-hand side does not take as many.
pub(crate) fn fused(
    machine: &Machine,
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    size: Size,
) -> Result<Option<&'static Entry>> {
    let (problem, limit) = (size.problem(), machine.shared_limit());
    match algorithm {
        Algorithm::Auto => {
            let one = plan::find(family, kind, &Problem { rhs: 1, ..problem }, limit);
            Ok(one.filter(|entry| entry.fits(&problem, limit)))
        }
        Algorithm::Kernel(name) if plan::family(name) == Some(family) => {
            plan::named(name, kind, &problem, limit).map(Some)
        }
        _ => Ok(None),
    }
}

impl Steps<'_> {
    /// A^-1, by a kernel of [`Family::Invert`]; all NaN where the status is not 0. `inverse` may be `a`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn invert<T: Scalar>(
        &self,
        entry: &Entry,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        size: Size,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| InvertArgs { a, inverse, status, first, end, n: size.n }) }
    }

    /// A X = B, by a kernel of [`Family::FactorSolve`]; X is all NaN where the status is not 0. `x` may be `b`. `work` has
    /// [`work_numbers`](kernels_gpu::entry::Variant::work_numbers) for each matrix.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn factor_solve<T: Scalar>(
        &self,
        entry: &Entry,
        a: Matrices<T>,
        (b, x): (Matrices<T>, Matrices<T>),
        status: Global<i32>,
        work: Global<T>,
        size: Size,
    ) -> Result<()> {
        let Size { n, rhs, .. } = size;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| FactorSolveArgs { a, b, x, status, work, first, end, n, rhs }) }
    }
}
