//! LU with partial pivoting of the matrices of a warp, in registers.

use simt::shared::Shared;
use simt::{hint, warp};

use crate::scalar::Scalar;
use crate::small::pivot::{Rows, Ties, divide, first_largest};
use crate::small::{column, hand_out, pivot_rows};
use crate::team::Team;
use crate::wide::Wide;

/// Columns that are taken by one piece of code, and the next ones by the same.
const fn group(columns: usize) -> usize {
    if columns < 8 { columns } else { 8 }
}

/// What comes with the factors of a team's matrix.
#[derive(Clone, Copy, Debug)]
pub struct Factored<const R: usize> {
    /// This lane's rows: `step` are the rows of the factors that they are, `from` the interchanges of those columns.
    pub rows: Rows<R>,
    /// 0, or k where the k-th pivot is the first exact zero.
    pub status: i32,
}

/// Factors the team's matrix, of which `x` are this lane's rows. Shared memory is overwritten.
///
/// Columns are taken in groups. After one `x` is rotated by as many columns, so that one piece of code serves
/// all groups; at the end it is in order again.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn factor<T: Wide, const N: usize, const L: usize, const R: usize>(
    team: &Team<L>,
    x: &mut [[T; N]; R],
    n: u32,
) -> Factored<R> {
    let pivots = pivot_rows::<T, N, L>(team); // the pivot rows of even and of odd columns, from the group's first column: (2, N)
    let group = group(N);
    let mut factored = Factored { rows: Rows::new(team, n, Ties::First), status: 0 };
    let n = hint::opaque(n); // what LLVM knows of it would not leave `x` in registers
    warp::sync(warp::ALL); // the rows take the place of matrices that other lanes have read
    let mut first = 0;
    while first < hint::opaque(N as u32) {
        for j in 0..group {
            if first + (j as u32) < n {
                eliminate(team, pivots.offset((j % 2 * N) as u32), x, j, first, n - first, &mut factored);
            }
        }
        for r in 0..R {
            x[r] = rotated(&x[r], group);
        }
        first += group as u32;
    }
    warp::sync(warp::ALL); // whatever comes next may overwrite the rows
    factored
}

/// Eliminates column `first + j`, which is column `j` of `x`; `left` columns begin at its column 0.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn eliminate<T: Wide, const N: usize, const L: usize, const R: usize>(
    team: &Team<L>,
    pivot_row: Shared<T>,
    x: &mut [[T; N]; R],
    j: usize,
    first: u32,
    left: u32,
    factored: &mut Factored<R>,
) {
    let step = first + j as u32;
    let group = group(N);
    let tag = first_largest(team, &factored.rows, column(x, j));
    let own = factored.rows.interchange(tag, step);
    for first in (0..N).step_by(group) {
        // No way out of the loop, nor one that LLVM finds: on each it would leave a copy of what the row becomes.
        if first == 0 || (first as u32) < hint::opaque(left) {
            let first_vector = if first == 0 { j } else { first } / T::VECTOR;
            hand_out(pivot_row, x, own, first_vector..(first + group) / T::VECTOR);
        }
    }
    warp::sync(warp::ALL);

    let pivot = T::load_vector(pivot_row, (j / T::VECTOR) as u32)[j % T::VECTOR];
    let mut l = divide(column(x, j), pivot, step, &mut factored.status);
    for r in 0..R {
        let below = factored.rows.is_candidate(r);
        x[r][j] = if below { l[r] } else { x[r][j] };
        l[r] = if below { l[r] } else { T::ZERO };
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
                    if c > j {
                        for r in 0..R {
                            x[r][c] = x[r][c].sub_mul(l[r], u[i]);
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
pub fn is_finite<T: Scalar, const N: usize, const L: usize, const R: usize>(team: &Team<L>, x: &[[T; N]; R]) -> bool {
    let mut zero = T::ZERO;
    for r in 0..R {
        for c in 0..N {
            zero = zero.sub_mul(x[r][c], T::ZERO);
        }
    }
    team.ballot(zero != T::ZERO) == 0
}
