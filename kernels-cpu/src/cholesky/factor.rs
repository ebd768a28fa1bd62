//! Cholesky factorization of a matrix, by halves (LAPACK `xPOTRF2`).

use super::mirror::{adjoint, clear_upper, keep_transposed};
use super::square;
use crate::element::CpuScalar;
use crate::params::Params;
use crate::product::subtract_product;
use crate::triangle::{Diagonal, Triangle};
use crate::triangular::solve_triangular_right;
use crate::view::{MatMut, MatRef};

/// The order up to which a product is computed whole where only its lower triangle is wanted.
const WHOLE: usize = 48;

/// Overwrites the lower triangle with L and the upper one, which is not read, with L^H. Returns the status: 0, or what
/// the first pivot says that is not positive and finite.
///
/// # Panics
/// If `a` is not square and column-major.
pub(super) fn factor_with<T: CpuScalar>(a: MatMut<'_, T>, params: Params) -> i32 {
    assert_eq!(a.nrows(), a.ncols(), "factor needs a square matrix");
    recurse(a, 0, Params { apart: true, ..params }).err().unwrap_or(0)
}

/// As [`factor_with`], with zeros above L, or below L^T if that is to be left; all is NaN where the status is not 0.
pub(super) fn factor_alone<T: CpuScalar>(mut a: MatMut<'_, T>, transposed: bool, params: Params) -> i32 {
    let status = factor_with(a.rb_mut(), params);
    match (status, transposed) {
        (0, false) => clear_upper(a),
        (0, true) => keep_transposed(a),
        _ => a.fill(T::NAN),
    }
    status
}

/// Factors a square of a matrix in which it begins with row and column `first`.
fn recurse<T: CpuScalar>(a: MatMut<'_, T>, first: usize, params: Params) -> Result<(), i32> {
    let (n, panel) = (a.ncols(), params.panel.max(1));
    if n <= panel {
        return square::factor(params.isa, a, first);
    }
    let half = n.div_ceil(2).next_multiple_of(panel).min(n - 1);
    let (mut a11, mut a12, mut a21, mut a22) = a.split_at_mut(half, half);
    recurse(a11.rb_mut(), first, params)?;
    solve_triangular_right(a11.rb(), Triangle::Upper, Diagonal::Stored, a21.rb_mut(), params);
    adjoint(a21.rb(), a12.rb_mut());
    subtract_lower(a22.rb_mut(), a21.rb(), a12.rb(), params);
    recurse(a22, first + half, params)
}

/// `c -= a * b` in the lower triangle; what becomes of the upper one does not matter.
pub(super) fn subtract_lower<T: CpuScalar>(c: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>, params: Params) {
    let n = c.ncols();
    if n <= WHOLE {
        return subtract_product(c, a, b, params);
    }
    let half = (n / 2).next_multiple_of(WHOLE);
    let (c11, _, c21, c22) = c.split_at_mut(half, half);
    let ((a1, a2), (b1, b2)) = (a.split_at_row(half), b.split_at_col(half));
    params.join(
        || subtract_product(c21, a2, b1, params),
        || params.join(|| subtract_lower(c11, a1, b1, params), || subtract_lower(c22, a2, b2, params)),
    );
}
