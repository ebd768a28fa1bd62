//! What a warp keeps in shared memory, and the launch shape.

use core::ops::Range;

use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::collective::thread_group::{THREADS, ThreadGroup};
use crate::memory::vector::Vectorized;
use crate::schedule::in_registers::pivot::LaneRows;
use crate::schedule::in_registers::warp_matrices::{capacity, padded};
use crate::shape::{Problem, Shape};
use numbers::scalar::{Scalar, ScalarKind};

/// The shared memory of a warp.
#[derive(Clone, Copy, Debug)]
pub struct SharedStorage<T, const N: usize, const LANES: usize> {
    /// The warp's matrices on their way from or to device memory, padded; shape (32 / LANES, n, n).
    pub matrices: Shared<T>,
    /// In between and in the same place, the pivot rows of each group; shape (32 / LANES, PIVOT_ROWS).
    pivot_rows: Shared<T>,
    /// Which row was the pivot row of each step; shape (32 / LANES, N).
    pivot_order: Shared<u32>,
}

impl<T: Scalar, const N: usize, const LANES: usize> SharedStorage<T, N, LANES> {
    /// The pivot rows of a group, padded by 16 bytes so that those of different groups begin in different banks.
    const PIVOT_ROWS: u32 = 2 * N as u32 + 16 / size_of::<T>() as u32;

    /// The arrays of one warp.
    #[inline(always)]
    fn of_a_warp(layout: &mut Layout) -> Self {
        let groups = warp::SIZE / LANES as u32;
        let (matrices, pivot_rows) = layout.either(
            |layout| layout.array(padded(capacity(N as u32, LANES as u32), N as u32)),
            |layout| layout.array(groups * Self::PIVOT_ROWS),
        );
        Self { matrices, pivot_rows, pivot_order: layout.array(groups * N as u32) }
    }

    /// The bytes of one warp.
    #[inline(always)]
    fn warp_bytes() -> u32 {
        Layout::bytes(Self::of_a_warp).next_multiple_of(16)
    }

    /// This warp's.
    #[inline(always)]
    #[must_use]
    pub fn of_this_warp() -> Self {
        // SAFETY: `shape` asks for as many bytes for each warp; `warp::sync` separates the accesses of its lanes.
        unsafe {
            Layout::place(|layout| {
                layout.array::<u32>(warp::index() * (Self::warp_bytes() / 4)); // of the warps before
                Self::of_a_warp(layout)
            })
        }
    }

    /// The group's pivot rows of even and odd steps; shape (2, N).
    #[inline(always)]
    #[must_use]
    pub fn pivot_rows(&self, group: &ThreadGroup<LANES>) -> Shared<T> {
        self.pivot_rows.offset(group.index() * Self::PIVOT_ROWS)
    }

    /// The row that was the pivot row of each step; shape (N). Rows beyond n follow in order. Ends with a warp barrier.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn pivot_order<const LANE_ROWS: usize>(
        &self,
        group: &ThreadGroup<LANES>,
        rows: &LaneRows<LANE_ROWS>,
        n: u32,
    ) -> Shared<u32> {
        let order = self.pivot_order.offset(group.index() * N as u32);
        for r in 0..LANE_ROWS {
            let row = group.nth_row(r);
            if row < N as u32 {
                order.store(if row < n { rows.pivot_step[r] } else { row }, row);
            }
        }
        warp::sync(warp::ALL);
        order
    }
}

/// The launch shape of these kernels.
#[must_use]
pub fn shape<T: Scalar, const N: usize, const LANES: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let matrices = THREADS / LANES as u32; // of a block
    let shared_bytes = THREADS / warp::SIZE * SharedStorage::<T, N, LANES>::warp_bytes();
    Shape { blocks: problem.batch.div_ceil(matrices as u64), cluster: 1, threads: THREADS, shared_bytes }
}

/// Column `c` of a lane's rows.
#[inline(always)]
#[must_use]
pub fn column<T: Scalar, const N: usize, const LANE_ROWS: usize>(x: &[[T; N]; LANE_ROWS], c: usize) -> [T; LANE_ROWS] {
    let mut column = [T::ZERO; LANE_ROWS];
    for r in 0..LANE_ROWS {
        column[r] = x[r][c];
    }
    column
}

/// Writes some vectors of the pivot row to shared memory, if `is_pivot` is true of one of this lane's rows.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn publish_pivot_row<T: Vectorized, const N: usize, const LANE_ROWS: usize>(
    to: Shared<T>,
    x: &[[T; N]; LANE_ROWS],
    is_pivot: [bool; LANE_ROWS],
    vectors: Range<usize>,
) {
    let mut any = is_pivot[0];
    for r in 1..LANE_ROWS {
        any |= is_pivot[r];
    }
    for v in vectors {
        let mut vector = [T::ZERO; 4];
        for i in 0..T::VECTOR {
            let elements = column(x, v * T::VECTOR + i);
            vector[i] = elements[0];
            // Selected in registers, not stored row by row: accesses to shared memory bound these kernels.
            for r in 1..LANE_ROWS {
                let element = elements[r];
                vector[i] = if is_pivot[r] { element } else { vector[i] };
            }
        }
        if any {
            T::store_vector(to, v as u32, &vector, 0);
        }
    }
}
