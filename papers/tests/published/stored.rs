//! Batches in either layout, made from numbers in C order.

use warplu::verify::Random;
use warplu::{Batch, BatchMut, Element, Matrices, Scalar, c64};

/// The orders that everything is tested with.
pub(crate) const ORDERS: [usize; 11] = [1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 65];

/// A batch in memory.
pub(crate) struct Stored<T> {
    data: Vec<T>,
    shape: (usize, usize, usize),
    column_major: bool,
}

impl<T: Element> Stored<T> {
    /// Of `data` in C order.
    pub(crate) fn new(data: &[T], rows: usize, cols: usize, column_major: bool) -> Self {
        let shape = (data.len() / (rows * cols), rows, cols);
        let mut stored = Self { data: data.to_vec(), shape, column_major };
        for (at, &x) in data.iter().enumerate() {
            let place = stored.place(at);
            stored.data[place] = x;
        }
        stored
    }

    /// Where an element is of which the index in C order is known.
    fn place(&self, at: usize) -> usize {
        let (_, rows, cols) = self.shape;
        let (m, i, j) = (at / (rows * cols), at / cols % rows, at % cols);
        if self.column_major { (m * cols + j) * rows + i } else { at }
    }

    pub(crate) fn view(&self) -> Batch<'_, T> {
        let (batch, rows, cols) = self.shape;
        let make = if self.column_major { Batch::column_major } else { Batch::row_major };
        make(&self.data, batch, rows, cols).unwrap()
    }

    pub(crate) fn view_mut(&mut self) -> BatchMut<'_, T> {
        let (batch, rows, cols) = self.shape;
        let make = if self.column_major { BatchMut::column_major } else { BatchMut::row_major };
        make(&mut self.data, batch, rows, cols).unwrap()
    }

    /// In C order.
    pub(crate) fn get(&self) -> Vec<T> {
        (0..self.data.len()).map(|at| self.data[self.place(at)]).collect()
    }
}

/// The elements of a batch in C order.
pub(crate) fn in_c_order<T: Element>(m: &Matrices<T>) -> Vec<T> {
    let (rows, cols) = (m.rows(), m.cols());
    let of = |b: usize| (0..rows * cols).map(move |at| m.get(b, at / cols, at % cols));
    (0..m.batch()).flat_map(of).collect()
}

pub(crate) fn numbers<T: Element>(seed: u64, len: usize) -> Vec<T> {
    Random::new(seed).elements(len)
}

/// As the type's real part.
pub(crate) fn real<T: Element<Scalar = T> + Scalar>(x: f64) -> T {
    T::from_c64(c64::new(x, 0.0))
}

/// Makes the diagonals larger than the rest of their rows and columns.
pub(crate) fn make_dominant<T: Element<Scalar = T> + Scalar>(data: &mut [T], n: usize) {
    for matrix in data.chunks_exact_mut(n * n) {
        for i in 0..n {
            matrix[i * n + i] = matrix[i * n + i] + real::<T>(3.0 * n as f64);
        }
    }
}

/// Matrices of which only the upper triangle is a number, and the Hermitian ones that they stand for.
pub(crate) fn upper_triangles<T: Element<Scalar = T> + Scalar>(data: &[T], n: usize) -> (Vec<T>, Vec<T>) {
    let (mut upper, mut full) = (data.to_vec(), data.to_vec());
    for (at, x) in full.iter_mut().enumerate() {
        let (m, i, j) = (at / (n * n), at / n % n, at % n);
        match j.cmp(&i) {
            std::cmp::Ordering::Less => {
                upper[at] = T::NAN;
                *x = data[(m * n + j) * n + i].conj();
            }
            std::cmp::Ordering::Equal => *x = real(x.to_c64().re),
            std::cmp::Ordering::Greater => {}
        }
    }
    (upper, full)
}

/// Asserts that matrices are exactly Hermitian.
#[track_caller]
pub(crate) fn assert_hermitian<T: Element<Scalar = T> + Scalar>(data: &[T], n: usize) {
    let conj = |at: usize| data[(at / (n * n) * n + at % n) * n + at / n % n].conj();
    assert!((0..data.len()).all(|at| data[at].to_c64() == conj(at).to_c64()), "n = {n}");
}

/// Whether every number is NaN.
pub(crate) fn all_nan<T: Element<Scalar = T> + Scalar>(data: &[T]) -> bool {
    data.iter().all(|x| x.to_c64().re.is_nan())
}
