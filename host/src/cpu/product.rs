//! Products of matrices, in parts that many threads can work on.

use faer::{MatMut, MatRef};

use super::CpuScalar;
use super::params::Params;

/// Multiplications in a part, at most. Parts depend on the sizes alone, so that the bits of a result do not depend on threads.
const PART: usize = 1 << 22;
/// Rows and columns of a part are multiples of what faer's kernels work on together.
const ROWS: usize = 96;
const COLUMNS: usize = 8;

/// `c -= a * b`.
pub(super) fn subtract_product<T: CpuScalar>(c: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>, params: Params) {
    let (rows, columns) = c.shape();
    let size = rows.saturating_mul(columns).saturating_mul(a.ncols());
    if size > PART && rows.max(columns) >= 4 * ROWS {
        if rows > columns {
            let half = (rows / 2).next_multiple_of(ROWS);
            let ((a1, a2), (c1, c2)) = (a.split_at_row(half), c.split_at_row_mut(half));
            params.join(|| subtract_product(c1, a1, b, params), || subtract_product(c2, a2, b, params));
        } else {
            let half = (columns / 2).next_multiple_of(COLUMNS);
            let ((b1, b2), (c1, c2)) = (b.split_at_col(half), c.split_at_col_mut(half));
            params.join(|| subtract_product(c1, a, b1, params), || subtract_product(c2, a, b2, params));
        }
    } else {
        T::add_product(c, -T::ONE, a, b);
    }
}
