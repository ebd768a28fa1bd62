//! PA = LU.

use kernels_gpu::entry::Family;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};

use super::Published;
use super::block_lu::BlockLu;
use super::copy::prepare_copy;
use super::element_wise::prepare_element_wise;
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::launch::Launcher;

/// How a published algorithm factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lu {
    /// By panels.
    Block(BlockLu),
    /// Element by element, in tiles.
    ElementWise { tile: Option<u32> },
}

impl Published {
    /// That the algorithm leaves LU factors, or works with them.
    pub(crate) fn leaves_factors(self) -> Result<()> {
        self.way().map(drop)
    }

    /// The factorization, loaded.
    pub(crate) fn lu(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<Lu> {
        let lu = self.way()?;
        prepare_copy(backend, kind)?;
        match lu {
            Lu::Block(how) => how.prepare(backend, kind, size)?,
            Lu::ElementWise { tile } => prepare_element_wise(backend, tile, kind, size)?,
        }
        Ok(lu)
    }

    fn way(self) -> Result<Lu> {
        let only = |does| {
            Err(Error::Unsupported(format!(
                "the algorithm {self} only {does}, it leaves no LU factors: use auto, left-looking, right-looking or \
                 element-wise"
            )))
        };
        match self {
            Self::LeftLooking { nb, interchange } => {
                Ok(Lu::Block(BlockLu { family: Family::LeftLooking, nb, interchange }))
            }
            Self::RightLooking { nb, interchange } => {
                Ok(Lu::Block(BlockLu { family: Family::RightLooking, nb, interchange }))
            }
            Self::Corrected { .. } => Self::LEFT_LOOKING.way(),
            Self::ElementWise { tile } => Ok(Lu::ElementWise { tile }),
            Self::Bordering { .. } => only("inverts"),
            Self::Elimination { .. } => only("solves"),
        }
    }
}

impl Lu {
    /// `a` may be `factors.lu`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn enqueue<T: Scalar>(
        self,
        launcher: &Launcher<'_>,
        a: Matrices<T>,
        factors: Factors<T>,
        size: Problem,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            launcher.copy(a, factors.lu, (size.n, size.n), size.batch)?;
            match self {
                Self::Block(how) => launcher.block_lu(how, factors, size),
                Self::ElementWise { tile } => launcher.element_wise_lu(tile, factors, size),
            }
        }
    }
}
