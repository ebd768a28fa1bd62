//! Inverses: of matrices, from LU factors, from Cholesky factors.

use super::{Extent, Operand, Operation, Route};
use crate::element::Element;
use crate::route;
use crate::triangle::Triangle;

/// A^-1.
pub(crate) fn invert<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T>("a", Extent::Square),
                Operand::written::<T>("inverse", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, _, space| {
            let route = route::Inverse::<T>::new(device, size.n, space)?;
            Route::new(route.kernels(), move |work| {
                let (a, inverse, status) = (work.matrices(0), work.matrices(1), work.values(2));
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, a, inverse, status, work.room) }
            })
        },
    )
}

/// A^-1 from LU factors (LAPACK `xGETRI`).
pub(crate) fn lu_invert<T: Element>() -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T::Scalar>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("lu_status", Extent::One),
                Operand::written::<T>("inverse", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, _, space| {
            let route = route::LuInverse::<T>::new(device, size.n, space)?;
            Route::new(route.kernels(), move |work| {
                let (factors, inverse, status) = (work.lu(0), work.matrices(3), work.values(4));
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, factors, inverse, status, work.room) }
            })
        },
    )
}

/// A^-1 from Cholesky factors in a triangle (`xPOTRI`).
pub(crate) fn cholesky_invert<T: Element>(triangle: Triangle) -> Operation {
    Operation::new(
        const {
            &[
                Operand::read::<T::Scalar>("factors", Extent::Square),
                Operand::read::<i32>("factor_status", Extent::One),
                Operand::written::<T>("inverse", Extent::Square),
                Operand::STATUS,
            ]
        },
        |device, size, triangle, space| {
            let route = route::CholeskyInverse::<T>::new(device, size.n, triangle, space)?;
            Route::new(Vec::new(), move |work| {
                let (factors, inverse, status) = (work.cholesky(0), work.matrices(2), work.values(3));
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, factors, inverse, status, work.room) }
            })
        },
    )
    .of(triangle)
}
