//! Products of matrices by the definition: what results are judged by shares nothing with what they come from.

use kernels_gpu::numbers::scalar::Scalar;
use rayon::prelude::*;

use crate::cpu::lanes::{Isa, Number, Routine};
use crate::element::CpuScalar;
use crate::mat::Mat;

/// Columns of A that are added at once, so that what they are added to is loaded and stored once for all of them.
const TOGETHER: usize = 4;

/// `a * b`.
pub(super) fn multiply<T: CpuScalar>(a: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    assert!(a.ncols() == b.nrows(), "the shapes of a product fit");
    let mut product = Mat::from_fn(a.nrows(), b.ncols(), |_, _| <T as Scalar>::ZERO);
    if a.nrows() > 0 && a.ncols() > 0 {
        let columns = product.elements_mut().par_chunks_exact_mut(a.nrows());
        columns.zip(b.elements().par_chunks_exact(b.nrows())).for_each(|(column, b)| {
            // SAFETY: nothing but the CPU's instructions is demanded.
            unsafe { Isa::detect().run(Column { a, b, column }) };
        });
    }
    product
}

/// A column of a product, compiled for the CPU's instructions.
struct Column<'a, T> {
    a: &'a Mat<T>,
    b: &'a [T],
    column: &'a mut [T],
}

impl<T: CpuScalar> Routine for Column<'_, T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        let Self { a, b, column } = self;
        let rows = a.nrows();
        let panels = a.elements().chunks(TOGETHER * rows);
        for (panel, b) in panels.zip(b.chunks(TOGETHER)) {
            if let &[b0, b1, b2, b3] = b {
                let (a0, rest) = panel.split_at(rows);
                let (a1, rest) = rest.split_at(rows);
                let (a2, a3) = rest.split_at(rows);
                for i in 0..rows {
                    column[i] = column[i] + a0[i] * b0 + a1[i] * b1 + a2[i] * b2 + a3[i] * b3;
                }
            } else {
                for (a, &b) in panel.chunks_exact(rows).zip(b) {
                    for i in 0..rows {
                        column[i] = column[i] + a[i] * b;
                    }
                }
            }
        }
    }
}
