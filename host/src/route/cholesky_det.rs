//! Determinants from Cholesky factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::factors::CholeskyFactors;
use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::{Parts, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::error::Result;
use crate::launch::{Launcher, prepare_only};
use numbers::element::Arithmetic;

/// The determinants, of factors in either triangle.
#[derive(Debug)]
pub(crate) struct CholeskyDet {
    size: Problem,
    how: How,
}

#[derive(Debug)]
enum How {
    Cpu,
    Kernel,
}

impl CholeskyDet {
    pub(crate) fn new<S: Scalar>(device: &Single, n: usize) -> Result<Self> {
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            backend => {
                prepare_only(backend, Family::CholeskyDet, Variant::Only, S::KIND)?;
                How::Kernel
            }
        };
        Ok(Self { size: problem(n, 1)?, how })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue<S: Arithmetic>(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: CholeskyFactors<S>,
        det: Parts<S>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise.
        unsafe {
            match self.how {
                How::Cpu => Ok(calls::cholesky_det_from_factors(factors, det, size)?),
                How::Kernel => launcher.cholesky_det(factors, det, size),
            }
        }
    }
}
