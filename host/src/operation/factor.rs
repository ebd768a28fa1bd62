//! Factors: LU and Cholesky.

use kernels_cpu::calls;
use kernels_gpu::entry::{Family, Variant};
use numbers::element::Arithmetic;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;

use super::{Extent, Operand, Operation, Route, Work};
use crate::backend::Backend;
use crate::device::Single;
use crate::element::{Element, conversion};
use crate::error::{Error, Result};
use crate::extend::{Part, steps};
use crate::launch::{Given, LuKernels, cast, prepare, prepare_only};
use crate::route::{ByBlocks, OwnCholesky, Space, as_lower, problem};

/// PA = LU (`xGETRF`).
pub(super) fn factor_lu<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::written::<T::Scalar>("lu", Extent::Square),
                Operand::written::<u32>("pivots", Extent::Rows),
                Operand::STATUS,
            ]
        },
        |device, size, space| lu_route::<T>(device, size.n, space),
    )
}

/// A = L L^H, in a triangle (`xPOTRF`).
pub(super) fn factor_cholesky<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::written::<T::Scalar>("factors", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, space| cholesky_route::<T>(device, size.n, space),
    )
}

/// The same, in the place of a triangle of the matrices: the other one stays as it was.
pub(super) fn factor_triangle<T: Element + Arithmetic>() -> Operation {
    Operation::new(factor_cholesky::<T>().operands, |device, size, space| triangle_route::<T>(device, size.n, space))
}

/// Up to this order there are Cholesky kernels for any GPU.
const ANY_GPU: u32 = 32;
/// The lowest tier with kernels for others.
const MATRIX_INSTRUCTIONS: u32 = 80;

/// By the CPU; by many blocks each, where matrices are large; by kernels, warplu's or another crate's. Factors may take
/// the place of the matrices.
pub(super) fn lu_route<T: Element>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let (size, backend, pivoting) = (problem(n, 1)?, &device.backend, device.options.pivoting);
    device.check_algorithm()?;
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (a, factors, size) = (work.matrices(0), work.lu(1), work.sized(size));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                if pivoting.interchanges() {
                    return Ok(calls::factor::<T>(a, factors, size)?);
                }
                Ok(calls::factor_without_interchanges::<T>(a, factors, pivoting.threshold(), size)?)
            }
        });
    }
    let variant = conversion_to_scalar::<T>(backend)?;
    let large = Problem { rhs: 0, ..size };
    if pivoting.interchanges()
        && let Some(by_blocks) = ByBlocks::<T::Scalar>::new(device, large, Given::Matrices, space)?
    {
        return Route::new(by_blocks.names(), move |work| {
            let (launcher, batch, factors) = (work.launcher, work.batch, work.lu(1));
            // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
            unsafe {
                let a = in_scalars::<T>(work, variant, factors.lu, size.n)?;
                by_blocks.factor(launcher, batch, a, factors, work.room)
            }
        });
    }
    if let Some(other) = steps(device, Part::Lu, T::Scalar::KIND, size, space)? {
        return Route::new(Vec::new(), move |work| {
            let [lu, pivots, status] = [1, 2, 3].map(|number| work.operands.at(number));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let a = in_scalars::<T>(work, variant, lu.cast(), size.n)?;
                other.enqueue(&Work { operands: &[a.cast(), lu, pivots, status], ..*work })
            }
        });
    }
    let kernels = LuKernels::prepare(backend, (device.options.algorithm, pivoting), T::Scalar::KIND, size)?;
    Route::new(vec![kernels.name()], move |work| {
        let factors = work.lu(1);
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe {
            let a = in_scalars::<T>(work, variant, factors.lu, size.n)?;
            work.launcher.factor(kernels, a, factors, work.sized(size))
        }
    })
}

/// As [`lu_route`].
pub(super) fn cholesky_route<T: Element>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let (size, backend) = (problem(n, 1)?, &device.backend);
    device.check_algorithm()?;
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (a, factors) = (as_lower(work.matrices(0), work.triangle), work.lower_factors(1));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::cholesky::<T>(a, factors, work.sized(size))?) }
        });
    }
    if size.n > ANY_GPU && backend.limits().tier < MATRIX_INSTRUCTIONS {
        return Err(Error::Unsupported(format!(
            "Cholesky factorization above order {ANY_GPU} takes a GPU of compute capability 8.0 or higher: use LU, which \
             is for any matrix, or the device `cpu`"
        )));
    }
    let variant = conversion_to_scalar::<T>(backend)?;
    let large = Problem { rhs: 0, ..size };
    if let Some(by_blocks) = ByBlocks::<T::Scalar>::new(device, large, Given::Definite, space)? {
        return Route::new(by_blocks.names(), move |work| {
            let (launcher, batch, factors) = (work.launcher, work.batch, work.cholesky::<T::Scalar>(1));
            // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
            unsafe {
                let a = as_lower(in_scalars::<T>(work, variant, factors.l, size.n)?, work.triangle);
                by_blocks.cholesky(launcher, batch, a, work.lower_factors(1), work.room)
            }
        });
    }
    let entry = prepare(backend, device.options.algorithm, Family::Potrf, T::Scalar::KIND, size)?;
    Route::new(vec![entry.name], move |work| {
        let factors = work.cholesky::<T::Scalar>(1);
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe {
            let a = as_lower(in_scalars::<T>(work, variant, factors.l, size.n)?, work.triangle);
            work.launcher.cholesky(entry, a, work.lower_factors(1), work.sized(size))
        }
    })
}

/// By factors apart, of which one triangle is copied, and of the matrices the other one.
fn triangle_route<T: Element + Arithmetic>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let (size, on_cpu) = (problem(n, 1)?, matches!(device.backend, Backend::Cpu));
    let own = OwnCholesky::<T>::new(n, space)?;
    let factor = cholesky_route::<T>(device, n, space)?;
    if !on_cpu {
        prepare_only(&device.backend, Family::Triangle, Variant::Only, T::KIND)?;
    }
    Route::new(factor.kernels(), move |work| {
        let l = own.with(work.values(2), work.room).l;
        let [lower, upper, to] = [l, work.matrices(0), work.matrices(1)].map(|m| as_lower(m, work.triangle));
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            factor.enqueue(&Work { operands: &[work.operands.at(0), l.cast(), work.operands.at(2)], ..*work })?;
            if on_cpu {
                return Ok(calls::put_together::<T>((lower, upper), to, work.sized(size))?);
            }
            work.launcher.put_together((lower, upper), to, work.sized(size))
        }
    })
}

/// Loads what converts matrices to the type of their factors; none where they are of it.
fn conversion_to_scalar<T: Element>(backend: &Backend) -> Result<Option<Variant>> {
    let variant = conversion::<T>();
    if let Some(variant) = variant {
        prepare_only(backend, Family::Widen, variant, T::Scalar::KIND)?;
    }
    Ok(variant)
}

/// The matrices, the first operand, in the type of their factors: where those will be, if they are converted.
///
/// # Safety
/// As for [`Route::enqueue`].
unsafe fn in_scalars<T: Element>(
    work: &Work<'_>,
    variant: Option<Variant>,
    factors: Matrices<T::Scalar>,
    n: u32,
) -> Result<Matrices<T::Scalar>> {
    let a = work.matrices::<T>(0);
    let Some(variant) = variant else { return Ok(cast(a)) };
    // SAFETY: the caller's promise.
    unsafe { work.launcher.widen(variant, a, factors, (n, n), work.batch)? };
    Ok(factors)
}
