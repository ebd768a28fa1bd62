//! What is done to columns of a matrix, vector by vector: several consecutive elements of one column are one vector.
//!
//! Complex numbers stay as they lie in memory, the imaginary part after the real one.

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::lanes::{MAX_LANES, Number, Vector};
use crate::element::CpuScalar;

/// Columns that are subtracted at once, so that what they are subtracted from is loaded and stored once for all of
/// them.
pub(super) const BLOCK: usize = 4;

/// A column-major matrix without its size, for code that writes one part of it while it reads another.
#[derive(Clone, Copy)]
pub(super) struct Columns<T> {
    start: *mut T,
    /// From a column to the next.
    stride: usize,
}

/// Whether the rows follow each other, if there are any.
fn is_column_major(rows: usize, row_stride: isize, col_stride: isize) -> bool {
    rows == 0 || (row_stride == 1 && col_stride >= 0)
}

impl<T: CpuScalar> Columns<T> {
    /// Those of a matrix that is only read.
    ///
    /// # Panics
    /// If it is not column-major.
    pub(super) fn of(a: MatRef<'_, T>) -> Self {
        assert!(is_column_major(a.nrows(), a.row_stride(), a.col_stride()), "work is done on column-major matrices");
        Self { start: a.as_ptr().cast_mut(), stride: a.col_stride().unsigned_abs() }
    }

    /// Those of a matrix.
    ///
    /// # Panics
    /// If it is not column-major.
    pub(super) fn of_mut(a: MatMut<'_, T>) -> Self {
        assert!(is_column_major(a.nrows(), a.row_stride(), a.col_stride()), "work is done on column-major matrices");
        Self { start: a.as_ptr_mut(), stride: a.col_stride().unsigned_abs() }
    }

    /// Where element (i, j) is.
    #[inline(always)]
    pub(super) fn at(self, i: usize, j: usize) -> *mut T {
        self.start.wrapping_add(j * self.stride + i)
    }

    /// From a column to the next.
    #[inline(always)]
    pub(super) fn stride(self) -> usize {
        self.stride
    }

    /// Where the columns begin, and from one to the next.
    pub(super) fn lines(self) -> (*mut T, isize) {
        (self.start, self.stride as isize)
    }

    /// The columns from row i and column j on.
    #[inline(always)]
    pub(super) fn from(self, i: usize, j: usize) -> Self {
        Self { start: self.at(i, j), ..self }
    }

    /// Element (i, j).
    ///
    /// # Safety
    /// It may be read.
    #[inline(always)]
    pub(super) unsafe fn get(self, i: usize, j: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { *self.at(i, j) }
    }
}

/// `x - a * b`, rounded once for each product where the CPU can.
#[inline(always)]
pub(super) fn sub_mul<N: Number>(x: N::Scalar, a: N::Scalar, b: N::Scalar) -> N::Scalar {
    if N::Vector::HAS_FMA { x.sub_mul(a, b) } else { x - a * b }
}

/// What makes quotients by `x` that are not finite where it is zero. Vectors leave dividends of zero as they are.
#[inline(always)]
pub(super) fn nonzero<T: Scalar>(x: T) -> T {
    if x == T::ZERO { T::NAN } else { x }
}

/// A number that vectors are multiplied by.
#[derive(Clone, Copy)]
struct Factor<V> {
    re: V,
    /// Negated in even lanes; of no use for real numbers.
    im: V,
}

/// # Safety
/// The CPU has the instructions.
#[inline(always)]
unsafe fn factor<N: Number>(x: N::Scalar) -> Factor<N::Vector> {
    let parts = (&raw const x).cast::<N::Real>();
    // SAFETY: the caller's promise; a scalar is its parts.
    unsafe {
        let re = <N::Vector as Vector>::splat(*parts);
        if N::PARTS == 1 {
            return Factor { re, im: re };
        }
        let signs = [[-<N::Real as Scalar>::ONE, <N::Real as Scalar>::ONE]; MAX_LANES / 2];
        let signs = <N::Vector as Vector>::load(signs.as_ptr().cast());
        Factor { re, im: <N::Vector as Vector>::splat(*parts.add(1)).mul(signs) }
    }
}

/// `y[c] -= sum of x[k] * u[c][k]` over k, for `len` elements; each sum in the order of k.
///
/// Closures, and what takes them, would not be compiled for the instructions where they are not inlined: hence the
/// loops.
///
/// # Safety
/// The CPU has the instructions, so many elements may be read and written, and no y is an x.
#[inline(always)]
pub(super) unsafe fn subtract<N: Number, const K: usize, const C: usize>(
    y: [*mut N::Scalar; C],
    x: [*const N::Scalar; K],
    u: [[N::Scalar; K]; C],
    len: usize,
) {
    let (reals, lanes) = (len * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        let mut factors = [[factor::<N>(u[0][0]); K]; C];
        for c in 0..C {
            for k in 0..K {
                factors[c][k] = factor::<N>(u[c][k]);
            }
        }
        let mut i = 0;
        while i < reals {
            let rest = reals - i;
            let mut multiples = [<N::Vector as Vector>::splat(Scalar::ZERO); K];
            for k in 0..K {
                multiples[k] = load::<N>(x[k].cast::<N::Real>().add(i), rest);
            }
            for c in 0..C {
                let y = y[c].cast::<N::Real>().add(i);
                let mut sum = load::<N>(y, rest);
                for k in 0..K {
                    sum = Vector::sub_mul(sum, multiples[k], factors[c][k].re);
                    if N::PARTS == 2 {
                        sum = Vector::sub_mul(sum, multiples[k].swap_pairs(), factors[c][k].im);
                    }
                }
                store::<N>(sum, y, rest);
            }
            i += lanes;
        }
    }
}

/// Loads a vector, of `rest` lanes if there are no more.
///
/// # Safety
/// The CPU has the instructions, and the lanes may be read.
#[inline(always)]
pub(super) unsafe fn load<N: Number>(from: *const N::Real, rest: usize) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe {
        if rest >= N::Vector::LANES {
            <N::Vector as Vector>::load(from)
        } else {
            <N::Vector as Vector>::load_first(from, rest)
        }
    }
}

/// Stores a vector, or its first `rest` lanes.
///
/// # Safety
/// The lanes may be written.
#[inline(always)]
pub(super) unsafe fn store<N: Number>(x: N::Vector, to: *mut N::Real, rest: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if rest >= N::Vector::LANES {
            Vector::store(x, to);
        } else {
            x.store_first(to, rest);
        }
    }
}

/// `|re| + |im|` in each lane of a number.
#[inline(always)]
fn key<N: Number>(x: N::Vector) -> N::Vector {
    let magnitude = x.abs();
    if N::PARTS == 1 { magnitude } else { magnitude.add(magnitude.swap_pairs()) }
}

/// The first of the largest by `|re| + |im|` (`IxAMAX`). A NaN counts as 0, as in the kernels.
///
/// # Safety
/// The CPU has the instructions, and `len` elements may be read.
#[inline(always)]
pub(super) unsafe fn largest<N: Number>(x: *const N::Scalar, len: usize) -> usize {
    let (x, reals, lanes) = (x.cast::<N::Real>(), len * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise; lanes after the last element are 0.
    unsafe {
        let mut best = [<N::Vector as Vector>::splat(Scalar::ZERO); 4];
        let mut i = 0;
        while i + 4 * lanes <= reals {
            for u in 0..4 {
                best[u] = key::<N>(<N::Vector as Vector>::load(x.add(i + u * lanes))).max(best[u]);
            }
            i += 4 * lanes;
        }
        while i < reals {
            best[0] = key::<N>(load::<N>(x.add(i), reals - i)).max(best[0]);
            i += lanes;
        }
        let mut all = [<N::Real as Scalar>::ZERO; MAX_LANES];
        Vector::store(best[0].max(best[1]).max(best[2].max(best[3])), all.as_mut_ptr());
        let mut value = <N::Real as Scalar>::ZERO;
        for w in 0..N::Vector::LANES {
            value = if all[w] > value { all[w] } else { value };
        }
        if value == <N::Real as Scalar>::ZERO {
            return 0;
        }
        let value = <N::Vector as Vector>::splat(value);
        let mut i = 0;
        while i < reals {
            let found = N::Vector::bits(key::<N>(load::<N>(x.add(i), reals - i)).equal(value));
            if found != 0 {
                return (i + found.trailing_zeros() as usize) / N::PARTS;
            }
            i += lanes;
        }
    }
    0
}

/// Divides elements by the same number.
///
/// # Safety
/// The CPU has the instructions, and `len` elements may be read and written.
#[inline(always)]
pub(super) unsafe fn divide<N: Number>(x: *mut N::Scalar, len: usize, divisor: N::Scalar) {
    let (x, reals, lanes) = (x.cast::<N::Real>(), len * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        let mut i = 0;
        let divisor = N::splat(nonzero(divisor)).divisor();
        while i < reals {
            let quotient = N::divide_consecutive(load::<N>(x.add(i), reals - i), divisor);
            store::<N>(quotient, x.add(i), reals - i);
            i += lanes;
        }
    }
}

/// Whether all elements are finite.
///
/// # Safety
/// The CPU has the instructions, and `len` elements may be read.
#[inline(always)]
pub(super) unsafe fn is_finite<N: Number>(x: *const N::Scalar, len: usize) -> bool {
    let (x, reals, lanes) = (x.cast::<N::Real>(), len * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        let zero = <N::Vector as Vector>::splat(Scalar::ZERO);
        // Zeros, or NaN where there was a number that is not finite.
        let mut sums = [zero; 4];
        let mut i = 0;
        while i + 4 * lanes <= reals {
            for u in 0..4 {
                sums[u] = <N::Vector as Vector>::load(x.add(i + u * lanes)).mul_add(zero, sums[u]);
            }
            i += 4 * lanes;
        }
        while i < reals {
            sums[0] = load::<N>(x.add(i), reals - i).mul_add(zero, sums[0]);
            i += lanes;
        }
        let sum = sums[0].add(sums[1]).add(sums[2].add(sums[3]));
        N::Vector::bits(sum.equal(sum)) == N::Vector::ALL
    }
}

/// Calls a function with a count of columns, from 1 to [`BLOCK`], as its constant.
macro_rules! with_columns {
    ($count:expr, $f:ident::<$number:ident>($($argument:expr),*)) => {
        match $count {
            0 => {}
            1 => $f::<$number, 1>($($argument),*),
            2 => $f::<$number, 2>($($argument),*),
            3 => $f::<$number, 3>($($argument),*),
            _ => $f::<$number, 4>($($argument),*),
        }
    };
}
pub(super) use with_columns;
