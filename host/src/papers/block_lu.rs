//! The published block LU: one launch, in place.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::papers::lu::{BlockLuArgs, interchange};
use kernels_gpu::table;
use numbers::factors::Factors;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};

use super::Interchange;
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::launch::Launcher;

/// A published block LU with its options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLu {
    /// [`Family::LeftLooking`] or [`Family::RightLooking`].
    pub(crate) family: Family,
    /// Columns of a panel.
    pub(crate) nb: u32,
    pub(crate) interchange: Interchange,
}

impl BlockLu {
    fn entry(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<&'static Entry> {
        if self.family == Family::RightLooking && self.interchange == Interchange::Delayed {
            return Err(Error::Unsupported(
                "a right-looking LU updates what is right of its panel at once, so it cannot delay interchanges there: \
                 use interchange=grouped, or left-looking"
                    .to_owned(),
            ));
        }
        let entry =
            u8::try_from(self.nb).ok().and_then(|width| table::find(self.family, Variant::Panels { width }, kind));
        let entry = entry.ok_or_else(|| {
            Error::Unsupported(format!(
                "there are no {} kernels with panels of {} columns: use 8, 10, 14, 16, 18, 24 or 32",
                self.family.name(),
                self.nb
            ))
        })?;
        choice::fit(entry, &size, backend.limits())
    }

    /// Loads what [`Launcher::block_lu`] needs.
    pub(crate) fn prepare(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<()> {
        let entry = self.entry(backend, kind, size)?;
        backend.prepare(entry, entry.shape(&size).shared_bytes)
    }
}

impl Launcher<'_> {
    /// PA = LU; `factors.lu` holds A.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn block_lu<T: Scalar>(&self, how: BlockLu, factors: Factors<T>, size: Problem) -> Result<()> {
        let entry = how.entry(self.backend, T::KIND, size)?;
        let interchange = match how.interchange {
            Interchange::Sequential => interchange::SEQUENTIAL,
            Interchange::Grouped => interchange::GROUPED,
            Interchange::Delayed => interchange::DELAYED,
        };
        let Factors { lu, pivots, status } = factors;
        let args = |first, end| BlockLuArgs { lu, pivots, status, first, end, n: size.n, interchange };
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, args) }
    }
}
