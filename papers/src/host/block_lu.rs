//! The published block LU: one launch, in place.

use kernels_gpu::entry::Entry;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use warplu::extend::{Machine, Steps};
use warplu::{Error, Result};

use super::Interchange;
use super::copy::Copy;
use crate::kernels::lu::{BlockLuArgs, interchange};
use crate::kernels::table;

/// A published block LU with its options.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockLu {
    /// Left-looking, or right-looking.
    pub(super) left: bool,
    /// Columns of a panel.
    pub(super) nb: u32,
    pub(super) interchange: Interchange,
}

impl BlockLu {
    /// PA = LU.
    pub(super) fn steps<T: Scalar>(self, machine: &Machine<'_>, size: Problem) -> Result<Steps> {
        let (copy, entry) = (Copy::load(machine, T::KIND)?, self.load(machine, T::KIND, size)?);
        let interchange = match self.interchange {
            Interchange::Sequential => interchange::SEQUENTIAL,
            Interchange::Grouped => interchange::GROUPED,
            Interchange::Delayed => interchange::DELAYED,
        };
        Ok(Steps::new(move |job| {
            let (lu, pivots, status) = (job.matrices::<T>(1), job.values(2), job.values(3));
            // SAFETY: the operands are these, of this size.
            unsafe {
                copy.enqueue(job, job.matrices(0), lu, (size.n, size.n))?;
                job.launch(entry, size, |first, end| BlockLuArgs {
                    lu,
                    pivots,
                    status,
                    first,
                    end,
                    n: size.n,
                    interchange,
                })
            }
        }))
    }

    fn load(self, machine: &Machine<'_>, kind: ScalarKind, size: Problem) -> Result<&'static Entry> {
        if !self.left && self.interchange == Interchange::Delayed {
            return Err(Error::Unsupported(
                "a right-looking LU updates what is right of its panel at once, so it cannot delay interchanges there: \
                 use interchange=grouped, or left-looking"
                    .to_owned(),
            ));
        }
        let name = if self.left { "left_looking" } else { "right_looking" };
        let entry = table::named(&format!("{name}_nb{}", self.nb), kind).ok_or_else(|| {
            Error::Unsupported(format!(
                "there are no {name} kernels with panels of {} columns: use 8, 10, 14, 16, 18, 24 or 32",
                self.nb
            ))
        })?;
        machine.fit(entry, &size)?;
        machine.load(entry, size.n, entry.shape(&size).shared_bytes)?;
        Ok(entry)
    }
}
