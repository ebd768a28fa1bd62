//! Tiles of C, which stay in registers while the whole depth of packed blocks is subtracted from them, or is added up
//! to be subtracted at the end.

#![expect(clippy::needless_range_loop, reason = "numbers of vectors and columns are what the formulas have")]

use numbers::scalar::Scalar;

use super::super::columns::Columns;
use super::super::lanes::{MAX_LANES, Number, Stage, Vector};
use crate::element::CpuScalar;

/// Vectors of a tile's columns.
pub(super) const TALL: usize = 3;
/// The most columns of a tile.
const MOST_COLUMNS: usize = 8;

/// Subtracts the product of a packed block and rows of B from rows of C; C's size is (rows, columns). The products over
/// the depth are added up `apart`, or are subtracted one by one.
///
/// # Safety
/// The CPU has the instructions, the block was packed for so many rows and this depth, B may be read, and C written,
/// too.
#[inline(always)]
pub(super) unsafe fn all<N: Number, const C: usize>(
    c: Columns<N::Scalar>,
    (rows, columns): (usize, usize),
    a: *const N::Real,
    b: Columns<N::Scalar>,
    (depth, apart): (usize, bool),
) where
    N::Scalar: CpuScalar,
{
    let (reals, lanes) = (rows * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        for j in (0..columns).step_by(C) {
            // What is beyond the last column repeats it, and goes nowhere.
            let mut factors = [b.at(0, j).cast_const().cast(); C];
            for q in 1..C {
                factors[q] = b.at(0, (j + q).min(columns - 1)).cast_const().cast();
            }
            for first in (0..reals).step_by(TALL * lanes) {
                let a = a.add(first * depth * N::PARTS);
                let c = Target { start: c.at(0, j).cast::<N::Real>().add(first), stride: c.stride() * N::PARTS };
                let (rest, columns) = (reals - first, C.min(columns - j));
                match rest.div_ceil(lanes) {
                    1 => one::<N, 1, C>(c, (rest, columns), a, factors, (depth, apart)),
                    2 => one::<N, 2, C>(c, (rest, columns), a, factors, (depth, apart)),
                    _ => one::<N, TALL, C>(c, (rest, columns), a, factors, (depth, apart)),
                }
            }
        }
    }
}

/// Where a tile lies: reals, in columns `stride` apart.
#[derive(Clone, Copy)]
struct Target<R> {
    start: *mut R,
    stride: usize,
}

/// A tile of `M` vectors by `C` columns, of which `reals` and `columns` are there: else by way of a tile that is whole.
///
/// # Safety
/// As for [`all`].
#[inline(always)]
unsafe fn one<N: Number, const M: usize, const C: usize>(
    c: Target<N::Real>,
    (reals, columns): (usize, usize),
    a: *const N::Real,
    b: [*const N::Real; C],
    (depth, apart): (usize, bool),
) {
    let height = M * N::Vector::LANES;
    // SAFETY: the caller's promise.
    unsafe {
        if reals >= height && columns == C {
            return N::Vector::call(Tile::<N, M, C> { c, a, b, depth, apart });
        }
        let mut room = [<N::Real as Scalar>::ZERO; TALL * MAX_LANES * MOST_COLUMNS];
        let whole = Target { start: room.as_mut_ptr(), stride: height };
        for j in 0..columns {
            for i in 0..reals.min(height) {
                *whole.start.add(j * height + i) = *c.start.add(j * c.stride + i);
            }
        }
        N::Vector::call(Tile::<N, M, C> { c: whole, a, b, depth, apart });
        for j in 0..columns {
            for i in 0..reals.min(height) {
                *c.start.add(j * c.stride + i) = *whole.start.add(j * height + i);
            }
        }
    }
}

/// A whole tile of `M` vectors by `C` columns.
struct Tile<N: Number, const M: usize, const C: usize> {
    c: Target<N::Real>,
    /// Shape (depth, parts, M, lanes).
    a: *const N::Real,
    /// Shape (C), each (depth, parts).
    b: [*const N::Real; C],
    depth: usize,
    apart: bool,
}

impl<N: Number, const M: usize, const C: usize> Stage for Tile<N, M, C> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { c, mut a, b, depth, apart } = self;
        // SAFETY: the caller's promise.
        unsafe {
            let mut sums = [[<N::Vector as Vector>::splat(Scalar::ZERO); M]; C];
            if !apart {
                for j in 0..C {
                    for m in 0..M {
                        sums[j][m] = <N::Vector as Vector>::load(c.start.add(j * c.stride + m * N::Vector::LANES));
                    }
                }
            }
            // The next tile, which is below this one, comes meanwhile.
            for j in 0..C {
                for m in 0..M {
                    N::Vector::prefetch(c.start.wrapping_add(j * c.stride + (M + m) * N::Vector::LANES));
                }
            }
            for k in 0..depth * N::PARTS {
                let mut x = [sums[0][0]; M];
                for m in 0..M {
                    x[m] = <N::Vector as Vector>::load(a.add(m * N::Vector::LANES));
                }
                for j in 0..C {
                    let factor = <N::Vector as Vector>::splat(*b[j].add(k));
                    for m in 0..M {
                        sums[j][m] = Vector::sub_mul(sums[j][m], x[m], factor);
                    }
                }
                a = a.add(M * N::Vector::LANES);
            }
            for j in 0..C {
                for m in 0..M {
                    let c = c.start.add(j * c.stride + m * N::Vector::LANES);
                    if apart {
                        // The sums are negative.
                        sums[j][m] = <N::Vector as Vector>::load(c).add(sums[j][m]);
                    }
                    Vector::store(sums[j][m], c);
                }
            }
        }
    }
}
