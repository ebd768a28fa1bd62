//! Matrices in single precision, and their infinity-norms: a warp [`ROWS`] rows.

use numbers::refine::{Correction, ROWS, RefineArgs, row_groups};
use simt::{block, warp};

use super::{AHEAD, WARPS, worst};
use crate::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::{Real, Scalar, ScalarKind};

/// The launch shape of [`to_single`].
#[must_use]
pub fn to_single_shape(problem: &Problem, _: ScalarKind) -> Shape {
    let warps = problem.batch.saturating_mul(row_groups(if problem.n > 0 { problem.n } else { 1 }) as u64);
    Shape { blocks: warps.div_ceil(WARPS as u64), cluster: 1, threads: super::THREADS, shared_bytes: 0 }
}

/// The body of the kernel: writes `low` and `norm`.
#[inline(always)]
pub fn to_single<T: Scalar, L: Correction<T>>(args: RefineArgs<T, L>) {
    let groups = row_groups(args.n) as u64;
    let warp = block::index() as u64 * WARPS as u64 + warp::index() as u64;
    let offset = warp.checked_div(groups).unwrap_or(0);
    let (matrix, group) = (args.first + offset, (warp - offset * groups) as u32);
    if matrix >= args.end {
        return;
    }
    let (a, low) = (args.a.matrix(matrix), args.low.matrix(matrix));
    let rows = Rows { a, low, first: group * ROWS, n: args.n };
    let mut norm = if a.rows_are_close() { rows.of_lanes() } else { rows.by_all_lanes() };
    let mut distance = 1;
    while distance < warp::SIZE {
        norm = worst(norm, warp::shuffle_xor(warp::ALL, norm, distance));
        distance *= 2;
    }
    if warp::lane() == 0 {
        args.norm.store((matrix * groups) as i64 + group as i64, norm);
    }
}

/// Some rows of a matrix, in both types.
struct Rows<T, L> {
    a: GlobalMatrix<T>,
    low: GlobalMatrix<L>,
    first: u32,
    n: u32,
}

impl<T: Scalar, L: Correction<T>> Rows<T, L> {
    /// Where rows are close: a lane a row.
    #[inline(always)]
    fn of_lanes(&self) -> T::Real {
        let (n, row) = (self.n, self.first + warp::lane());
        let mut sum = T::Real::from_f64(0.0);
        let mut j = 0;
        while row < n && j < n {
            let mut part = [T::ZERO; AHEAD];
            for q in 0..AHEAD {
                if j + (q as u32) < n {
                    part[q] = self.a.load(row, j + q as u32);
                }
            }
            for q in 0..AHEAD {
                if j + (q as u32) < n {
                    sum = sum + self.round(part[q], row, j + q as u32);
                }
            }
            j += AHEAD as u32;
        }
        sum
    }

    /// Where columns are close: one row after the other. The norm of those that this lane has.
    #[inline(always)]
    fn by_all_lanes(&self) -> T::Real {
        let n = self.n;
        let mut norm = T::Real::from_f64(0.0);
        let mut row = self.first;
        while row < n && row < self.first + ROWS {
            let mut sum = T::Real::from_f64(0.0);
            let mut j = warp::lane();
            while j < n {
                sum = sum + self.round(self.a.load(row, j), row, j);
                j += warp::SIZE;
            }
            let mut distance = 1;
            while distance < warp::SIZE {
                sum = sum + warp::shuffle_xor(warp::ALL, sum, distance);
                distance *= 2;
            }
            norm = worst(norm, sum);
            row += 1;
        }
        norm
    }

    /// Writes an element; its magnitude, infinite where it overflows.
    #[inline(always)]
    fn round(&self, x: T, i: u32, j: u32) -> T::Real {
        let low = L::of_wide(x);
        self.low.store(i, j, low);
        if low.is_finite() { x.abs1() } else { T::Real::from_f64(f64::INFINITY) }
    }
}
