//! LU with partial pivoting (LAPACK `xGETRF`), blocked and right-looking.
//!
//! Every element gets its multiples subtracted in the order of the pivots, then one division: so the results have the same
//! bits whatever the panel, the vector and the lane.

use std::ops::Range;

use kernels_gpu::scalar::Scalar;

use super::block::Block;
use super::exchange::{Exchange, index, largest};
use super::number::Number;
use super::subtract::{ByColumns, PANEL, by_columns, subtract};
use super::vector::{Stage, Vector};

/// Factors the first `exchanges.len()` columns of a square block in place and says which pivot of each lane is the first
/// that is zero, from 1, or 0.
///
/// With `LEFT`, rows of L are exchanged as those of U. Else a panel of L keeps its order from when it was factored, which is all
/// that [`forward`] needs.
///
/// # Safety
/// The block has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn factor<N: Number, const LEFT: bool>(a: Block<N>, exchanges: &mut [Exchange]) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Factor::<N, LEFT> { a, exchanges }) }
}

struct Factor<'a, N: Number, const LEFT: bool> {
    a: Block<N>,
    /// Shape (n).
    exchanges: &'a mut [Exchange],
}

impl<N: Number, const LEFT: bool> Stage for Factor<'_, N, LEFT> {
    type Output = N::Vector;

    #[inline(always)]
    unsafe fn run(self) -> N::Vector {
        let Self { a, exchanges } = self;
        let n = exchanges.len();
        // SAFETY: the caller's promise; panels and columns are within the block.
        unsafe {
            let mut first_zero = index::<N::Vector>(0);
            for start in (0..n).step_by(PANEL) {
                let end = n.min(start + PANEL);
                for k in start..end {
                    let pivots = largest(a, k, n);
                    exchanges[k] = Exchange::new::<N>(pivots, index(k));
                    for j in start..end {
                        exchanges[k].apply(a, k, j);
                    }
                    first_zero = note_zero(first_zero, a.get(k, k), k);
                    match end - k - 1 {
                        0 => divide::<N, 0>(a, k, n),
                        1 => divide::<N, 1>(a, k, n),
                        2 => divide::<N, 2>(a, k, n),
                        _ => divide::<N, 3>(a, k, n),
                    }
                }
                if LEFT {
                    for j in 0..start {
                        for k in start..end {
                            exchanges[k].apply(a, k, j);
                        }
                    }
                }
                if end < n {
                    by_columns(end..n, &Eliminate { a, start, n, exchanges });
                }
            }
            first_zero
        }
    }
}

/// Does to further columns, `columns`, what [`factor`] without `LEFT` has done to its own: they become L^-1 P times what they
/// were.
///
/// # Safety
/// As for [`factor`], of the same block and exchanges.
#[inline(always)]
pub(super) unsafe fn forward<N: Number>(a: Block<N>, exchanges: &[Exchange], columns: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Forward { a, exchanges, columns }) }
}

struct Forward<'a, N: Number> {
    a: Block<N>,
    /// Shape (n).
    exchanges: &'a [Exchange],
    columns: Range<usize>,
}

impl<N: Number> Stage for Forward<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, exchanges, columns } = self;
        let n = exchanges.len();
        for start in (0..n).step_by(PANEL) {
            // SAFETY: the caller's promise.
            unsafe {
                if start + PANEL <= n {
                    by_columns(columns.clone(), &Eliminate { a, start, n, exchanges });
                } else {
                    for j in columns.clone() {
                        for k in start..n {
                            exchanges[k].apply(a, k, j);
                        }
                        for k in start..n {
                            subtract(a, k + 1..n, [k], j, &[[a.get(k, j)]]);
                        }
                    }
                }
            }
        }
    }
}

/// Notes that pivot k is zero where it is the first that is.
///
/// # Safety
/// The CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn note_zero<N: Number>(first_zero: N::Vector, pivot: N, k: usize) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe {
        let none = first_zero.equal(<N::Vector as Vector>::splat(Scalar::ZERO));
        let now = N::Vector::both(none, pivot.is_zero());
        <N::Vector as Vector>::select(now, index(k + 1), first_zero)
    }
}

/// Divides column k by its pivot and eliminates it from the next `M` columns. Where the pivot is zero, so is the column below,
/// and it stays.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
unsafe fn divide<N: Number, const M: usize>(a: Block<N>, k: usize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let pivot = a.get(k, k);
        let divisor = pivot.divisor();
        let mut u = [pivot; M];
        for j in 0..M {
            u[j] = a.get(k, k + 1 + j);
        }
        for i in k + 1..n {
            let l = a.get(i, k).divide(divisor);
            a.set(i, k, l);
            for j in 0..M {
                a.set(i, k + 1 + j, a.get(i, k + 1 + j).sub_mul(l, u[j]));
            }
        }
    }
}

/// Eliminates a whole panel from columns to its right.
struct Eliminate<'a, N: Number> {
    a: Block<N>,
    /// The panel's first column.
    start: usize,
    /// Order of the matrices.
    n: usize,
    exchanges: &'a [Exchange],
}

impl<N: Number> ByColumns<N> for Eliminate<'_, N> {
    #[inline(always)]
    unsafe fn run<const C: usize>(&self, j: usize) {
        let Self { a, start, n, exchanges } = *self;
        // SAFETY: the caller's promise.
        unsafe {
            for c in 0..C {
                for k in start..start + PANEL {
                    exchanges[k].apply(a, k, j + c);
                }
            }
            let mut u = [[a.get(start, j); C]; PANEL];
            for p in 0..PANEL {
                for c in 0..C {
                    u[p][c] = a.get(start + p, j + c);
                }
            }
            for p in 1..PANEL {
                for q in 0..p {
                    let l = a.get(start + p, start + q);
                    for c in 0..C {
                        u[p][c] = u[p][c].sub_mul(l, u[q][c]);
                    }
                }
                for c in 0..C {
                    a.set(start + p, j + c, u[p][c]);
                }
            }
            let from = [start, start + 1, start + 2, start + 3];
            subtract(a, start + PANEL..n, from, j, &u);
        }
    }
}
