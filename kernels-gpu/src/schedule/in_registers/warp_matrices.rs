//! A warp's matrices between device memory and registers.
//!
//! They go through shared memory, where they have the same order of elements as in device memory: so accesses coalesce
//! in any layout, however rows are permuted. Packed column-major matrices of order N need no shared memory, because
//! the lanes' accesses to their own rows coalesce.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, hint, warp};

use crate::collective::thread_group::{THREADS, ThreadGroup};
use crate::schedule::in_registers::storage::SharedStorage;
use crate::shape::{quotient, round_up};
use numbers::matrix::{Matrices, View};
use numbers::scalar::Scalar;

/// Loads that a lane issues before it waits for the first, if matrices are not packed.
const IN_FLIGHT: u32 = 4;

/// Elements of a warp's matrices, rounded up to `IN_FLIGHT` accesses of all lanes.
pub(super) const fn capacity(columns: u32, lanes: u32) -> u32 {
    round_up(warp::SIZE / lanes * columns * columns, IN_FLIGHT * warp::SIZE)
}

/// The place of element `e`, with an element of padding after every 2^k, the largest power of 2 that divides `columns`.
/// So the elements of a column, or of a row, fall into different banks.
#[inline(always)]
pub(super) const fn padded(e: u32, columns: u32) -> u32 {
    e + (e >> columns.trailing_zeros())
}

/// This warp's matrices of one batch.
#[derive(Clone, Copy, Debug)]
pub struct WarpMatrices<T: Scalar, const N: usize, const LANES: usize> {
    batch: Matrices<T>,
    n: u32,
    /// The first matrix.
    first: u64,
    /// Their number, up to 32 / LANES.
    count: u32,
    /// Whether the batch is column-major, and so `elements`, too.
    rows_are_close: bool,
    /// Where they are in shared memory, padded; shape (count, n, n).
    elements: Shared<T>,
}

impl<T: Scalar, const N: usize, const LANES: usize> WarpMatrices<T, N, LANES> {
    /// Accesses of each lane to packed matrices.
    const ACCESSES: usize = (capacity(N as u32, LANES as u32) / warp::SIZE) as usize;

    /// This warp's matrices of the launch's `first..end`; `None` if there are none.
    #[inline(always)]
    #[must_use]
    pub fn new(batch: Matrices<T>, shared: SharedStorage<T, N, LANES>, n: u32, first: u64, end: u64) -> Option<Self> {
        let groups = warp::SIZE / LANES as u32;
        let warps = (THREADS / warp::SIZE) as u64;
        let first = first + (block::index() as u64 * warps + warp::index() as u64) * groups as u64;
        if first >= end {
            return None;
        }
        let count = if end - first < groups as u64 { (end - first) as u32 } else { groups };
        let rows_are_close = batch.row_stride.unsigned_abs() <= batch.col_stride.unsigned_abs();
        Some(Self { batch, n, first, count, rows_are_close, elements: shared.matrices })
    }

    /// Whether matrices are contiguous in memory, one after the other.
    #[inline(always)]
    fn is_packed(&self) -> bool {
        let (row_stride, col_stride) = if self.rows_are_close { (1, self.n) } else { (self.n, 1) };
        self.batch.pointers.is_null()
            && self.batch.batch_stride == (self.n * self.n) as i64
            && self.batch.row_stride == row_stride as i64
            && self.batch.col_stride == col_stride as i64
    }

    /// Whether matrices are packed, of order N, and one for each group.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.n == N as u32 && self.count == warp::SIZE / LANES as u32 && self.is_packed()
    }

    /// Whether lanes access device memory directly.
    #[inline(always)]
    fn is_direct(&self) -> bool {
        self.is_full() && self.rows_are_close
    }

    /// The first element of packed matrices.
    #[inline(always)]
    fn packed(&self) -> Global<T> {
        self.batch.base.offset(self.first as i64 * (self.n * self.n) as i64)
    }

    /// Whether this lane's row `r` exists.
    #[inline(always)]
    fn has_row(&self, group: &ThreadGroup<LANES>, r: usize) -> bool {
        group.active && group.nth_row(r) < self.n
    }

    /// Loads this lane's rows, padded with zeros; all zeros in a spare group.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load<const LANE_ROWS: usize>(&self, group: &ThreadGroup<LANES>) -> [[T; N]; LANE_ROWS] {
        let mut x = [[T::ZERO; N]; LANE_ROWS];
        if self.is_direct() {
            let from = self.packed().offset((group.index() * (N * N) as u32 + group.row) as i64);
            for c in 0..N {
                for r in 0..LANE_ROWS {
                    if self.has_row(group, r) {
                        x[r][c] = from.load((c * N + r * LANES) as i64);
                    }
                }
            }
            return x;
        }
        self.load_shared::<LANE_ROWS>();
        for r in 0..LANE_ROWS {
            if self.has_row(group, r) {
                for c in 0..N {
                    if (c as u32) < self.n {
                        x[r][c] = self.elements.load(self.position(group, group.nth_row(r), c as u32));
                    }
                }
            }
        }
        x
    }

    /// Copies the matrices to shared memory. Lanes beyond the last element load that again.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_shared<const LANE_ROWS: usize>(&self) {
        let last = self.count * self.n * self.n - 1;
        let lane = warp::lane();
        if self.is_packed() {
            let from = self.packed();
            let mut held = [[T::ZERO; N]; LANE_ROWS]; // elements lane, lane + 32, ...: shape (LANE_ROWS, N)
            if self.is_full() && Self::ACCESSES == N * LANE_ROWS {
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
                let to = self.elements.offset(padded(warp::SIZE * i as u32, N as u32));
                to.store(padded(lane, N as u32), held[i / N][i % N]);
            }
        } else {
            let (matrices, lines) = (Divisor::new(self.n * self.n), Divisor::new(self.n));
            let mut e = lane;
            while e < hint::opaque(capacity(N as u32, LANES as u32)) {
                let mut held = [T::ZERO; IN_FLIGHT as usize];
                for i in 0..IN_FLIGHT {
                    let e = e + warp::SIZE * i;
                    let (matrix, row, col) = self.locate(if e < last { e } else { last }, matrices, lines);
                    held[i as usize] = self.batch.matrix(matrix).load(row, col);
                }
                for i in 0..IN_FLIGHT {
                    self.elements.store(padded(e + warp::SIZE * i, N as u32), held[i as usize]);
                }
                e += IN_FLIGHT * warp::SIZE;
            }
        }
        warp::sync(warp::ALL);
    }

    /// Stores this lane's row r as row `rows[r]`.
    ///
    /// With an `order`, column k goes to column `order[k]`, and `x` is rotated: column k is in `x[..][(k - n) mod N]`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store<const LANE_ROWS: usize>(
        &self,
        group: &ThreadGroup<LANES>,
        x: &[[T; N]; LANE_ROWS],
        rows: [u32; LANE_ROWS],
        order: Option<Shared<u32>>,
    ) {
        let column = |c: usize| order.map_or(c as u32, |order| order.load(c as u32));
        if self.is_direct() {
            let to = self.packed().offset((group.index() * (N * N) as u32) as i64);
            for c in 0..N {
                let column = column(c) * N as u32;
                for r in 0..LANE_ROWS {
                    if self.has_row(group, r) {
                        to.offset(rows[r] as i64).store(column as i64, x[r][c]);
                    }
                }
            }
            return;
        }
        for c in 0..N {
            let k = if order.is_some() { (c as u32 + self.n) % N as u32 } else { c as u32 };
            if k < self.n {
                let column = column(k as usize);
                for r in 0..LANE_ROWS {
                    if self.has_row(group, r) {
                        self.elements.store(self.position(group, rows[r], column), x[r][c]);
                    }
                }
            }
        }
        self.store_shared();
    }

    /// Copies the matrices from shared memory.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_shared(&self) {
        warp::sync(warp::ALL);
        let end = self.count * self.n * self.n;
        let lane = warp::lane();
        if self.is_packed() {
            let to = self.packed().offset(lane as i64);
            for i in 0..Self::ACCESSES {
                let e = warp::SIZE * i as u32;
                if lane + e < end {
                    to.store(e as i64, self.elements.offset(padded(e, N as u32)).load(padded(lane, N as u32)));
                }
            }
        } else {
            let (matrices, lines) = (Divisor::new(self.n * self.n), Divisor::new(self.n));
            let mut e = lane;
            while e < end {
                let (matrix, row, col) = self.locate(e, matrices, lines);
                self.batch.matrix(matrix).store(row, col, self.elements.load(padded(e, N as u32)));
                e += warp::SIZE;
            }
        }
    }

    /// The matrix, row and column of element `e`.
    #[inline(always)]
    fn locate(&self, e: u32, matrices: Divisor, lines: Divisor) -> (u64, u32, u32) {
        let matrix = matrices.quotient(e);
        let within = e - matrix * self.n * self.n;
        let slow = lines.quotient(within);
        let fast = within - slow * self.n;
        let (row, col) = if self.rows_are_close { (fast, slow) } else { (slow, fast) };
        (self.first + matrix as u64, row, col)
    }

    /// Where element (i, j) of the group's matrix is in shared memory.
    #[inline(always)]
    fn position(&self, group: &ThreadGroup<LANES>, i: u32, j: u32) -> u32 {
        let (slow, fast) = if self.rows_are_close { (j, i) } else { (i, j) };
        if self.n == N as u32 {
            // The same, but with products that are constants.
            padded(group.index() * (N * N) as u32, N as u32)
                + slow * padded(N as u32, N as u32)
                + padded(fast, N as u32)
        } else {
            padded(group.index() * self.n * self.n + slow * self.n + fast, N as u32)
        }
    }
}

/// Division by multiplication, of numbers below 2^21 / divisor with quotients up to 64.
#[derive(Clone, Copy)]
struct Divisor(u32);

impl Divisor {
    #[inline(always)]
    fn new(divisor: u32) -> Self {
        Self(quotient(1 << 21, divisor) + 1)
    }

    /// Exact: the factor's error adds less than 1 / divisor, and e / divisor is at least that far from the next
    /// integer.
    #[inline(always)]
    fn quotient(self, e: u32) -> u32 {
        (e * self.0) >> 21
    }
}
