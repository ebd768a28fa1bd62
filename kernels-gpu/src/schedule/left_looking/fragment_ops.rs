//! One panel applied to another, on fragments in registers: TRSM for its rows of U, and the GEMM below.

use simt::global::Global;

use crate::collective::fragment::COLUMNS;
use crate::collective::mma::Mma;
use crate::schedule::left_looking::sink::Sink;
use crate::schedule::left_looking::{LanePlace, NB};

/// L11 u = a12 for this lane's column `row` of a block of U, of which it keeps rows `column` and `column + 1`. `l11(k)`
/// is row k of the unit triangle. Four lanes compute the same, so that no shuffles are needed.
#[inline(always)]
pub fn solve_unit_lower<T: Mma>(a12: impl Fn(usize) -> T, l11: impl Fn(usize) -> [T; COLUMNS]) -> [T; 2] {
    let mut u = [T::ZERO; COLUMNS];
    for k in 0..COLUMNS {
        u[k] = a12(k);
    }
    for k in 1..COLUMNS {
        let l = l11(k);
        for c in 0..k {
            u[k] = u[k].sub_mul(l[c], u[c]);
        }
    }
    let column = LanePlace::own().column as usize;
    let mut own = [u[0], u[1]];
    for k in 1..COLUMNS / 2 {
        own = if column == 2 * k { [u[2 * k], u[2 * k + 1]] } else { own };
    }
    own
}

/// Where this lane's part of U goes: rows of panel `q` in the columns of panel `p`.
#[inline(always)]
pub fn u_address<T: Mma>(to: &impl Sink<T>, (q, p): (u32, u32)) -> Global<T> {
    let place = LanePlace::own();
    to.at(q * NB + place.column, p * NB + place.row)
}

/// Stores this lane's part of U at `at`, if panel `p` has the column. Whether it is finite.
#[inline(always)]
pub fn store_u<T: Mma, S: Sink<T>>(u: [T; 2], to: &S, at: Global<T>, p: u32, n: u32) -> bool {
    if S::IS_PADDED || p * NB + LanePlace::own().row < n {
        at.store(0, u[0]);
        at.store(to.row_stride(), u[1]);
    }
    u[0].is_finite() & u[1].is_finite()
}

/// `-u` as the right operand of a product.
#[inline(always)]
pub fn negated_operand<T: Mma>(u: [T; 2]) -> T::Row {
    let mut operand = T::NO_ROW;
    for e in 0..2 {
        let parts = (-u[e]).to_parts();
        for part in 0..T::PARTS {
            operand.as_mut()[part][e] = parts[part];
        }
    }
    operand
}

/// `x + l * u`, where `l` holds this lane's pairs of rows i and i + 8.
#[inline(always)]
pub fn add_product<T: Mma>(x: T::Tile, l: [[T; 2]; 2], u: &T::Row) -> T::Tile {
    let (mut sum, mut left) = (x, T::ZEROS);
    for h in 0..2 {
        for e in 0..2 {
            T::set(&mut left, 2 * e + h, l[h][e]);
        }
    }
    T::multiply_parts::<false, true>(&mut sum, &left, u);
    sum
}
