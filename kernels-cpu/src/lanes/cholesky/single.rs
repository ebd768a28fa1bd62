//! A matrix by itself, as [`single`](crate::lanes::single) has those for LU: each element comes from the same
//! operations in the same order as in lanes.

use std::slice;

use numbers::scalar::{Real, Scalar, c64};

use super::pivot::{bad_pivot, is_good};
use crate::lanes::single::{invert_upper, subtract};
use crate::lanes::vector::Stage;

/// Overwrites the lower triangle with L and the upper one with L^H, and returns the status.
pub(super) struct Factor<'a, S> {
    /// Shape (columns, n).
    pub(super) a: &'a mut [S],
    /// Order of the matrix.
    pub(super) n: usize,
}

impl<S: Scalar> Stage for Factor<'_, S> {
    type Output = i32;

    #[inline(always)]
    unsafe fn run(self) -> i32 {
        let Self { a, n } = self;
        for k in 0..n {
            let (known, later) = a.split_at_mut((k + 1) * n);
            let l = &mut known[k * n..];
            let pivot = real(l[k]);
            if !is_good(pivot) {
                return bad_pivot(pivot, k);
            }
            let root = S::Real::from_f64(pivot.to_f64().sqrt());
            l[k] = of_real(root);
            divide(&mut l[k + 1..], root);
            for (j, column) in (k + 1..).zip(later.chunks_exact_mut(n)) {
                column[k] = l[j].conj();
                let u = column[k];
                subtract(&mut column[j..], &l[j..], u);
            }
        }
        0
    }
}

/// Fills the upper triangle with the conjugates of the lower one; the diagonal becomes real.
pub(super) fn mirror<S: Scalar>(a: &mut [S], n: usize) {
    for j in 0..n {
        a[j * n + j] = of_real(real(a[j * n + j]));
        for i in 0..j {
            a[j * n + i] = a[i * n + j].conj();
        }
    }
}

/// Fills the upper triangle with zeros.
pub(super) fn clear_upper<S: Scalar>(a: &mut [S], n: usize) {
    for (j, column) in a.chunks_exact_mut(n).enumerate() {
        column[..j].fill(S::ZERO);
    }
}

/// Overwrites a right-hand side with the solution.
pub(super) struct Solve<'a, S> {
    /// L and L^H: shape (n, n).
    pub(super) a: &'a [S],
    /// Whether it is the conjugate matrix whose system is solved.
    pub(super) conjugated: bool,
    /// Shape (n).
    pub(super) x: &'a mut [S],
}

impl<S: Scalar> Stage for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, conjugated, x } = self;
        let n = x.len();
        if conjugated {
            x.iter_mut().for_each(|x| *x = x.conj());
        }
        for (k, lower) in a.chunks_exact(n).enumerate() {
            x[k] = x[k].divide(lower[k].divisor());
            let known = x[k];
            subtract(&mut x[k + 1..], &lower[k + 1..], known);
        }
        for (k, upper) in a.chunks_exact(n).enumerate().rev() {
            x[k] = x[k].divide(upper[k].divisor());
            let known = x[k];
            subtract(&mut x[..k], &upper[..k], known);
        }
        if conjugated {
            x.iter_mut().for_each(|x| *x = x.conj());
        }
    }
}

/// Overwrites L and L^H with the inverse.
pub(super) struct Invert<'a, S> {
    /// Shape (n, n).
    pub(super) a: &'a mut [S],
    /// Room of the same shape.
    pub(super) w: &'a mut [S],
    /// Order of the matrix.
    pub(super) n: usize,
}

impl<S: Scalar> Stage for Invert<'_, S> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, w, n } = self;
        invert_upper(a, n, w);
        for (j, x) in a.chunks_exact_mut(n).enumerate() {
            x[j..].fill(S::ZERO);
            for (k, column) in w.chunks_exact(n).enumerate().skip(j) {
                let factor = column[j].conj();
                subtract(&mut x[j..=k], &column[j..=k], factor);
            }
            x[j..].iter_mut().for_each(|x| *x = S::ZERO.sub_mul(*x, S::ONE));
        }
        mirror(a, n);
    }
}

/// The real part.
#[inline(always)]
fn real<S: Scalar>(x: S) -> S::Real {
    S::Real::from_f64(x.to_c64().re)
}

/// The number with this real part and no imaginary one.
#[inline(always)]
fn of_real<S: Scalar>(x: S::Real) -> S {
    S::from_c64(c64::new(x.to_f64(), 0.0))
}

/// Divides all parts by a real number.
#[inline(always)]
fn divide<S: Scalar>(x: &mut [S], divisor: S::Real) {
    // SAFETY: a scalar is its parts, one after the other.
    let parts =
        unsafe { slice::from_raw_parts_mut(x.as_mut_ptr().cast::<S::Real>(), size_of_val(x) / size_of::<S::Real>()) };
    parts.iter_mut().for_each(|x| *x = *x / divisor);
}
