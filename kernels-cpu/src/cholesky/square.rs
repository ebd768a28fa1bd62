//! The factorization of a square on the diagonal, so small that it stays in the cache next to the core.

use std::ptr;

use numbers::scalar::{Real, Scalar, c64};
use numbers::status::NON_FINITE;

use crate::columns::{BLOCK, Columns, load, store, subtract, with_columns};
use crate::element::CpuScalar;
use crate::lanes::{Isa, Number, Routine, Vector};
use crate::view::MatMut;
use numbers::status::not_positive;

/// Overwrites the lower triangle with L and the upper one with L^H. The error is the status of a matrix in which the
/// square begins with row and column `first`.
///
/// # Panics
/// If it is not square and column-major.
pub(super) fn factor<T: CpuScalar>(isa: Isa, a: MatMut<'_, T>, first: usize) -> Result<(), i32> {
    let n = a.ncols();
    assert_eq!(a.nrows(), n, "what is on a diagonal is square");
    // SAFETY: the matrix is borrowed.
    unsafe { isa.run(FactorSquare { a: Columns::of_mut(a), n, first }) }
}

struct FactorSquare<T> {
    a: Columns<T>,
    n: usize,
    first: usize,
}

impl<T: CpuScalar> Routine for FactorSquare<T> {
    type Scalar = T;
    type Output = Result<(), i32>;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) -> Result<(), i32> {
        let Self { a, n, first } = self;
        for j in 0..n {
            // SAFETY: the caller's promise, for the whole square.
            unsafe {
                for k in (0..j).step_by(BLOCK) {
                    with_columns!(j - k, eliminate::<N>(a, k, j, n));
                }
                let pivot = T::Real::from_f64(a.get(j, j).to_c64().re);
                if !pivot.is_finite() {
                    return Err(NON_FINITE);
                }
                if !(T::Real::ZERO < pivot) {
                    return Err(not_positive((first + j) as u32 + 1));
                }
                let root = pivot.to_f64().sqrt();
                a.at(j, j).write(T::from_c64(c64::new(root, 0.0)));
                divide::<N>(a.at(j + 1, j), n - j - 1, Real::from_f64(root));
                for i in j + 1..n {
                    a.at(j, i).write(a.get(i, j).conj());
                }
            }
        }
        Ok(())
    }
}

/// Subtracts what columns k to k + K of L have to do with column j from its diagonal on.
///
/// # Safety
/// The CPU has the instructions, and the columns are those of the square.
#[inline(always)]
unsafe fn eliminate<N: Number, const K: usize>(a: Columns<N::Scalar>, k: usize, j: usize, n: usize)
where
    N::Scalar: CpuScalar,
{
    let (mut l, mut u) = ([ptr::null::<N::Scalar>(); K], [N::Scalar::ZERO; K]);
    // SAFETY: the caller's promise.
    unsafe {
        for p in 0..K {
            (l[p], u[p]) = (a.at(j, k + p), a.get(k + p, j));
        }
        subtract::<N, K, 1>([a.at(j, j)], l, [u], n - j);
    }
}

/// Divides all parts of elements by a real number.
///
/// # Safety
/// The CPU has the instructions, and `len` elements may be read and written.
#[inline(always)]
unsafe fn divide<N: Number>(x: *mut N::Scalar, len: usize, divisor: N::Real) {
    let (x, reals) = (x.cast::<N::Real>(), len * N::PARTS);
    // SAFETY: the caller's promise; a scalar is its parts.
    unsafe {
        let divisor = <N::Vector as Vector>::splat(divisor);
        for i in (0..reals).step_by(N::Vector::LANES) {
            store::<N>(load::<N>(x.add(i), reals - i).div(divisor), x.add(i), reals - i);
        }
    }
}
