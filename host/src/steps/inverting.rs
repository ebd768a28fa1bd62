//! Which kernels invert from factors, by the algorithm.

use kernels_gpu::entry::Family;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use super::{Corrected, Factors, Size, Steps, prepare};
use crate::algorithm::Algorithm;
use crate::error::Result;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::resident::matrices_at;

/// How a plan inverts from factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inverting {
    /// By warplu's own kernels.
    Own,
    /// By a published inversion.
    Corrected(Corrected),
}

impl Inverting {
    /// What `algorithm` inverts by.
    pub(crate) fn of(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Corrected { nb, upper, lower, allocation, columns } => {
                Self::Corrected(Corrected { nb, upper, lower, allocation, columns })
            }
            _ => Self::Own,
        }
    }

    /// Whether the room to work may be the factors.
    pub(crate) fn works_in_factors(self) -> bool {
        matches!(self, Self::Own)
    }

    /// Loads what [`Steps::invert`] needs.
    pub(crate) fn prepare(self, machine: &Machine, kind: ScalarKind, size: Size) -> Result<()> {
        match self {
            Self::Own => prepare(machine, Family::Inverse, kind, size),
            Self::Corrected(how) => how.prepare(machine, kind, size),
        }
    }
}

impl Steps<'_> {
    /// A^-1 from factors. `work` has room for an n x n matrix each.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn invert<T: Scalar>(
        &self,
        how: Inverting,
        factors: Factors<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        work: Global<T>,
        size: Size,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match how {
                Inverting::Own => self.inverse(factors, inverse, status, work, size),
                Inverting::Corrected(how) => {
                    let n = size.n as usize;
                    let work = matrices_at(work.address(), Layout::column_major(n, n));
                    self.corrected(how, factors, inverse, status, work, size)
                }
            }
        }
    }
}
