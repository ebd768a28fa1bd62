//! Which kernels invert from factors, by the algorithm.

use kernels_gpu::entry::{Entry, Family};
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
    /// By a kernel of warplu's own.
    Own(&'static Entry),
    /// By a published inversion.
    Corrected(Corrected),
}

impl Inverting {
    /// What `algorithm` inverts by, loaded.
    pub(crate) fn prepare(machine: &Machine, algorithm: Algorithm, kind: ScalarKind, size: Size) -> Result<Self> {
        match algorithm {
            Algorithm::Corrected { nb, upper, lower, allocation, columns } => {
                let how = Corrected { nb, upper, lower, allocation, columns };
                how.prepare(machine, kind, size)?;
                Ok(Self::Corrected(how))
            }
            _ => Ok(Self::Own(prepare(machine, algorithm, Family::Inverse, kind, size)?)),
        }
    }

    /// Whether the room to work may be the factors.
    pub(crate) fn works_in_factors(self) -> bool {
        matches!(self, Self::Own(_))
    }
}

impl Steps<'_> {
    /// A^-1 from factors. `work` has room for an n x n matrix each.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn inverse_by<T: Scalar>(
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
                Inverting::Own(entry) => self.inverse(entry, factors, inverse, status, work, size),
                Inverting::Corrected(how) => {
                    let n = size.n as usize;
                    let work = matrices_at(work.address(), Layout::column_major(n, n));
                    self.corrected(how, factors, inverse, status, work, size)
                }
            }
        }
    }
}
