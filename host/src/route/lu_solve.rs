//! op(A) X = B from factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Entry, Family, Variant};
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{ByBlocks, Room, Space, Wide, problem};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{
    Given, Launcher, clusters, finishes, fits_a_block, leaves_factors, pays_off, prepare, prepare_finish,
};
use crate::papers;
use numbers::op::Op;

/// The solution; B and X are in `T`, the factors in its arithmetic type.
#[derive(Debug)]
pub(crate) struct LuSolve<T: Element> {
    size: Problem,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    Kernels(Kernels<T>),
    /// Large matrices: by many blocks each.
    ByBlocks(Box<ByBlocks<T::Scalar>>, Wide<T>),
}

impl<T: Element> Kernels<T> {
    /// The kernel for so many solutions.
    fn entry(&self, size: Problem) -> &'static Entry {
        self.few.filter(|_| pays_off(size)).unwrap_or(self.entry)
    }

    /// Whether the solutions' statuses take a launch of their own after a kernel.
    fn finishes_after(&self, entry: &Entry, rhs: u32) -> bool {
        self.published.is_some() || rhs == 0 || !finishes(entry, rhs)
    }
}

/// Right-hand sides and solutions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<T> {
    pub(crate) b: Matrices<T>, // shape (batch, n, rhs)
    pub(crate) x: Matrices<T>, // shape (batch, n, rhs), may be b
    /// Of the solutions; may be that of the factors. Shape (batch).
    pub(crate) status: Global<i32>,
}

#[derive(Debug)]
struct Kernels<T: Element> {
    entry: &'static Entry,
    /// What is faster for few solutions.
    few: Option<&'static Entry>,
    /// How a published algorithm solves A X = B.
    published: Option<papers::LuSolve>,
    wide: Wide<T>, // B and then X, (batch, n, rhs)
}

impl<T: Element> LuSolve<T> {
    pub(crate) fn new(device: &Single, n: usize, rhs: usize, space: &mut Space) -> Result<Self> {
        let size = problem(n, rhs)?;
        device.check_algorithm()?;
        leaves_factors(device.algorithm)?; // one that does not has none to start from
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            backend => {
                let (algorithm, kind) = (device.algorithm, T::Scalar::KIND);
                let clusters = || clusters(backend, algorithm, Family::Getrs, kind, size);
                let large = if fits_a_block(backend, kind, size.n) { None } else { clusters()? };
                if large.is_none()
                    && let Some(by_blocks) = ByBlocks::new(device, size, Given::Factors, space)?
                {
                    let wide = Wide::new(backend, size.n, size.rhs, space)?;
                    return Ok(Self { size, how: How::ByBlocks(Box::new(by_blocks), wide) });
                }
                let entry = large.map_or_else(|| prepare(backend, algorithm, Family::Getrs, kind, size), Ok)?;
                let few = if matches!(entry.variant, Variant::WarpPerRhs { .. }) { clusters()? } else { None };
                let published = match algorithm {
                    Algorithm::Published(published) => published.lu_solve(backend, kind, size)?,
                    _ => None,
                };
                let kernels = Kernels { entry, few, published, wide: Wide::new(backend, size.n, size.rhs, space)? };
                if kernels.finishes_after(entry, size.rhs) {
                    prepare_finish(backend, kind, size)?;
                }
                How::Kernels(kernels)
            }
        };
        Ok(Self { size, how })
    }

    /// The names of warplu's own kernels that it launches, or, where it depends on the number of solutions, may launch.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        match &self.how {
            How::Kernels(kernels) if kernels.published.is_none() => {
                kernels.few.into_iter().chain([kernels.entry]).map(|entry| entry.name).collect()
            }
            How::ByBlocks(by_blocks, _) => by_blocks.names(),
            How::Cpu | How::Kernels(_) => Vec::new(),
        }
    }

    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices. Pivots are below n.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: Factors<T::Scalar>,
        op: Op,
        sides: Sides<T>,
        room: Room<'_>,
    ) -> Result<()> {
        let (size, Sides { b, x, status }) = (Problem { batch, ..self.size }, sides);
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            let kernels @ Kernels { published, wide, .. } = match &self.how {
                How::Cpu => return Ok(calls::solve_from_factors(factors, op, (b, x), status, size)?),
                How::ByBlocks(by_blocks, wide) => {
                    let sides = (wide.widen(launcher, b, batch, room)?, wide.target(x, room), status);
                    by_blocks.solve_from_factors(launcher, batch, (factors, op), sides, room)?;
                    return wide.narrow(launcher, x, batch, room);
                }
                How::Kernels(kernels) => kernels,
            };
            let (entry, from, to) = (kernels.entry(size), wide.widen(launcher, b, batch, room)?, wide.target(x, room));
            match (op, published) {
                _ if size.rhs == 0 => {}
                (Op::None, Some(published)) => published.enqueue(launcher, factors, from, to, size)?,
                _ => launcher.solve(entry, factors, op, (from, to), status, size)?,
            }
            if kernels.finishes_after(entry, size.rhs) {
                launcher.finish_solution(factors.status, to, status, size)?;
            }
            wide.narrow(launcher, x, batch, room)
        }
    }
}
