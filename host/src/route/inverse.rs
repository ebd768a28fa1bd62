//! A^-1.

use kernels_cpu::calls;
use kernels_gpu::entry::{Entry, Family};
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{Array, ByBlocks, DefiniteInverse, Lu, LuInverse, OwnFactors, Room, Space, Wide, problem};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Given, Launcher, fused, leaves_factors};
use crate::papers;
use crate::residual::Residual;
use crate::structure::Structure;

/// The inversion.
#[derive(Debug)]
pub(crate) struct Inverse<T: Element> {
    size: Problem,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// Positive definite matrices, by Cholesky factorization.
    Definite(DefiniteInverse<T>),
    /// One kernel; 16-bit types in place on the matrices in f32.
    Fused {
        entry: &'static Entry,
        wide: Wide<T>,
    },
    /// Large matrices: by many blocks each.
    ByBlocks {
        by_blocks: Box<ByBlocks<T::Scalar>>,
        pivots: Array<u32>, // shape (batch, n)
        wide: Wide<T>,
    },
    /// Factors, then the inverse from them: where no kernel does both, the right residual is to be small, too, or rows are not interchanged.
    Factors {
        lu: Lu<T>,
        inverse: LuInverse<T>,
        factors: OwnFactors<T::Scalar>,
    },
    /// As a published algorithm does.
    Published(papers::Inverse<T>),
}

impl<T: Element> Inverse<T> {
    pub(crate) fn new(device: &Single, n: usize, space: &mut Space) -> Result<Self> {
        let (size, backend, at_once) = (problem(n, 1)?, &device.backend, device.pivoting.interchanges());
        device.check_algorithm()?;
        let by_factors = device.residual == Residual::Both;
        if by_factors {
            leaves_factors(device.algorithm)?;
        }
        let how = if let Structure::PositiveDefinite(triangle) = device.structure {
            How::Definite(DefiniteInverse::new(device, n, triangle, space)?)
        } else if at_once && matches!(backend, Backend::Cpu) {
            How::Cpu
        } else if at_once
            && let Some(by_blocks) = ByBlocks::new(device, Problem { rhs: size.n, ..size }, Given::Matrices, space)?
        {
            let wide = Wide::new(backend, size.n, size.n, space)?;
            How::ByBlocks { by_blocks: Box::new(by_blocks), pivots: space.array(&[n])?, wide }
        } else if at_once
            && !by_factors
            && let Some(entry) = fused(backend, device.algorithm, Family::Inverse, T::Scalar::KIND, size)?
        {
            backend.prepare(entry, entry.shape(&size).shared_bytes)?;
            How::Fused { entry, wide: Wide::new(backend, size.n, size.n, space)? }
        } else if let Algorithm::Published(published) = device.algorithm
            && let Some(inverse) = published.inverse(backend, size, space)?
        {
            How::Published(inverse)
        } else {
            let factors = OwnFactors::new(n, space)?;
            How::Factors {
                lu: Lu::new(device, n, space)?,
                inverse: LuInverse::in_factors(device, n, &factors, space)?,
                factors,
            }
        };
        Ok(Self { size, how })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        match &self.how {
            How::Fused { entry, .. } => vec![entry.name],
            How::ByBlocks { by_blocks, .. } => by_blocks.names(),
            How::Factors { lu, inverse, .. } => [lu.kernels(), inverse.kernels()].concat(),
            How::Cpu | How::Definite(_) | How::Published(_) => Vec::new(),
        }
    }

    /// `inverse` may be `a`.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        room: Room<'_>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => Ok(calls::invert(a, inverse, status, size)?),
                How::Definite(definite) => definite.enqueue(launcher, batch, (a, inverse), status, room),
                How::Fused { entry, wide } => {
                    let from = wide.widen(launcher, a, batch, room)?;
                    launcher.invert(entry, from, wide.target(inverse, room), status, size)?;
                    wide.narrow(launcher, inverse, batch, room)
                }
                How::ByBlocks { by_blocks, pivots, wide } => {
                    let from = wide.widen(launcher, a, batch, room)?;
                    let both = (from, wide.target(inverse, room));
                    by_blocks.invert(launcher, batch, both, (room.at(*pivots), status), room)?;
                    wide.narrow(launcher, inverse, batch, room)
                }
                How::Factors { lu, inverse: invert, factors } => {
                    let own = factors.with(status, room);
                    lu.enqueue(launcher, batch, a, own, room)?;
                    invert.enqueue(launcher, batch, own, inverse, status, room)
                }
                How::Published(published) => published.enqueue(launcher, a, inverse, status, room, size),
            }
        }
    }
}
