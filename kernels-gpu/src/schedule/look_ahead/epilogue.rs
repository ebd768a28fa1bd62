//! The end of an inversion: divides rows by their pivots, and stores rows and columns in their final order.

use simt::warp;

use crate::collective::fragment::{column, row};
use crate::collective::mma::Mma;
use crate::collective::vote::any_thread;
use crate::operation::InverseArgs;
use crate::schedule::look_ahead::columns::Columns;
use crate::schedule::look_ahead::storage::SharedStorage;
use crate::schedule::look_ahead::{NB, updater};
use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

/// Stores the inverse of matrix `b`, or NaN, and its status. One vote of the block.
#[inline(always)]
pub fn finish<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize, const LANE_ROWS: usize>(
    columns: &mut Columns<T, TILES, PANELS, HELD>,
    shared: &SharedStorage<T, TILES, PANELS>,
    args: &InverseArgs<T>,
    b: u64,
    finite: bool,
) {
    let n = args.n;
    let (mut steps, other) = (shared.pivot_steps(0, row()), shared.pivot_steps(1, row()));
    for i in 0..2 * TILES {
        let (even, odd) = (steps[i / 2][i % 2], other[i / 2][i % 2]);
        steps[i / 2][i % 2] = if even < odd { even } else { odd };
    }
    let finite = divide_rows(columns, &steps, shared, n) && finite;
    let non_finite = any_thread(!finite, shared.flags);
    let status = if non_finite { NON_FINITE } else { shared.zero_pivot.load(0) as i32 };
    if updater(TILES, PANELS) == 0 && warp::lane() == 0 {
        args.status.store(b as i64, status);
    }
    if status != 0 {
        for i in 0..2 * TILES {
            columns.map_row(i, |_| T::NAN);
        }
    }
    let inverse = args.inverse.matrix(b);
    for s in 0..PANELS {
        if Columns::<T, TILES, PANELS, HELD>::panel(s) * (NB as u32) < n {
            store_panel::<T, TILES, PANELS, HELD, LANE_ROWS>(columns, s, &steps, shared, &inverse, n);
        }
    }
}

/// Divides rows by their pivots. Returns whether all of this lane's numbers are finite.
#[inline(always)]
fn divide_rows<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize>(
    columns: &mut Columns<T, TILES, PANELS, HELD>,
    steps: &[[u32; 2]; TILES],
    shared: &SharedStorage<T, TILES, PANELS>,
    n: u32,
) -> bool {
    let mut is_moderate = true;
    for i in 0..2 * TILES {
        let step = steps[i / 2][i % 2];
        is_moderate &= step >= n || shared.scales.load(step) == T::Real::ONE;
    }
    if warp::any(warp::ALL, !is_moderate) {
        for i in 0..2 * TILES {
            let step = steps[i / 2][i % 2];
            let scale = if step < n { shared.scales.load(step) } else { T::Real::ONE };
            columns.map_row(i, |x| x.scale(scale));
        }
    }
    let mut finite = true;
    for i in 0..2 * TILES {
        let step = steps[i / 2][i % 2];
        let reciprocal = if step < n { -shared.negated_reciprocals.load(step) } else { T::ONE };
        columns.map_row(i, |x| {
            let x = x * reciprocal;
            finite &= x.is_finite();
            x
        });
    }
    finite
}

/// Stores this warp's panel `s`: each row as the row of its step, each column as that of its pivot row.
#[inline(always)]
fn store_panel<T: Mma, const TILES: usize, const PANELS: usize, const HELD: usize, const LANE_ROWS: usize>(
    columns: &Columns<T, TILES, PANELS, HELD>,
    s: usize,
    steps: &[[u32; 2]; TILES],
    shared: &SharedStorage<T, TILES, PANELS>,
    inverse: &GlobalMatrix<T>,
    n: u32,
) {
    let count = SharedStorage::<T, TILES, PANELS>::BUFFER_COLUMNS;
    let first = Columns::<T, TILES, PANELS, HELD>::panel(s) * NB as u32;
    for group in 0..NB as u32 / count {
        warp::sync(warp::ALL);
        if column() / count == group {
            for i in 0..2 * TILES {
                let step = steps[i / 2][i % 2];
                if step < n {
                    let tile = columns.get(s, i / 2);
                    for c in 0..2 {
                        let to = (column() % count + c) * SharedStorage::<T, TILES, PANELS>::BUFFER_STRIDE + step;
                        shared.column_buffer().store(to, T::get(&tile, i % 2 * 2 + c as usize));
                    }
                }
            }
        }
        warp::sync(warp::ALL);
        store_columns::<T, TILES, PANELS, LANE_ROWS>(shared, inverse, first + count * group, n);
    }
}

/// Stores the buffered columns, which are those of steps `first..`.
#[inline(always)]
fn store_columns<T: Mma, const TILES: usize, const PANELS: usize, const LANE_ROWS: usize>(
    shared: &SharedStorage<T, TILES, PANELS>,
    inverse: &GlobalMatrix<T>,
    first: u32,
    n: u32,
) {
    let count = SharedStorage::<T, TILES, PANELS>::BUFFER_COLUMNS;
    let stride = SharedStorage::<T, TILES, PANELS>::BUFFER_STRIDE;
    let lane = warp::lane();
    if inverse.column_is_dense() {
        let mut x = [[T::ZERO; LANE_ROWS]; NB]; // all loads are under way at once
        for c in 0..count {
            for r in 0..LANE_ROWS {
                if first + c < n && lane + 32 * (r as u32) < n {
                    x[c as usize][r] = shared.column_buffer().load(c * stride + 32 * r as u32 + lane);
                }
            }
        }
        for c in 0..count {
            if first + c < n {
                let target = inverse.at(lane, shared.pivot_rows.load(first + c));
                for r in 0..LANE_ROWS {
                    if lane + 32 * (r as u32) < n {
                        target.store(32 * r as i64, x[c as usize][r]);
                    }
                }
            }
        }
    } else {
        let (i, c, rows) = (lane / count, lane % count, warp::SIZE / count);
        if first + c < n {
            let target = inverse.at(i, shared.pivot_rows.load(first + c));
            let from = shared.column_buffer().offset(c * stride + i);
            for e in 0..SharedStorage::<T, TILES, PANELS>::ROWS / rows {
                if i + rows * e < n {
                    target.store(inverse.row_stride() * (rows * e) as i64, from.load(rows * e));
                }
            }
        }
    }
}
