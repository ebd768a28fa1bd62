//! Ragged batches: matrices of drawn sizes, lying in drawn ways.

use warplu::verify::Random;
use warplu::{Batch, Element, Layout, Ragged, RaggedMut, Scalar, c64};

/// The ways in which a ragged batch can lie in memory.
pub const WAYS: usize = 4;

/// Matrices of many sizes, each row by row in memory of its own.
#[derive(Clone, Debug)]
pub struct Many<T> {
    /// Rows and columns of each.
    pub shapes: Vec<(usize, usize)>,
    /// The elements of each, row by row.
    pub matrices: Vec<Vec<T>>,
}

/// Memory that ragged matrices lie in.
#[derive(Clone, Debug)]
pub struct Memory<T> {
    /// All of it; what belongs to no matrix is `beside`.
    pub data: Vec<T>,
    way: usize,
    shapes: Vec<(usize, usize)>,
    offsets: Vec<usize>,
    layouts: Vec<Layout>,
}

impl<T: Element> Many<T> {
    /// Square matrices of these orders. Unless all are to be good, some have a row of zeros, or a NaN.
    pub fn squares(random: &mut Random, orders: &[usize], good: bool) -> Self {
        let matrix = |&n: &usize| {
            let mut matrix: Vec<T> = random.elements(n * n);
            if size_of::<T>() == 2 {
                // Well enough conditioned for 16-bit results, and yet not diagonally dominant.
                for i in 0..n {
                    let at = i * n + (i + n / 2) % n;
                    let shifted = matrix[at].widen().to_c64() + 2.0 * (n as f64).sqrt();
                    matrix[at] = T::narrow(T::Scalar::from_c64(shifted));
                }
            }
            match (random.below(6), n) {
                _ if good || n == 0 => {}
                (0, _) => matrix[random.below(n) * n..][..n].fill(T::narrow(T::Scalar::ZERO)),
                (1, _) => matrix[random.below(n * n)] = T::narrow(T::Scalar::NAN),
                _ => {}
            }
            matrix
        };
        let matrices = orders.iter().map(matrix).collect();
        Self { shapes: orders.iter().map(|&n| (n, n)).collect(), matrices }
    }

    /// Right-hand sides for matrices of these orders, so many of each.
    pub fn sides(random: &mut Random, orders: &[usize], counts: &[usize]) -> Self {
        let shapes: Vec<_> = orders.iter().copied().zip(counts.iter().copied()).collect();
        let matrices = shapes.iter().map(|&(n, k)| random.elements(n * k)).collect();
        Self { shapes, matrices }
    }

    /// Matrix b, as a batch of one.
    pub fn one(&self, b: usize) -> Batch<'_, T> {
        let (rows, cols) = self.shapes[b];
        Batch::row_major(&self.matrices[b], 1, rows, cols).expect("one matrix")
    }

    /// The matrices in memory, in one of the [`WAYS`]: compact row by row, or column by column, or each with strides of
    /// its own, in another order and with gaps; or that, to be given as slices.
    pub fn placed(&self, random: &mut Random, way: usize, beside: T) -> Memory<T> {
        let shapes = self.shapes.clone();
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        if way == 2 {
            (1..order.len()).rev().for_each(|i| order.swap(i, random.below(i + 1)));
        }
        let (mut offsets, mut layouts) = (vec![0; shapes.len()], vec![Layout::row_major(0, 0); shapes.len()]);
        let mut end = 0;
        for b in order {
            let (rows, cols) = shapes[b];
            layouts[b] = match (way, random.below(4)) {
                (0 | 3, _) | (2, 0) => Layout::row_major(rows, cols),
                (1, _) | (2, 1) => Layout::column_major(rows, cols),
                (_, 2) => Layout { batch_stride: 0, row_stride: cols + 3, col_stride: 1 },
                _ => Layout { batch_stride: 0, row_stride: 2, col_stride: 2 * rows + 1 },
            };
            offsets[b] = end + if way == 2 { random.below(3) } else { 0 };
            end = offsets[b] + if way == 2 { 2 * (rows + 2) * (cols + 3) } else { rows * cols };
        }
        let mut data = vec![beside; end];
        for (b, matrix) in self.matrices.iter().enumerate() {
            for (k, &x) in matrix.iter().enumerate() {
                let (i, j) = (k / shapes[b].1, k % shapes[b].1);
                data[offsets[b] + i * layouts[b].row_stride + j * layouts[b].col_stride] = x;
            }
        }
        Memory { data, way, shapes, offsets, layouts }
    }
}

impl<T: Element> Memory<T> {
    /// Matrix b where it lies, as a batch of one.
    pub fn one(&self, b: usize) -> Batch<'_, T> {
        let (rows, cols) = self.shapes[b];
        Batch::strided(&self.data[self.offsets[b]..], 1, rows, cols, self.layouts[b]).expect("one matrix")
    }

    /// To read.
    pub fn view(&self) -> Ragged<'_, T> {
        let Self { data, way, shapes, offsets, layouts } = self;
        let view = match way {
            0 => Ragged::row_major(data, shapes),
            1 => Ragged::column_major(data, shapes),
            2 => Ragged::strided(data, shapes, offsets, |b| layouts[b]),
            _ => {
                let slice = |(&offset, &(rows, cols)): (&usize, &(usize, usize))| &data[offset..][..rows * cols];
                let slices: Vec<_> = offsets.iter().zip(shapes).map(slice).collect();
                Ragged::row_major_slices(&slices, shapes)
            }
        };
        view.expect("matrices apart from each other")
    }

    /// To write.
    pub fn view_mut(&mut self) -> RaggedMut<'_, T> {
        let Self { data, way, shapes, offsets, layouts } = self;
        let view = match way {
            0 => RaggedMut::row_major(data, shapes),
            1 => RaggedMut::column_major(data, shapes),
            2 => RaggedMut::strided(data, shapes, offsets, |b| layouts[b]),
            _ => {
                let (mut slices, mut rest) = (Vec::new(), &mut data[..]);
                for &(rows, cols) in shapes.iter() {
                    let (slice, later) = rest.split_at_mut(rows * cols);
                    slices.push(slice);
                    rest = later;
                }
                RaggedMut::row_major_slices(slices, shapes)
            }
        };
        view.expect("matrices apart from each other")
    }
}

/// A number that no result is by chance.
#[must_use]
pub fn beside<T: Element>() -> T {
    T::narrow(T::Scalar::from_c64(c64::new(77.0, 0.0)))
}
