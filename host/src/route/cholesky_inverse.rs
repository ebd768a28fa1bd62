//! A^-1 from Cholesky factors.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::factors::CholeskyFactors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::cholesky::{as_lower, lower_factors};
use super::{LuInverse, OwnFactors, Room, Space, Wide, problem};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Launcher, prepare_only};
use crate::triangle::Triangle;

/// The inversion; inverses are in `T`, the factors in its arithmetic type.
#[derive(Debug)]
pub(crate) struct CholeskyInverse<T: Element> {
    size: Problem,
    triangle: Triangle,
    how: How<T>,
}

#[derive(Debug)]
enum How<T: Element> {
    Cpu,
    /// By factors of LU, which those of Cholesky are made; then one triangle is mirrored.
    Lu {
        inverse: Box<LuInverse<T::Scalar>>,
        factors: OwnFactors<T::Scalar>,
        wide: Wide<T>, // inverses, (batch, n, n)
    },
}

impl<T: Element> CholeskyInverse<T> {
    pub(crate) fn new(device: &Single, n: usize, triangle: Triangle, space: &mut Space) -> Result<Self> {
        let size = problem(n, 1)?;
        device.check_algorithm()?;
        let how = match &device.backend {
            Backend::Cpu => How::Cpu,
            backend => {
                prepare_only(backend, Family::LuOfCholesky, Variant::Only, T::Scalar::KIND)?;
                prepare_only(backend, Family::Mirror, Variant::Only, T::Scalar::KIND)?;
                let wide = Wide::new(backend, size.n, size.n, space)?;
                let factors = OwnFactors::new(n, space)?;
                let inverse = Box::new(LuInverse::in_factors(device, n, &factors, space)?);
                How::Lu { inverse, factors, wide }
            }
        };
        Ok(Self { size, triangle, how })
    }

    /// `status` may be that of the factors.
    ///
    /// # Safety
    /// As for [`Launcher::lu`], for `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        launcher: &Launcher<'_>,
        batch: u64,
        factors: CholeskyFactors<T::Scalar>,
        inverse: Matrices<T>,
        status: Global<i32>,
        room: Room<'_>,
    ) -> Result<()> {
        let (size, factors) = (Problem { batch, ..self.size }, lower_factors(factors, self.triangle));
        // The inverse of the conjugate matrix is the transposed one.
        let inverse = as_lower(inverse, self.triangle);
        // SAFETY: the caller's promise; the room is of the route's size.
        unsafe {
            match &self.how {
                How::Cpu => Ok(calls::cholesky_invert_from_factors(factors, inverse, status, size)?),
                How::Lu { inverse: invert, factors: own, wide } => {
                    let (lu, to) = (own.with(factors.status, room), wide.target(inverse, room));
                    launcher.lu_of_cholesky(factors, lu, size)?;
                    invert.enqueue(launcher, batch, lu, to, status, room)?;
                    launcher.mirror(to, size)?;
                    wide.narrow(launcher, inverse, batch, room)
                }
            }
        }
    }
}
