//! Whether all is finite.

use super::view::MatRef;

use super::columns::{Columns, is_finite as column_is_finite};
use super::lanes::{Number, Routine};
use super::params::Params;
use crate::element::CpuScalar;

/// Columns from which on they are looked at by many threads.
const MANY: usize = 64;

/// Whether no entry of a column-major matrix is NaN or infinite.
pub(super) fn is_finite<T: CpuScalar>(a: MatRef<'_, T>, params: Params) -> bool {
    let (rows, columns) = a.shape();
    if params.parallel && columns > MANY {
        let (left, right) = a.split_at_col(columns / 2);
        let (mut first, mut second) = (false, false);
        params.join(|| first = is_finite(left, params), || second = is_finite(right, params));
        return first && second;
    }
    // SAFETY: the matrix is borrowed.
    unsafe { params.isa.run(IsFinite { a: Columns::of(a), rows, columns }) }
}

struct IsFinite<T> {
    a: Columns<T>,
    rows: usize,
    columns: usize,
}

impl<T: CpuScalar> Routine for IsFinite<T> {
    type Scalar = T;
    type Output = bool;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) -> bool {
        for j in 0..self.columns {
            // SAFETY: the caller's promise, for the whole matrix.
            if !unsafe { column_is_finite::<N>(self.a.at(0, j), self.rows) } {
                return false;
            }
        }
        true
    }
}
