//! Matrix times vector, of any strides.

use std::slice;

use numbers::matrix::Matrices;

use super::super::lanes::{Number, Routine};
use super::start_of;
use crate::element::CpuScalar;

/// Columns that are subtracted at once, so that the residual is loaded and stored once for all of them.
const BLOCK: usize = 4;
/// Sums that a row is added up in, side by side.
const SUMS: usize = 8;

/// Where a matrix is.
#[derive(Clone, Copy)]
pub(super) struct Place<T> {
    start: *mut T,
    row_stride: isize,
    col_stride: isize,
}

impl<T: CpuScalar> Place<T> {
    /// Of a matrix of a batch.
    ///
    /// # Safety
    /// It is there.
    pub(super) unsafe fn of(m: Matrices<T>, matrix: u64) -> Self {
        // SAFETY: the caller's promise.
        let start = unsafe { start_of(m, matrix as usize) };
        Self { start, row_stride: m.row_stride as isize, col_stride: m.col_stride as isize }
    }

    pub(super) fn transposed(self) -> Self {
        Self { row_stride: self.col_stride, col_stride: self.row_stride, ..self }
    }

    #[inline(always)]
    pub(super) fn at(self, i: usize, j: usize) -> *mut T {
        self.start.wrapping_offset(i as isize * self.row_stride + j as isize * self.col_stride)
    }

    fn rows_are_close(self) -> bool {
        self.row_stride.unsigned_abs() <= self.col_stride.unsigned_abs()
    }

    /// Calls a function with all elements of an n x n matrix, in the order in which they lie.
    ///
    /// # Safety
    /// They may be read.
    pub(super) unsafe fn for_each(self, n: usize, mut visit: impl FnMut(usize, usize, T)) {
        let by_columns = self.rows_are_close();
        for slow in 0..n {
            for fast in 0..n {
                let (i, j) = if by_columns { (fast, slow) } else { (slow, fast) };
                // SAFETY: the caller's promise.
                visit(i, j, unsafe { *self.at(i, j) });
            }
        }
    }
}

/// `residual -= A x`, of a matrix that may be conjugated.
pub(super) struct SubtractProduct<'a, T> {
    pub(super) a: Place<T>,
    pub(super) conjugated: bool,
    pub(super) x: &'a [T],
    pub(super) residual: &'a mut [T],
}

impl<T: CpuScalar> SubtractProduct<'_, T> {
    /// `magnitudes += |A| |x|`.
    ///
    /// # Safety
    /// The matrix may be read.
    pub(super) unsafe fn add_magnitudes(&self, magnitudes: &mut [T::Real]) {
        let n = self.x.len();
        // SAFETY: the caller's promise.
        unsafe {
            self.a.for_each(n, |i, j, a| magnitudes[i] = magnitudes[i] + a.abs1() * self.x[j].abs1());
        }
    }

    #[inline(always)]
    fn element(&self, a: T) -> T {
        if self.conjugated { a.conj() } else { a }
    }

    /// Columns without gaps, some at a time.
    ///
    /// # Safety
    /// The matrix may be read, and its rows follow each other.
    #[inline(always)]
    unsafe fn by_dense_columns(&mut self) {
        let n = self.x.len();
        // SAFETY: the caller's promise.
        let column = |j: usize| unsafe { slice::from_raw_parts(self.a.at(0, j).cast_const(), n) };
        let mut j = 0;
        while j + BLOCK <= n {
            let columns: [_; BLOCK] = std::array::from_fn(|k| column(j + k));
            let x: [_; BLOCK] = std::array::from_fn(|k| self.x[j + k]);
            for (i, r) in self.residual.iter_mut().enumerate() {
                for k in 0..BLOCK {
                    let a = columns[k][i];
                    *r = *r - if self.conjugated { a.conj() } else { a } * x[k];
                }
            }
            j += BLOCK;
        }
        for j in j..n {
            for (r, &a) in self.residual.iter_mut().zip(column(j)) {
                *r = *r - if self.conjugated { a.conj() } else { a } * self.x[j];
            }
        }
    }

    /// Columns with gaps.
    ///
    /// # Safety
    /// The matrix may be read.
    #[inline(always)]
    unsafe fn by_columns(&mut self) {
        for (j, &x) in self.x.iter().enumerate() {
            for i in 0..self.x.len() {
                // SAFETY: the caller's promise.
                let a = unsafe { *self.a.at(i, j) };
                self.residual[i] = self.residual[i] - self.element(a) * x;
            }
        }
    }

    /// Row after row.
    ///
    /// # Safety
    /// The matrix may be read.
    #[inline(always)]
    unsafe fn by_rows(&mut self) {
        let n = self.x.len();
        for i in 0..n {
            let mut sums = [T::ZERO; SUMS];
            let product = |j: usize| {
                // SAFETY: the caller's promise.
                self.element(unsafe { *self.a.at(i, j) }) * self.x[j]
            };
            for j in (0..n / SUMS).map(|part| part * SUMS) {
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = *sum + product(j + k);
                }
            }
            for (sum, j) in sums.iter_mut().zip(n / SUMS * SUMS..n) {
                *sum = *sum + product(j);
            }
            self.residual[i] = self.residual[i] - sums.into_iter().fold(T::ZERO, |all, sum| all + sum);
        }
    }
}

impl<T: CpuScalar> Routine for SubtractProduct<'_, T> {
    type Scalar = T;
    type Output = ();

    /// In plain loops, which the compiler makes vectors of.
    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(mut self) {
        // SAFETY: the caller's promise.
        unsafe {
            match (self.a.row_stride, self.a.col_stride) {
                (1, _) => self.by_dense_columns(),
                (_, 1) => {
                    self.a.col_stride = 1; // so that the compiler knows
                    self.by_rows();
                }
                _ if self.a.rows_are_close() => self.by_columns(),
                _ => self.by_rows(),
            }
        }
    }
}
