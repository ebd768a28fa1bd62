//! The choice of pivots, and the exchange of rows lane by lane.

use kernels_gpu::scalar::{Real, Scalar};

use super::block::Block;
use super::number::Number;
use super::vector::{MAX_LANES, Vector};

/// What the lanes exchange row k of a block with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// Where in a column, in reals, each lane's pivot is: shape (lanes).
    offsets: [u32; MAX_LANES],
    /// Whether any lane's pivot is in another row than k.
    moves: bool,
}

impl Exchange {
    /// No exchange.
    pub(super) const NONE: Self = Self { offsets: [0; MAX_LANES], moves: false };

    /// Exchanges row k with the rows of `pivots`.
    #[inline(always)]
    pub(super) fn new<N: Number>(pivots: N::Vector, k: N::Vector) -> Self {
        let mut offsets = pivots.to_indices();
        for w in 0..N::Vector::LANES {
            offsets[w] = offsets[w] * N::SIZE as u32 + w as u32;
        }
        Self { offsets, moves: N::Vector::bits(pivots.equal(k)) != N::Vector::ALL }
    }

    /// The pivot's row in lane w.
    #[inline(always)]
    pub(super) fn row<N: Number>(&self, w: usize) -> usize {
        self.offsets[w] as usize / N::SIZE
    }

    /// Exchanges row k in column j.
    ///
    /// # Safety
    /// The column is in the block and has been written, and the CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn apply<N: Number>(&self, a: Block<N>, k: usize, j: usize) {
        if !self.moves {
            return;
        }
        for part in 0..N::PARTS {
            // SAFETY: the caller's promise; pivots are rows of the block.
            unsafe {
                let column = a.at(0, j).add(part * N::Vector::LANES);
                let row = column.add(k * N::SIZE);
                // Row k is written as a whole: a load of it soon after is then fast.
                let pivots = <N::Vector as Vector>::gather(column, &self.offsets);
                for w in 0..N::Vector::LANES {
                    *column.add(self.offsets[w] as usize) = *row.add(w);
                }
                Vector::store(pivots, row);
            }
        }
    }
}

/// The row of the first of the largest in column k, from row k on (LAPACK's `IxAMAX`); NaN counts as 0.
///
/// # Safety
/// The column is in the block and has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn largest<N: Number>(a: Block<N>, k: usize, n: usize) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe {
        let first = index::<N::Vector>(k);
        if k + 1 == n {
            return first;
        }
        let zero = <N::Vector as Vector>::splat(Scalar::ZERO);
        // Two maxima, so that comparisons need not wait for each other.
        let (mut even, mut odd) = (zero, zero);
        for i in (k..n - 1).step_by(2) {
            even = a.get(i, k).magnitude().max(even);
            odd = a.get(i + 1, k).magnitude().max(odd);
        }
        let largest = a.get(n - 1, k).magnitude().max(even).max(odd);
        // From the last to the first, the first stays. Where all are NaN or zero, that is row k.
        let mut row = first;
        for i in (k + 1..n).rev() {
            row = <N::Vector as Vector>::select(a.get(i, k).magnitude().equal(largest), index(i), row);
        }
        row = <N::Vector as Vector>::select(a.get(k, k).magnitude().equal(largest), first, row);
        <N::Vector as Vector>::select(largest.equal(zero), first, row)
    }
}

/// An index as a vector of reals.
///
/// # Safety
/// The CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn index<V: Vector>(i: usize) -> V {
    // SAFETY: the caller's promise.
    unsafe { V::splat(V::Real::from_f64(i as f64)) }
}
