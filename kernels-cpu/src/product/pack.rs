//! A block of A in the order in which tiles need it.

use numbers::scalar::Scalar;

use super::super::columns::{Columns, load};
use super::super::lanes::{MAX_LANES, Number, Vector};
use super::tile::TALL;
use crate::element::CpuScalar;

/// Packs a block of A: for each tile, column after column, the vectors of its rows, and of complex numbers then the
/// same times i. What is beyond the last row is zero.
///
/// # Safety
/// The CPU has the instructions, the block may be read, and there is room.
#[inline(always)]
pub(super) unsafe fn pack<N: Number>(a: Columns<N::Scalar>, rows: usize, depth: usize, to: *mut N::Real)
where
    N::Scalar: CpuScalar,
{
    let (reals, lanes) = (rows * N::PARTS, N::Vector::LANES);
    let whole = reals / (TALL * lanes);
    // SAFETY: the caller's promise.
    unsafe {
        for k in 0..depth {
            // Down the column, as it lies in memory.
            let column = a.at(0, k).cast::<N::Real>();
            for tile in 0..whole {
                let first = tile * TALL * lanes;
                let to = to.add((first * depth + k * TALL * lanes) * N::PARTS);
                for v in 0..TALL {
                    let x = <N::Vector as Vector>::load(column.add(first + v * lanes));
                    put::<N>(x, to, v, TALL);
                }
            }
            let first = whole * TALL * lanes;
            let vectors = (reals - first).div_ceil(lanes);
            let to = to.add((first * depth + k * vectors * lanes) * N::PARTS);
            for v in 0..vectors {
                let at = first + v * lanes;
                put::<N>(load::<N>(column.add(at), reals - at), to, v, vectors);
            }
        }
    }
}

/// Stores vector `v` of so many of a tile's column.
///
/// # Safety
/// As for [`pack`].
#[inline(always)]
unsafe fn put<N: Number>(x: N::Vector, to: *mut N::Real, v: usize, vectors: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        Vector::store(x, to.add(v * N::Vector::LANES));
        if N::PARTS == 2 {
            Vector::store(times_i::<N>(x), to.add((vectors + v) * N::Vector::LANES));
        }
    }
}

/// The elements of a vector times i.
///
/// # Safety
/// The CPU has the instructions.
#[inline(always)]
unsafe fn times_i<N: Number>(x: N::Vector) -> N::Vector {
    let signs = [[-<N::Real as Scalar>::ONE, <N::Real as Scalar>::ONE]; MAX_LANES / 2];
    // SAFETY: the caller's promise.
    x.swap_pairs().mul(unsafe { <N::Vector as Vector>::load(signs.as_ptr().cast()) })
}
