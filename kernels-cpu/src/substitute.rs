//! Small triangular systems T X = B: columns of X are side by side in vectors, transposed there and back.

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

use std::mem::MaybeUninit;

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{Columns, nonzero};
use super::lanes::{Isa, MAX_LANES, Number, Routine, Vector};
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;

/// The largest order.
pub(super) const LARGEST: usize = 32;

/// Overwrites B with the solution of T X = B.
///
/// # Panics
/// If the shapes do not fit, the order is above [`LARGEST`], or the matrices are not column-major.
pub(super) fn substitute<T: CpuScalar>(
    isa: Isa,
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
) {
    let (n, columns) = b.shape();
    assert!(t.shape() == (n, n) && n <= LARGEST, "a small triangle is as high as the right sides");
    // SAFETY: the matrices are borrowed.
    unsafe { isa.run(FromLeft { t: Columns::of(t), triangle, diagonal, b: Columns::of_mut(b), n, columns }) }
}

struct FromLeft<T> {
    t: Columns<T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: Columns<T>,
    n: usize,
    columns: usize,
}

/// Right sides side by side: shape (rows, parts, lanes).
#[repr(C, align(64))]
struct Sides<R>([R; LARGEST * 2 * MAX_LANES]);

impl<T: CpuScalar> Routine for FromLeft<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { t, triangle, diagonal, b, n, columns } = self;
        let mut sides = MaybeUninit::<Sides<N::Real>>::uninit();
        let sides = sides.as_mut_ptr().cast::<N::Real>();
        for first in (0..columns).step_by(N::Vector::LANES) {
            let count = N::Vector::LANES.min(columns - first);
            // SAFETY: the caller's promise; there is room for so many rows.
            unsafe {
                for row in (0..n * N::PARTS).step_by(N::Vector::LANES) {
                    gather::<N>(b, first, count, row, n * N::PARTS, sides);
                }
                for step in 0..n {
                    unknown::<N>(t, triangle, diagonal, n, step, sides);
                }
                for row in (0..n * N::PARTS).step_by(N::Vector::LANES) {
                    scatter::<N>(b, first, count, row, n * N::PARTS, sides);
                }
            }
        }
    }
}

/// Solves for the unknown of a step, which are in the order that substitution has them in, and subtracts the known ones
/// so, too.
///
/// # Safety
/// The CPU has the instructions, and the elements may be read.
#[inline(always)]
unsafe fn unknown<N: Number>(
    t: Columns<N::Scalar>,
    triangle: Triangle,
    diagonal: Diagonal,
    n: usize,
    step: usize,
    sides: *mut N::Real,
) where
    N::Scalar: CpuScalar,
{
    let i = if triangle == Triangle::Lower { step } else { n - 1 - step };
    // SAFETY: the caller's promise.
    unsafe {
        let mut x = <N as Number>::load(sides.add(i * N::SIZE));
        for known in 0..step {
            let k = if triangle == Triangle::Lower { known } else { n - 1 - known };
            x = Number::sub_mul(x, <N as Number>::load(sides.add(k * N::SIZE)), N::splat(t.get(i, k)));
        }
        if diagonal == Diagonal::Stored {
            x = x.divide(N::splat(nonzero(t.get(i, i))).divisor());
        }
        Number::store(x, sides.add(i * N::SIZE));
    }
}

/// Transposes reals `row` and following, up to `reals`, of `count` columns.
///
/// # Safety
/// The CPU has the instructions, and the elements may be read.
#[inline(always)]
unsafe fn gather<N: Number>(
    b: Columns<N::Scalar>,
    first: usize,
    count: usize,
    row: usize,
    reals: usize,
    sides: *mut N::Real,
) where
    N::Scalar: CpuScalar,
{
    // SAFETY: the caller's promise.
    unsafe {
        let mut square = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
        for w in 0..N::Vector::LANES {
            if w < count {
                let from = b.at(0, first + w).cast::<N::Real>().add(row);
                square[w] = if row + N::Vector::LANES <= reals {
                    <N::Vector as Vector>::load(from)
                } else {
                    <N::Vector as Vector>::load_first(from, reals - row)
                };
            }
        }
        N::Vector::transpose(&mut square);
        for e in 0..N::Vector::LANES {
            // There is room for whole squares.
            Vector::store(square[e], sides.add((row + e) * N::Vector::LANES));
        }
    }
}

/// [`gather`], undone.
///
/// # Safety
/// As there, and the elements may be written.
#[inline(always)]
unsafe fn scatter<N: Number>(
    b: Columns<N::Scalar>,
    first: usize,
    count: usize,
    row: usize,
    reals: usize,
    sides: *const N::Real,
) where
    N::Scalar: CpuScalar,
{
    // SAFETY: the caller's promise.
    unsafe {
        let mut square = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
        for e in 0..N::Vector::LANES {
            square[e] = <N::Vector as Vector>::load(sides.add((row + e) * N::Vector::LANES));
        }
        N::Vector::transpose(&mut square);
        for w in 0..N::Vector::LANES {
            if w < count {
                let to = b.at(0, first + w).cast::<N::Real>().add(row);
                if row + N::Vector::LANES <= reals {
                    Vector::store(square[w], to);
                } else {
                    square[w].store_first(to, reals - row);
                }
            }
        }
    }
}
