//! Routes that factor, and then use the factors, which they keep in their room.

use numbers::matrix::Matrices;
use numbers::scalar::Scalar;

use super::{Route, Work};
use crate::element::Element;
use crate::error::Result;
use crate::route::{OwnCholesky, OwnFactors};
use crate::triangle::Triangle;

/// Operands of what uses factors, at most.
const MOST: usize = 8;

/// By LU: `factor` takes A and leaves factors, which `used` takes in place of A. The operation has so many operands, of
/// which A is the first, and the statuses are the last.
pub(super) fn through_lu<S: Element + Scalar>(
    factor: Route,
    used: Route,
    own: OwnFactors<S>,
    operands: usize,
) -> Result<Route> {
    let kernels = [factor.kernels(), used.kernels()].concat();
    Route::new(kernels, move |work| {
        let factors = own.with(work.values(operands - 1), work.room);
        let factors = [factors.lu.cast(), Work::raw(factors.pivots), work.operands.at(operands - 1)];
        // SAFETY: the promise of who enqueues; the factors are in the room, which is of the route's size.
        unsafe {
            factor.enqueue(&Work { operands: &[work.operands.at(0), factors[0], factors[1], factors[2]], ..*work })?;
            used.enqueue(&Work { operands: &with_factors(&factors, work, operands), ..*work })
        }
    })
}

/// As [`through_lu`], by Cholesky factors in a triangle.
pub(super) fn through_cholesky<S: Element + Scalar>(
    factor: Route,
    used: Route,
    (own, triangle): (OwnCholesky<S>, Triangle),
    operands: usize,
) -> Result<Route> {
    let kernels = [factor.kernels(), used.kernels()].concat();
    Route::new(kernels, move |work| {
        let factors = [own.with(work.values(operands - 1), work.room).l.cast(), work.operands.at(operands - 1)];
        let work = &Work { triangle, ..*work };
        // SAFETY: the promise of who enqueues; the factors are in the room, which is of the route's size.
        unsafe {
            factor.enqueue(&Work { operands: &[work.operands.at(0), factors[0], factors[1]], ..*work })?;
            used.enqueue(&Work { operands: &with_factors(&factors, work, operands), ..*work })
        }
    })
}

/// The operands of what is done with factors in place of the first one's.
fn with_factors(factors: &[Matrices<u8>], work: &Work<'_>, operands: usize) -> [Matrices<u8>; MOST] {
    let mut all = [factors[0]; MOST];
    let others = (1..operands).map(|number| work.operands.at(number));
    all.iter_mut().zip(factors.iter().copied().chain(others)).for_each(|(to, operand)| *to = operand);
    all
}
