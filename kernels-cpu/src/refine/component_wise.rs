//! Improvement in the precision of the factors, and the statuses of its solutions.

use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::refine::{FIRST_ERROR, RefineArgs, SINGULAR, Threshold, done_after, is_done};
use numbers::scalar::{Real, Scalar};
use numbers::status::side_not_finite;
use simt::global::Global;

use super::product::Place;
use super::{add_correction, at, for_each, largest, numbers};
use crate::element::CpuScalar;

/// Adds corrections and decides on the next, component by component. One that makes the error larger is not added: the
/// next one is 0, and the last.
///
/// # Safety
/// As for [`super::to_single`].
pub(crate) unsafe fn component_wise<T: CpuScalar>(args: &RefineArgs<T>, size: Problem) {
    let (n, threshold) = (size.n as usize, Threshold::new::<T>(size.n));
    for_each::<T>(size, |matrix, _| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let has_factors = at(args.status, matrix as usize).read() == 0;
            let mut any_open = false;
            for side in 0..args.rhs {
                let (place, first) = (args.side(matrix, side) as usize, args.row(matrix, side, 0));
                let is_first = args.is_first != 0;
                let steps = if is_first { 0 } else { at(args.state, place).read() };
                if is_done(steps) {
                    continue;
                }
                let x = Place::of(args.x, matrix);
                let (residual, magnitude) = (numbers(args.residual, first, n), numbers(args.magnitude, first, n));
                let before = if is_first { T::Real::from_f64(FIRST_ERROR) } else { at(args.error, place).read() };
                let error = if has_factors {
                    let rows = residual.iter().zip(&*magnitude);
                    largest(rows.map(|(r, &magnitude)| threshold.row_error(r.abs1(), magnitude)))
                } else {
                    T::Real::NAN
                };
                let may_go_on = has_factors && (steps as u32) < args.most;
                if may_go_on && !is_first && error > before {
                    numbers(args.correction, first, n).fill(T::ZERO);
                    at(args.state, place).write(steps + 1);
                    any_open = true;
                    continue;
                }
                let x_size = if has_factors {
                    add_correction(args, matrix, side)
                } else {
                    (0..n).for_each(|i| x.at(i, side as usize).write(T::NAN));
                    T::Real::NAN
                };
                let goes_on = may_go_on && threshold.wants_more(error, before);
                if goes_on {
                    numbers(args.correction, first, n).copy_from_slice(residual);
                } else {
                    for (magnitude, r) in magnitude.iter_mut().zip(residual) {
                        *magnitude = threshold.row_bound(r.abs1(), *magnitude);
                    }
                }
                any_open |= goes_on;
                let end = if has_factors { done_after(steps) } else { SINGULAR };
                at(args.state, place).write(if goes_on { steps + 1 } else { end });
                at(args.error, place).write(error);
                at(args.x_size, place).write(x_size);
            }
            at(args.is_done, matrix as usize).write(i32::from(!any_open));
        }
    });
}

/// The statuses of solutions, from those of their factors: where that for a right-hand side is not finite, the status
/// says so, and it becomes all NaN.
///
/// # Safety
/// As for [`super::to_single`].
pub(crate) unsafe fn finish<T: CpuScalar>(lu_status: Global<i32>, x: Matrices<T>, status: Global<i32>, size: Problem) {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    for_each::<T>(size, |matrix, _| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let x = Place::of(x, matrix);
            let mut code = at(lu_status, matrix as usize).read();
            let has_factors = code == 0;
            for j in 0..rhs {
                if has_factors && (0..n).all(|i| (*x.at(i, j)).is_finite()) {
                    continue;
                }
                (0..n).for_each(|i| x.at(i, j).write(T::NAN));
                code = if code == 0 { side_not_finite(j as u32) } else { code };
            }
            at(status, matrix as usize).write(code);
        }
    });
}
