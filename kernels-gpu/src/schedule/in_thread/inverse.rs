//! Inversion by Gauss-Jordan elimination in place, a matrix a thread.
//!
//! Pivot rows are divided by their pivots only at the end, so that each step treats all other rows alike.

use crate::collective::pivot::Ties;
use crate::memory::vector::Vectorized;
use crate::operation::InverseArgs;
use crate::schedule::in_registers::inverse::divide_row;
use crate::schedule::in_registers::pivot::divide;
use crate::schedule::in_thread::eliminate::{elements, find_pivot, interchange, interchange_rows, is_finite, rows};
use crate::schedule::in_thread::lane_matrices::LaneMatrices;
use crate::schedule::in_thread::{LaneMatrix, with_order};
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

/// The body of the kernel.
#[inline(always)]
pub fn inverse<T: Vectorized>(args: InverseArgs<T>) {
    with_order!(args.n, N, K => invert_matrices::<T, N, K>(args));
}

#[inline(always)]
fn invert_matrices<T: Vectorized, const N: usize, const K: usize>(args: InverseArgs<T>) {
    let Some(lane) = LaneMatrix::new(args.first, args.end) else { return };
    let source = LaneMatrices::<T, N, K>::new(args.a, N as u32, lane);
    let target = LaneMatrices::<T, N, K>::new(args.inverse, N as u32, lane);
    let mut x = rows(&source.receive(&source.request(0))); // shape (N, N)

    let status = invert::<T, N>(&mut x);

    for i in 0..N {
        for c in 0..N {
            x[i][c] = if status == 0 { x[i][c] } else { T::NAN };
        }
    }
    target.store(0, &elements(&x));
    if lane.active {
        args.status.store(lane.matrix as i64, status);
    }
}

/// Inverts a matrix in place. Returns its status.
#[inline(always)]
#[must_use]
fn invert<T: Scalar, const N: usize>(x: &mut [[T; N]; N]) -> i32 {
    let (mut pivot_rows, mut pivots, mut status) = ([0; N], [T::ONE; N], 0);
    for k in 0..N {
        pivot_rows[k] = find_pivot(x, k, Ties::Last);
        interchange_rows(x, k, pivot_rows[k]);
        pivots[k] = x[k][k];
        let mut l = [T::ZERO; N];
        for i in 0..N {
            l[i] = x[i][k];
        }
        l = divide(l, pivots[k], k as u32, &mut status);
        for i in 0..N {
            if i != k {
                for c in 0..N {
                    x[i][c] = x[i][c].sub_mul(l[i], x[k][c]);
                }
                x[i][k] = -l[i];
            }
        }
        x[k][k] = T::ONE;
    }
    for i in 0..N {
        divide_row(&mut x[i], pivots[i]);
    }
    // A row divided by an infinite pivot is finite.
    if !(is_finite(x) & is_finite(&[pivots])) {
        status = NON_FINITE;
    }
    // What was interchanged as rows of A are columns of its inverse.
    for k in (0..N).rev() {
        for i in 0..N {
            interchange(&mut x[i], k, pivot_rows[k]);
        }
    }
    status
}
