//! Whether all is finite.

use faer::MatRef;

use super::CpuScalar;
use super::columns::{Columns, is_finite as column_is_finite};
use super::lanes::{Isa, Number, Routine};

/// Whether no entry of a column-major matrix is NaN or infinite.
pub(super) fn is_finite<T: CpuScalar>(isa: Isa, a: MatRef<'_, T>) -> bool {
    let (rows, columns) = a.shape();
    // SAFETY: the matrix is borrowed.
    unsafe { isa.run(IsFinite { a: Columns::of(a), rows, columns }) }
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
