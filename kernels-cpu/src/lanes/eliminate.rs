//! LU with partial pivoting (LAPACK `xGETRF`), left-looking: so few columns at a time that they stay in the innermost
//! cache get all that the columns to their left do to them, which are only read.
//!
//! Every element gets its multiples subtracted in the order of the pivots, then one division: so the results have the
//! same bits whatever the panel, the vector and the lane.

use std::ops::Range;

use numbers::scalar::Scalar;

use super::block::Block;
use super::exchange::{Exchange, Largest, index, largest};
use super::number::{Mask, Number};
use super::subtract::{ByColumns, PANEL, by_columns, subtract};
use super::vector::{Stage, Vector};

/// What is known of the factors of each lane.
pub(super) struct Factored<N: Number> {
    /// Which pivot is the first that is zero, from 1, or 0.
    pub(super) first_zero: N::Vector,
    /// Whether they are finite.
    pub(super) finite: Mask<N>,
}

/// Factors the first `exchanges.len()` columns of a square block in place.
///
/// A panel of L keeps its order of rows from when it was factored, which is all that [`forward`] needs.
///
/// # Safety
/// The block has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn factor<N: Number>(a: Block<N>, exchanges: &mut [Exchange]) -> Factored<N> {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Factor { a, exchanges }) }
}

struct Factor<'a, N: Number> {
    a: Block<N>,
    /// Shape (n).
    exchanges: &'a mut [Exchange],
}

impl<N: Number> Stage for Factor<'_, N> {
    type Output = Factored<N>;

    #[inline(always)]
    unsafe fn run(self) -> Factored<N> {
        let Self { a, exchanges } = self;
        let n = exchanges.len();
        // SAFETY: the caller's promise; panels and columns are within the block.
        unsafe {
            let mut first_zero = index::<N::Vector>(0);
            let mut finite = first_zero.equal(first_zero);
            for start in (0..n).step_by(PANEL) {
                let end = n.min(start + PANEL);
                if start > 0 {
                    by_columns(start..end, &Forward { a, n, exchanges: &exchanges[..start] });
                }
                let mut pivots = largest(a, start, n);
                for k in start..end {
                    exchanges[k] = Exchange::new::<N>(pivots, index(k));
                    for j in start..end {
                        exchanges[k].apply(a, k, j);
                    }
                    first_zero = note_zero(first_zero, a.get(k, k), k);
                    pivots = match end - k - 1 {
                        0 => divide::<N, 0>(a, k, n),
                        1 => divide::<N, 1>(a, k, n),
                        2 => divide::<N, 2>(a, k, n),
                        _ => divide::<N, 3>(a, k, n),
                    };
                }
                finite = N::Vector::both(finite, a.is_finite(n, start..end));
            }
            Factored { first_zero, finite }
        }
    }
}

/// Does to further columns, `columns`, what [`factor`] has done to its own: they become L^-1 P times what they were.
///
/// # Safety
/// As for [`factor`], of the same block and exchanges.
#[inline(always)]
pub(super) unsafe fn forward<N: Number>(a: Block<N>, exchanges: &[Exchange], columns: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Further { columns, forward: Forward { a, n: exchanges.len(), exchanges } }) }
}

struct Further<'a, N: Number> {
    columns: Range<usize>,
    forward: Forward<'a, N>,
}

impl<N: Number> Stage for Further<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's promise.
        unsafe { by_columns(self.columns, &self.forward) }
    }
}

/// Does to columns what has been done to the first ones, which are factored.
struct Forward<'a, N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
    /// Those of the columns that are factored.
    exchanges: &'a [Exchange],
}

impl<N: Number> ByColumns<N> for Forward<'_, N> {
    #[inline(always)]
    unsafe fn run<const C: usize>(&self, j: usize) {
        let Self { a, n, exchanges } = *self;
        // SAFETY: the caller's promise.
        unsafe {
            let mut start = 0;
            while start + PANEL <= exchanges.len() {
                eliminate::<N, C>(a, n, &exchanges[start..start + PANEL], start, j);
                start += PANEL;
            }
            for c in 0..C {
                for k in start..exchanges.len() {
                    exchanges[k].apply(a, k, j + c);
                }
                for k in start..exchanges.len() {
                    subtract(a, k + 1..n, [k], j + c, &[[a.get(k, j + c)]]);
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

/// Divides column k by its pivot, eliminates it from the next `M` columns, and says where the first of the largest in
/// the first of these is. Where the pivot is zero, so is the column below, and it stays.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
unsafe fn divide<N: Number, const M: usize>(a: Block<N>, k: usize, n: usize) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe {
        let pivot = a.get(k, k);
        let divisor = pivot.reciprocal();
        let mut u = [pivot; M];
        for j in 0..M {
            u[j] = a.get(k, k + 1 + j);
        }
        let (one, mut row) = (index::<N::Vector>(1), index::<N::Vector>(k + 1));
        let mut largest = Largest::none(row);
        for i in k + 1..n {
            let l = a.get(i, k).divide_by(divisor);
            a.set(i, k, l);
            for j in 0..M {
                let x = a.get(i, k + 1 + j).sub_mul(l, u[j]);
                a.set(i, k + 1 + j, x);
                if j == 0 {
                    largest.look(x, row);
                }
            }
            row = row.add(one);
        }
        largest.row()
    }
}

/// Eliminates a whole panel, which begins with column `start`, from columns `j..j + C`.
///
/// # Safety
/// As for [`factor`].
#[inline(always)]
unsafe fn eliminate<N: Number, const C: usize>(a: Block<N>, n: usize, exchanges: &[Exchange], start: usize, j: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        for c in 0..C {
            for p in 0..PANEL {
                exchanges[p].apply(a, start + p, j + c);
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
