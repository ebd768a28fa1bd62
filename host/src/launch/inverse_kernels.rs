//! Which kernels invert from factors, by the algorithm.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use super::matrices_at;
use super::{Corrected, Factors, Launcher, Problem, prepare};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::error::Result;
use crate::layout::Layout;

/// How a plan inverts from factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InverseKernels {
    /// By a kernel of warplu's own.
    Own(&'static Entry),
    /// By a published inversion.
    Corrected(Corrected),
}

impl InverseKernels {
    /// What `algorithm` inverts by, loaded.
    pub(crate) fn prepare(backend: &Backend, algorithm: Algorithm, kind: ScalarKind, size: Problem) -> Result<Self> {
        match algorithm {
            Algorithm::Corrected { nb, upper, lower, allocation, columns } => {
                let how = Corrected { nb, upper, lower, allocation, columns };
                how.prepare(backend, kind, size)?;
                Ok(Self::Corrected(how))
            }
            _ => Ok(Self::Own(prepare(backend, algorithm, Family::Inverse, kind, size)?)),
        }
    }

    /// The name of the kernel, if it is one of warplu's own.
    pub(crate) fn own(self) -> Option<&'static str> {
        match self {
            Self::Own(entry) => Some(entry.name),
            Self::Corrected(_) => None,
        }
    }

    /// Whether the room to work may be the factors.
    pub(crate) fn works_in_factors(self) -> bool {
        matches!(self, Self::Own(_))
    }
}

impl Launcher<'_> {
    /// A^-1 from factors. `work` has room for an n x n matrix each.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn inverse_by<T: Scalar>(
        &self,
        how: InverseKernels,
        factors: Factors<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        work: Global<T>,
        size: Problem,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match how {
                InverseKernels::Own(entry) => self.inverse(entry, factors, inverse, status, work, size),
                InverseKernels::Corrected(how) => {
                    let n = size.n as usize;
                    let work = matrices_at(work.address(), Layout::column_major(n, n));
                    self.corrected(how, factors, inverse, status, work, size)
                }
            }
        }
    }
}
