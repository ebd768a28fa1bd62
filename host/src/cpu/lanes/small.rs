//! Matrices of order up to 4, all in registers: rows are exchanged by selections, loops are unrolled.
//!
//! The operations on each element and their order are those of the blocked algorithms, and so are the bits.

use kernels_gpu::scalar::Scalar;

use super::block::Block;
use super::deinterleave::deinterleave;
use super::eliminate::note_zero;
use super::exchange::{Exchange, index};
use super::group::Lanes;
use super::interleave::interleave;
use super::number::{Mask, Number};
use super::vector::Vector;

/// The largest order.
pub(super) const MAX_ORDER: usize = 4;

/// A factored matrix a lane.
pub(super) struct Small<N: Number, const M: usize> {
    /// L and U: shape (columns, rows).
    lu: [[N; M]; M],
    /// The row that each row was exchanged with: shape (rows).
    pivots: [N::Vector; M],
    /// Which pivot is the first that is zero, from 1, or 0.
    pub(super) first_zero: N::Vector,
}

/// Loads the columns of matrices, by way of a block.
///
/// # Safety
/// The matrices may be read, the block has room for them, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn load<N: Number, const M: usize>(from: &Lanes<N>, block: Block<N>) -> [[N; M]; M] {
    // SAFETY: the caller's promise.
    unsafe {
        let by_rows = is_by_rows::<N, M>(from);
        interleave(&if by_rows { from.transposed() } else { *from }, M, M, block);
        let mut a = [[block.get(0, 0); M]; M];
        for j in 0..M {
            for i in 0..M {
                a[j][i] = if by_rows { block.get(j, i) } else { block.get(i, j) };
            }
        }
        a
    }
}

/// Stores the columns of matrices, by way of a block.
///
/// # Safety
/// The matrices may be written, and the block has room for them.
#[inline(always)]
pub(super) unsafe fn store<N: Number, const M: usize>(a: &[[N; M]; M], to: &Lanes<N>, block: Block<N>) {
    // SAFETY: the caller's promise; numbers show that the CPU has the instructions.
    unsafe {
        let by_rows = is_by_rows::<N, M>(to);
        for j in 0..M {
            for i in 0..M {
                block.set(if by_rows { j } else { i }, if by_rows { i } else { j }, a[j][i]);
            }
        }
        deinterleave(block, M, M, &if by_rows { to.transposed() } else { *to });
    }
}

/// Whether matrices lie row by row: they are moved as their transposes then, which may be one line.
#[inline(always)]
fn is_by_rows<N: Number, const M: usize>(matrices: &Lanes<N>) -> bool {
    matrices.lines().is_some_and(|lines| !lines.are_columns)
}

/// Exchanges two numbers where the mask is true.
#[inline(always)]
fn exchange<N: Number>(mask: Mask<N>, a: N, b: N) -> (N, N) {
    (N::select(mask, b, a), N::select(mask, a, b))
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
            for k in 0..M {
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
            }
            Self { lu: a, pivots, first_zero }
        }
    }

    /// L and U.
    #[inline(always)]
    pub(super) fn factors(&self) -> &[[N; M]; M] {
        &self.lu
    }

    /// The exchanges of rows.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn exchanges(&self) -> [Exchange; M] {
        let mut exchanges = [Exchange::NONE; M];
        for k in 0..M {
            // SAFETY: the caller's promise.
            exchanges[k] = unsafe { Exchange::new::<N>(self.pivots[k], index(k)) };
        }
        exchanges
    }

    /// Where the factors are finite.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn is_finite(&self) -> Mask<N> {
        // SAFETY: the caller's promise.
        let mut sum = unsafe { <N::Vector as Vector>::splat(Scalar::ZERO) };
        for column in &self.lu {
            for &x in column {
                sum = x.probe(sum);
            }
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
        for k in 0..M {
            for i in k + 1..M {
                // SAFETY: the caller's promise.
                let here = self.pivots[k].equal(unsafe { index(i) });
                (b[k], b[i]) = exchange(here, b[k], b[i]);
            }
        }
        for k in 0..M {
            for i in k + 1..M {
                b[i] = b[i].sub_mul(a[k][i], b[k]);
            }
        }
        for k in (0..M).rev() {
            b[k] = b[k].divide(a[k][k].divisor());
            for i in 0..k {
                b[i] = b[i].sub_mul(a[k][i], b[k]);
            }
        }
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
        for j in 0..M {
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
        }
        for j in (0..M).rev() {
            for k in (j + 1..M).rev() {
                for i in 0..M {
                    x[j][i] = x[j][i].sub_mul(x[k][i], a[j][k]);
                }
            }
        }
        for k in (0..M).rev() {
            for j in k + 1..M {
                // SAFETY: the caller's promise.
                let here = self.pivots[k].equal(unsafe { index(j) });
                for i in 0..M {
                    (x[k][i], x[j][i]) = exchange(here, x[k][i], x[j][i]);
                }
            }
        }
        x
    }
}
