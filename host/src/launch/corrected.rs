//! The published inversion from LU: two triangular launcher, then the columns.

use kernels_gpu::classic::inverse::TriangleArgs;
use kernels_gpu::classic::inverse::columns::ColumnsArgs;
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::lu::block::threads;
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::{Scalar, ScalarKind};
use kernels_gpu::shape::Shape;
use simt::global::Global;

use super::{Factors, Launcher, Problem};
use crate::algorithm::{Allocation, Columns, Correction};
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};

/// A published inversion with its options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corrected {
    /// Columns of a panel.
    pub(crate) nb: u32,
    pub(crate) upper: Correction,
    pub(crate) lower: Correction,
    pub(crate) allocation: Allocation,
    pub(crate) columns: Columns,
}

/// A launch of a triangular step: its panels, and the rows or columns that it needs shared memory for.
struct Launch {
    panels: (u32, u32),
    part: u32,
}

impl Corrected {
    /// The kernels: U, L, columns.
    fn entries(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<[&'static Entry; 3]> {
        let upper = match self.upper {
            Correction::Timely => Family::UpperTimely,
            Correction::Delayed => Family::UpperDelayed,
        };
        let lower = match self.lower {
            Correction::Timely => Family::LowerTimely,
            Correction::Delayed => Family::LowerDelayed,
        };
        let columns = match self.columns {
            Columns::Swap => Variant::Swap,
            Columns::Gather => Variant::Gather,
        };
        let triangle = |family| {
            let width = Variant::of_width(self.nb).and_then(|width| Entry::find(family, width, kind));
            let entry = width.ok_or_else(|| {
                Error::Unsupported(format!(
                    "there are no inversion kernels with panels of {} columns: use 8, 14, 16, 20, 24 or 28",
                    self.nb
                ))
            })?;
            choice::fit(entry, &size, backend.shared_limit())
        };
        Ok([triangle(upper)?, triangle(lower)?, choice::only(Family::Columns, columns, kind)?])
    }

    /// Loads what [`Launcher::corrected`] needs.
    pub(crate) fn prepare(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<()> {
        for entry in self.entries(backend, kind, size)? {
            backend.prepare(entry, entry.shape(&size).shared_bytes)?;
        }
        Ok(())
    }

    /// The launches of a step in the order of the panels; `part` says what a panel needs.
    fn launches(self, n: u32, part: impl Fn(u32) -> u32) -> Vec<Launch> {
        let panels = n.div_ceil(self.nb);
        match self.allocation {
            Allocation::Static => vec![Launch { panels: (0, panels), part: n }],
            Allocation::Dynamic => (0..panels).map(|p| Launch { panels: (p, p + 1), part: part(p) }).collect(),
        }
    }
}

impl Launcher<'_> {
    /// A^-1 from factors. `work` has room for an n x n matrix each and is not the factors.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn corrected<T: Scalar>(
        &self,
        how: Corrected,
        factors: Factors<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        work: Matrices<T>,
        size: Problem,
    ) -> Result<()> {
        let [upper, lower, columns] = how.entries(self.backend, T::KIND, size)?;
        let Factors { lu, pivots, status: lu_status } = factors;
        let Problem { n, .. } = size;
        // Columns are swapped in place, so there the launcher work in the output.
        let w = if how.columns == Columns::Swap { inverse } else { work };

        let triangle = |entry: &'static Entry, Launch { panels: (panel, panel_end), part }| {
            let args = |first, end| TriangleArgs { lu, w, lu_status, status, first, end, n, panel, panel_end };
            // The delayed first step is about the part's rows only; the others about all rows.
            let threads = threads(if entry.family == Family::UpperDelayed { part } else { n });
            let shape = |batch| Shape { threads, ..entry.shape(&Problem { n: part, batch, rhs: 1 }) };
            // SAFETY: the caller's promise.
            unsafe { self.launch_as(entry, size.batch, shape, args) }
        };
        // Delayed, the first step needs the rows up to the panel's end; timely, the columns from its begin.
        let done = |p: u32| n.min((p + 1) * how.nb);
        let left = |p: u32| n - p * how.nb;
        for launch in how.launches(n, |p| if how.upper == Correction::Delayed { done(p) } else { left(p) }) {
            triangle(upper, launch)?;
        }
        // The second step goes from right to left, and needs the opposite.
        for launch in
            how.launches(n, |p| if how.lower == Correction::Delayed { left(p) } else { done(p) }).into_iter().rev()
        {
            triangle(lower, launch)?;
        }
        let args = |first, end| ColumnsArgs { x: w, inverse, pivots, status, first, end, n };
        // SAFETY: the caller's promise.
        unsafe { self.launch(columns, size, args) }
    }
}
