//! Products of matrices by the definition: what results are judged by shares nothing with what they come from.

use numbers::scalar::Scalar;

use crate::element::CpuScalar;
use crate::lanes::{Isa, Number, Routine};
use crate::mat::Mat;
use crate::parallel;

/// Columns of A that are added at once, so that what they are added to is loaded and stored once for all of them.
const TOGETHER: usize = 4;
/// Columns of B that are worked on together, so that those of A come from memory for one of them only.
const SHARED: usize = 16;
/// Rows that are worked on together, so that sums stay in the first cache.
const ROWS: usize = 128;

/// `product` becomes `a * b`.
pub(crate) fn multiply<T: CpuScalar>(a: &Mat<T>, b: &Mat<T>, product: &mut Mat<T>) {
    assert!(a.ncols() == b.nrows(), "the shapes of a product fit");
    if a.nrows() > 0 && a.ncols() > 0 {
        let rows = b.nrows();
        parallel::blocks(product.elements_mut(), SHARED * a.nrows(), &|first, columns| {
            let b = &b.elements()[first / a.nrows() * rows..][..columns.len() / a.nrows() * rows];
            // SAFETY: nothing but the CPU's instructions is demanded.
            unsafe { Isa::detect().run(Columns { a, b, columns }) };
        });
    }
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
        for start in (0..rows).step_by(ROWS) {
            let count = ROWS.min(rows - start);
            // Side by side, as columns whose distance is a power of two would share few places of a cache: ROWS for each
            // of the columns.
            let mut sums = [<T as Scalar>::ZERO; SHARED * ROWS];
            for (at, panel) in a.elements().chunks(TOGETHER * rows).enumerate() {
                for (sums, b) in sums.chunks_exact_mut(ROWS).zip(b.chunks_exact(a.ncols())) {
                    add_panel(&mut sums[..count], panel, rows, start, &b[at * TOGETHER..]);
                }
            }
            for (column, sums) in columns.chunks_exact_mut(rows).zip(sums.chunks_exact(ROWS)) {
                column[start..start + count].copy_from_slice(&sums[..count]);
            }
        }
    }
}

/// `sums += panel * b`, for the panel's columns of `rows` elements, from row `start` on.
#[inline(always)]
fn add_panel<T: CpuScalar>(sums: &mut [T], panel: &[T], rows: usize, start: usize, b: &[T]) {
    let count = sums.len();
    let column = |j: usize| &panel[j * rows + start..][..count];
    if panel.len() == TOGETHER * rows {
        let (a0, a1, a2, a3) = (column(0), column(1), column(2), column(3));
        for i in 0..count {
            sums[i] = sums[i] + a0[i] * b[0] + a1[i] * b[1] + a2[i] * b[2] + a3[i] * b[3];
        }
    } else {
        for (j, &b) in b.iter().enumerate().take(panel.len() / rows) {
            let a = column(j);
            for i in 0..count {
                sums[i] = sums[i] + a[i] * b;
            }
        }
    }
}
