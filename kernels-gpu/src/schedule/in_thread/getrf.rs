//! LU with partial pivoting (`xGETF2`), a matrix a thread.

use numbers::status::NON_FINITE;
use simt::global::Global;
use simt::shared::Vector;

use crate::collective::pivot::Ties;
use crate::memory::vector::Vectorized;
use crate::operation::GetrfArgs;
use crate::schedule::in_registers::pivot::divide;
use crate::schedule::in_thread::eliminate::{elements, find_pivot, interchange_rows, is_finite, rows};
use crate::schedule::in_thread::lane_matrices::LaneMatrices;
use crate::schedule::in_thread::{LaneMatrix, with_order};
use numbers::scalar::Scalar;

/// The body of the kernel.
#[inline(always)]
pub fn getrf<T: Vectorized>(args: GetrfArgs<T>) {
    with_order!(args.n, N, K => factor_matrices::<T, N, K>(args));
}

#[inline(always)]
fn factor_matrices<T: Vectorized, const N: usize, const K: usize>(args: GetrfArgs<T>) {
    let Some(lane) = LaneMatrix::new(args.first, args.end) else { return };
    let source = LaneMatrices::<T, N, K>::new(args.a, N as u32, lane);
    let target = LaneMatrices::<T, N, K>::new(args.lu, N as u32, lane);
    let mut x = rows(&source.receive(&source.request(0))); // shape (N, N)

    let (pivots, status) = factor::<T, N>(&mut x);

    target.store(0, &elements(&x));
    if lane.active {
        store_pivots(args.pivots, lane.matrix, &pivots);
        args.status.store(lane.matrix as i64, if is_finite(&x) { status } else { NON_FINITE });
    }
}

/// Factors a matrix in place. Returns LAPACK's pivots, and 0 or k where the k-th pivot is the first exact zero.
#[inline(always)]
#[must_use]
pub fn factor<T: Scalar, const N: usize>(x: &mut [[T; N]; N]) -> ([u32; N], i32) {
    let (mut pivots, mut status) = ([0; N], 0);
    for k in 0..N {
        pivots[k] = find_pivot(x, k, Ties::First);
        interchange_rows(x, k, pivots[k]);
        let mut l = [T::ZERO; N];
        for i in k + 1..N {
            l[i] = x[i][k];
        }
        l = divide(l, x[k][k], k as u32, &mut status);
        for i in k + 1..N {
            x[i][k] = l[i];
            for c in k + 1..N {
                x[i][c] = x[i][c].sub_mul(l[i], x[k][c]);
            }
        }
    }
    (pivots, status)
}

/// Writes a matrix's pivots, four of them by one instruction where they begin at a multiple of 16 bytes.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn store_pivots<const N: usize>(to: Global<u32>, matrix: u64, pivots: &[u32; N]) {
    if N == 4 && to.address().is_multiple_of(16) {
        let mut vector = [0; 4];
        vector[..N].copy_from_slice(pivots);
        to.vectors::<4>().store(matrix as i64, Vector(vector));
        return;
    }
    for k in 0..N {
        to.store(matrix as i64 * N as i64 + k as i64, pivots[k]);
    }
}
