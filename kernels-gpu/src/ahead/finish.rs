//! An inverse on its way out: rows are divided by their pivots, and rows and columns brought to order.

use simt::warp;

use crate::ahead::board::Board;
use crate::ahead::columns::{Columns, column, row};
use crate::ahead::{NB, updater};
use crate::inverse::InvertArgs;
use crate::lu::NON_FINITE;
use crate::matrix::GlobalMatrix;
use crate::product::Product;
use crate::scalar::Scalar;
use crate::vote::any_thread;

/// Divides rows by their pivots, and stores all in order.
#[inline(always)]
pub fn finish<T: Product, const B: usize, const Q: usize, const K: usize, const R: usize>(
    columns: &mut Columns<T, B, Q, K>,
    board: &Board<T, B, Q>,
    args: &InvertArgs<T>,
    b: u64,
    finite: bool,
) {
    let n = args.n;
    let (mut steps, other) = (board.steps(0, row()), board.steps(1, row()));
    for i in 0..2 * B {
        let (even, odd) = (steps[i / 2][i % 2], other[i / 2][i % 2]);
        steps[i / 2][i % 2] = if even < odd { even } else { odd };
    }
    let finite = divide(columns, &steps, board, n) && finite;
    let non_finite = any_thread(!finite, board.flags);
    let status = if non_finite { NON_FINITE } else { board.zero.load(0) as i32 };
    if updater(B, Q) == 0 && warp::lane() == 0 {
        args.status.store(b as i64, status);
    }
    if status != 0 {
        for i in 0..2 * B {
            columns.replace(i, |_| T::NAN);
        }
    }
    let inverse = args.inverse.matrix(b);
    for s in 0..Q {
        if Columns::<T, B, Q, K>::panel(s) * (NB as u32) < n {
            store::<T, B, Q, K, R>(columns, s, &steps, board, &inverse, n);
        }
    }
}

/// Divides rows by their pivots, and says whether all that this lane has is finite.
#[inline(always)]
fn divide<T: Product, const B: usize, const Q: usize, const K: usize>(
    columns: &mut Columns<T, B, Q, K>,
    steps: &[[u32; 2]; B],
    board: &Board<T, B, Q>,
    n: u32,
) -> bool {
    let mut is_moderate = true;
    for i in 0..2 * B {
        let step = steps[i / 2][i % 2];
        is_moderate &= step >= n || board.scales.load(step) == T::Real::ONE;
    }
    if warp::any(warp::ALL, !is_moderate) {
        for i in 0..2 * B {
            let step = steps[i / 2][i % 2];
            let scale = if step < n { board.scales.load(step) } else { T::Real::ONE };
            columns.replace(i, |x| x.scale(scale));
        }
    }
    let mut finite = true;
    for i in 0..2 * B {
        let step = steps[i / 2][i % 2];
        let reciprocal = if step < n { -board.reciprocals.load(step) } else { T::ONE };
        columns.replace(i, |x| {
            let x = x * reciprocal;
            finite &= x.is_finite();
            x
        });
    }
    finite
}

/// Stores the panel in slot `s`, each row where its step is, each column where its pivot row is.
#[inline(always)]
fn store<T: Product, const B: usize, const Q: usize, const K: usize, const R: usize>(
    columns: &Columns<T, B, Q, K>,
    s: usize,
    steps: &[[u32; 2]; B],
    board: &Board<T, B, Q>,
    inverse: &GlobalMatrix<T>,
    n: u32,
) {
    let staged = Board::<T, B, Q>::STAGED;
    let first = Columns::<T, B, Q, K>::panel(s) * NB as u32;
    for group in 0..NB as u32 / staged {
        warp::sync(warp::ALL);
        if column() / staged == group {
            for i in 0..2 * B {
                let step = steps[i / 2][i % 2];
                if step < n {
                    let tile = columns.get(s, i / 2);
                    for c in 0..2 {
                        let to = (column() % staged + c) * Board::<T, B, Q>::LEADING_DIMENSION + step;
                        board.stage().store(to, T::get(&tile, i % 2 * 2 + c as usize));
                    }
                }
            }
        }
        warp::sync(warp::ALL);
        store_staged::<T, B, Q, R>(board, inverse, first + staged * group, n);
    }
}

/// Stores the columns that are staged as those of steps `first..`.
#[inline(always)]
fn store_staged<T: Product, const B: usize, const Q: usize, const R: usize>(
    board: &Board<T, B, Q>,
    inverse: &GlobalMatrix<T>,
    first: u32,
    n: u32,
) {
    let (staged, leading_dimension) = (Board::<T, B, Q>::STAGED, Board::<T, B, Q>::LEADING_DIMENSION);
    let lane = warp::lane();
    if inverse.column_is_dense() {
        let mut x = [[T::ZERO; R]; NB]; // all on their way at once
        for c in 0..staged {
            for r in 0..R {
                if first + c < n && lane + 32 * (r as u32) < n {
                    x[c as usize][r] = board.stage().load(c * leading_dimension + 32 * r as u32 + lane);
                }
            }
        }
        for c in 0..staged {
            if first + c < n {
                let target = inverse.at(lane, board.pivot_rows.load(first + c));
                for r in 0..R {
                    if lane + 32 * (r as u32) < n {
                        target.store(32 * r as i64, x[c as usize][r]);
                    }
                }
            }
        }
    } else {
        let (i, c, rows) = (lane / staged, lane % staged, warp::SIZE / staged);
        if first + c < n {
            let target = inverse.at(i, board.pivot_rows.load(first + c));
            let from = board.stage().offset(c * leading_dimension + i);
            for e in 0..Board::<T, B, Q>::ROWS / rows {
                if i + rows * e < n {
                    target.store(inverse.row_stride() * (rows * e) as i64, from.load(rows * e));
                }
            }
        }
    }
}
