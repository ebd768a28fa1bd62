//! Batches on the emulator, and residuals by the definition.

use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{ScalarKind, c64};
use simt::Pod;
use simt::global::Global;

use crate::backend::{Backend, Memory, Queue};
use crate::element::{bytes_of, bytes_of_mut};
use crate::launch::{Launcher, matrices_at};
use crate::layout::Layout;
use crate::verify::Random;
use numbers::element::Arithmetic;

/// The orders that everything is tested with.
pub(super) const ORDERS: [usize; 11] = [1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 65];
/// Rows and columns to a layout.
pub(super) const LAYOUTS: [fn(usize, usize) -> Layout; 2] = [Layout::row_major, Layout::column_major];
/// What residuals over their rounding errors must stay below.
pub(super) const LIMIT: f64 = 30.0;

/// An emulator.
pub(super) struct Bench {
    pub(super) backend: Backend,
    queue: Queue,
}

/// A batch in its memory.
pub(super) struct Stored {
    memory: Memory,
    layout: Layout,
    batch: usize,
    rows: usize,
    cols: usize,
}

/// Factors in its memory.
pub(super) struct StoredFactors {
    pub(super) lu: Stored,
    pub(super) pivots: Stored,
    pub(super) status: Stored,
}

impl Bench {
    pub(super) fn new(seed: u64) -> Self {
        Self { backend: Backend::sim(seed), queue: Queue::Host }
    }

    pub(super) fn launcher(&self) -> Launcher<'_> {
        Launcher { backend: &self.backend, queue: &self.queue }
    }

    /// An unwritten batch.
    pub(super) fn empty<T: Pod>(&self, batch: usize, rows: usize, cols: usize, layout: Layout) -> Stored {
        let bytes = size_of::<T>() * layout.span(batch, rows, cols).unwrap();
        Stored { memory: self.backend.allocate(bytes).unwrap(), layout, batch, rows, cols }
    }

    /// A batch of what `data` holds in C order.
    pub(super) fn batch<T: Pod>(
        &self,
        data: &[T],
        rows: usize,
        cols: usize,
        layout: fn(usize, usize) -> Layout,
    ) -> Stored {
        let stored = self.empty::<T>(data.len() / (rows * cols), rows, cols, layout(rows, cols));
        let mut laid_out = data.to_vec();
        stored.each(|row_major, place| laid_out[place] = data[row_major]);
        // SAFETY: the emulator copies at once.
        unsafe {
            let bytes = bytes_of(&laid_out);
            self.queue.upload(&stored.memory, 0, bytes.as_ptr(), bytes.len()).unwrap();
        }
        stored
    }

    /// Numbers, `len` for each matrix.
    pub(super) fn vectors<T: Pod>(&self, batch: usize, len: usize) -> Stored {
        self.empty::<T>(batch, 1, len, Layout::row_major(1, len))
    }

    /// What a factorization in place works on.
    pub(super) fn factors<T: Pod>(&self, a: &[T], n: usize, layout: fn(usize, usize) -> Layout) -> StoredFactors {
        let lu = self.batch(a, n, n, layout);
        let (pivots, status) = (self.vectors::<u32>(lu.batch, n), self.vectors::<i32>(lu.batch, 1));
        StoredFactors { lu, pivots, status }
    }
}

impl Stored {
    pub(super) fn matrices<T: Pod>(&self) -> Matrices<T> {
        matrices_at(self.memory.address(), self.layout)
    }

    pub(super) fn global<T: Pod>(&self) -> Global<T> {
        // SAFETY: the test uses it as what it is.
        unsafe { Global::new(self.memory.address()) }
    }

    /// In C order.
    pub(super) fn get<T: Pod>(&self) -> Vec<T> {
        let mut bytes = vec![0_u64; self.memory.len().div_ceil(8)];
        let bytes = &mut bytes_of_mut(&mut bytes)[..self.memory.len()];
        // SAFETY: as long as the memory; the emulator copies at once.
        unsafe { Queue::Host.download(&self.memory, 0, bytes.as_mut_ptr(), bytes.len()).unwrap() };
        // SAFETY: plain values, of which the buffer was made.
        let values = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) };
        let mut out = values.to_vec();
        self.each(|row_major, place| out[row_major] = values[place]);
        out
    }

    /// Index in C order and index in memory of each element.
    fn each(&self, mut visit: impl FnMut(usize, usize)) {
        let Layout { batch_stride, row_stride, col_stride } = self.layout;
        for m in 0..self.batch {
            for i in 0..self.rows {
                for j in 0..self.cols {
                    let place = m * batch_stride + i * row_stride + j * col_stride;
                    visit((m * self.rows + i) * self.cols + j, place);
                }
            }
        }
    }
}

impl StoredFactors {
    pub(super) fn get<T: Pod>(&self) -> Factors<T> {
        Factors { lu: self.lu.matrices(), pivots: self.pivots.global(), status: self.status.global() }
    }
}

pub(super) fn size(n: usize, batch: usize, rhs: usize) -> Problem {
    Problem { n: n as u32, batch: batch as u64, rhs: rhs as u32 }
}

pub(super) fn numbers<T: Arithmetic>(seed: u64, len: usize) -> Vec<T> {
    Random::new(seed).elements(len)
}

/// As the type's real part.
pub(super) fn real<T: Arithmetic>(x: f64) -> T {
    T::from_c64(c64::new(x, 0.0))
}

/// Makes the diagonals larger than the rest of their rows and columns.
pub(super) fn make_dominant<T: Arithmetic>(data: &mut [T], n: usize) {
    for matrix in data.chunks_exact_mut(n * n) {
        for i in 0..n {
            matrix[i * n + i] = matrix[i * n + i] + real::<T>(3.0 * n as f64);
        }
    }
}

/// The matrix which the upper triangles and the real parts of the diagonals stand for.
pub(super) fn hermitian<T: Arithmetic>(data: &[T], n: usize) -> Vec<T> {
    let mut full = data.to_vec();
    for (matrix, from) in full.chunks_exact_mut(n * n).zip(data.chunks_exact(n * n)) {
        for i in 0..n {
            matrix[i * n + i] = real(from[i * n + i].to_c64().re);
            for j in 0..i {
                matrix[i * n + j] = numbers::scalar::Scalar::conj(from[j * n + i]);
            }
        }
    }
    full
}

/// Whether every number is NaN.
pub(super) fn all_nan<T: Arithmetic>(data: &[T]) -> bool {
    data.iter().all(|x| x.to_c64().re.is_nan())
}

/// All bits, to compare.
pub(super) fn bits<T: Pod>(data: &[T]) -> &[u8] {
    bytes_of(data)
}

/// `|B - A X| / (|A| |X| u)` of one matrix, rows x rows, in the 1-norm, column by column the worst.
pub(super) fn solve_ratio<T: Arithmetic>(a: &[T], x: &[T], b: &[T], n: usize, rhs: usize) -> f64 {
    let product = product(a, x, n, rhs);
    let column = |y: &dyn Fn(usize) -> c64| (0..n).map(|i| y(i).norm()).sum::<f64>();
    let mut worst = 0.0;
    for c in 0..rhs {
        let residual = column(&|i| b[i * rhs + c].to_c64() - product[i * rhs + c]);
        let ratio = residual / (norm(a, n, n) * column(&|i| x[i * rhs + c].to_c64()) * roundoff::<T>());
        worst = if ratio <= worst { worst } else { ratio };
    }
    worst
}

/// `|I - X A| / (n |A| |X| u)` of one matrix.
pub(super) fn inverse_ratio<T: Arithmetic>(a: &[T], x: &[T], n: usize) -> f64 {
    let mut residual = product(x, a, n, n);
    for i in 0..n {
        residual[i * n + i] -= 1.0;
    }
    norm(&residual, n, n) / (n as f64 * norm(a, n, n) * norm(x, n, n) * roundoff::<T>())
}

fn product<T: Arithmetic>(a: &[T], x: &[T], n: usize, cols: usize) -> Vec<c64> {
    let mut out = vec![c64::new(0.0, 0.0); n * cols];
    for i in 0..n {
        for k in 0..n {
            for c in 0..cols {
                out[i * cols + c] += a[i * n + k].to_c64() * x[k * cols + c].to_c64();
            }
        }
    }
    out
}

/// The largest column sum.
fn norm<T: Arithmetic>(a: &[T], rows: usize, cols: usize) -> f64 {
    let sum = |j: usize| (0..rows).map(|i| a[i * cols + j].to_c64().norm()).sum::<f64>();
    (0..cols).map(sum).fold(0.0, |most, sum| if sum <= most { most } else { sum })
}

fn roundoff<T: Arithmetic>() -> f64 {
    match T::KIND {
        ScalarKind::F32 | ScalarKind::C32 => f64::from(f32::EPSILON) / 2.0,
        ScalarKind::F64 | ScalarKind::C64 => f64::EPSILON / 2.0,
    }
}

/// Makes a test of a generic function for each of the four types.
macro_rules! for_all_types {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use numbers::scalar::{c32, c64};

            #[test]
            fn of_f32() {
                super::$test::<f32>();
            }
            #[test]
            fn of_f64() {
                super::$test::<f64>();
            }
            #[test]
            fn of_c32() {
                super::$test::<c32>();
            }
            #[test]
            fn of_c64() {
                super::$test::<c64>();
            }
        }
    )*};
}
pub(super) use for_all_types;
