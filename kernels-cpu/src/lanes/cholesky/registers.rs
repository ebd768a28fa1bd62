//! Matrices of order up to 4, all in registers. The operations on each element and their order are those of larger
//! ones, and so are the bits.

use numbers::scalar::Scalar;

use super::pivot::note;
use crate::lanes::number::{Mask, Number};
use crate::lanes::quotient::Reciprocal;
use crate::lanes::small::{for_each, probe};
use crate::lanes::vector::Vector;

/// A factored matrix a lane.
pub(super) struct Small<N: Number, const M: usize> {
    /// L, and L^H above its diagonal: shape (columns, rows).
    a: [[N; M]; M],
    /// Statuses as reals.
    pub(super) statuses: N::Vector,
}

impl<N: Number, const M: usize> Small<N, M> {
    /// A = L L^H, of the lower triangle.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn factor(mut a: [[N; M]; M]) -> Self {
        // SAFETY: the caller's promise.
        let mut statuses = unsafe { <N::Vector as Vector>::splat(Scalar::ZERO) };
        for_each!(k in 0..M {
            let pivot = a[k][k].real();
            statuses = note(statuses, pivot, k);
            let root = pivot.sqrt();
            let divisor = Reciprocal::new(root);
            a[k][k] = N::from_real(root);
            for j in k + 1..M {
                a[k][j] = a[k][j].divide_real(divisor);
                a[j][k] = a[k][j].conj();
            }
            for j in k + 1..M {
                for i in j..M {
                    a[j][i] = a[j][i].sub_mul(a[k][i], a[j][k]);
                }
            }
        });
        Self { a, statuses }
    }

    /// L, whatever is above its diagonal.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn given(mut l: [[N; M]; M]) -> Self {
        for_each!(k in 0..M {
            l[k][k] = N::from_real(l[k][k].real());
            for j in k + 1..M {
                l[j][k] = l[k][j].conj();
            }
        });
        // SAFETY: the caller's promise.
        Self { a: l, statuses: unsafe { <N::Vector as Vector>::splat(Scalar::ZERO) } }
    }

    /// L, with zeros above.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn lower(&self) -> [[N; M]; M] {
        let mut l = self.a;
        for_each!(k in 0..M {
            for j in k + 1..M {
                // SAFETY: the caller's promise.
                l[j][k] = unsafe { N::splat(N::Scalar::ZERO) };
            }
        });
        l
    }

    /// Element k of the diagonal.
    #[inline(always)]
    pub(super) fn diagonal(&self, k: usize) -> N {
        self.a[k][k]
    }

    /// The solution for a right-hand side, or with the conjugate matrix.
    #[inline(always)]
    pub(super) fn solve(&self, mut b: [N; M], conjugated: bool) -> [N; M] {
        let a = &self.a;
        if conjugated {
            for_each!(k in 0..M { b[k] = b[k].conj(); });
        }
        for_each!(k in 0..M {
            b[k] = b[k].divide(a[k][k].divisor());
            for i in k + 1..M {
                b[i] = b[i].sub_mul(a[k][i], b[k]);
            }
        });
        for_each!(k in (0..M).rev() {
            b[k] = b[k].divide(a[k][k].divisor());
            for i in 0..k {
                b[i] = b[i].sub_mul(a[k][i], b[k]);
            }
        });
        if conjugated {
            for_each!(k in 0..M { b[k] = b[k].conj(); });
        }
        b
    }

    /// The inverse, and where it is finite.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn invert(&self) -> ([[N; M]; M], Mask<N>) {
        // SAFETY: the caller's promise.
        let (zero, one) = unsafe { (N::splat(N::Scalar::ZERO), N::splat(N::Scalar::ONE)) };
        let (a, mut w) = (&self.a, [[zero; M]; M]);
        for_each!(j in 0..M {
            let divisor = a[j][j].divisor();
            for k in 0..j {
                for i in 0..=k {
                    w[j][i] = w[j][i].sub_mul(w[k][i], a[j][k]);
                }
            }
            for i in 0..j {
                w[j][i] = w[j][i].divide(divisor);
            }
            w[j][j] = one.divide(divisor);
        });
        let mut x = [[zero; M]; M];
        let mut sum = zero.real();
        for_each!(i in 0..M {
            for j in 0..=i {
                let mut element = zero;
                for k in i..M {
                    element = element.sub_mul(w[k][i], w[k][j].conj());
                }
                let element = zero.sub_mul(element, one);
                x[i][j] = element.conj();
                x[j][i] = if i == j { N::from_real(element.real()) } else { element };
            }
            sum = probe(x[i], sum);
        });
        (x, sum.equal(sum))
    }
}
