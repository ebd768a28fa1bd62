//! Matrices of order up to 4 whose factors are given.

use numbers::scalar::{Real, Scalar};

use super::exchange::index;
use super::number::Number;
use super::small::{Small, exchange, for_each};
use super::vector::{MAX_LANES, Vector};
use numbers::op::Substitutions;

impl<N: Number, const M: usize> Small<N, M> {
    /// Factors and pivots, the latter of shape (matrices, M): lanes without a matrix repeat the first one.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn given(lu: [[N; M]; M], pivots: &[u32]) -> Self {
        let mut rows = [[<N::Real as Scalar>::ZERO; MAX_LANES]; M];
        let mut upwards = false;
        for k in 0..M {
            for w in 0..N::Vector::LANES {
                let pivot = pivots[if w * M < pivots.len() { w * M + k } else { k }];
                upwards |= (pivot as usize) < k;
                rows[k][w] = Real::from_f64(f64::from(pivot));
            }
        }
        if upwards {
            for w in 0..N::Vector::LANES {
                let first = if w * M < pivots.len() { w * M } else { 0 };
                let downwards = downwards::<M>(&pivots[first..first + M]);
                for k in 0..M {
                    rows[k][w] = Real::from_f64(f64::from(downwards[k]));
                }
            }
        }
        // SAFETY: the caller's promise; rows are longer than vectors.
        unsafe {
            let first_zero = index::<N::Vector>(0);
            let mut pivots = [first_zero; M];
            for k in 0..M {
                pivots[k] = <N::Vector as Vector>::load(rows[k].as_ptr());
            }
            Self { lu, pivots, first_zero }
        }
    }

    /// The solution for a right-hand side of the transposed matrix, whose factors transposed `self` has.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    unsafe fn solve_transposed(&self, mut b: [N; M]) -> [N; M] {
        let a = &self.lu;
        for_each!(k in 0..M {
            b[k] = b[k].divide(a[k][k].divisor());
            for i in k + 1..M {
                b[i] = b[i].sub_mul(a[k][i], b[k]);
            }
        });
        for_each!(k in (0..M).rev() {
            for i in 0..k {
                b[i] = b[i].sub_mul(a[k][i], b[k]);
            }
        });
        for_each!(k in (0..M).rev() {
            for i in k + 1..M {
                // SAFETY: the caller's promise.
                let here = self.pivots[k].equal(unsafe { index(i) });
                (b[k], b[i]) = exchange(here, b[k], b[i]);
            }
        });
        b
    }

    /// The solution for a right-hand side of op(A), where `self` has the factors of A, or those transposed.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn solve_by(&self, b: [N; M], how: Substitutions) -> [N; M] {
        // SAFETY: the caller's promise.
        unsafe {
            match (how.transposed, how.conjugated) {
                (false, _) => self.solve(b),
                (true, false) => self.solve_transposed(b),
                // A^H X = B is A^T with the conjugates of X and B.
                (true, true) => conjugated(self.solve_transposed(conjugated(b))),
            }
        }
    }
}

#[inline(always)]
fn conjugated<N: Number, const M: usize>(mut x: [N; M]) -> [N; M] {
    for i in 0..M {
        x[i] = x[i].conj();
    }
    x
}

/// Exchanges with the same row or one below that come to the same as any exchanges.
#[cold]
fn downwards<const M: usize>(pivots: &[u32]) -> [u32; M] {
    // What row i gets is row `from[i]`.
    let mut from = [0; M];
    for i in 0..M {
        from[i] = i;
    }
    let mut now = from;
    for k in 0..M {
        from.swap(k, pivots[k] as usize);
    }
    let mut downwards = [0; M];
    for k in 0..M {
        for i in k..M {
            if now[i] == from[k] {
                downwards[k] = i as u32;
            }
        }
        now.swap(k, downwards[k] as usize);
    }
    downwards
}
