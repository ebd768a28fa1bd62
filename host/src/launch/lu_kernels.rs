//! Which kernels factor, by the algorithm.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};

use super::{BlockLu, Factors, Launcher, Problem, prepare, prepare_copy, prepare_element_wise};
use crate::algorithm::{Algorithm, Interchange};
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};

/// How a plan factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LuKernels {
    /// By a kernel of warplu's own.
    Own(&'static Entry),
    /// By a published block LU.
    Block(BlockLu),
    /// By a published LU that works element by element, in tiles.
    ElementWise { tile: Option<u32> },
}

impl LuKernels {
    /// What `algorithm` factors by, loaded.
    pub(crate) fn prepare(backend: &Backend, algorithm: Algorithm, kind: ScalarKind, size: Problem) -> Result<Self> {
        leaves_factors(algorithm)?;
        let block = |family, nb, interchange| {
            let how = BlockLu { family, nb, interchange };
            prepare_copy(backend, kind)?;
            how.prepare(backend, kind, size)?;
            Ok(Self::Block(how))
        };
        match algorithm {
            Algorithm::LeftLooking { nb, interchange } => block(Family::LeftLooking, nb, interchange),
            Algorithm::RightLooking { nb, interchange } => block(Family::RightLooking, nb, interchange),
            Algorithm::Corrected { .. } => block(Family::LeftLooking, 14, Interchange::Delayed),
            Algorithm::ElementWise { tile } => {
                prepare_copy(backend, kind)?;
                prepare_element_wise(backend, tile, kind, size)?;
                Ok(Self::ElementWise { tile })
            }
            _ => Ok(Self::Own(prepare(backend, algorithm, Family::Lu, kind, size)?)),
        }
    }
}

impl LuKernels {
    /// The name of the kernel, if it is one of warplu's own.
    pub(crate) fn own(self) -> Option<&'static str> {
        match self {
            Self::Own(entry) => Some(entry.name),
            Self::Block(_) | Self::ElementWise { .. } => None,
        }
    }
}

/// That an algorithm leaves LU factors, or works with them.
pub(crate) fn leaves_factors(algorithm: Algorithm) -> Result<()> {
    let does = match algorithm {
        Algorithm::Bordering => "inverts",
        Algorithm::Elimination { .. } => "solves",
        Algorithm::Kernel(name) => match choice::family(name) {
            Some(Family::Lu | Family::Inverse | Family::Solve) => return Ok(()),
            Some(Family::Invert) => "inverts",
            Some(Family::FactorSolve) => "solves",
            _ => {
                return Err(Error::Unsupported(format!(
                    "no kernel {name} factors, inverts or solves: `warplu info` lists those that do"
                )));
            }
        },
        _ => return Ok(()),
    };
    Err(Error::Unsupported(format!(
        "the algorithm {algorithm} only {does}, it leaves no LU factors: use auto, left-looking, right-looking or element-wise"
    )))
}

impl Launcher<'_> {
    /// PA = LU; `a` may be `factors.lu`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn factor<T: Scalar>(
        &self,
        how: LuKernels,
        a: Matrices<T>,
        factors: Factors<T>,
        size: Problem,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match how {
                LuKernels::Own(entry) => self.lu(entry, a, factors, size),
                LuKernels::Block(how) => {
                    self.copy(a, factors.lu, (size.n, size.n), size.batch)?;
                    self.block_lu(how, factors, size)
                }
                LuKernels::ElementWise { tile } => {
                    self.copy(a, factors.lu, (size.n, size.n), size.batch)?;
                    self.element_wise_lu(tile, factors, size)
                }
            }
        }
    }
}
