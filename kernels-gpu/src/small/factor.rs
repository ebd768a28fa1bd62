//! LU with partial pivoting of the matrices of a warp, in registers.

use simt::shared::Shared;
use simt::{hint, warp};

use crate::scalar::Scalar;
use crate::small::number::Number;
use crate::small::pivot::{Row, divide, first_largest};
use crate::small::pivot_rows;
use crate::team::Team;

/// What comes with the factors of a team's matrix.
#[derive(Clone, Copy, Debug)]
pub struct Factored<const P: usize> {
    /// The rows of this lane: `step` is the row of the factors that it is, `from` the interchange of that column.
    pub rows: [Row; P],
    /// 0, or k where the k-th pivot is the first exact zero.
    pub status: i32,
}

/// Factors the team's matrix, `x` being the rows of this lane. Shared memory is overwritten.
///
/// Columns are taken in groups of 8. After a group `x` is rotated by as many columns, so that one piece of code serves
/// all groups; at the end it is in order again.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn factor<T: Number, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    x: &mut [[T; N]; P],
    n: u32,
) -> Factored<P> {
    let pivots = pivot_rows::<T, N, L>(team); // the pivot rows of even and of odd columns, from the group's first column: (2, N)
    let group = if N < 8 { N } else { 8 };
    let mut factored = Factored { rows: Row::all(team, n), status: 0 };
    warp::sync(warp::ALL); // the rows take the place of matrices that other lanes have read
    let mut first = 0;
    while first < hint::opaque(N as u32) {
        for j in 0..group {
            if first + (j as u32) < n {
                eliminate(team, pivots.offset((j % 2 * N) as u32), x, j, first, n - first, &mut factored);
            }
        }
        for p in 0..P {
            x[p] = rotated(&x[p], group);
        }
        first += group as u32;
    }
    warp::sync(warp::ALL); // whatever comes next may overwrite the rows
    factored
}

/// Eliminates column `first + j`, which is in `x[..][j]`; `left` columns begin at `x[..][0]`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn eliminate<T: Number, const N: usize, const L: usize, const P: usize>(
    team: &Team<L>,
    pivot_row: Shared<T>,
    x: &mut [[T; N]; P],
    j: usize,
    first: u32,
    left: u32,
    factored: &mut Factored<P>,
) {
    let column = first + j as u32;
    let group = if N < 8 { N } else { 8 };
    let tag = first_largest(team, &factored.rows, x, j);
    for p in 0..P {
        if factored.rows[p].choose(tag, column) {
            for first in (0..N).step_by(group) {
                // No way out of the loop, nor one that LLVM finds: on each it would leave a copy of what the row becomes.
                if first == 0 || (first as u32) < hint::opaque(left) {
                    for v in first / T::VECTOR..(first + group) / T::VECTOR {
                        if (v + 1) * T::VECTOR > j {
                            T::store_vector(pivot_row, v as u32, &x[p], v * T::VECTOR);
                        }
                    }
                }
            }
        }
    }
    warp::sync(warp::ALL);

    let pivot = T::load_vector(pivot_row, (j / T::VECTOR) as u32)[j % T::VECTOR];
    let mut l = [T::ZERO; P];
    for p in 0..P {
        l[p] = x[p][j];
    }
    divide(&mut l, pivot, column, &mut factored.status);
    for p in 0..P {
        let below = factored.rows[p].is_candidate();
        x[p][j] = if below { l[p] } else { x[p][j] };
        l[p] = if below { l[p] } else { T::ZERO };
    }
    for first in (0..N).step_by(group) {
        if first > 0 && first as u32 >= left {
            break;
        }
        for v in first / T::VECTOR..(first + group) / T::VECTOR {
            if (v + 1) * T::VECTOR > j + 1 {
                let u = T::load_vector(pivot_row, v as u32);
                for i in 0..T::VECTOR {
                    let c = v * T::VECTOR + i;
                    for p in 0..P {
                        if c > j {
                            x[p][c] = x[p][c].sub_mul(l[p], u[i]);
                        }
                    }
                }
            }
        }
    }
}

/// The numbers, `by` places further to the front, the first ones at the end.
#[inline(always)]
#[must_use]
pub fn rotated<T: Scalar, const N: usize>(x: &[T; N], by: usize) -> [T; N] {
    let mut y = [T::ZERO; N];
    for c in 0..N {
        y[c] = x[(c + by) % N];
    }
    y
}

/// Whether all numbers of all rows of the team are finite, as 0 times each of them tells. Beyond n, rows and columns are 0.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn is_finite<T: Number, const N: usize, const L: usize, const P: usize>(team: &Team<L>, x: &[[T; N]; P]) -> bool {
    let mut zero = T::ZERO;
    for p in 0..P {
        for c in 0..N {
            zero = zero.sub_mul(x[p][c], T::ZERO);
        }
    }
    team.ballot(zero != T::ZERO) == 0
}
