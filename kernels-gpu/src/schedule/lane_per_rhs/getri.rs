//! The inverse: the kernel, and the shape of a launch.

use numbers::status::NON_FINITE;
use simt::layout::Layout;
use simt::{thread, warp};

use super::factors::{Factors, Op};
use crate::collective::permutation;
use crate::collective::thread_group::{self, THREADS, ThreadGroup};
use crate::memory::vector::Vectorized;
use crate::operation::GetriArgs;
use crate::shape::{Problem, Shape};
use numbers::matrix::View;
use numbers::scalar::ScalarKind;

/// The factors of all matrices of a block.
#[inline(always)]
fn shared_factors<T: Vectorized, const N: usize, const LANES: usize>(layout: &mut Layout) -> Factors<T, N> {
    Factors::array(layout, THREADS / LANES as u32)
}

/// The shape of a launch: `LANES` lanes a matrix.
#[must_use]
pub fn shape<const N: usize, const LANES: usize>(problem: &Problem, kind: ScalarKind) -> Shape {
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(shared_factors::<T, N, LANES>));
    Shape { shared_bytes, ..thread_group::shape::<LANES>(problem, kind) }
}

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn getri<T: Vectorized, const N: usize, const LANES: usize>(args: GetriArgs<T>) {
    let n = args.n;
    let group = ThreadGroup::<LANES>::new(args.first, args.end);
    let b = group.matrix as i64;
    let has_row = group.active && group.row < n;
    // SAFETY: `shape` asks for this layout's bytes; each group has its own factors, and `warp::sync` separates writes
    // from reads.
    let factors = unsafe { Layout::place(|layout| shared_factors::<T, N, LANES>(layout)) };
    let factors = factors.nth(thread::index() / LANES as u32);
    // A row of X solves with the transposed factors.
    let op = Op { is_transposed: true, is_conjugated: false };
    let own = if group.active { n } else { 0 };
    factors.load::<LANES>(&args.lu.matrix(group.matrix), own, op, (group.row, LANES as u32));
    let pivot = if has_row { args.pivots.load(b * n as i64 + group.row as i64) } else { group.row };
    let mut status = if group.active { args.lu_status.load(b) } else { 0 };
    warp::sync(warp::ALL); // also, the inverse may be where the factors were

    let mut x = [T::ZERO; N];
    for c in 0..N {
        x[c] = if group.row == c as u32 { T::ONE } else { T::ZERO };
    }
    factors.solve(&mut x, op);
    let mut finite = true;
    for c in 0..N {
        finite &= x[c].is_finite() || c as u32 >= n;
    }
    if group.any(!finite && group.row < n) && status == 0 {
        status = NON_FINITE;
    }

    // Column c of X is column `permutation[c]` of the inverse.
    let permutation = permutation::row_by_group(&group, pivot, n);
    let inverse = args.inverse.matrix(group.matrix);
    for c in 0..N {
        if (c as u32) < n {
            let column = group.broadcast(permutation, c as u32);
            if has_row {
                inverse.store(group.row, column, if status == 0 { x[c] } else { T::NAN });
            }
        }
    }
    if group.active && group.row == 0 {
        args.status.store(b, status);
    }
}
