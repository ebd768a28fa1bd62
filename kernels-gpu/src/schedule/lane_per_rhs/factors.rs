//! The factors in shared memory, and the substitution.

use simt::layout::Layout;
use simt::shared::Shared;

use crate::collective::divisors::Divisors;
use crate::memory::vector::Vectorized;
use numbers::matrix::{GlobalMatrix, View};

/// Elements of a thread that are on their way from device memory at a time, at most.
const TOGETHER: usize = 16;

/// Which matrix is solved with.
#[derive(Clone, Copy)]
pub(super) struct Op {
    /// Whether it is the transposed one, so that U^T comes first, and then L^T.
    pub(super) is_transposed: bool,
    /// Whether it is the conjugate one.
    pub(super) is_conjugated: bool,
}

/// The triangles of op(A), of order up to `N`; beyond that of the matrix, they are those of the unit matrix.
#[derive(Clone, Copy)]
pub(super) struct Factors<T: Vectorized, const N: usize> {
    /// Column k of both triangles after the other: shape (N, [`Self::LENGTH`]).
    columns: Shared<T>,
    /// The diagonal of U: shape (N).
    divisors: Divisors<T>,
}

impl<T: Vectorized, const N: usize> Factors<T, N> {
    /// From a column to the next: as columns are written by rows, in different banks.
    const LENGTH: u32 = (N + T::VECTOR) as u32;

    /// Room for those of so many matrices.
    #[inline(always)]
    pub(super) fn array(layout: &mut Layout, count: u32) -> Self {
        Self {
            columns: layout.array(count * N as u32 * Self::LENGTH),
            divisors: Divisors::array(layout, count * N as u32),
        }
    }

    /// Those of matrix `i` in such an array.
    #[inline(always)]
    pub(super) fn nth(self, i: u32) -> Self {
        Self { columns: self.columns.offset(i * N as u32 * Self::LENGTH), divisors: self.divisors.offset(i * N as u32) }
    }

    /// Loads a matrix of order `n` by `threads` threads, of which this is `thread`; there are `LEAST` or more. A barrier
    /// must follow.
    #[inline(always)]
    pub(super) fn load<const LEAST: usize>(&self, lu: &GlobalMatrix<T>, n: u32, op: Op, (thread, threads): (u32, u32)) {
        let together = const { if N * N / LEAST < TOGETHER { N * N / LEAST } else { TOGETHER } };
        let by_rows = !lu.column_is_dense();
        let mut first = thread;
        while first < (N * N) as u32 {
            let mut elements = [T::ZERO; TOGETHER];
            for e in 0..together {
                let (i, j) = Self::position(first + threads * e as u32, by_rows);
                if i < n && j < n {
                    elements[e] = lu.load(i, j);
                }
            }
            for e in 0..together {
                let (i, j) = Self::position(first + threads * e as u32, by_rows);
                if i < N as u32 && j < N as u32 {
                    self.put((i, j), elements[e], n, op);
                }
            }
            first += threads * together as u32;
        }
    }

    /// The element that is loaded as the `e`-th: neighbours lie side by side.
    #[inline(always)]
    fn position(e: u32, by_rows: bool) -> (u32, u32) {
        let (outer, inner) = (e / N as u32, e % N as u32);
        if by_rows { (outer, inner) } else { (inner, outer) }
    }

    #[inline(always)]
    fn put(&self, (i, j): (u32, u32), element: T, n: u32, op: Op) {
        let element = if op.is_conjugated { element.conj() } else { element };
        let (row, column) = if op.is_transposed { (j, i) } else { (i, j) };
        self.columns.store(column * Self::LENGTH + row, element);
        if i == j {
            self.divisors.store(i, if i < n { element } else { T::ONE });
        }
    }

    /// Solves op(LU) x = b.
    #[inline(always)]
    pub(super) fn solve(&self, x: &mut [T; N], op: Op) {
        self.forward(x, op);
        self.back(x, op);
    }

    /// The first substitution.
    #[inline(always)]
    pub(super) fn forward(&self, x: &mut [T; N], op: Op) {
        for k in 0..N {
            if op.is_transposed {
                x[k] = self.divisors.divide(x[k], k as u32);
            }
            let column: [T; N] = T::load_row(self.columns.offset(k as u32 * Self::LENGTH), k + 1);
            for i in k + 1..N {
                x[i] = x[i].sub_mul(column[i], x[k]);
            }
        }
    }

    /// The second one.
    #[inline(always)]
    pub(super) fn back(&self, x: &mut [T; N], op: Op) {
        for k in (0..N).rev() {
            if !op.is_transposed {
                x[k] = self.divisors.divide(x[k], k as u32);
            }
            let column = self.columns.offset(k as u32 * Self::LENGTH);
            for v in 0..k.div_ceil(T::VECTOR) {
                let part = T::load_vector(column, v as u32);
                for e in 0..T::VECTOR {
                    let i = v * T::VECTOR + e;
                    if i < k {
                        x[i] = x[i].sub_mul(part[e], x[k]);
                    }
                }
            }
        }
    }
}
