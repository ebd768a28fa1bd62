//! Which kernels factor, by the algorithm.

use kernels_gpu::entry::Family;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};

use super::{BlockLu, Factors, Size, Steps, prepare};
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
            Self::Block(how) => how.prepare(machine, kind, size),
            Self::ElementWise { .. } => todo!(),
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
                    if !same_place(&a, &factors.lu) {
                        todo!()
                    }
                    self.block_lu(how, factors, size)
                }
                Factoring::ElementWise { .. } => todo!(),
            }
        }
    }
}

/// Whether two batches are the same memory.
fn same_place<T: Scalar>(a: &Matrices<T>, b: &Matrices<T>) -> bool {
    (a.base.address(), a.pointers.address()) == (b.base.address(), b.pointers.address())
}
