//! Who owns what on the register path: `N` lanes hold one matrix, a row each, and a warp holds `32 / N` matrices.

use simt::{Pod, block, thread, warp};

use crate::matrix::View;
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape};

/// Threads in a block of the register path.
pub const THREADS: u32 = 128;

/// The lanes that hold one matrix, `N` of them (4, 8, 16 or 32). All lanes of a warp take part in every collective.
#[derive(Clone, Copy, Debug)]
pub struct Team<const N: usize> {
    /// This lane's row, or its first one.
    pub row: u32,
    /// The matrix of the batch; a team to spare names the last one, and writes nothing.
    pub matrix: u64,
    /// Whether there is such a matrix: the last warp may have lanes to spare.
    pub active: bool,
    /// The team's first lane.
    first_lane: u32,
}

impl<const N: usize> Team<N> {
    /// This lane's team; the launch's matrices are `first..end`.
    #[inline(always)]
    #[must_use]
    pub fn new(first: u64, end: u64) -> Self {
        let matrices = THREADS / N as u32;
        let matrix = first + block::index() as u64 * matrices as u64 + (thread::index() / N as u32) as u64;
        let row = thread::index() % N as u32;
        let active = matrix < end;
        Self { row, matrix: if active { matrix } else { end - 1 }, active, first_lane: warp::lane() - row }
    }

    /// The value of row `row` of the team.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn broadcast<T: Pod>(&self, value: T, row: u32) -> T {
        warp::shuffle(warp::ALL, value, self.first_lane + row)
    }

    /// Row `r` of this lane, where it has several: they lie `N` rows apart.
    #[inline(always)]
    #[must_use]
    pub fn nth_row(&self, r: usize) -> u32 {
        self.row + (r * N) as u32
    }

    /// Which of the warp's teams it is.
    #[inline(always)]
    #[must_use]
    pub fn index(&self) -> u32 {
        self.first_lane / N as u32
    }

    /// The largest key of the team.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn max(&self, mut key: u32) -> u32 {
        if N as u32 == warp::SIZE {
            return warp::max_u32(warp::ALL, key);
        }
        let mut distance = 1;
        while distance < N as u32 {
            let other = warp::shuffle_xor(warp::ALL, key, distance);
            key = if other > key { other } else { key };
            distance *= 2;
        }
        key
    }

    /// Bit r says whether row r of the team passes `true`.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn ballot(&self, predicate: bool) -> u32 {
        (warp::ballot(warp::ALL, predicate) >> self.first_lane) & (u32::MAX >> (32 - N))
    }

    /// Whether any row of the team passes `true`.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn any(&self, predicate: bool) -> bool {
        self.ballot(predicate) != 0
    }

    /// This lane's row of an `n` x `n` matrix, in a register each; beyond n, zeros. A team without a matrix gets zeros.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_row<T: Scalar>(&self, a: &impl View<T>, n: u32) -> [T; N] {
        let mut x = [T::ZERO; N];
        if self.active && self.row < n {
            for c in 0..N {
                if (c as u32) < n {
                    x[c] = a.load(self.row, c as u32);
                }
            }
        }
        x
    }
}

/// The shape of a launch of teams of `N` lanes.
#[must_use]
pub fn shape<const N: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch.div_ceil((THREADS / N) as u64), threads: THREADS, shared_bytes: 0 }
}
