//! Blocks of these kernels, and what they say of pivots.

use simt::shared::Shared;
use simt::warp;

use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};
use crate::tile::board::Board;
use crate::tile::staging::Stage;

/// Panels of a matrix of order `n`.
#[inline(always)]
pub(super) const fn panels<const NB: usize>(n: u32) -> u32 {
    n.div_ceil(NB as u32)
}

/// Shape of [`invert_tile`](crate::tile::invert_tile), by up to `W` warps.
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize, const Q: usize, const W: u32>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    shape_of::<T, R, NB, Q>(problem, panels::<NB>(problem.n).div_ceil(Q as u32), W)
}

/// The shape of blocks of so many warps, of which there may be `most`.
pub(super) fn shape_of<T: Scalar, const R: usize, const NB: usize, const Q: usize>(
    problem: &Problem,
    warps: u32,
    most: u32,
) -> Shape {
    if problem.n > 32 * R as u32 || warps > most {
        return Shape { blocks: problem.batch, threads: 32 * most, shared_bytes: u32::MAX };
    }
    let (board, stage) = (Board::<T, R, NB, Q>::bytes(warps, panels::<NB>(problem.n)), Stage::<T, R, NB>::bytes(warps));
    Shape { blocks: problem.batch, threads: 32 * warps, shared_bytes: if board > stage { board } else { stage } }
}

/// The first zero among `n` pivots, counted from 1, or 0. By a warp.
#[inline(always)]
pub(super) fn zero_pivot<T: Scalar>(pivots: Shared<T>, n: u32) -> i32 {
    let mut k = warp::lane();
    let mut first = 0;
    while first < n {
        let zeros = warp::ballot(warp::ALL, k < n && pivots.load(if k < n { k } else { 0 }) == T::ZERO);
        if zeros != 0 {
            return (first + zeros.trailing_zeros() + 1) as i32;
        }
        k += warp::SIZE;
        first += warp::SIZE;
    }
    0
}
