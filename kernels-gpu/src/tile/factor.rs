//! A panel factored by the warp that owns it.

use simt::hint::opaque;
use simt::warp;

use crate::scalar::{Real, Scalar};
use crate::tile::board::{Board, OPEN};
use crate::tile::search::Candidates;
use crate::tile::tiles::Panel;
use crate::tile::wide::Wide;

/// Factors panel `p` of a matrix of order `n`, and publishes what the other warps need to apply it.
///
/// Afterwards the rows that were pivots before hold U, the others L, as LAPACK leaves them. Where `JORDAN`, rows that were
/// pivots are eliminated like the others, and the panel becomes its part of the inverse, but for its rows' division by
/// their pivots (in-place Gauss-Jordan).
///
/// One loop body serves all columns, as unrolled ones would not stay in the instruction cache: the current column is always
/// column 0, because each step moves the columns down by one.
#[inline(always)]
pub fn factor<T: Wide, const R: usize, const NB: usize, const Q: usize, const JORDAN: bool>(
    x: &mut Panel<T, R, NB>,
    board: &Board<T, R, NB, Q>,
    p: u32,
    n: u32,
) {
    let lane = warp::lane();
    let first = p * NB as u32;
    let before = board.steps(p + 1).offset(lane); // as panel p - 1 left them
    let after = board.steps(p).offset(lane);
    let positions = board.positions().offset(lane);
    let finished = board.finished().offset(lane);
    let mut open = [0; R]; // all ones for rows that may become pivots
    for r in 0..R {
        let step = before.load(32 * r as u32);
        open[r] = if step == OPEN { u32::MAX } else { 0 };
        after.store(32 * r as u32, step);
    }

    let mut j = 0;
    while j < opaque(NB as u32) {
        let k = first + j;
        let multipliers = board.multipliers(p).offset(j * 32 * R as u32 + lane);
        let finished = finished.offset(j * 32 * R as u32);
        if k >= n {
            // Padding: its pivots are its ones.
            let column = column(x);
            for r in 0..R {
                multipliers.store(32 * r as u32, T::ZERO);
                finished.store(32 * r as u32, column[r]);
            }
            if lane == 0 {
                board.record(k, k, k, k, T::ONE);
            }
            shift(x, &[T::ZERO; R], &[T::ZERO; NB], &column);
            j += 1;
            continue;
        }

        let candidates = Candidates::new(x, &open);
        let own = candidates.own();
        let displaced = board.order().load(k);
        let mut position = positions.load(32 * own.1);
        let inverse = pick(x, own.1).reciprocal();
        let pivot = candidates.elect(own, &open, positions);

        // The pivot row goes to all lanes.
        let shared = board.pivot_row(j);
        for r in 0..R {
            if lane == pivot.lane && pivot.slot == r as u32 {
                T::store_row(shared, &x[r]);
            }
        }
        if lane == pivot.lane {
            shared.store(NB as u32, inverse);
            if pivot.slot != own.1 {
                position = positions.load(32 * pivot.slot);
            }
            let row = lane + 32 * pivot.slot;
            board.record(k, row, position, displaced, pick(x, pivot.slot));
            after.store(32 * pivot.slot, k);
        }
        warp::sync(warp::ALL);
        let row: [T; NB] = T::load_row(shared);
        let mut inverse = shared.load(NB as u32);
        let mut l = column(x);
        if !T::Real::MODERATE.contains(&pivot.upper) {
            let scale = T::Real::safe_scale(row[0].abs1());
            inverse = if row[0] == T::ZERO { T::ZERO } else { row[0].scale(scale).reciprocal() };
            for r in 0..R {
                l[r] = l[r].scale(scale);
            }
        }

        let mut last = [T::ZERO; R]; // the column as it is from now on
        for r in 0..R {
            let is_pivot = lane == pivot.lane && pivot.slot == r as u32;
            open[r] = if is_pivot { 0 } else { open[r] };
            let eliminated = if JORDAN { !is_pivot } else { open[r] != 0 };
            let quotient = l[r] * inverse;
            l[r] = if eliminated { quotient } else { T::ZERO };
            if JORDAN {
                last[r] = if is_pivot { T::ONE } else { -quotient };
            } else {
                finished.store(32 * r as u32, if eliminated { quotient } else { x[r][0] });
            }
            multipliers.store(32 * r as u32, l[r]);
        }
        shift(x, &l, &row, &last);
        j += 1;
    }
    if !JORDAN {
        for r in 0..R {
            for c in 0..NB {
                x[r][c] = finished.load((c * 32 * R + 32 * r) as u32);
            }
        }
    }
}

/// The current column.
#[inline(always)]
fn column<T: Scalar, const R: usize, const NB: usize>(x: &Panel<T, R, NB>) -> [T; R] {
    let mut column = [T::ZERO; R];
    for r in 0..R {
        column[r] = x[r][0];
    }
    column
}

/// The current column's element in row slot `slot`.
#[inline(always)]
fn pick<T: Scalar, const R: usize, const NB: usize>(x: &Panel<T, R, NB>, slot: u32) -> T {
    let mut picked = x[0][0];
    for r in 1..R {
        picked = if slot == r as u32 { x[r][0] } else { picked };
    }
    picked
}

/// Subtracts `l` times the pivot row, and moves the columns down by one; `last` becomes the last column.
#[inline(always)]
fn shift<T: Scalar, const R: usize, const NB: usize>(
    x: &mut Panel<T, R, NB>,
    l: &[T; R],
    row: &[T; NB],
    last: &[T; R],
) {
    for c in 1..NB {
        for r in 0..R {
            x[r][c - 1] = x[r][c].sub_mul(l[r], row[c]);
        }
    }
    for r in 0..R {
        x[r][NB - 1] = last[r];
    }
}
