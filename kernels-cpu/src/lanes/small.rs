//! Matrices of order up to 4, all in registers: rows are exchanged by selections, loops are unrolled.
//!
//! The operations on each element and their order are those of the blocked algorithms, and so are the bits.

use numbers::scalar::Scalar;

use super::eliminate::note_zero;
use super::exchange::index;
use super::number::{Mask, Number};
use super::vector::{MAX_LANES, Vector};

/// The largest order.
pub(super) const MAX_ORDER: usize = 4;

/// A factored matrix a lane.
pub(super) struct Small<N: Number, const M: usize> {
    /// L and U: shape (columns, rows).
    pub(super) lu: [[N; M]; M],
    /// The row that each row was exchanged with, which is itself or one below: shape (rows).
    pub(super) pivots: [N::Vector; M],
    /// Which pivot is the first that is zero, from 1, or 0.
    pub(super) first_zero: N::Vector,
}

/// A loop over the indices of a small matrix, upwards or downwards, as a copy of the code for each of them: of a loop
/// that the compiler does not unroll, matrices would be in memory.
macro_rules! for_each {
    ($k:ident in 0..$end:ident $body:block) => {
        for_each!(0 1 2 3, $k $end $body)
    };
    ($k:ident in (0..$end:ident).rev() $body:block) => {
        for_each!(3 2 1 0, $k $end $body)
    };
    ($($index:literal)*, $k:ident $end:ident $body:block) => {
        for_each!(@ [$($index)*] $k $end $body)
    };
    (@ [$first:literal $($index:literal)*] $k:ident $end:ident $body:block) => {
        {
            let $k: usize = $first;
            if $k < $end $body
        }
        for_each!(@ [$($index)*] $k $end $body)
    };
    (@ [] $k:ident $end:ident $body:block) => {};
}
pub(super) use for_each;

/// `sum`, which becomes NaN where a number of the column is not finite.
#[inline(always)]
pub(super) fn probe<N: Number, const M: usize>(column: [N; M], mut sum: N::Vector) -> N::Vector {
    for i in 0..M {
        sum = column[i].probe(sum);
    }
    sum
}

/// Exchanges two numbers where the mask is true.
#[inline(always)]
pub(super) fn exchange<N: Number>(mask: Mask<N>, a: N, b: N) -> (N, N) {
    (N::select(mask, b, a), N::select(mask, a, b))
}

/// The pivots of a matrix, by their code: digit k of it, to the base [`MAX_ORDER`], is pivot k.
static PIVOTS: [[u32; MAX_ORDER]; MAX_ORDER.pow(MAX_ORDER as u32)] = {
    let mut pivots = [[0; MAX_ORDER]; MAX_ORDER.pow(MAX_ORDER as u32)];
    let mut code = 0;
    while code < pivots.len() {
        let (mut k, mut rest) = (0, code);
        while k < MAX_ORDER {
            pivots[code][k] = (rest % MAX_ORDER) as u32;
            rest /= MAX_ORDER;
            k += 1;
        }
        code += 1;
    }
    pivots
};

/// Writes the pivots of codes: shape (matrices, M). Not inlined, as it is scalar code for each lane.
#[inline(never)]
fn write_pivots<const M: usize>(codes: &[i32; MAX_LANES], to: &mut [u32]) {
    for (to, code) in to.chunks_exact_mut(M).zip(codes) {
        to.copy_from_slice(&PIVOTS[*code as usize % PIVOTS.len()][..M]);
    }
}

impl<N: Number, const M: usize> Small<N, M> {
    /// PA = LU.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn factor(mut a: [[N; M]; M]) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let mut first_zero = index::<N::Vector>(0);
            let mut pivots = [first_zero; M];
            for_each!(k in 0..M {
                let (mut largest, mut row) = (<N::Vector as Vector>::splat(Scalar::ZERO), index(k));
                for i in k..M {
                    let magnitude = a[k][i].magnitude();
                    let larger = largest.less(magnitude);
                    largest = <N::Vector as Vector>::select(larger, magnitude, largest);
                    row = <N::Vector as Vector>::select(larger, index(i), row);
                }
                pivots[k] = row;
                for i in k + 1..M {
                    let here = row.equal(index(i));
                    for j in 0..M {
                        (a[j][k], a[j][i]) = exchange(here, a[j][k], a[j][i]);
                    }
                }
                first_zero = note_zero(first_zero, a[k][k], k);
                let divisor = a[k][k].divisor();
                for i in k + 1..M {
                    a[k][i] = a[k][i].divide(divisor);
                    for j in k + 1..M {
                        a[j][i] = a[j][i].sub_mul(a[k][i], a[j][k]);
                    }
                }
            });
            Self { lu: a, pivots, first_zero }
        }
    }

    /// L and U.
    #[inline(always)]
    pub(super) fn factors(&self) -> &[[N; M]; M] {
        &self.lu
    }

    /// Which rows the pivots of each lane are in, as one number: see [`PIVOTS`].
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    unsafe fn pivot_code(&self) -> N::Vector {
        // The last row stays.
        let mut code = self.pivots[M - 1];
        for k in (0..M - 1).rev() {
            // SAFETY: the caller's promise.
            code = code.mul_add(unsafe { index(MAX_ORDER) }, self.pivots[k]);
        }
        code
    }

    /// Writes the pivots of as many matrices as there is room for: shape (matrices, M).
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn write_pivots(&self, to: &mut [u32]) {
        // SAFETY: the caller's promise.
        write_pivots::<M>(&unsafe { self.pivot_code() }.to_integers(), to);
    }

    /// Bit w is whether the determinant of lane w has the other sign than the product of U's diagonal.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn is_odd(&self) -> u32 {
        let mut odd = 0;
        for k in 0..M - 1 {
            // SAFETY: the caller's promise.
            odd ^= !N::Vector::bits(self.pivots[k].equal(unsafe { index(k) }));
        }
        odd
    }

    /// Where the factors are finite.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn is_finite(&self) -> Mask<N> {
        // SAFETY: the caller's promise.
        let mut sum = unsafe { <N::Vector as Vector>::splat(Scalar::ZERO) };
        for j in 0..M {
            sum = probe(self.lu[j], sum);
        }
        sum.equal(sum)
    }

    /// The solution for a right-hand side.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn solve(&self, mut b: [N; M]) -> [N; M] {
        let a = &self.lu;
        for_each!(k in 0..M {
            for i in k + 1..M {
                // SAFETY: the caller's promise.
                let here = self.pivots[k].equal(unsafe { index(i) });
                (b[k], b[i]) = exchange(here, b[k], b[i]);
            }
        });
        for_each!(k in 0..M {
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
        b
    }

    /// The inverse.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn invert(&self) -> [[N; M]; M] {
        // SAFETY: the caller's promise.
        let (zero, one) = unsafe { (N::splat(N::Scalar::ZERO), N::splat(N::Scalar::ONE)) };
        let (a, mut x) = (&self.lu, [[zero; M]; M]);
        for_each!(j in 0..M {
            let divisor = a[j][j].divisor();
            for k in 0..j {
                for i in 0..=k {
                    x[j][i] = x[j][i].sub_mul(x[k][i], a[j][k]);
                }
            }
            for i in 0..j {
                x[j][i] = x[j][i].divide(divisor);
            }
            x[j][j] = one.divide(divisor);
        });
        for_each!(j in (0..M).rev() {
            for k in (j + 1..M).rev() {
                for i in 0..M {
                    x[j][i] = x[j][i].sub_mul(x[k][i], a[j][k]);
                }
            }
        });
        for_each!(k in (0..M).rev() {
            for j in k + 1..M {
                // SAFETY: the caller's promise.
                let here = self.pivots[k].equal(unsafe { index(j) });
                for i in 0..M {
                    (x[k][i], x[j][i]) = exchange(here, x[k][i], x[j][i]);
                }
            }
        });
        x
    }
}
