//! Matrices where faer's kernels get them: compact, column-major and aligned.
//!
//! All work is done on such matrices, so that no result can depend on where or how the caller's matrix lies in memory.

use faer::prelude::{IntoConst, ReborrowMut};
use faer::{Mat, MatMut, MatRef};

use super::CpuScalar;

/// Bytes that each column of a [`Mat`] is aligned to.
const ALIGNMENT: usize = 64;

/// Whether a matrix lies as a [`Mat`] of its size does.
fn is_compact<T: CpuScalar>(a: MatRef<'_, T>) -> bool {
    let column_bytes = (a.nrows() * size_of::<T>()).next_multiple_of(ALIGNMENT);
    a.row_stride() == 1
        && a.col_stride().unsigned_abs() * size_of::<T>() == column_bytes
        && a.col_stride() >= 0
        && a.as_ptr().addr().is_multiple_of(ALIGNMENT)
}

/// Calls `f` with the matrix or a compact copy of it.
pub(super) fn with_compact<T: CpuScalar, R>(a: MatRef<'_, T>, f: impl FnOnce(MatRef<'_, T>) -> R) -> R {
    if is_compact(a) { f(a) } else { f(a.to_owned().as_ref()) }
}

/// Calls `f` with the matrix or a compact copy of it, which is then copied back.
pub(super) fn with_compact_mut<T: CpuScalar, R>(mut a: MatMut<'_, T>, f: impl FnOnce(MatMut<'_, T>) -> R) -> R {
    if is_compact(a.as_ref()) {
        return f(a);
    }
    let mut copy = a.as_ref().to_owned();
    let result = f(copy.as_mut());
    a.rb_mut().copy_from(&copy);
    result
}

/// A compact transpose.
pub(super) fn transposed<T: CpuScalar>(a: MatRef<'_, T>, map: impl Fn(T) -> T) -> Mat<T> {
    Mat::from_fn(a.ncols(), a.nrows(), |i, j| map(a[(j, i)]))
}

/// A column of a compact matrix.
pub(super) fn column<'a, T: CpuScalar>(a: MatRef<'a, T>, j: usize) -> &'a [T] {
    a.col(j).try_as_col_major().expect("a compact matrix is column-major").as_slice()
}

/// A column of a compact matrix, to be changed.
pub(super) fn column_mut<'a, T: CpuScalar>(a: &'a mut MatMut<'_, T>, j: usize) -> &'a mut [T] {
    a.rb_mut().col_mut(j).try_as_col_major_mut().expect("a compact matrix is column-major").as_slice_mut()
}

/// Two columns j < k of a compact matrix, the second to be changed.
pub(super) fn columns<'a, T: CpuScalar>(a: &'a mut MatMut<'_, T>, j: usize, k: usize) -> (&'a [T], &'a mut [T]) {
    let (left, right) = a.rb_mut().split_at_col_mut(k);
    let (left, right) = (left.into_const().col(j), right.col_mut(0));
    (
        left.try_as_col_major().expect("a compact matrix is column-major").as_slice(),
        right.try_as_col_major_mut().expect("a compact matrix is column-major").as_slice_mut(),
    )
}

/// `y -= x * a`, element by element.
pub(super) fn subtract_multiple<T: CpuScalar>(y: &mut [T], x: T, a: &[T]) {
    for (y, &a) in y.iter_mut().zip(a) {
        *y -= x * a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_mat_when_it_sees_one() {
        for n in 1..70 {
            let a = Mat::<f32>::zeros(n, 2 * n);
            assert!(is_compact(a.as_ref()));
            assert!(!is_compact(a.as_ref().subcols(0, n).transpose()) || n == 1);
            if n > 1 {
                assert!(!is_compact(a.as_ref().subrows(1, n - 1)));
            }
        }
    }
}
