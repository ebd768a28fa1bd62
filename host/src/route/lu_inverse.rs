//! A^-1 from factors.

use kernels_cpu::calls;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{Array, ByBlocks, OwnFactors, Room, Space, Wide, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Given, InverseKernels, Launcher, leaves_factors};

/// The inversion; inverses are in `T`, the factors in its arithmetic type.
#[derive(Debug)]
pub(crate) struct LuInverse<T: Element> {
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

#[derive(Debug)]
struct Kernels<T: Element> {
    inverse: InverseKernels,
    /// Room for matrices beyond shared memory, if the kernel needs it: shape (batch, n, n).
    work: Option<Array<T::Scalar>>,
    wide: Wide<T>, // inverses, (batch, n, n)
}

impl<T: Element> LuInverse<T> {
    pub(crate) fn new(device: &Single, n: usize, space: &mut Space) -> Result<Self> {
        Self::with_work(device, n, None, space)
    }

    /// As [`Self::new`], for factors that kernels which can may work in.
    pub(super) fn in_factors(
        device: &Single,
        n: usize,
        factors: &OwnFactors<T::Scalar>,
        space: &mut Space,
    ) -> Result<Self> {
        Self::with_work(device, n, Some(factors.lu), space)
    }

    fn with_work(device: &Single, n: usize, factors: Option<Array<T::Scalar>>, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        leaves_factors(device.algorithm)?; // one that does not has none to start from
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            backend => {
                let wide = Wide::new(backend, size.n, size.n, space)?;
                if let Some(by_blocks) = ByBlocks::new(device, Problem { rhs: size.n, ..size }, Given::Factors, space)?
                {
                    return Ok(Self { size, how: How::ByBlocks(Box::new(by_blocks), wide) });
                }
                let inverse = InverseKernels::prepare(backend, device.algorithm, T::Scalar::KIND, size)?;
                let work = match factors.filter(|_| inverse.works_in_factors()) {
                    _ if !inverse.needs_work() => None,
                    Some(factors) => Some(factors),
                    None => Some(space.array(&[n, n])?),
                };
                How::Kernels(Kernels { inverse, work, wide })
            }
        };
        Ok(Self { size, how })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        match &self.how {
            How::Cpu => Vec::new(),
            How::Kernels(kernels) => kernels.inverse.own().into_iter().collect(),
            How::ByBlocks(by_blocks, _) => by_blocks.names(),
        }
    }

    /// `status` may be that of the factors.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices. Pivots are below n.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: Factors<T::Scalar>,
        inverse: Matrices<T>,
        status: Global<i32>,
        room: Room<'_>,
    ) -> Result<()> {
        let size = Problem { batch, ..self.size };
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            let Kernels { inverse: kernels, work, wide } = match &self.how {
                How::Cpu => return Ok(calls::invert_from_factors(factors, inverse, status, size)?),
                How::ByBlocks(by_blocks, wide) => {
                    let to = (wide.target(inverse, room), status);
                    by_blocks.invert_from_factors(launcher, batch, factors, to, room)?;
                    return wide.narrow(launcher, inverse, batch, room);
                }
                How::Kernels(kernels) => kernels,
            };
            let work = work.map_or(Global::new(0), |work| room.at(work));
            launcher.inverse_by(*kernels, factors, wide.target(inverse, room), status, work, size)?;
            wide.narrow(launcher, inverse, batch, room)
        }
    }
}
