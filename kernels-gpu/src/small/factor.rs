//! LU with partial pivoting of the matrices of a warp, in registers.

use simt::shared::Shared;
use simt::{hint, warp};

use crate::scalar::Scalar;
use crate::small::number::Number;
use crate::small::pivot_rows;
use crate::team::Team;

/// What comes with the factors of a team's matrix.
#[derive(Clone, Copy, Debug)]
pub struct Factored {
    /// The row of the factors that this lane holds.
    pub position: u32,
    /// The team's lane that holds row `team.row` of the factors.
    pub holder: u32,
    /// The interchange of column `team.row`.
    pub pivot: u32,
    /// 0, or k where the k-th pivot is the first exact zero.
    pub status: i32,
}

/// Factors the team's matrix, row `team.row` of which is `x`. Shared memory is overwritten.
///
/// Columns are taken in groups of 8. After a group `x` is rotated by as many columns, so that one piece of code serves
/// all groups; at the end it is in order again.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn factor<T: Number, const N: usize, const L: usize>(team: &Team<L>, x: &mut [T; N], n: u32) -> Factored {
    let rows = pivot_rows::<T, N, L>(team); // the pivot rows of even and of odd columns, from the group's first column: (2, N)
    let group = if N < 8 { N } else { 8 };
    let mut factored = Factored { position: team.row, holder: 0, pivot: 0, status: 0 };
    warp::sync(warp::ALL); // the rows take the place of matrices that other lanes have read
    let mut first = 0;
    while first < hint::opaque(N as u32) {
        for j in 0..group {
            if first + (j as u32) < n {
                eliminate(team, rows.offset((j % 2 * N) as u32), x, j, first, n - first, &mut factored);
            }
        }
        *x = rotated(x, group);
        first += group as u32;
    }
    warp::sync(warp::ALL); // whatever comes next may overwrite the rows
    factored
}

/// Eliminates column `first + j`, which is in `x[j]`; `left` columns begin at `x[0]`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn eliminate<T: Number, const N: usize, const L: usize>(
    team: &Team<L>,
    pivot_row: Shared<T>,
    x: &mut [T; N],
    j: usize,
    first: u32,
    left: u32,
    factored: &mut Factored,
) {
    let column = first + j as u32;
    let group = if N < 8 { N } else { 8 };
    // Rows beyond n stay where they are, and are no candidates.
    let candidate = factored.position.wrapping_sub(column) < left - j as u32;
    let reciprocal = x[j].guarded_reciprocal(); // every lane's, so that the winner's is there at once
    let holder = holder_of_pivot(team, x[j], factored.position, candidate);
    let best = team.broadcast(factored.position, holder);
    let reciprocal = team.broadcast(reciprocal, holder);
    if team.row == holder {
        for first in (0..N).step_by(group) {
            if first > 0 && first as u32 >= left {
                break;
            }
            for v in first / T::VECTOR..(first + group) / T::VECTOR {
                if (v + 1) * T::VECTOR > j {
                    T::store_vector(pivot_row, v as u32, x, v * T::VECTOR);
                }
            }
        }
    }
    if factored.position == column {
        factored.position = best;
    }
    if team.row == holder {
        factored.position = column;
    }
    if team.row == column {
        factored.pivot = best;
        factored.holder = holder;
    }
    warp::sync(warp::ALL);

    let below = factored.position > column;
    let mut l = x[j] * reciprocal;
    if reciprocal == T::ZERO {
        let diagonal = pivot_row.load(j as u32);
        if diagonal == T::ZERO {
            factored.status = if factored.status == 0 { column as i32 + 1 } else { factored.status };
            l = x[j];
        } else {
            l = x[j].divide(diagonal.divisor());
        }
    }
    x[j] = if below { l } else { x[j] };
    let l = if below { l } else { T::ZERO };
    for first in (0..N).step_by(group) {
        if first > 0 && first as u32 >= left {
            break;
        }
        for v in first / T::VECTOR..(first + group) / T::VECTOR {
            if (v + 1) * T::VECTOR > j + 1 {
                let u = T::load_vector(pivot_row, v as u32);
                for i in 0..T::VECTOR {
                    let c = v * T::VECTOR + i;
                    if c > j {
                        x[c] = x[c].sub_mul(l, u[i]);
                    }
                }
            }
        }
    }
}

/// The team's lane with the candidate of the largest magnitude; of several the one whose row comes first, as in LAPACK.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn holder_of_pivot<T: Number, const L: usize>(team: &Team<L>, x: T, position: u32, candidate: bool) -> u32 {
    let (high, low) = x.words();
    let largest = team.max(if candidate { high } else { 0 });
    let mut tied = team.ballot(candidate && high == largest);
    let several = tied & tied.wrapping_sub(1) != 0;
    // Rare, and for all teams of the warp where one needs it.
    let look_again = if L as u32 == warp::SIZE { several } else { warp::any(warp::ALL, several) };
    if look_again {
        let is_tied = tied >> team.row & 1 == 1;
        let largest = team.max(if is_tied { low } else { 0 });
        let is_tied = is_tied && low == largest;
        let first = team.max(if is_tied { L as u32 - position } else { 0 });
        tied = team.ballot(is_tied && L as u32 - position == first);
    }
    31 - tied.leading_zeros() // the one bit that is left
}

/// The numbers, `by` places further to the front, the first ones at the end.
#[inline(always)]
fn rotated<T: Scalar, const N: usize>(x: &[T; N], by: usize) -> [T; N] {
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
pub fn is_finite<T: Number, const N: usize, const L: usize>(team: &Team<L>, x: &[T; N]) -> bool {
    let mut zero = T::ZERO;
    for c in 0..N {
        zero = zero.sub_mul(x[c], T::ZERO);
    }
    team.ballot(zero != T::ZERO) == 0
}
