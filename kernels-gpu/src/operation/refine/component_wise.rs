//! Improvement of solutions in the precision of their factors, and what their error bounds are made of (`xGERFS`).

use numbers::refine::{FIRST_ERROR, RefineArgs, SINGULAR, Threshold, done_after, is_done};
use simt::layout::Layout;
use simt::{block, thread};

use super::decision::{shared_storage, worst_of};
use super::worst;
use numbers::matrix::View;
use numbers::scalar::{Real, Scalar};

/// After residuals and magnitudes, a block a matrix: adds the correction, and decides by the component-wise backward
/// error. It leaves the right-hand side of the next correction, or in the end bounds on the rows of the residual.
/// A correction that makes the error larger is not added, which LAPACK does: the next one is 0, and the last.
/// Solutions from factors that cannot be used become NaN.
#[inline(always)]
pub fn component_wise<T: Scalar>(args: RefineArgs<T>) {
    let n = args.n;
    let matrix = args.first + block::index() as u64;
    // SAFETY: `decision_shape` asks for this layout's bytes; a barrier separates writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T::Real>) };
    let threshold = Threshold::new::<T>(n);
    let (zero, one) = (T::Real::from_f64(0.0), T::Real::from_f64(1.0));
    let has_factors = args.status.load(matrix as i64) == 0;
    let x = args.x.matrix(matrix);
    let mut any_open = false;
    let (mut side, mut turn) = (0, 0); // sides that are done take no turn
    while side < args.rhs {
        let at = args.side(matrix, side);
        let is_first = args.is_first != 0;
        let steps = if is_first { 0 } else { args.state.load(at) };
        // All threads of the block agree.
        if !is_done(steps) {
            let before = if is_first { T::Real::from_f64(FIRST_ERROR) } else { args.error.load(at) };
            let (mut error, mut x_size) = (zero, zero);
            let mut i = thread::index();
            while i < n {
                let row = args.row(matrix, side, i);
                let corrected = if has_factors { args.corrected(matrix, side, i, one) } else { T::NAN };
                x_size = worst(x_size, corrected.abs1());
                let row_error = threshold.row_error(args.residual.load(row).abs1(), args.magnitude.load(row));
                error = worst(error, if has_factors { row_error } else { T::Real::NAN });
                i += block::dim();
            }
            let [error, x_size] = worst_of([error, x_size], shared, turn);
            turn += 1;
            let may_go_on = has_factors && (steps as u32) < args.most;
            let (is_worse, is_better) = (!is_first && error > before, threshold.wants_more(error, before));
            let (is_refused, goes_on) = (may_go_on && is_worse, may_go_on && (is_worse || is_better));
            i = thread::index();
            while i < n {
                let row = args.row(matrix, side, i);
                let residual = args.residual.load(row);
                if !is_refused {
                    x.store(i, side, if has_factors { args.corrected(matrix, side, i, one) } else { T::NAN });
                }
                if goes_on {
                    args.correction.store(row, if is_refused { T::ZERO } else { residual });
                } else {
                    args.magnitude.store(row, threshold.row_bound(residual.abs1(), args.magnitude.load(row)));
                }
                i += block::dim();
            }
            any_open |= goes_on;
            // After the barrier, by which all threads have read them.
            if thread::index() == 0 {
                let end = if has_factors { done_after(steps) } else { SINGULAR };
                args.state.store(at, if goes_on { steps + 1 } else { end });
                args.error.store(at, if is_refused { before } else { error });
                args.x_size.store(at, x_size);
            }
        }
        side += 1;
    }
    if thread::index() == 0 {
        args.is_done.store(matrix as i64, !any_open as i32);
    }
}
