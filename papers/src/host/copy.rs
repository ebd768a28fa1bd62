//! A batch to another of the same type.

use kernels_gpu::entry::Entry;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use warplu::extend::{Job, Machine};
use warplu::{Error, Result};

use crate::kernels::copy_batch::CopyArgs;

/// The kernel that copies, loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy(&'static Entry);

impl Copy {
    pub(super) fn load(machine: &Machine<'_>, kind: ScalarKind) -> Result<Self> {
        super::load(machine, "copy", kind, &Problem { n: 1, batch: 1, rhs: 1 }).map(Self)
    }

    /// Copies rows x cols matrices. Where both are the same memory there is nothing to do, but they must lie there
    /// alike.
    ///
    /// # Safety
    /// As for [`Job::launch`].
    pub(super) unsafe fn enqueue<T: Scalar>(
        self,
        job: &Job<'_>,
        from: Matrices<T>,
        to: Matrices<T>,
        (rows, cols): (u32, u32),
    ) -> Result<()> {
        if (from.base.address(), from.pointers.address()) == (to.base.address(), to.pointers.address()) {
            return lie_alike(&from, &to, (rows, cols), job.batch());
        }
        let size = Problem { n: rows, batch: 1, rhs: cols };
        // SAFETY: the caller's promise.
        unsafe { job.launch(self.0, size, |first, end| CopyArgs { from, to, first, end, rows, cols }) }
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
