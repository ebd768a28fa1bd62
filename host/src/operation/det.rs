//! Determinants: of matrices, from LU factors, from Cholesky factors.

use numbers::scalar::Scalar;

use super::{Extent, Operand, Operation, Route, Work};
use crate::element::{Element, RealOf};
use crate::route::{self, Parts};

/// The determinants themselves, their phases, and the logarithms of their magnitudes.
const fn parts<T: Element>() -> [Operand; 3] {
    [
        Operand::one::<T::Scalar>("values"),
        Operand::one::<T::Scalar>("phase"),
        Operand::written::<RealOf<T>>("log_abs", Extent::One),
    ]
}

impl Work<'_> {
    fn parts<S: Scalar>(&self, at: usize) -> Parts<S> {
        Parts { value: self.values(at), phase: self.values(at + 1), log_abs: self.values(at + 2) }
    }
}

/// det A.
pub(crate) fn det<T: Element>() -> Operation {
    Operation::new(
        const {
            let [values, phase, log_abs] = parts::<T>();
            &[Operand::read::<T>("a", Extent::Square), values, phase, log_abs, Operand::STATUS]
        },
        |device, size, _, space| {
            let route = route::Det::<T>::new(device, size.n, space)?;
            Route::new(Vec::new(), move |work| {
                let (a, det, status) = (work.matrices(0), work.parts(1), work.values(4));
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue(work.launcher, work.batch, a, det, status, work.room) }
            })
        },
    )
}

/// det A from LU factors.
pub(crate) fn lu_det<T: Element>() -> Operation {
    Operation::new(
        const {
            let [values, phase, log_abs] = parts::<T>();
            &[
                Operand::read::<T::Scalar>("lu", Extent::Square),
                Operand::read::<u32>("pivots", Extent::Rows),
                Operand::read::<i32>("status", Extent::One),
                values,
                phase,
                log_abs,
            ]
        },
        |device, size, _, _| {
            let route = route::LuDet::new::<T::Scalar>(device, size.n)?;
            Route::new(Vec::new(), move |work| {
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue::<T::Scalar>(work.launcher, work.batch, work.lu(0), work.parts(3)) }
            })
        },
    )
}

/// det A from Cholesky factors.
pub(crate) fn cholesky_det<T: Element>() -> Operation {
    Operation::new(
        const {
            let [values, phase, log_abs] = parts::<T>();
            &[
                Operand::read::<T::Scalar>("factors", Extent::Square),
                Operand::read::<i32>("status", Extent::One),
                values,
                phase,
                log_abs,
            ]
        },
        |device, size, _, _| {
            let route = route::CholeskyDet::new::<T::Scalar>(device, size.n)?;
            Route::new(Vec::new(), move |work| {
                // SAFETY: the promise of who enqueues; the operands are these.
                unsafe { route.enqueue::<T::Scalar>(work.launcher, work.batch, work.cholesky(0), work.parts(2)) }
            })
        },
    )
}
