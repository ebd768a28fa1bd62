//! Launches of what Cholesky factors are made by, and of what is made from them.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::operation::PotrfArgs;
use kernels_gpu::operation::cholesky_det::CholeskyDetArgs;
use kernels_gpu::operation::hermitian::{LuOfCholeskyArgs, MirrorArgs};
use kernels_gpu::operation::triangle::TriangleArgs;
use numbers::det_product::DetParts;
use numbers::factors::{CholeskyFactors, Factors};
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::Launcher;
use crate::choice;
use crate::error::Result;

impl Launcher<'_> {
    /// A = L L^H, by a kernel of [`Family::Potrf`]. `factors.l` may be `a`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn cholesky<T: Scalar>(
        &self,
        entry: &'static Entry,
        a: Matrices<T>,
        factors: CholeskyFactors<T>,
        size: Problem,
    ) -> Result<()> {
        let CholeskyFactors { l, status } = factors;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| PotrfArgs { a, l, status, first, end, n: size.n }) }
    }

    /// The same factors as those of LU, in memory of their own, but for their statuses.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn lu_of_cholesky<T: Scalar>(
        &self,
        factors: CholeskyFactors<T>,
        to: Factors<T>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::LuOfCholesky, Variant::Only, T::KIND)?;
        let (l, Factors { lu, pivots, .. }) = (factors.l, to);
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| LuOfCholeskyArgs { l, lu, pivots, first, end, n: size.n }) }
    }

    /// Makes matrices Hermitian, from their lower triangles.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn mirror<T: Scalar>(&self, a: Matrices<T>, size: Problem) -> Result<()> {
        let entry = choice::only(Family::Mirror, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| MirrorArgs { a, first, end, n: size.n }) }
    }

    /// Matrices put together from the lower triangles of some, with the diagonals, and the upper ones of others. `to` may
    /// be either.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn put_together<T: Scalar>(
        &self,
        (lower, upper): (Matrices<T>, Matrices<T>),
        to: Matrices<T>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::Triangle, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| TriangleArgs { lower, upper, to, first, end, n: size.n }) }
    }

    /// Determinant from factors.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn cholesky_det<T: Scalar>(
        &self,
        factors: CholeskyFactors<T>,
        det: DetParts<T, T::Real>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::CholeskyDet, Variant::Only, T::KIND)?;
        let (l, status, n) = (factors.l, factors.status, size.n);
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| CholeskyDetArgs { l, status, det, first, end, n }) }
    }
}
