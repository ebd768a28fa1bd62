//! Triangular systems T X = B with few right-hand sides and T by rows: tiles of some rows are transposed in registers
//! and used there. All operations on an element and their order are those of [`substitute_few`](super::substitute_few).

#![expect(clippy::needless_range_loop, reason = "numbers of rows, columns and lanes are what the formulas have")]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{BLOCK, Columns};
use super::lanes::{Isa, MAX_LANES, Number, Routine, Vector, enter};
use super::substitute_few::{FEW, Few, Triangular};
use super::transpose::transpose;
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;

/// Rows of a band, whose vectors of unknowns stay in registers: a multiple of [`BLOCK`] and of all numbers of lanes.
const BAND: usize = MAX_LANES;
/// The most vectors of a band.
const VECTORS: usize = BAND / 2;

/// Overwrites B with the solution of T X = B, where T lies by rows.
///
/// # Panics
/// If the shapes do not fit, there are more right-hand sides than [`FEW`], or the matrices lie otherwise.
pub(super) fn substitute_rows<T: CpuScalar>(
    isa: Isa,
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
) {
    let (n, columns) = b.shape();
    assert!(t.shape() == (n, n) && columns <= FEW, "the triangle is as high as the few right sides");
    let (rows, b) = (Columns::of(t.transpose()), Columns::of_mut(b));
    // SAFETY: the matrices are borrowed.
    unsafe { isa.run(Rows { rows, triangle, diagonal, b, n, columns }) }
}

struct Rows<T> {
    /// T, its rows as columns.
    rows: Columns<T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: Columns<T>,
    n: usize,
    columns: usize,
}

/// Some rows, from the first one on.
#[derive(Clone, Copy)]
struct Band {
    top: usize,
    height: usize,
}

impl<T: CpuScalar> Routine for Rows<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match (self.columns, self.triangle) {
                (0, _) => {}
                (1, Triangle::Lower) => self.substitute::<N, 1, true>(),
                (1, Triangle::Upper) => self.substitute::<N, 1, false>(),
                (_, Triangle::Lower) => self.substitute::<N, FEW, true>(),
                (_, Triangle::Upper) => self.substitute::<N, FEW, false>(),
            }
        }
    }
}

impl<T: CpuScalar> Rows<T> {
    /// Solves for `C` right-hand sides, band after band.
    ///
    /// # Safety
    /// The CPU has the instructions, and the elements may be read and written.
    #[inline(always)]
    unsafe fn substitute<N: Number<Scalar = T>, const C: usize, const LOWER: bool>(&self) {
        let n = self.n;
        for known in (0..n).step_by(BAND) {
            // Only the last band may be smaller.
            let height = BAND.min(n - known);
            // SAFETY: the caller's promise.
            unsafe {
                if LOWER {
                    let band = Band { top: known, height };
                    self.eliminate::<N, C, LOWER>(band, 0..known);
                    self.solve::<N>(band);
                } else {
                    let band = Band { top: n - known - height, height };
                    self.eliminate::<N, C, LOWER>(band, n - known..n);
                    self.solve::<N>(band);
                }
            }
        }
    }

    /// Eliminates the unknowns `known`, whose number is a multiple of [`BAND`], from a band.
    ///
    /// # Safety
    /// As for [`substitute`](Self::substitute).
    #[inline(always)]
    unsafe fn eliminate<N: Number<Scalar = T>, const C: usize, const LOWER: bool>(
        &self,
        band: Band,
        known: Range<usize>,
    ) {
        let (lanes, wide) = (N::Vector::LANES, N::Vector::LANES / N::PARTS);
        let together = if wide < BLOCK { BLOCK } else { wide };
        // What is beyond the last row repeats it, and goes nowhere.
        let mut lines = [self.rows.at(0, band.top).cast_const().cast::<N::Real>(); BAND];
        for i in 0..BAND {
            lines[i] = self.rows.at(0, band.top + i.min(band.height - 1)).cast_const().cast();
        }
        // SAFETY: the caller's promise.
        unsafe {
            let mut sums = [[N::splat(T::ZERO); VECTORS]; C];
            for c in 0..C {
                for v in 0..BAND / lanes {
                    sums[c][v] = self.load::<N>(band, v * lanes, c);
                }
            }
            for step in (0..known.len()).step_by(together) {
                let first = if LOWER { known.start + step } else { known.end - step - together };
                for first in (first..first + together).step_by(wide) {
                    for v in 0..BAND / lanes {
                        let mut square = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
                        for w in 0..lanes {
                            square[w] = <N::Vector as Vector>::load(lines[v * lanes + w].add(first * N::PARTS));
                        }
                        N::Vector::transpose(&mut square);
                        for s in 0..wide {
                            // Blocks of unknowns are in the order in which they have been found, those of a block in
                            // that of rows.
                            let blocks_before = if LOWER || wide < BLOCK { s / BLOCK } else { (wide - 1 - s) / BLOCK };
                            let e = blocks_before * BLOCK + s % BLOCK;
                            let multiples = N::load(square.as_ptr().cast::<N::Real>().add(e * N::SIZE));
                            for c in 0..C {
                                let x = N::splat(self.b.get(first + e, c));
                                sums[c][v] = sums[c][v].sub_mul(x, multiples);
                            }
                        }
                    }
                }
            }
            for c in 0..C {
                for v in 0..BAND / lanes {
                    self.store(sums[c][v], band, v * lanes, c);
                }
            }
        }
    }

    /// Solves for the unknowns of a band.
    ///
    /// # Safety
    /// As for [`substitute`](Self::substitute).
    #[inline(always)]
    unsafe fn solve<N: Number<Scalar = T>>(&self, band: Band) {
        let mut room = MaybeUninit::<[T; BAND * BAND]>::uninit();
        // SAFETY: the caller's promise; there is room for the triangle, which is written before it is read.
        unsafe {
            let start = room.as_mut_ptr().cast::<T>();
            let t = Columns::of(MatRef::from_raw_parts(start, band.height, band.height, 1, BAND as isize));
            transpose(self.rows.from(band.top, band.top).lines(), t.lines(), band.height, band.height);
            let t = Triangular { t, diagonal: self.diagonal };
            let b = self.b.from(band.top, 0);
            enter::<_, N>(Few { t, triangle: self.triangle, b, n: band.height, columns: self.columns });
        }
    }

    /// A vector of a band's unknowns, from its row `first` on, the parts of complex ones apart.
    ///
    /// # Safety
    /// As for [`substitute`](Self::substitute).
    #[inline(always)]
    unsafe fn load<N: Number<Scalar = T>>(&self, band: Band, first: usize, column: usize) -> N {
        let mut reals = [<N::Real as Scalar>::ZERO; 2 * MAX_LANES];
        // SAFETY: the caller's promise; a scalar is its parts.
        unsafe {
            for w in 0..N::Vector::LANES.min(band.height.saturating_sub(first)) {
                for part in 0..N::PARTS {
                    let from = self.b.at(band.top + first + w, column).cast::<N::Real>();
                    reals[part * N::Vector::LANES + w] = *from.add(part);
                }
            }
            <N as Number>::load(reals.as_ptr())
        }
    }

    /// The inverse of [`load`](Self::load).
    ///
    /// # Safety
    /// As for [`substitute`](Self::substitute).
    #[inline(always)]
    unsafe fn store<N: Number<Scalar = T>>(&self, x: N, band: Band, first: usize, column: usize) {
        let mut reals = [<N::Real as Scalar>::ZERO; 2 * MAX_LANES];
        // SAFETY: the caller's promise; a scalar is its parts.
        unsafe {
            Number::store(x, reals.as_mut_ptr());
            for w in 0..N::Vector::LANES.min(band.height.saturating_sub(first)) {
                for part in 0..N::PARTS {
                    let to = self.b.at(band.top + first + w, column).cast::<N::Real>();
                    to.add(part).write(reals[part * N::Vector::LANES + w]);
                }
            }
        }
    }
}
