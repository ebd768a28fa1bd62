//! Matrices of order up to 32 in one launch: `R` rows a lane, `L` lanes a matrix, up to `N` columns in registers.
//!
//! A warp's matrices come in and go out through its own part of shared memory, so that device memory is accessed at full
//! width in any layout; where its columns are what lanes hold side by side anyway, they go past it. Between, that memory
//! holds the pivot row that all rows read. Rows never move: the order in which they were pivots is made good when results are
//! stored. A block is a few warps that know nothing of each other.

pub mod factor;
pub mod pivot;
pub mod stage;

use core::ops::Range;

use simt::shared::{self, Shared};
use simt::warp;

use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape, round_up};
use crate::small::pivot::Rows;
use crate::team::{THREADS, Team};
use crate::wide::Wide;

/// Bytes of shared memory of a warp's numbers: its matrices with their padding, or two pivot rows of each of them.
const fn number_bytes(columns: u32, lanes: u32, size: u32) -> u32 {
    let teams = warp::SIZE / lanes;
    let stage = stage::padded(stage::capacity(columns, lanes), columns);
    let rows = teams * team_rows(columns, size);
    round_up(if stage > rows { stage } else { rows } * size, 16)
}

/// Bytes of shared memory of a warp: its numbers, and the order of each matrix's rows.
const fn warp_bytes(columns: u32, lanes: u32, size: u32) -> u32 {
    number_bytes(columns, lanes, size) + round_up(warp::SIZE / lanes * columns * 4, 16)
}

/// From one team's pivot rows to the next one's, in numbers: 16 bytes more than two rows, which spreads teams over banks.
const fn team_rows(columns: u32, size: u32) -> u32 {
    2 * columns + 16 / size
}

/// This warp's part of shared memory.
#[inline(always)]
fn warp_memory<T: Scalar, const N: usize, const L: usize>() -> Shared<T> {
    // SAFETY: `shape` asks for as many bytes for each warp; the stage and the pivot rows stay within them.
    unsafe { shared::array(warp::index() * warp_bytes(N as u32, L as u32, size_of::<T>() as u32)) }
}

/// Where a team's pivot row is handed out, for columns in turn: shape (2, N).
#[inline(always)]
#[must_use]
pub fn pivot_rows<T: Scalar, const N: usize, const L: usize>(team: &Team<L>) -> Shared<T> {
    warp_memory::<T, N, L>().offset(team.index() * team_rows(N as u32, size_of::<T>() as u32))
}

/// Column `c` of a lane's rows.
#[inline(always)]
#[must_use]
pub fn column<T: Scalar, const N: usize, const R: usize>(x: &[[T; N]; R], c: usize) -> [T; R] {
    let mut column = [T::ZERO; R];
    for r in 0..R {
        column[r] = x[r][c];
    }
    column
}

/// Stores some of the vectors of the row that is this lane's `own`, if any.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn hand_out<T: Wide, const N: usize, const R: usize>(
    to: Shared<T>,
    x: &[[T; N]; R],
    own: [bool; R],
    vectors: Range<usize>,
) {
    let mut any = own[0];
    for r in 1..R {
        any |= own[r];
    }
    for v in vectors {
        let mut row = [T::ZERO; 4];
        for i in 0..T::VECTOR {
            let numbers = column(x, v * T::VECTOR + i);
            row[i] = numbers[0];
            // Selected, not stored by each: shared memory is what these kernels wait for.
            for r in 1..R {
                let number = numbers[r];
                row[i] = if own[r] { number } else { row[i] };
            }
        }
        if any {
            T::store_vector(to, v as u32, &row, 0);
        }
    }
}

/// The rows of the team's matrix in the order in which they were pivot rows, those beyond n behind them; shape (N).
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn pivot_order<T: Scalar, const N: usize, const L: usize, const R: usize>(
    team: &Team<L>,
    rows: &Rows<R>,
    n: u32,
) -> Shared<u32> {
    let (columns, lanes, size) = (N as u32, L as u32, size_of::<T>() as u32);
    let offset = warp::index() * warp_bytes(columns, lanes, size) + number_bytes(columns, lanes, size);
    // SAFETY: it lies behind the warp's numbers, and `shape` asks for it.
    let order = unsafe { shared::array::<u32>(offset) }.offset(team.index() * columns);
    for r in 0..R {
        let row = team.nth_row(r);
        if row < N as u32 {
            order.store(if row < n { rows.step[r] } else { row }, row);
        }
    }
    warp::sync(warp::ALL);
    order
}

/// The shape of a launch of teams of `L` lanes for up to `N` columns.
#[must_use]
pub fn shape<const N: usize, const L: usize>(problem: &Problem, kind: ScalarKind) -> Shape {
    let teams = THREADS / L as u32;
    let shared_bytes = THREADS / warp::SIZE * warp_bytes(N as u32, L as u32, kind.size());
    Shape { blocks: problem.batch.div_ceil(teams as u64), threads: THREADS, shared_bytes }
}
