//! Factors: LU and Cholesky.

use super::{Extent, Operand, Operation, Route};
use crate::element::Element;
use crate::route;
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
        |device, size, _, space| {
            let route = route::Lu::<T>::new(device, size.n, space)?;
            Route::new(route.kernels(), move |work| {
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, work.matrices(0), work.lu(1), work.room) }
            })
        },
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
        |device, size, triangle, space| {
            let route = route::Cholesky::<T>::new(device, size.n, triangle, space)?;
            Route::new(route.kernels(), move |work| {
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, work.matrices(0), work.cholesky(1), work.room) }
            })
        },
    )
    .of(triangle)
}
