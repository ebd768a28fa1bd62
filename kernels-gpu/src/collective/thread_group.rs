//! A group of lanes that holds one small matrix: lane l has rows l, l + LANES, ...
//!
//! A warp has `32 / LANES` groups, each with a matrix of its own. The whole warp executes their collectives.

use simt::{Pod, block, thread, warp};

use crate::shape::{Problem, Shape};
use numbers::matrix::View;
use numbers::pivot::larger;
use numbers::scalar::{Real, Scalar, ScalarKind};

/// Threads of a block in kernels with a thread group per matrix.
pub const THREADS: u32 = 128;

/// The group of `LANES` lanes (4, 8, 16 or 32) to which this lane belongs. All lanes of a warp must call each
/// collective.
#[derive(Clone, Copy, Debug)]
pub struct ThreadGroup<const LANES: usize> {
    /// This lane's row, or the first of its rows.
    pub row: u32,
    /// The group's matrix. For a spare group, which must not write, the last matrix of the launch.
    pub matrix: u64,
    /// Whether the group has a matrix of its own; groups at the end of the grid may be spare.
    pub active: bool,
    /// The group's first lane.
    first_lane: u32,
}

impl<const LANES: usize> ThreadGroup<LANES> {
    /// This lane's group; the launch's matrices are `first..end`.
    #[inline(always)]
    #[must_use]
    pub fn new(first: u64, end: u64) -> Self {
        let matrices = THREADS / LANES as u32;
        let matrix = first + block::index() as u64 * matrices as u64 + (thread::index() / LANES as u32) as u64;
        let row = thread::index() % LANES as u32;
        let active = matrix < end;
        Self { row, matrix: if active { matrix } else { end - 1 }, active, first_lane: warp::lane() - row }
    }

    /// The value that the group's lane `lane` passes.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn broadcast<T: Pod>(&self, value: T, lane: u32) -> T {
        warp::shuffle(warp::ALL, value, self.first_lane + lane)
    }

    /// This lane's `r`-th row; its rows are `LANES` apart.
    #[inline(always)]
    #[must_use]
    pub fn nth_row(&self, r: usize) -> u32 {
        self.row + (r * LANES) as u32
    }

    /// The index of this group in its warp.
    #[inline(always)]
    #[must_use]
    pub fn index(&self) -> u32 {
        self.first_lane / LANES as u32
    }

    /// The largest key that a lane of the group passes.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn max(&self, mut key: u32) -> u32 {
        if LANES as u32 == warp::SIZE {
            return warp::max_u32(warp::ALL, key);
        }
        let mut distance = 1;
        while distance < LANES as u32 {
            let other = warp::shuffle_xor(warp::ALL, key, distance);
            key = if other > key { other } else { key };
            distance *= 2;
        }
        key
    }

    /// The largest magnitude that a lane of the group passes; NaN counts as none.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn largest<R: Real>(&self, magnitude: R) -> R {
        largest_of::<R, LANES>(magnitude)
    }

    /// Bit i tells whether lane i of the group passes `true`.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn ballot(&self, predicate: bool) -> u32 {
        (warp::ballot(warp::ALL, predicate) >> self.first_lane) & (u32::MAX >> (32 - LANES))
    }

    /// Whether any lane of the group passes `true`.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn any(&self, predicate: bool) -> bool {
        self.ballot(predicate) != 0
    }

    /// This lane's row of an `n` x `n` matrix, padded with zeros; all zeros in a spare group.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_row<T: Scalar>(&self, a: &impl View<T>, n: u32) -> [T; LANES] {
        let mut x = [T::ZERO; LANES];
        if self.active && self.row < n {
            for c in 0..LANES {
                if (c as u32) < n {
                    x[c] = a.load(self.row, c as u32);
                }
            }
        }
        x
    }
}

/// The launch shape of a kernel with a group of `LANES` lanes per matrix and no shared memory.
#[must_use]
pub fn shape<const LANES: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    Shape {
        blocks: problem.batch.div_ceil((THREADS / LANES as u32) as u64),
        cluster: 1,
        threads: THREADS,
        shared_bytes: 0,
    }
}

/// The largest magnitude that one of `LANES` neighbouring lanes passes; NaN counts as none.
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn largest_of<R: Real, const LANES: usize>(mut magnitude: R) -> R {
    let mut distance = 1;
    while distance < LANES as u32 {
        magnitude = larger(magnitude, warp::shuffle_xor(warp::ALL, magnitude, distance));
        distance *= 2;
    }
    magnitude
}
