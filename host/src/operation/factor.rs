//! Factors: LU and Cholesky.

use super::{Extent, Operand, Operation, Route};
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::route::{self, Space};
use crate::triangle::Triangle;

/// PA = LU (`xGETRF`).
pub(crate) fn factor_lu<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::written::<T::Scalar>("lu", Extent::Square),
                Operand::written::<u32>("pivots", Extent::Rows),
                Operand::STATUS,
            ]
        },
        |device, size, _, space| lu_route::<T>(device, size.n, space),
    )
}

/// A = L L^H, in a triangle (`xPOTRF`).
pub(crate) fn factor_cholesky<T: Element>(triangle: Triangle) -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::written::<T::Scalar>("factors", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, triangle, space| cholesky_route::<T>(device, size.n, triangle, space),
    )
    .of(triangle)
}

pub(super) fn lu_route<T: Element>(device: &Single, n: usize, space: &mut Space) -> Result<Route> {
    let route = route::Lu::<T>::new(device, n, space)?;
    Route::new(route.kernels(), move |work| {
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe { route.enqueue(work.launcher, work.batch, work.matrices(0), work.lu(1), work.room) }
    })
}

pub(super) fn cholesky_route<T: Element>(
    device: &Single,
    n: usize,
    triangle: Triangle,
    space: &mut Space,
) -> Result<Route> {
    let route = route::Cholesky::<T>::new(device, n, triangle, space)?;
    Route::new(route.kernels(), move |work| {
        // SAFETY: the promise of who enqueues; the operands are these.
        unsafe { route.enqueue(work.launcher, work.batch, work.matrices(0), work.cholesky(1), work.room) }
    })
}
