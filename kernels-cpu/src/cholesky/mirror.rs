//! One triangle as the conjugate of the other.

use numbers::scalar::{Scalar, c64};

use crate::columns::Columns;
use crate::element::CpuScalar;
use crate::params::Params;
use crate::transpose::transpose;
use crate::view::{MatMut, MatRef};

/// The largest order whose elements are copied one by one.
const SMALL: usize = 16;

/// Fills the upper triangle with the conjugates of the lower one; the diagonal becomes real.
pub(super) fn mirror<T: CpuScalar>(a: MatMut<'_, T>, params: Params) {
    let n = a.ncols();
    if n <= SMALL {
        let a = Columns::of_mut(a);
        for j in 0..n {
            // SAFETY: the matrix is borrowed.
            unsafe {
                a.at(j, j).write(T::from_c64(c64::new(a.get(j, j).to_c64().re, 0.0)));
                for i in 0..j {
                    a.at(i, j).write(a.get(j, i).conj());
                }
            }
        }
        return;
    }
    let half = params.half(n);
    let (a11, a12, a21, a22) = a.split_at_mut(half, half);
    params.join(
        || {
            mirror(a11, params);
            adjoint(a21.rb(), a12);
        },
        || mirror(a22, params),
    );
}

/// Writes the conjugate transposed matrix.
///
/// # Panics
/// If the shapes do not fit, or the matrices are not column-major.
pub(super) fn adjoint<T: CpuScalar>(a: MatRef<'_, T>, mut to: MatMut<'_, T>) {
    let (rows, columns) = a.shape();
    assert_eq!(to.shape(), (columns, rows), "an adjoint has the columns as rows");
    // SAFETY: both are borrowed.
    unsafe { transpose(Columns::of(a).lines(), Columns::of_mut(to.rb_mut()).lines(), columns, rows) };
    if T::KIND != <T as Scalar>::Real::KIND {
        to.for_each(|x| *x = x.conj());
    }
}

/// Fills what is above the diagonal with zeros.
pub(super) fn clear_upper<T: CpuScalar>(a: MatMut<'_, T>) {
    let (columns, mut rest) = (a.ncols(), a);
    for j in 0..columns {
        let (column, others) = rest.split_at_col_mut(1);
        column.split_at_row_mut(j).0.fill(T::ZERO);
        rest = others;
    }
}

/// Makes an upper triangle the conjugate one, and fills what is below it with zeros.
pub(super) fn keep_transposed<T: CpuScalar>(a: MatMut<'_, T>) {
    let (columns, mut rest) = (a.ncols(), a);
    for j in 0..columns {
        let (column, others) = rest.split_at_col_mut(1);
        let (mut upper, rest_of_column) = column.split_at_row_mut(j);
        if T::KIND != <T as Scalar>::Real::KIND {
            upper.for_each(|x| *x = x.conj());
        }
        rest_of_column.split_at_row_mut(1).1.fill(T::ZERO);
        rest = others;
    }
}
