//! A batch to another of the same type.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::papers::copy_batch::CopyArgs;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};

use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::launch::{Launcher, prepare_as};

impl Launcher<'_> {
    /// Copies rows x cols matrices. Where both are the same memory there is nothing to do, but they must lie there
    /// alike.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn copy<T: Scalar>(
        &self,
        from: Matrices<T>,
        to: Matrices<T>,
        (rows, cols): (u32, u32),
        batch: u64,
    ) -> Result<()> {
        if (from.base.address(), from.pointers.address()) == (to.base.address(), to.pointers.address()) {
            return lie_alike(&from, &to, (rows, cols), batch);
        }
        let entry = choice::only(Family::Copy, Variant::Only, T::KIND)?;
        let size = Problem { n: rows, batch, rhs: cols };
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| CopyArgs { from, to, first, end, rows, cols }) }
    }
}

/// Checks that two batches in the same memory have the same strides, of those that lead anywhere.
fn lie_alike<T: Scalar>(a: &Matrices<T>, b: &Matrices<T>, (rows, cols): (u32, u32), batch: u64) -> Result<()> {
    let alike = (rows <= 1 || a.row_stride == b.row_stride)
        && (cols <= 1 || a.col_stride == b.col_stride)
        && (batch <= 1 || !a.pointers.is_null() || a.batch_stride == b.batch_stride);
    if alike {
        return Ok(());
    }
    Err(Error::Shape(
        "this algorithm works in place only where input and output are laid out alike: give both the same strides, or \
         memory of their own"
            .to_owned(),
    ))
}

/// Loads what [`Launcher::copy`] needs.
pub(crate) fn prepare_copy(backend: &Backend, kind: ScalarKind) -> Result<()> {
    let problem = Problem { n: 1, batch: 1, rhs: 1 };
    prepare_as(backend, (Family::Copy, Variant::Only, kind), 1, |entry| entry.shape(&problem))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, LAYOUTS, bits, for_all_types, numbers};
    use super::*;
    use numbers::element::Arithmetic;

    for_all_types!(copies);

    fn copies<T: Arithmetic>() {
        for (seed, (rows, cols)) in [(1, 1), (3, 65), (33, 32), (64, 7)].into_iter().enumerate() {
            let bench = Bench::new(seed as u64);
            let data = numbers::<T>(seed as u64, 3 * rows * cols);
            for (layout, other) in LAYOUTS.into_iter().flat_map(|a| LAYOUTS.map(|b| (a, b))) {
                let (from, to) =
                    (bench.batch(&data, rows, cols, layout), bench.empty::<T>(3, rows, cols, other(rows, cols)));
                prepare_copy(&bench.backend, T::KIND).unwrap();
                // SAFETY: the buffers are of these shapes, and the emulator works at once.
                unsafe {
                    bench.launcher().copy::<T>(from.matrices(), to.matrices(), (rows as u32, cols as u32), 3).unwrap();
                }
                assert_eq!(bits(&to.get::<T>()), bits(&data), "{rows} x {cols}");
            }
        }
    }
}
