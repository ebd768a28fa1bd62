//! A warp's matrices in shared memory, on their way between device memory and registers.

use simt::shared::Shared;
use simt::{block, hint, warp};

use crate::matrix::{Matrices, View};
use crate::scalar::Scalar;
use crate::shape::{quotient, round_up};
use crate::small::warp_memory;
use crate::team::{THREADS, Team};

/// Elements that a lane has in flight where matrices are not packed.
const IN_FLIGHT: u32 = 4;

/// Numbers that a stage has room for: a warp's matrices, rounded up to whole groups of accesses.
pub(super) const fn capacity(columns: u32, lanes: u32) -> u32 {
    round_up(warp::SIZE / lanes * columns * columns, IN_FLIGHT * warp::SIZE)
}

/// Where number `e` lies: a number is left free after every `columns` (24: 8), so that rows meet different banks.
#[inline(always)]
pub(super) const fn padded(e: u32, columns: u32) -> u32 {
    e + (e >> columns.trailing_zeros())
}

/// The matrices of this warp, of one batch, staged in the order of that batch: one after the other, no gaps.
#[derive(Clone, Copy, Debug)]
pub struct Stage<T: Scalar, const N: usize, const L: usize> {
    batch: Matrices<T>,
    n: u32,
    /// First of them.
    first: u64,
    /// How many: up to 32 / L.
    count: u32,
    /// From a row to the next, in the stage.
    row_stride: u32,
    /// From a column to the next.
    col_stride: u32,
    /// Padded: shape (count, n, n), column-major if rows are close in the batch, else row-major.
    numbers: Shared<T>,
}

impl<T: Scalar, const N: usize, const L: usize> Stage<T, N, L> {
    /// Accesses of all lanes that bring in packed matrices.
    const ACCESSES: usize = (capacity(N as u32, L as u32) / warp::SIZE) as usize;

    /// The stage of this warp, or nothing where the warp has no matrix; the launch's matrices are `first..end`.
    #[inline(always)]
    #[must_use]
    pub fn new(batch: Matrices<T>, n: u32, first: u64, end: u64) -> Option<Self> {
        let teams = warp::SIZE / L as u32;
        let warps = (THREADS / warp::SIZE) as u64;
        let first = first + (block::index() as u64 * warps + warp::index() as u64) * teams as u64;
        if first >= end {
            return None;
        }
        let count = if end - first < teams as u64 { (end - first) as u32 } else { teams };
        let rows_are_close = batch.row_stride.unsigned_abs() <= batch.col_stride.unsigned_abs();
        let (row_stride, col_stride) = if rows_are_close { (1, n) } else { (n, 1) };
        Some(Self { batch, n, first, count, row_stride, col_stride, numbers: warp_memory::<T, N, L>() })
    }

    /// Whether the batch's matrices follow each other in memory as they do in the stage.
    #[inline(always)]
    fn is_packed(&self) -> bool {
        self.batch.pointers.is_null()
            && self.batch.batch_stride == (self.n * self.n) as i64
            && self.batch.row_stride == self.row_stride as i64
            && self.batch.col_stride == self.col_stride as i64
    }

    /// Brings the matrices in. Lanes beyond the last element repeat it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn fetch(&self) {
        let last = self.count * self.n * self.n - 1;
        let lane = warp::lane();
        if self.is_packed() {
            let from = self.batch.base.offset(self.first as i64 * (self.n * self.n) as i64);
            let mut held = [T::ZERO; N]; // elements lane, lane + 32, ..
            for i in 0..Self::ACCESSES {
                let e = lane + warp::SIZE * i as u32;
                held[i] = from.load(if e < last { e } else { last } as i64);
            }
            for i in 0..Self::ACCESSES {
                self.numbers.offset(padded(warp::SIZE * i as u32, N as u32)).store(padded(lane, N as u32), held[i]);
            }
        } else {
            let (matrices, lines) = (Divisor::new(self.n * self.n), Divisor::new(self.n));
            let mut e = lane;
            while e < hint::opaque(capacity(N as u32, L as u32)) {
                let mut held = [T::ZERO; IN_FLIGHT as usize];
                for i in 0..IN_FLIGHT {
                    let e = e + warp::SIZE * i;
                    let (matrix, row, col) = self.place(if e < last { e } else { last }, matrices, lines);
                    held[i as usize] = self.batch.matrix(matrix).load(row, col);
                }
                for i in 0..IN_FLIGHT {
                    self.numbers.store(padded(e + warp::SIZE * i, N as u32), held[i as usize]);
                }
                e += IN_FLIGHT * warp::SIZE;
            }
        }
        warp::sync(warp::ALL);
    }

    /// Sends the matrices out, once all lanes have put their elements.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn flush(&self) {
        warp::sync(warp::ALL);
        let end = self.count * self.n * self.n;
        let lane = warp::lane();
        if self.is_packed() {
            let to = self.batch.base.offset(self.first as i64 * (self.n * self.n) as i64).offset(lane as i64);
            for i in 0..Self::ACCESSES {
                let e = warp::SIZE * i as u32;
                if lane + e < end {
                    to.store(e as i64, self.numbers.offset(padded(e, N as u32)).load(padded(lane, N as u32)));
                }
            }
        } else {
            let (matrices, lines) = (Divisor::new(self.n * self.n), Divisor::new(self.n));
            let mut e = lane;
            while e < end {
                let (matrix, row, col) = self.place(e, matrices, lines);
                self.batch.matrix(matrix).store(row, col, self.numbers.load(padded(e, N as u32)));
                e += warp::SIZE;
            }
        }
    }

    /// The matrix, row and column of number `e`.
    #[inline(always)]
    fn place(&self, e: u32, matrices: Divisor, lines: Divisor) -> (u64, u32, u32) {
        let matrix = matrices.quotient(e);
        let within = e - matrix * self.n * self.n;
        let slow = lines.quotient(within);
        let fast = within - slow * self.n;
        let (row, col) = if self.row_stride == 1 { (fast, slow) } else { (slow, fast) };
        (self.first + matrix as u64, row, col)
    }

    /// This lane's row of its matrix; beyond n, zeros. A team without a matrix gets zeros.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn row(&self, team: &Team<L>) -> [T; N] {
        let columns = if team.active && team.row < self.n { self.n } else { 0 };
        let mut x = [T::ZERO; N];
        let mut e = team.index() * self.n * self.n + team.row * self.row_stride;
        for c in 0..N {
            if (c as u32) < columns {
                x[c] = self.numbers.load(padded(e, N as u32));
            }
            e += self.col_stride;
        }
        x
    }

    /// Puts element (i, j) of the team's matrix.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn put(&self, team: &Team<L>, i: u32, j: u32, value: T) {
        let e = team.index() * self.n * self.n + i * self.row_stride + j * self.col_stride;
        self.numbers.store(padded(e, N as u32), value);
    }
}

/// A divisor up to 1024 of numbers below 2048, quotients up to 64.
#[derive(Clone, Copy)]
struct Divisor(u32);

impl Divisor {
    #[inline(always)]
    fn new(divisor: u32) -> Self {
        Self(quotient(1 << 21, divisor) + 1)
    }

    /// Exact: the error of the factor adds less than 2048 / 2^21, and a quotient is 1 / 1024 or more below the next integer.
    #[inline(always)]
    fn quotient(self, e: u32) -> u32 {
        (e * self.0) >> 21
    }
}
