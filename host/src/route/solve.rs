//! A X = B.

use kernels_cpu::calls;
use kernels_gpu::entry::{Entry, Family};
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{Array, ByBlocks, DefiniteSolve, Lu, LuSolve, OwnFactors, Room, Sides, Space, Systems, Wide, problem};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Given, Launcher, fused};
use crate::papers;
use crate::structure::Structure;
use numbers::op::Op;

/// The solution.
#[derive(Debug)]
pub(crate) struct Solve<T: Element> {
    size: Problem,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// Positive definite matrices, by Cholesky factorization.
    Definite(DefiniteSolve<T>),
    /// One kernel, with the memory that it may need meanwhile: shape (batch, work numbers).
    Fused {
        entry: &'static Entry,
        work: Option<Array<T::Scalar>>,
        a: Wide<T>,
        b: Wide<T>,
    },
    /// Large matrices: by many blocks each.
    ByBlocks {
        by_blocks: Box<ByBlocks<T::Scalar>>,
        pivots: Array<u32>, // shape (batch, n)
        a: Wide<T>,
        b: Wide<T>,
    },
    /// Factors, then the solution from them: where no kernel does both, or rows are not interchanged.
    Factors {
        lu: Lu<T>,
        solve: LuSolve<T>,
        factors: OwnFactors<T::Scalar>,
    },
    /// As a published algorithm does.
    Published(papers::Solve<T>),
}

impl<T: Element> Solve<T> {
    pub(crate) fn new(device: &Single, n: usize, rhs: usize, space: &mut Space) -> Result<Self> {
        let (size, backend, at_once) = (problem(n, rhs)?, &device.backend, device.pivoting.interchanges());
        device.check_algorithm()?;
        let how = if let Structure::PositiveDefinite(triangle) = device.structure {
            How::Definite(DefiniteSolve::new(device, n, rhs, triangle, space)?)
        } else if at_once && matches!(backend, Backend::Cpu) {
            How::Cpu
        } else if at_once && let Some(by_blocks) = ByBlocks::new(device, size, Given::Matrices, space)? {
            let a = Wide::new(backend, size.n, size.n, space)?;
            let b = Wide::new(backend, size.n, size.rhs, space)?;
            How::ByBlocks { by_blocks: Box::new(by_blocks), pivots: space.array(&[n])?, a, b }
        } else if at_once && let Some(entry) = fused(backend, device.algorithm, Family::Gesv, T::Scalar::KIND, size)? {
            backend.prepare(entry, entry.shape(&size).shared_bytes)?;
            let numbers = entry.variant.work_numbers(size.n) as usize;
            let work = (numbers > 0).then(|| space.array(&[numbers])).transpose()?;
            let a = Wide::new(backend, size.n, size.n, space)?;
            How::Fused { entry, work, a, b: Wide::new(backend, size.n, size.rhs, space)? }
        } else if let Algorithm::Published(published) = device.algorithm
            && let Some(solve) = published.solve(backend, size, space)?
        {
            How::Published(solve)
        } else {
            let factors = OwnFactors::new(n, space)?;
            How::Factors { lu: Lu::new(device, n, space)?, solve: LuSolve::new(device, n, rhs, space)?, factors }
        };
        Ok(Self { size, how })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        match &self.how {
            How::Fused { entry, .. } => vec![entry.name],
            How::ByBlocks { by_blocks, .. } => by_blocks.names(),
            How::Factors { lu, solve, .. } => [lu.kernels(), solve.kernels()].concat(),
            How::Cpu | How::Definite(_) | How::Published(_) => Vec::new(),
        }
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        systems: Systems<T>,
        room: Room<'_>,
    ) -> Result<()> {
        let Systems { a, b, x, status } = systems;
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => Ok(calls::solve(a, b, x, status, size)?),
                How::Definite(definite) => definite.enqueue(launcher, batch, systems, room),
                How::Fused { entry, work, a: wide_a, b: wide_b } => {
                    let work = work.map_or(Global::new(0), |work| room.at(work)); // absent
                    let a = wide_a.widen(launcher, a, batch, room)?;
                    let sides = (wide_b.widen(launcher, b, batch, room)?, wide_b.target(x, room));
                    launcher.factor_solve(entry, a, sides, status, work, size)?;
                    wide_b.narrow(launcher, x, batch, room)
                }
                How::ByBlocks { by_blocks, pivots, a: wide_a, b: wide_b } => {
                    let from = (wide_a.widen(launcher, a, batch, room)?, wide_b.widen(launcher, b, batch, room)?);
                    let sides = (from.0, from.1, wide_b.target(x, room));
                    by_blocks.solve(launcher, batch, sides, (room.at(*pivots), status), room)?;
                    wide_b.narrow(launcher, x, batch, room)
                }
                How::Factors { lu, solve, factors } => {
                    let factors = factors.with(status, room);
                    lu.enqueue(launcher, batch, a, factors, room)?;
                    solve.enqueue(launcher, batch, factors, Op::None, Sides { b, x, status }, room)
                }
                How::Published(published) => published.enqueue(launcher, systems, room, size),
            }
        }
    }
}
