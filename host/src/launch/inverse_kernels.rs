//! Which kernels invert from factors, by the algorithm.

use kernels_gpu::entry::{Entry, Family, Variant};
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use super::{Launcher, Problem, prepare};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::error::Result;
use crate::papers;

/// How a plan inverts from factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InverseKernels {
    /// By a kernel of warplu's own.
    Own(&'static Entry),
    /// As a published algorithm does.
    Published(papers::LuInverse),
}

impl InverseKernels {
    /// What `algorithm` inverts by, loaded.
    pub(crate) fn prepare(backend: &Backend, algorithm: Algorithm, kind: ScalarKind, size: Problem) -> Result<Self> {
        if let Algorithm::Published(published) = algorithm
            && let Some(inverse) = published.lu_inverse(backend, kind, size)?
        {
            return Ok(Self::Published(inverse));
        }
        Ok(Self::Own(prepare(backend, algorithm, Family::Getri, kind, size)?))
    }

    /// The name of the kernel, if it is one of warplu's own.
    pub(crate) fn own(self) -> Option<&'static str> {
        match self {
            Self::Own(entry) => Some(entry.name),
            Self::Published(_) => None,
        }
    }

    /// Whether it needs room to work.
    pub(crate) fn needs_work(self) -> bool {
        !matches!(self, Self::Own(entry) if entry.variant != Variant::Global)
    }

    /// Whether the room to work may be the factors.
    pub(crate) fn works_in_factors(self) -> bool {
        matches!(self, Self::Own(_))
    }
}

impl Launcher<'_> {
    /// A^-1 from factors. `work` has room for an n x n matrix each, if one is [needed](InverseKernels::needs_work).
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
                InverseKernels::Published(how) => how.enqueue(self, factors, inverse, status, work, size),
            }
        }
    }
}
