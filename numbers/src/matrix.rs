//! Where the matrices of a batch are, and views of one matrix: in device memory, in shared memory, or a part of either.

use simt::Pod;
use simt::global::Global;
use simt::hint::opaque;
use simt::shared::Shared;

/// A batch of matrices in device memory, with strides in elements. Part of the kernels' argument structs.
///
/// Element (i, j) of matrix b is at `base + b * batch_stride + i * row_stride + j * col_stride`, or, if `pointers` is
/// not null, at `pointers[b] + i * row_stride + j * col_stride`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Matrices<T> {
    /// First element of matrix 0.
    pub base: Global<T>,
    /// Address of each matrix, or null: shape (batch).
    pub pointers: Global<u64>,
    /// Distance between successive matrices.
    pub batch_stride: i64,
    /// Distance between successive rows.
    pub row_stride: i64,
    /// Distance between successive columns.
    pub col_stride: i64,
}

impl<T: Pod> Matrices<T> {
    /// Matrix `b` of the batch.
    #[inline(always)]
    #[must_use]
    pub fn matrix(&self, b: u64) -> GlobalMatrix<T> {
        let base = if self.pointers.is_null() {
            self.base.offset(b as i64 * self.batch_stride)
        } else {
            // SAFETY: the launch promises that these are the addresses of the batch's matrices.
            unsafe { Global::new(self.pointers.load(b as i64)) }
        };
        GlobalMatrix { base, row_stride: self.row_stride, col_stride: self.col_stride }
    }

    /// The same places, as those of matrices of another type. Strides stay numbers of elements.
    #[inline(always)]
    #[must_use]
    pub fn cast<U: Pod>(self) -> Matrices<U> {
        let Self { base, pointers, batch_stride, row_stride, col_stride } = self;
        Matrices { base: base.cast(), pointers, batch_stride, row_stride, col_stride }
    }
}

/// A matrix that is read and written element by element, wherever it is stored.
pub trait View<T>: Copy {
    /// Element (i, j).
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T;
    /// Writes element (i, j).
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T);

    /// Elements (i, j), (i, j + 1), ... of those columns that are `wanted`; `other` instead of others.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_part<const N: usize>(&self, i: u32, j: u32, other: T, wanted: impl Fn(u32) -> bool) -> [T; N]
    where
        T: Copy,
    {
        let mut part = [other; N];
        for q in 0..N {
            if wanted(j + q as u32) {
                part[q] = self.load(i, j + q as u32);
            }
        }
        part
    }
}

/// A matrix in device memory whose elements have fixed distances, at least within blocks of 16 x 16.
pub trait Strided<T>: View<T> {
    /// The address of element (i, j).
    #[must_use]
    fn at(&self, i: u32, j: u32) -> Global<T>;
    /// Distance between successive rows.
    #[must_use]
    fn row_stride(&self) -> i64;
    /// Distance between successive columns.
    #[must_use]
    fn col_stride(&self) -> i64;
    /// The transposed matrix.
    #[must_use]
    fn transposed(self) -> Self;
}

/// One matrix in device memory.
#[derive(Clone, Copy, Debug)]
pub struct GlobalMatrix<T> {
    base: Global<T>,
    row_stride: i64,
    col_stride: i64,
}

impl<T: Pod> GlobalMatrix<T> {
    /// The compact column-major matrix of `rows` rows at `base`.
    #[inline(always)]
    #[must_use]
    pub fn column_major(base: Global<T>, rows: u32) -> Self {
        Self { base, row_stride: 1, col_stride: rows as i64 }
    }

    /// Whether successive rows are closer in memory than successive columns (column-major, say).
    #[inline(always)]
    #[must_use]
    pub fn rows_are_close(&self) -> bool {
        self.row_stride.unsigned_abs() <= self.col_stride.unsigned_abs()
    }

    /// Whether the elements of a column are contiguous.
    #[inline(always)]
    #[must_use]
    pub fn column_is_dense(&self) -> bool {
        self.row_stride == 1
    }

    /// The same matrix, if columns are dense, with a row stride that the compiler knows to be 1.
    #[inline(always)]
    #[must_use]
    pub fn with_dense_columns(self) -> Option<Self> {
        self.column_is_dense().then_some(Self { row_stride: 1, ..self })
    }

    /// Distance between successive rows.
    #[inline(always)]
    #[must_use]
    pub fn row_stride(&self) -> i64 {
        self.row_stride
    }

    /// Distance between successive columns.
    #[inline(always)]
    #[must_use]
    pub fn col_stride(&self) -> i64 {
        self.col_stride
    }

    /// The address of element (i, j).
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: u32, j: u32) -> Global<T> {
        self.base.offset(i as i64 * self.row_stride + j as i64 * self.col_stride)
    }

    /// Calls `f` for `COUNT` elements of a column, 8 rows apart, starting at `first`. In a dense column the offsets are
    /// constants.
    #[inline(always)]
    pub fn walk<const COUNT: usize>(&self, first: Global<T>, mut f: impl FnMut(usize, Global<T>)) {
        if self.column_is_dense() {
            for i in 0..COUNT {
                f(i, first.offset(8 * i as i64));
            }
        } else {
            let step = 8 * self.row_stride;
            let mut at = first;
            for i in 0..COUNT {
                f(i, at);
                at = at.offset(step);
            }
        }
    }

    /// Writes elements (i, j), (i, j + 1), ... of those columns that are `wanted`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_part<const N: usize>(&self, i: u32, j: u32, part: &[T; N], wanted: impl Fn(u32) -> bool) {
        let (mut at, step) = (self.at(i, j), opaque(self.col_stride));
        for q in 0..N {
            if wanted(j + q as u32) {
                at.store(0, part[q]);
            }
            at = at.offset(step);
        }
    }

    /// The matrix whose column j is column `columns - 1 - j` of this one.
    #[inline(always)]
    #[must_use]
    pub fn columns_reversed(self, columns: u32) -> Self {
        let last = self.base.offset((columns as i64 - 1) * self.col_stride);
        Self { base: last, row_stride: self.row_stride, col_stride: -self.col_stride }
    }

    /// The rows from `first` on.
    #[inline(always)]
    #[must_use]
    pub fn rows_from(self, first: u32) -> Self {
        Self { base: self.at(first, 0), ..self }
    }

    /// The transposed matrix.
    #[inline(always)]
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { base: self.base, row_stride: self.col_stride, col_stride: self.row_stride }
    }
}

impl<T: Pod> Strided<T> for GlobalMatrix<T> {
    #[inline(always)]
    fn at(&self, i: u32, j: u32) -> Global<T> {
        Self::at(self, i, j)
    }
    #[inline(always)]
    fn row_stride(&self) -> i64 {
        self.row_stride
    }
    #[inline(always)]
    fn col_stride(&self) -> i64 {
        self.col_stride
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        Self::transposed(self)
    }
}

impl<T: Pod> View<T> for GlobalMatrix<T> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.base.load(i as i64 * self.row_stride + j as i64 * self.col_stride)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.base.store(i as i64 * self.row_stride + j as i64 * self.col_stride, value);
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_part<const N: usize>(&self, i: u32, j: u32, other: T, wanted: impl Fn(u32) -> bool) -> [T; N] {
        let mut part = [other; N];
        // From one address to the next, as N of them would take too many registers.
        let (mut at, step) = (self.at(i, j), opaque(self.col_stride));
        for q in 0..N {
            if wanted(j + q as u32) {
                part[q] = at.load(0);
            }
            at = at.offset(step);
        }
        part
    }
}

/// A column-major matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct SharedMatrix<T> {
    /// Shape (columns, leading dimension).
    pub elements: Shared<T>,
    /// Distance between successive columns.
    pub leading_dimension: u32,
}

impl<T: Pod> View<T> for SharedMatrix<T> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.elements.load(j * self.leading_dimension + i)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.elements.store(j * self.leading_dimension + i, value);
    }
}

/// A view whose row i is row `permutation[i]` of another.
#[derive(Clone, Copy, Debug)]
pub struct RowsPermuted<V> {
    /// The other.
    pub view: V,
    /// Shape (n).
    pub permutation: Shared<u32>,
}

impl<T, V: View<T>> View<T> for RowsPermuted<V> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.view.load(self.permutation.load(i), j)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.view.store(self.permutation.load(i), j, value);
    }
}

/// A submatrix: its element (i, j) is element (row + i, col + j) of the whole.
#[derive(Clone, Copy, Debug)]
pub struct Part<V> {
    /// The whole.
    pub whole: V,
    /// First row.
    pub row: u32,
    /// First column.
    pub col: u32,
}

impl<T, V: View<T>> View<T> for Part<V> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.whole.load(self.row + i, self.col + j)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.whole.store(self.row + i, self.col + j, value);
    }
}
