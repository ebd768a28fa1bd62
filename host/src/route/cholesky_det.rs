//! Determinants from Cholesky factors.

use kernels_gpu::shape::Problem;

use super::cholesky::no_kernels;
use super::{Parts, problem};
use crate::backend::Backend;
use crate::cpu;
use crate::device::Device;
use crate::element::CpuScalar;
use crate::error::Result;
use crate::launch::{CholeskyFactors, Launcher};

/// The determinants, of factors in either triangle.
#[derive(Debug)]
pub(crate) struct CholeskyDet {
    size: Problem,
    how: How,
}

#[derive(Debug)]
enum How {
    Cpu,
}

impl CholeskyDet {
    pub(crate) fn new(device: &Device, n: usize) -> Result<Self> {
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            _ => return Err(no_kernels()),
        };
        Ok(Self { size: problem(n, 1)?, how })
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue<S: CpuScalar>(
        &self,
        _launcher: &Launcher<'_>,
        batch: u64,
        factors: CholeskyFactors<S>,
        det: Parts<S>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise.
        match self.how {
            How::Cpu => unsafe { cpu::cholesky::batch::det_from_factors(factors, det.phase, det.log_abs, size) },
        }
    }
}
