//! Inversion and solution from the matrices themselves, in one launch: no factors are stored.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::inverse::InvertArgs;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};
use kernels_gpu::solve::FactorSolveArgs;
use simt::global::Global;

use super::{Launcher, Problem};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice;
use crate::error::Result;

/// The kernel of [`Family::Invert`] or [`Family::FactorSolve`] that a plan uses; none where it goes by factors, as it does where the
/// kernel for one right-hand side does not take as many.
pub(crate) fn fused(
    backend: &Backend,
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    size: Problem,
) -> Result<Option<&'static Entry>> {
    let (problem, limit) = (size, backend.shared_limit());
    match algorithm {
        Algorithm::Auto => {
            let one = choice::find(family, kind, &Problem { rhs: 1, ..problem }, limit);
            Ok(one.filter(|entry| entry.fits(&problem, limit)))
        }
        Algorithm::Kernel(name) if choice::family(name) == Some(family) => {
            choice::named(name, kind, &problem, limit).map(Some)
        }
        _ => Ok(None),
    }
}

impl Launcher<'_> {
    /// A^-1, by a kernel of [`Family::Invert`]; all NaN where the status is not 0. `inverse` may be `a`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn invert<T: Scalar>(
        &self,
        entry: &'static Entry,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        size: Problem,
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
        entry: &'static Entry,
        a: Matrices<T>,
        (b, x): (Matrices<T>, Matrices<T>),
        status: Global<i32>,
        work: Global<T>,
        size: Problem,
    ) -> Result<()> {
        let Problem { n, rhs, .. } = size;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| FactorSolveArgs { a, b, x, status, work, first, end, n, rhs }) }
    }
}
