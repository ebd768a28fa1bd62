//! Solution in double precision by factors in single precision: the right-hand sides of corrections, and LAPACK's
//! criterion (`DSGESV`): the largest |r| is at most the largest |x| times the infinity-norm of A times u sqrt(n). Beyond
//! that, the component-wise backward error is at most (n + 1) u.

use numbers::refine::{Correction, OVERFLOW, RefineArgs, SINGULAR, Scales, Threshold, is_done, row_groups};
use simt::layout::Layout;
use simt::{block, thread};

use super::decision::{shared_storage, worst_of};
use super::worst;
use numbers::matrix::View;
use numbers::scalar::{Real, Scalar};

/// Before the first solution, a block a matrix: rounds the right-hand sides, and begins with solutions that are 0.
#[inline(always)]
pub fn start<T: Scalar, L: Correction<T>>(args: RefineArgs<T, L>) {
    let matrix = args.first + block::index() as u64;
    // SAFETY: `decision_shape` asks for this layout's bytes; a barrier separates writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T::Real>) };
    let norm = norm_of_matrix(&args, matrix);
    let (b, x) = (args.b.matrix(matrix), args.x.matrix(matrix));
    let mut side = 0;
    while side < args.rhs {
        let mut size = T::Real::from_f64(0.0);
        let mut i = thread::index();
        while i < args.n {
            size = worst(size, b.load(i, side).abs1());
            i += block::dim();
        }
        let [size, norm] = worst_of([size, norm], shared, side);
        let scales = Scales::new::<L>(size, norm);
        i = thread::index();
        while i < args.n {
            let low = L::of_wide(b.load(i, side).scale(scales.down));
            args.correction.store(args.row(matrix, side, i), low);
            x.store(i, side, T::ZERO);
            i += block::dim();
        }
        if thread::index() == 0 {
            let at = args.side(matrix, side);
            args.scale.store(at, scales.up);
            args.state.store(at, 0);
        }
        side += 1;
    }
}

/// After a solution and its residual, a block a matrix: adds the correction, decides, and makes the right-hand side of
/// the next one where there is to be one.
#[inline(always)]
pub fn norm_wise<T: Scalar, L: Correction<T>>(args: RefineArgs<T, L>) {
    let n = args.n;
    let matrix = args.first + block::index() as u64;
    // SAFETY: `decision_shape` asks for this layout's bytes; a barrier separates writes from reads.
    let shared = unsafe { Layout::place(shared_storage::<T::Real>) };
    let threshold = Threshold::new::<T>(n);
    let zero = T::Real::from_f64(0.0);
    let has_factors = args.status.load(matrix as i64) == 0;
    let mut turn = 0;
    let [norm] = worst_of([norm_of_matrix(&args, matrix)], shared, turn);
    let x = args.x.matrix(matrix);
    let mut any_open = false;
    let mut side = 0;
    while side < args.rhs {
        let at = args.side(matrix, side);
        let steps = args.state.load(at);
        // All threads of the block agree.
        if !is_done(steps) {
            let scale = args.scale.load(at);
            let before = if steps > 0 { args.error.load(at) } else { T::Real::NAN };
            let (mut left, mut x_size, mut error) = (zero, zero, zero);
            let mut i = thread::index();
            while i < n {
                let corrected = args.corrected(matrix, side, i, scale);
                x.store(i, side, corrected);
                x_size = worst(x_size, corrected.abs1());
                let row = args.row(matrix, side, i);
                let r = args.residual.load(row).abs1();
                left = worst(left, r);
                error = worst(error, threshold.row_error(r, args.magnitude.load(row)));
                i += block::dim();
            }
            turn += 1;
            let [left, x_size, error] = worst_of([left, x_size, error], shared, turn);
            let state = if !norm.is_finite() {
                OVERFLOW
            } else if !has_factors {
                SINGULAR
            } else {
                threshold.decide((left, x_size, norm), (error, before), (steps, args.most))
            };
            let scales = Scales::new::<L>(left, norm);
            i = thread::index();
            while i < n && !is_done(state) {
                let row = args.row(matrix, side, i);
                args.correction.store(row, L::of_wide(args.residual.load(row).scale(scales.down)));
                i += block::dim();
            }
            any_open |= !is_done(state);
            // After the barrier, by which all threads have read them.
            if thread::index() == 0 {
                args.state.store(at, state);
                args.scale.store(at, scales.up);
                args.error.store(at, error);
            }
        }
        side += 1;
    }
    if thread::index() == 0 {
        args.is_done.store(matrix as i64, !any_open as i32);
    }
}

/// The infinity-norm of the matrix, as far as this thread sees it.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn norm_of_matrix<T: Scalar, L: Correction<T>>(args: &RefineArgs<T, L>, matrix: u64) -> T::Real {
    let groups = row_groups(args.n);
    let mut norm = T::Real::from_f64(0.0);
    let mut i = thread::index();
    while i < groups {
        norm = worst(norm, args.norm.load(matrix as i64 * groups as i64 + i as i64));
        i += block::dim();
    }
    norm
}
