//! A X = B from factors.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::papers::substitution::SubstituteArgs;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};

use super::Published;
use crate::backend::Backend;
use crate::choice;
use crate::error::Result;
use crate::launch::{Launcher, prepare_as};

/// Forward and backward substitution, for factors of the matrices themselves: not of their transposes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LuSolve;

impl Published {
    /// The solution from factors, loaded; none where that is up to warplu's own kernels.
    pub(crate) fn lu_solve(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<Option<LuSolve>> {
        match self {
            Self::ElementWise { .. } => LuSolve::prepare(backend, kind, size).map(Some),
            _ => Ok(None),
        }
    }
}

impl LuSolve {
    /// Loaded.
    pub(super) fn prepare(backend: &Backend, kind: ScalarKind, size: Problem) -> Result<Self> {
        prepare_as(backend, (Family::Substitution, Variant::Factors, kind), size.n, |entry| entry.shape(&size))?;
        Ok(Self)
    }

    /// X is all NaN where the factors' status is not 0. `x` may be `b`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn enqueue<T: Scalar>(
        self,
        launcher: &Launcher<'_>,
        factors: Factors<T>,
        b: Matrices<T>,
        x: Matrices<T>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::Substitution, Variant::Factors, T::KIND)?;
        let Factors { lu, pivots, status } = factors;
        let Problem { n, rhs, .. } = size;
        // SAFETY: the caller's promise.
        unsafe {
            launcher.launch(entry, size, |first, end| SubstituteArgs { lu, pivots, status, b, x, first, end, n, rhs })
        }
    }
}
