//! Which kernels factor, by the algorithm.

use kernels_gpu::entry::Family;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};

use super::{BlockLu, Factors, Size, Steps, prepare, prepare_copy, prepare_element_wise};
use crate::algorithm::{Algorithm, Interchange};
use crate::error::{Error, Result};
use crate::machine::Machine;

/// How a plan factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factoring {
    /// By warplu's own kernels.
    Own,
    /// By a published block LU.
    Block(BlockLu),
    /// By a published LU that works element by element, in tiles.
    ElementWise { tile: Option<u32> },
}

impl Factoring {
    /// What `algorithm` factors by.
    pub(crate) fn of(algorithm: Algorithm) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::Auto => Self::Own,
            Algorithm::LeftLooking { nb, interchange } => {
                Self::Block(BlockLu { family: Family::LeftLooking, nb, interchange })
            }
            Algorithm::RightLooking { nb, interchange } => {
                Self::Block(BlockLu { family: Family::RightLooking, nb, interchange })
            }
            Algorithm::Corrected { .. } => {
                Self::Block(BlockLu { family: Family::LeftLooking, nb: 14, interchange: Interchange::Delayed })
            }
            Algorithm::ElementWise { tile } => Self::ElementWise { tile },
            Algorithm::Elimination { .. } | Algorithm::Bordering => {
                let does = if algorithm == Algorithm::Bordering { "inverts" } else { "solves" };
                return Err(Error::Unsupported(format!(
                    "the algorithm {} only {does}, it leaves no LU factors: use auto, left-looking, right-looking or \
                     element-wise",
                    algorithm.name()
                )));
            }
        })
    }

    /// Loads what [`Steps::factor`] needs.
    pub(crate) fn prepare(self, machine: &Machine, kind: ScalarKind, size: Size) -> Result<()> {
        match self {
            Self::Own => prepare(machine, Family::Lu, kind, size),
            Self::Block(how) => {
                prepare_copy(machine, kind)?;
                how.prepare(machine, kind, size)
            }
            Self::ElementWise { tile } => {
                prepare_copy(machine, kind)?;
                prepare_element_wise(machine, tile, kind, size)
            }
        }
    }
}

impl Steps<'_> {
    /// PA = LU; `a` may be `factors.lu`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn factor<T: Scalar>(
        &self,
        how: Factoring,
        a: Matrices<T>,
        factors: Factors<T>,
        size: Size,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match how {
                Factoring::Own => self.lu(a, factors, size),
                Factoring::Block(how) => {
                    self.copy(a, factors.lu, (size.n, size.n), size.batch)?;
                    self.block_lu(how, factors, size)
                }
                Factoring::ElementWise { tile } => {
                    self.copy(a, factors.lu, (size.n, size.n), size.batch)?;
                    self.element_wise_lu(tile, factors, size)
                }
            }
        }
    }
}
