//! The choice of pivots, and the exchange of rows lane by lane.

use numbers::scalar::{Real, Scalar};

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
        let mut offsets = pivots.to_integers().map(i32::cast_unsigned);
        for w in 0..N::Vector::LANES {
            offsets[w] = offsets[w] * N::SIZE as u32 + w as u32;
        }
        Self { offsets, moves: N::Vector::bits(pivots.equal(k)) != N::Vector::ALL }
    }

    /// Exchanges row k with those that pivots are given for: shape (matrices, n). Lanes without a matrix repeat the
    /// first one.
    #[inline(always)]
    pub(super) fn given<N: Number>(pivots: &[u32], n: usize, k: usize) -> Self {
        let mut offsets = [pivots[k] * N::SIZE as u32; MAX_LANES];
        let mut moves = pivots[k] as usize != k;
        for (w, pivots) in pivots.chunks_exact(n).enumerate() {
            offsets[w] = pivots[k] * N::SIZE as u32;
            moves |= pivots[k] as usize != k;
        }
        for w in 0..N::Vector::LANES {
            offsets[w] += w as u32;
        }
        Self { offsets, moves }
    }

    /// The pivot's row in lane w.
    #[inline(always)]
    pub(super) fn row<N: Number>(&self, w: usize) -> usize {
        self.offsets[w] as usize / N::SIZE
    }

    /// Bit w is whether the pivot of lane w is in another row than k.
    #[inline(always)]
    pub(super) fn moved<N: Number>(&self, k: usize) -> u32 {
        (0..N::Vector::LANES).fold(0, |moved, w| moved | u32::from(self.row::<N>(w) != k) << w)
    }

    /// Whether any lane's pivot is in another row.
    #[inline(always)]
    pub(super) fn moves(&self) -> bool {
        self.moves
    }

    /// In each lane, exchanges what is at k with what is at the pivot's row.
    #[inline(always)]
    pub(super) fn exchange<N: Number>(&self, order: &mut [[u32; MAX_LANES]], k: usize) {
        for w in 0..N::Vector::LANES {
            let pivot = self.row::<N>(w);
            (order[k][w], order[pivot][w]) = (order[pivot][w], order[k][w]);
        }
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

/// The first of the largest numbers in rows that have been looked at (LAPACK's `IxAMAX`). A NaN counts as 0.
#[derive(Clone, Copy)]
pub(super) struct Largest<V> {
    magnitude: V,
    /// Its row; that from which on was looked, if all are 0.
    row: V,
}

impl<V: Vector> Largest<V> {
    /// Before any rows have been looked at; `first` is where they begin.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn none(first: V) -> Self {
        // SAFETY: the caller's promise.
        Self { magnitude: unsafe { V::splat(Scalar::ZERO) }, row: first }
    }

    /// Looks at a row after those before.
    #[inline(always)]
    pub(super) fn look<N: Number<Vector = V>>(&mut self, x: N, row: V) {
        let magnitude = x.magnitude();
        let larger = self.magnitude.less(magnitude);
        self.magnitude = V::select(larger, magnitude, self.magnitude);
        self.row = V::select(larger, row, self.row);
    }

    /// The row.
    #[inline(always)]
    pub(super) fn row(self) -> V {
        self.row
    }

    /// That of both.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let first = V::both(self.magnitude.equal(other.magnitude), other.row.less(self.row));
        let row = V::select(first, other.row, self.row);
        let larger = self.magnitude.less(other.magnitude);
        Self { magnitude: other.magnitude.max(self.magnitude), row: V::select(larger, other.row, row) }
    }
}

/// The row of the first of the largest in column k, from row k on.
///
/// # Safety
/// The column is in the block and has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn largest<N: Number>(a: Block<N>, k: usize, n: usize) -> N::Vector {
    // SAFETY: the caller's promise.
    unsafe {
        let two = index::<N::Vector>(2);
        // Two of them, so that comparisons need not wait for each other.
        let (mut even_row, mut odd_row) = (index::<N::Vector>(k), index::<N::Vector>(k + 1));
        let (mut even, mut odd) = (Largest::none(even_row), Largest::none(even_row));
        let mut i = k;
        while i + 2 <= n {
            even.look(a.get(i, k), even_row);
            odd.look(a.get(i + 1, k), odd_row);
            (even_row, odd_row) = (even_row.add(two), odd_row.add(two));
            i += 2;
        }
        if i < n {
            even.look(a.get(i, k), even_row);
        }
        even.or(odd).row
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
