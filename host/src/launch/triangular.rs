//! What is particular to triangular matrices, on the machine that the launcher is of.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::operation::det::DetArgs;
use kernels_gpu::operation::finish::FinishArgs;
use kernels_gpu::operation::identity::IdentityArgs;
use numbers::det_product::DetParts;
use numbers::matrix::Matrices;
use numbers::op::{Op, Substitutions};
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::Pod;
use simt::global::Global;

use super::{Launcher, transposed};
use crate::choice;
use crate::error::Result;
use crate::triangle::Triangle;
use crate::triangular::Triangular;

/// Triangular matrices as factors have them: U, or, with a diagonal of ones, L.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangles {
    is_unit: bool,
    /// Whether it is the transposed matrices whose triangles are such.
    is_swapped: bool,
    pub(crate) how: Substitutions,
}

impl From<Triangular> for Triangles {
    fn from(Triangular { triangle, unit, op }: Triangular) -> Self {
        let is_swapped = unit != (triangle == Triangle::Lower);
        let how = Substitutions::with_triangle(unit, (op != Op::None) != is_swapped, op == Op::Adjoint);
        Self { is_unit: unit, is_swapped, how }
    }
}

impl Triangles {
    /// The matrices whose triangles are where factors have them.
    pub(crate) fn of<T: Pod>(&self, a: Matrices<T>) -> Matrices<T> {
        if self.is_swapped { transposed(a) } else { a }
    }

    /// Those with which X T = I is solved for the rows of an inverse, which are right-hand sides of the transposed
    /// matrices: so it is the left residual that is small, as `xTRTRI`'s.
    pub(crate) fn for_rows(self) -> Self {
        let Substitutions { transposed, conjugated, .. } = self.how;
        Self { how: Substitutions::with_triangle(self.is_unit, !transposed, conjugated), ..self }
    }

    /// Judges results of triangular matrices, and writes their statuses: the first zero on the diagonal, or that something
    /// is not finite: the matrix, or, if they are solutions, one of the right-hand sides (`by_columns`). Without results,
    /// the matrix is judged.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn finish<T: Scalar>(
        &self,
        launcher: &Launcher<'_>,
        t: Matrices<T>,
        (x, by_columns): (Matrices<T>, bool),
        status: Global<i32>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::FinishTriangular, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise; the kernel does not look at a status before.
        unsafe {
            launcher.launch(entry, size, |first, end| FinishArgs {
                x,
                a: if self.is_unit { transposed(t) } else { t }, // an upper triangle
                before: Global::new(0),
                status,
                first,
                end,
                rows: size.n,
                cols: size.rhs,
                look_at_pivots: (!self.is_unit).into(),
                by_columns: by_columns.into(),
            })
        }
    }

    /// Determinants of triangular matrices of these statuses.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn det<T: Scalar>(
        &self,
        launcher: &Launcher<'_>,
        t: Matrices<T>,
        det: DetParts<T, T::Real>,
        status: Global<i32>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::Det, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise; no array is at zero.
        unsafe {
            launcher.launch(entry, size, |first, end| DetArgs {
                lu: t,
                pivots: Global::new(0),
                status,
                det,
                first,
                end,
                n: if self.is_unit { 0 } else { size.n },
                conjugated: self.how.conjugated.into(),
            })
        }
    }
}

impl Launcher<'_> {
    /// Copies matrices, and makes unit matrices in the place of others, which may be they.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn identity<T: Scalar>(
        &self,
        (from, to): (Matrices<T>, Matrices<T>),
        unit: Matrices<T>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::Identity, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| IdentityArgs { from, to, unit, first, end, n: size.n }) }
    }
}
