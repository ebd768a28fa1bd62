//! Products of matrices by the definition: what results are judged by shares nothing with what they come from.

use kernels_gpu::numbers::scalar::Scalar;
use rayon::prelude::*;

use crate::cpu::lanes::{Isa, Number, Routine};
use crate::element::CpuScalar;
use crate::mat::Mat;

/// Columns of A that are added at once, so that what they are added to is loaded and stored once for all of them.
const TOGETHER: usize = 4;
/// Columns of B that are worked on together, so that those of A come from a cache for all but the first.
const SHARED: usize = 16;

/// `a * b`.
pub(super) fn multiply<T: CpuScalar>(a: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    assert!(a.ncols() == b.nrows(), "the shapes of a product fit");
    let mut product = Mat::from_fn(a.nrows(), b.ncols(), |_, _| <T as Scalar>::ZERO);
    if a.nrows() > 0 && a.ncols() > 0 {
        let columns = product.elements_mut().par_chunks_mut(SHARED * a.nrows());
        columns.zip(b.elements().par_chunks(SHARED * b.nrows())).for_each(|(columns, b)| {
            // SAFETY: nothing but the CPU's instructions is demanded.
            unsafe { Isa::detect().run(Columns { a, b, columns }) };
        });
    }
    product
}

/// Columns of a product, compiled for the CPU's instructions.
struct Columns<'a, T> {
    a: &'a Mat<T>,
    b: &'a [T],
    columns: &'a mut [T],
}

impl<T: CpuScalar> Routine for Columns<'_, T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { a, b, columns } = self;
        let rows = a.nrows();
        for (at, panel) in a.elements().chunks(TOGETHER * rows).enumerate() {
            for (column, b) in columns.chunks_exact_mut(rows).zip(b.chunks_exact(a.ncols())) {
                add_panel(column, panel, &b[at * TOGETHER..]);
            }
        }
    }
}

/// `column += panel * b`, for the panel's columns.
#[inline(always)]
fn add_panel<T: CpuScalar>(column: &mut [T], panel: &[T], b: &[T]) {
    let rows = column.len();
    if panel.len() == TOGETHER * rows {
        let (a0, rest) = panel.split_at(rows);
        let (a1, rest) = rest.split_at(rows);
        let (a2, a3) = rest.split_at(rows);
        for i in 0..rows {
            column[i] = column[i] + a0[i] * b[0] + a1[i] * b[1] + a2[i] * b[2] + a3[i] * b[3];
        }
    } else {
        for (a, &b) in panel.chunks_exact(rows).zip(b) {
            for i in 0..rows {
                column[i] = column[i] + a[i] * b;
            }
        }
    }
}
