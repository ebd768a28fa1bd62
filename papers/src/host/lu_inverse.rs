//! A^-1 from factors: two triangular steps, then the columns.

use kernels_gpu::entry::Entry;
use kernels_gpu::operation::getrf::global::threads;
use kernels_gpu::shape::Shape;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use warplu::extend::{Array, Machine, Space, Steps};
use warplu::{Error, Result};

use super::{Allocation, Columns, Correction, load};
use crate::kernels::inverse::TriangleArgs;
use crate::kernels::inverse::columns::ColumnsArgs;
use crate::kernels::table;

/// The options of [`Published::Corrected`](super::Published::Corrected).
#[derive(Clone, Copy, Debug)]
pub(super) struct LuInverse {
    pub(super) nb: u32,
    pub(super) upper: Correction,
    pub(super) lower: Correction,
    pub(super) allocation: Allocation,
    pub(super) columns: Columns,
}

/// A launch of a triangular step: its panels, and the rows or columns that it needs shared memory for.
struct Launch {
    panels: (u32, u32),
    part: u32,
}

impl LuInverse {
    /// The kernel of a triangular step, loaded.
    fn triangle(self, machine: &Machine<'_>, name: &str, kind: ScalarKind, size: &Problem) -> Result<&'static Entry> {
        let entry = table::named(&format!("{name}_nb{}", self.nb), kind).ok_or_else(|| {
            Error::Unsupported(format!(
                "there are no inversion kernels with panels of {} columns: use 8, 14, 16, 20, 24 or 28",
                self.nb
            ))
        })?;
        machine.fit(entry, size)?;
        machine.load(entry, size.n, entry.shape(size).shared_bytes)?;
        Ok(entry)
    }

    /// The launches of a step in the order of the panels; `part` says what a panel needs.
    fn launches(self, n: u32, part: impl Fn(u32) -> u32) -> Vec<Launch> {
        let panels = n.div_ceil(self.nb);
        match self.allocation {
            Allocation::Static => vec![Launch { panels: (0, panels), part: n }],
            Allocation::Dynamic => (0..panels).map(|p| Launch { panels: (p, p + 1), part: part(p) }).collect(),
        }
    }

    /// A^-1 from factors.
    pub(super) fn steps<T: Scalar>(self, machine: &Machine<'_>, size: Problem, space: &mut Space) -> Result<Steps> {
        let n = size.n;
        let [upper, lower] = [("upper", self.upper), ("lower", self.lower)].map(|(triangle, when)| match when {
            Correction::Timely => format!("{triangle}_timely"),
            Correction::Delayed => format!("{triangle}_delayed"),
        });
        let upper = self.triangle(machine, &upper, T::KIND, &size)?;
        let lower = self.triangle(machine, &lower, T::KIND, &size)?;
        let (columns, work): (_, Option<Array<T>>) = match self.columns {
            // In place, so the steps work in the output.
            Columns::Swap => ("columns_swap", None),
            Columns::Gather => ("columns_gather", Some(space.array(&[n as usize, n as usize])?)),
        };
        let columns = load(machine, columns, T::KIND, &size)?;
        Ok(Steps::new(move |job| {
            let (lu, pivots, lu_status) = (job.matrices::<T>(0), job.values(1), job.values(2));
            let (inverse, status) = (job.matrices::<T>(3), job.values(4));
            let w = work.map_or(inverse, |work| job.square(work, n, false));
            let triangle = |entry: &'static Entry, Launch { panels: (panel, panel_end), part }, rows| {
                let args = |first, end| TriangleArgs { lu, w, lu_status, status, first, end, n, panel, panel_end };
                let threads = threads(rows);
                let shape = |batch| Shape { threads, ..entry.shape(&Problem { n: part, batch, rhs: 1 }) };
                // SAFETY: the operands and the memory to work in are of this size.
                unsafe { job.launch_as(entry, shape, args) }
            };
            // Delayed, the first step needs the rows up to the panel's end; timely, the columns from its begin.
            let done = |p: u32| n.min((p + 1) * self.nb);
            let left = |p: u32| n - p * self.nb;
            let is_delayed = self.upper == Correction::Delayed;
            for launch in self.launches(n, |p| if is_delayed { done(p) } else { left(p) }) {
                // Delayed, it is about the part's rows only; the other and the second step are about all rows.
                let rows = if is_delayed { launch.part } else { n };
                triangle(upper, launch, rows)?;
            }
            // The second step goes from right to left, and needs the opposite.
            let launches = self.launches(n, |p| if self.lower == Correction::Delayed { left(p) } else { done(p) });
            for launch in launches.into_iter().rev() {
                triangle(lower, launch, n)?;
            }
            let args = |first, end| ColumnsArgs { x: w, inverse, pivots, status, first, end, n };
            // SAFETY: the same.
            unsafe { job.launch(columns, size, args) }
        }))
    }
}
