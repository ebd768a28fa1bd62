//! Triangular systems T X = B with few right-hand sides: multiples of T's columns are subtracted from one side after
//! the other.

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{BLOCK, Columns, nonzero, sub_mul, subtract, with_columns};
use super::lanes::{Isa, Number, Routine};
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;

/// The most right-hand sides; for more, vectors of sides read T less often.
pub(super) const FEW: usize = 2;

/// Overwrites B with the solution of T X = B.
///
/// # Panics
/// If the shapes do not fit, or the matrices are not column-major.
pub(super) fn substitute_few<T: CpuScalar>(
    isa: Isa,
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
) {
    let (n, columns) = b.shape();
    assert!(t.shape() == (n, n), "the triangle is as high as the right sides");
    let (t, b) = (Triangular { t: Columns::of(t), diagonal }, Columns::of_mut(b));
    // SAFETY: the matrices are borrowed.
    unsafe { isa.run(Few { t, triangle, b, n, columns }) }
}

/// The substitution, for code of the same instructions, too.
pub(super) struct Few<T> {
    pub(super) t: Triangular<T>,
    pub(super) triangle: Triangle,
    pub(super) b: Columns<T>,
    pub(super) n: usize,
    pub(super) columns: usize,
}

/// A triangle.
#[derive(Clone, Copy)]
pub(super) struct Triangular<T> {
    pub(super) t: Columns<T>,
    pub(super) diagonal: Diagonal,
}

impl<T: CpuScalar> Routine for Few<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { t, triangle, b, n, columns } = self;
        for c in 0..columns {
            let x = b.at(0, c);
            // SAFETY: the caller's promise, for all rows.
            unsafe {
                if triangle == Triangle::Lower {
                    forward_all::<N>(t, x, n);
                } else {
                    backward_all::<N>(t, x, n);
                }
            }
        }
    }
}

/// Solves for n unknowns, the first one first.
///
/// # Safety
/// The CPU has the instructions, and there are so many rows.
#[inline(always)]
unsafe fn forward_all<N: Number>(t: Triangular<N::Scalar>, x: *mut N::Scalar, n: usize)
where
    N::Scalar: CpuScalar,
{
    for first in (0..n).step_by(BLOCK) {
        // SAFETY: the caller's promise.
        unsafe { with_columns!(n - first, forward::<N>(t, x, first, n)) };
    }
}

/// Solves for n unknowns, the last one first.
///
/// # Safety
/// As for [`forward_all`].
#[inline(always)]
unsafe fn backward_all<N: Number>(t: Triangular<N::Scalar>, x: *mut N::Scalar, n: usize)
where
    N::Scalar: CpuScalar,
{
    let mut end = n;
    while end > 0 {
        let first = end.saturating_sub(BLOCK);
        // SAFETY: the caller's promise.
        unsafe { with_columns!(end - first, backward::<N>(t, x, first)) };
        end = first;
    }
}

/// Solves for K unknowns from `first` on, and eliminates them from those below.
///
/// # Safety
/// The CPU has the instructions, and there are so many rows.
#[inline(always)]
unsafe fn forward<N: Number, const K: usize>(t: Triangular<N::Scalar>, x: *mut N::Scalar, first: usize, n: usize)
where
    N::Scalar: CpuScalar,
{
    let mut u = [N::Scalar::ZERO; K];
    let (below, mut l) = (first + K, [t.t.at(first, first).cast_const(); K]);
    // SAFETY: the caller's promise.
    unsafe {
        for q in 0..K {
            u[q] = *x.add(first + q);
            for p in 0..q {
                u[q] = sub_mul::<N>(u[q], u[p], t.t.get(first + q, first + p));
            }
            u[q] = t.divide(u[q], first + q);
            x.add(first + q).write(u[q]);
            l[q] = t.t.at(below, first + q);
        }
        subtract::<N, K, 1>([x.add(below)], l, [u], n - below);
    }
}

/// Solves for K unknowns from `first` on, the last one first, and eliminates them from those above.
///
/// # Safety
/// As for [`forward`].
#[inline(always)]
unsafe fn backward<N: Number, const K: usize>(t: Triangular<N::Scalar>, x: *mut N::Scalar, first: usize)
where
    N::Scalar: CpuScalar,
{
    let mut u = [N::Scalar::ZERO; K];
    let mut above = [t.t.at(0, first).cast_const(); K];
    // SAFETY: the caller's promise.
    unsafe {
        for q in (0..K).rev() {
            u[q] = *x.add(first + q);
            for p in (q + 1..K).rev() {
                u[q] = sub_mul::<N>(u[q], u[p], t.t.get(first + q, first + p));
            }
            u[q] = t.divide(u[q], first + q);
            x.add(first + q).write(u[q]);
            above[q] = t.t.at(0, first + q);
        }
        subtract::<N, K, 1>([x], above, [u], first);
    }
}

impl<T: CpuScalar> Triangular<T> {
    /// Divides by a diagonal element, unless those are ones.
    ///
    /// # Safety
    /// It may be read.
    #[inline(always)]
    pub(super) unsafe fn divide(self, x: T, k: usize) -> T {
        match self.diagonal {
            Diagonal::Unit => x,
            // SAFETY: the caller's promise.
            Diagonal::Stored => x.divide(nonzero(unsafe { self.t.get(k, k) }).divisor()),
        }
    }
}
