//! A^-1 from factors: two triangular steps, then the columns.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::operation::getrf::global::threads;
use kernels_gpu::papers::inverse::TriangleArgs;
use kernels_gpu::papers::inverse::columns::ColumnsArgs;
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use super::{Allocation, Columns, Correction, Published};
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::launch::{Launcher, matrices_at};
use crate::layout::Layout;

/// The options of [`Published::Corrected`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LuInverse {
    nb: u32,
    upper: Correction,
    lower: Correction,
    allocation: Allocation,
    columns: Columns,
}

/// A launch of a triangular step: its panels, and the rows or columns that it needs shared memory for.
struct Launch {
    panels: (u32, u32),
    part: u32,
}

impl Published {
    /// The inversion from factors, loaded; none where that is up to warplu's own kernels.
    pub(crate) fn lu_inverse(self, backend: &Backend, kind: ScalarKind, size: Problem) -> Result<Option<LuInverse>> {
        let Self::Corrected { nb, upper, lower, allocation, columns } = self else { return Ok(None) };
        let inverse = LuInverse { nb, upper, lower, allocation, columns };
        for entry in inverse.entries(backend, kind, size)? {
            backend.prepare(entry, entry.shape(&size).shared_bytes)?;
        }
        Ok(Some(inverse))
    }
}

impl LuInverse {
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
            let width =
                u8::try_from(self.nb).ok().and_then(|width| table::find(family, Variant::Panels { width }, kind));
            let entry = width.ok_or_else(|| {
                Error::Unsupported(format!(
                    "there are no inversion kernels with panels of {} columns: use 8, 14, 16, 20, 24 or 28",
                    self.nb
                ))
            })?;
            choice::fit(entry, &size, backend.limits())
        };
        Ok([triangle(upper)?, triangle(lower)?, choice::only(Family::Columns, columns, kind)?])
    }

    /// The launches of a step in the order of the panels; `part` says what a panel needs.
    fn launches(self, n: u32, part: impl Fn(u32) -> u32) -> Vec<Launch> {
        let panels = n.div_ceil(self.nb);
        match self.allocation {
            Allocation::Static => vec![Launch { panels: (0, panels), part: n }],
            Allocation::Dynamic => (0..panels).map(|p| Launch { panels: (p, p + 1), part: part(p) }).collect(),
        }
    }

    /// `work` has room for an n x n matrix each and is not the factors.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn enqueue<T: Scalar>(
        self,
        launcher: &Launcher<'_>,
        factors: Factors<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        work: Global<T>,
        size: Problem,
    ) -> Result<()> {
        let [upper, lower, columns] = self.entries(launcher.backend, T::KIND, size)?;
        let Factors { lu, pivots, status: lu_status } = factors;
        let Problem { n, .. } = size;
        let w = match self.columns {
            // In place, so the steps work in the output.
            Columns::Swap => inverse,
            Columns::Gather => matrices_at(work.address(), Layout::column_major(n as usize, n as usize)),
        };

        let triangle = |entry: &'static Entry, Launch { panels: (panel, panel_end), part }| {
            let args = |first, end| TriangleArgs { lu, w, lu_status, status, first, end, n, panel, panel_end };
            // The delayed first step is about the part's rows only; the others about all rows.
            let threads = threads(if entry.family == Family::UpperDelayed { part } else { n });
            let shape = |batch| Shape { threads, ..entry.shape(&Problem { n: part, batch, rhs: 1 }) };
            // SAFETY: the caller's promise.
            unsafe { launcher.launch_as(entry, size.batch, shape, args) }
        };
        // Delayed, the first step needs the rows up to the panel's end; timely, the columns from its begin.
        let done = |p: u32| n.min((p + 1) * self.nb);
        let left = |p: u32| n - p * self.nb;
        for launch in self.launches(n, |p| if self.upper == Correction::Delayed { done(p) } else { left(p) }) {
            triangle(upper, launch)?;
        }
        // The second step goes from right to left, and needs the opposite.
        for launch in
            self.launches(n, |p| if self.lower == Correction::Delayed { left(p) } else { done(p) }).into_iter().rev()
        {
            triangle(lower, launch)?;
        }
        let args = |first, end| ColumnsArgs { x: w, inverse, pivots, status, first, end, n };
        // SAFETY: the caller's promise.
        unsafe { launcher.launch(columns, size, args) }
    }
}
