//! The way of a warp's matrices between device memory and registers: through shared memory, where they are not direct.

use simt::global::Global;
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
    /// Whether the stage is column-major, as the batch is.
    rows_are_close: bool,
    /// Padded: shape (count, n, n).
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
        Some(Self { batch, n, first, count, rows_are_close, numbers: warp_memory::<T, N, L>() })
    }

    /// Whether the batch's matrices follow each other in memory as they do in the stage.
    #[inline(always)]
    fn is_packed(&self) -> bool {
        let (row_stride, col_stride) = if self.rows_are_close { (1, self.n) } else { (self.n, 1) };
        self.batch.pointers.is_null()
            && self.batch.batch_stride == (self.n * self.n) as i64
            && self.batch.row_stride == row_stride as i64
            && self.batch.col_stride == col_stride as i64
    }

    /// Whether the warp's matrices are packed, as many as it takes, and of the order that this is compiled for.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.n == N as u32 && self.count == warp::SIZE / L as u32 && self.is_packed()
    }

    /// Whether matrices need no stage: lanes have columns side by side, as memory has them.
    #[inline(always)]
    fn is_direct(&self) -> bool {
        self.is_full() && self.rows_are_close
    }

    /// The numbers of packed matrices, in device memory.
    #[inline(always)]
    fn packed(&self) -> Global<T> {
        self.batch.base.offset(self.first as i64 * (self.n * self.n) as i64)
    }

    /// Whether this lane has a row `r`.
    #[inline(always)]
    fn has_row(&self, team: &Team<L>, r: usize) -> bool {
        team.active && team.nth_row(r) < self.n
    }

    /// This lane's `R` rows of its matrix; beyond n, zeros. A team without a matrix gets zeros.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn rows<const R: usize>(&self, team: &Team<L>) -> [[T; N]; R] {
        let mut x = [[T::ZERO; N]; R];
        if self.is_direct() {
            let from = self.packed().offset((team.index() * (N * N) as u32 + team.row) as i64);
            for c in 0..N {
                for r in 0..R {
                    if self.has_row(team, r) {
                        x[r][c] = from.load((c * N + r * L) as i64);
                    }
                }
            }
            return x;
        }
        self.fetch::<R>();
        for r in 0..R {
            if self.has_row(team, r) {
                for c in 0..N {
                    if (c as u32) < self.n {
                        x[r][c] = self.numbers.load(self.position(team, team.nth_row(r), c as u32));
                    }
                }
            }
        }
        x
    }

    /// Brings the matrices in, for lanes of `R` rows. Lanes beyond the last element repeat it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fetch<const R: usize>(&self) {
        let last = self.count * self.n * self.n - 1;
        let lane = warp::lane();
        if self.is_packed() {
            let from = self.packed();
            let mut held = [[T::ZERO; N]; R]; // elements lane, lane + 32, ..: (R, N)
            if self.is_full() && Self::ACCESSES == N * R {
                for i in 0..Self::ACCESSES {
                    held[i / N][i % N] = from.offset(lane as i64).load((warp::SIZE * i as u32) as i64);
                }
            } else {
                for i in 0..Self::ACCESSES {
                    let e = lane + warp::SIZE * i as u32;
                    held[i / N][i % N] = from.load(if e < last { e } else { last } as i64);
                }
            }
            for i in 0..Self::ACCESSES {
                let to = self.numbers.offset(padded(warp::SIZE * i as u32, N as u32));
                to.store(padded(lane, N as u32), held[i / N][i % N]);
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

    /// Sends this lane's rows `x` out, row r to row `rows[r]`. Columns stay where they are; or, where the matrix's rows have an
    /// `order`, the column in place k goes to column `order[k]`, the places turned by n.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn send<const R: usize>(&self, team: &Team<L>, x: &[[T; N]; R], rows: [u32; R], order: Option<Shared<u32>>) {
        let column = |c: usize| order.map_or(c as u32, |order| order.load(c as u32));
        if self.is_direct() {
            let to = self.packed().offset((team.index() * (N * N) as u32) as i64);
            for c in 0..N {
                let column = column(c) * N as u32;
                for r in 0..R {
                    if self.has_row(team, r) {
                        to.offset(rows[r] as i64).store(column as i64, x[r][c]);
                    }
                }
            }
            return;
        }
        for c in 0..N {
            let place = if order.is_some() { (c as u32 + self.n) % N as u32 } else { c as u32 };
            if place < self.n {
                let column = column(place as usize);
                for r in 0..R {
                    if self.has_row(team, r) {
                        self.numbers.store(self.position(team, rows[r], column), x[r][c]);
                    }
                }
            }
        }
        self.flush();
    }

    /// Sends the matrices out.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn flush(&self) {
        warp::sync(warp::ALL);
        let end = self.count * self.n * self.n;
        let lane = warp::lane();
        if self.is_packed() {
            let to = self.packed().offset(lane as i64);
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
        let (row, col) = if self.rows_are_close { (fast, slow) } else { (slow, fast) };
        (self.first + matrix as u64, row, col)
    }

    /// Where element (i, j) of the team's matrix lies.
    #[inline(always)]
    fn position(&self, team: &Team<L>, i: u32, j: u32) -> u32 {
        let (slow, fast) = if self.rows_are_close { (j, i) } else { (i, j) };
        if self.n == N as u32 {
            // The same, but that products are known when this is compiled for matrices of this order.
            padded(team.index() * (N * N) as u32, N as u32) + slow * padded(N as u32, N as u32) + padded(fast, N as u32)
        } else {
            padded(team.index() * self.n * self.n + slow * self.n + fast, N as u32)
        }
    }
}

/// A divisor of numbers below 2^21 / divisor, quotients up to 64.
#[derive(Clone, Copy)]
struct Divisor(u32);

impl Divisor {
    #[inline(always)]
    fn new(divisor: u32) -> Self {
        Self(quotient(1 << 21, divisor) + 1)
    }

    /// Exact: the error of the factor adds less than 1 / divisor, and a quotient is that or more below the next integer.
    #[inline(always)]
    fn quotient(self, e: u32) -> u32 {
        (e * self.0) >> 21
    }
}
