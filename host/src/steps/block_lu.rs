//! The published block LU: one launch, in place.

use kernels_gpu::classic::lu::{BlockLuArgs, interchange};
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::scalar::{Scalar, ScalarKind};

use super::{Factors, Size, Steps};
use crate::algorithm::Interchange;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::plan;

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
    fn entry(self, machine: &Machine, kind: ScalarKind, size: Size) -> Result<&'static Entry> {
        if self.family == Family::RightLooking && self.interchange == Interchange::Delayed {
            return Err(Error::Unsupported(
                "a right-looking LU updates what is right of its panel at once, so it cannot delay interchanges there: \
                 use interchange=grouped, or left-looking"
                    .to_owned(),
            ));
        }
        let entry = Variant::of_width(self.nb).and_then(|width| Entry::find(self.family, width, kind));
        let entry = entry.ok_or_else(|| {
            Error::Unsupported(format!(
                "there are no {} kernels with panels of {} columns: use 8, 10, 14, 16, 18, 24 or 32",
                self.family.name(),
                self.nb
            ))
        })?;
        plan::fit(entry, &size.problem(), machine.shared_limit())
    }

    /// Loads what [`Steps::block_lu`] needs.
    pub(crate) fn prepare(self, machine: &Machine, kind: ScalarKind, size: Size) -> Result<()> {
        let entry = self.entry(machine, kind, size)?;
        machine.prepare(entry, entry.shape(&size.problem()).shared_bytes)
    }
}

impl Steps<'_> {
    /// PA = LU; `factors.lu` holds A.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn block_lu<T: Scalar>(&self, how: BlockLu, factors: Factors<T>, size: Size) -> Result<()> {
        let entry = how.entry(self.machine, T::KIND, size)?;
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
