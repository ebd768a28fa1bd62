//! Moves panels between device memory and a warp's registers, where each lane holds whole rows.
//!
//! If columns are contiguous in memory, lanes load their rows directly, and a warp's accesses coalesce. If not, the
//! warp loads segments of `NB` elements from `32 / NB` rows at a time, and transposes them in shared memory. Stores
//! always go through shared memory, because they also permute rows.

use simt::hint::opaque;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;

/// A lane's part of a panel: rows `lane + 32 r`, shape (LANE_ROWS, NB).
pub type Panel<T, const LANE_ROWS: usize, const NB: usize> = [[T; NB]; LANE_ROWS];

/// A warp's buffer for one panel of `NB` columns and up to `32 * LANE_ROWS` rows.
#[derive(Clone, Copy)]
pub struct TransposeBuffer<T, const LANE_ROWS: usize, const NB: usize> {
    elements: Shared<T>, // shape (NB, LEADING_DIMENSION)
}

impl<T: Scalar, const LANE_ROWS: usize, const NB: usize> TransposeBuffer<T, LANE_ROWS, NB> {
    /// Padded so that the segments of a row fall into different banks.
    const LEADING_DIMENSION: u32 = 32 * LANE_ROWS as u32 + 4;
    /// Rows of which the warp loads a segment at a time.
    const SEGMENT_ROWS: usize = 32 / NB;

    /// Buffers for `warps` warps; shape (warps, NB, LEADING_DIMENSION).
    #[inline(always)]
    pub fn array(layout: &mut Layout, warps: u32) -> Shared<T> {
        layout.array(warps * NB as u32 * Self::LEADING_DIMENSION)
    }

    /// This warp's buffer of such an [`array`](Self::array).
    #[inline(always)]
    pub fn of_this_warp(buffers: Shared<T>) -> Self {
        Self { elements: buffers.offset(warp::index() * NB as u32 * Self::LEADING_DIMENSION) }
    }

    /// Columns `first..first + NB` of a matrix of order `n`. Beyond the matrix, the panel continues the identity.
    ///
    /// If columns are dense, rows are in their lanes. Otherwise lane l has element l % NB of row l / NB of every
    /// `SEGMENT_ROWS` rows, and [`transpose`](Self::transpose) must follow.
    #[inline(always)]
    pub fn load(a: &GlobalMatrix<T>, first: u32, n: u32) -> Panel<T, LANE_ROWS, NB> {
        let lane = opaque(warp::lane()); // or LLVM computes the addresses of all panels up front
        let mut x = [[T::ZERO; NB]; LANE_ROWS];
        if !a.column_is_dense() {
            let (i, j) = (lane / NB as u32, first + lane % NB as u32);
            let (from, step) = (a.at(i, j), a.row_stride() * Self::SEGMENT_ROWS as i64);
            for e in 0..LANE_ROWS * NB {
                let i = i + (Self::SEGMENT_ROWS * e) as u32;
                x[e / NB][e % NB] = if i == j { T::ONE } else { T::ZERO };
                if i < n && j < n {
                    x[e / NB][e % NB] = from.load(step * e as i64);
                }
            }
        } else if first + NB as u32 <= n {
            for c in 0..NB {
                let column = a.at(lane, first + c as u32);
                for r in 0..LANE_ROWS {
                    if lane + (32 * r as u32) < n {
                        x[r][c] = column.load(32 * r as i64);
                    }
                }
            }
        } else {
            // Some or all columns are beyond the matrix.
            for c in 0..NB {
                let j = first + c as u32;
                let column = a.at(lane, if j < n { j } else { 0 });
                for r in 0..LANE_ROWS {
                    let i = lane + 32 * r as u32;
                    x[r][c] = if i == j { T::ONE } else { T::ZERO };
                    if i < n && j < n {
                        x[r][c] = column.load(32 * r as i64);
                    }
                }
            }
        }
        x
    }

    /// Brings the rows of a panel that was loaded in segments to their lanes.
    #[inline(always)]
    pub fn transpose(&self, segments: &Panel<T, LANE_ROWS, NB>) -> Panel<T, LANE_ROWS, NB> {
        let lane = warp::lane();
        let to = self.elements.offset(lane % NB as u32 * Self::LEADING_DIMENSION + lane / NB as u32);
        for e in 0..LANE_ROWS * NB {
            to.store((Self::SEGMENT_ROWS * e) as u32, segments[e / NB][e % NB]);
        }
        warp::sync(warp::ALL);
        let own = self.elements.offset(lane);
        let mut x = [[T::ZERO; NB]; LANE_ROWS];
        for r in 0..LANE_ROWS {
            for c in 0..NB {
                x[r][c] = own.load(c as u32 * Self::LEADING_DIMENSION + 32 * r as u32);
            }
        }
        warp::sync(warp::ALL);
        x
    }

    /// Stores a panel into a matrix of order `n`: its column c to column `to_column(c)`, this lane's row r to row
    /// `to_row[r]`.
    ///
    /// All lanes call `to_column` together, so it may use warp collectives.
    #[inline(always)]
    pub fn store_columns(
        &self,
        x: &Panel<T, LANE_ROWS, NB>,
        to_row: &[u32; LANE_ROWS],
        a: &GlobalMatrix<T>,
        to_column: impl Fn(u32) -> u32,
        n: u32,
    ) {
        let lane = opaque(warp::lane());
        for r in 0..LANE_ROWS {
            let row = self.elements.offset(to_row[r]);
            for c in 0..NB {
                row.store(c as u32 * Self::LEADING_DIMENSION, x[r][c]);
            }
        }
        warp::sync(warp::ALL);
        if a.column_is_dense() {
            let own = self.elements.offset(lane);
            for c in 0..NB {
                let j = to_column(c as u32);
                let column = a.at(lane, j);
                for r in 0..LANE_ROWS {
                    if lane + (32 * r as u32) < n && j < n {
                        column.store(32 * r as i64, own.load(c as u32 * Self::LEADING_DIMENSION + 32 * r as u32));
                    }
                }
            }
        } else {
            let (i, c) = (lane / NB as u32, lane % NB as u32);
            let j = to_column(c);
            let (target, step) = (a.at(i, j), a.row_stride() * Self::SEGMENT_ROWS as i64);
            let from = self.elements.offset(c * Self::LEADING_DIMENSION + i);
            for e in 0..LANE_ROWS * NB {
                if i + ((Self::SEGMENT_ROWS * e) as u32) < n && j < n {
                    target.store(step * e as i64, from.load((Self::SEGMENT_ROWS * e) as u32));
                }
            }
        }
        warp::sync(warp::ALL);
    }
}

/// The rows of a panel that this lane holds.
#[inline(always)]
pub fn lane_rows<const LANE_ROWS: usize>() -> [u32; LANE_ROWS] {
    let mut rows = [0; LANE_ROWS];
    for r in 0..LANE_ROWS {
        rows[r] = warp::lane() + 32 * r as u32;
    }
    rows
}
