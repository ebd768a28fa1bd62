//! LU by many blocks a matrix: which kernels, and their launches in order.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::numbers::scalar::{Scalar, ScalarKind};
use kernels_gpu::schedule::multi_block::steps::{Step, steps};
use kernels_gpu::schedule::multi_block::{StepArgs, pack, panel, update};
use kernels_gpu::shape::{Problem, Shape};
use kernels_gpu::table;
use simt::global::Global;

use super::{Factors, Launcher};
use crate::algorithm::Algorithm;
use crate::backend::{Backend, PanelQueue};
use crate::choice;
use crate::error::{Error, Result};

/// The columns of a panel, the widest first.
const COLUMNS: [u8; 3] = [32, 16, 8];
/// The rows that a lane may hold of a panel.
const LANE_ROWS: [u8; 4] = [1, 2, 4, 8];
/// Blocks that factor panels at the same time at most, if it can be helped: about what a GPU has multiprocessors.
const MANY_BLOCKS: u64 = 128;

/// The kernels for an order and a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MultiBlock {
    columns: u8,
    pack: &'static Entry,
    /// By [`LANE_ROWS`], where there are any.
    panels: [Option<&'static Entry>; LANE_ROWS.len()],
    update: &'static Entry,
    unpack: &'static Entry,
}

impl MultiBlock {
    /// The kernels, loaded, where the algorithm is warplu's own choice and matrices of this order are too large for one block;
    /// none also where the machine has no clusters or the order is too large for them.
    pub(crate) fn prepare(
        backend: &Backend,
        algorithm: Algorithm,
        kind: ScalarKind,
        size: Problem,
    ) -> Result<Option<Self>> {
        let n = size.n;
        let fits_a_block = choice::find(Family::Getrf, kind, &size, backend.limits())
            .is_some_and(|entry| entry.variant != Variant::Global);
        if algorithm != Algorithm::Auto || fits_a_block {
            return Ok(None);
        }
        let find = |variant| {
            table::find(Family::GetrfSteps, variant, kind).filter(|entry| entry.tiers.contains(&backend.limits().tier))
        };
        let found = COLUMNS.iter().find_map(|&columns| {
            let panels = LANE_ROWS.map(|rows| find(Variant::Panel { rows, columns }));
            panels.iter().flatten().any(|entry| n <= entry.variant.largest_order()).then_some((columns, panels))
        });
        let Some((columns, panels)) = found else { return Ok(None) };
        let only = |variant| choice::only(Family::GetrfSteps, variant, kind);
        let kernels = Self {
            columns,
            pack: only(Variant::Pack)?,
            panels,
            update: only(Variant::Update { columns })?,
            unpack: only(Variant::Unpack { columns })?,
        };
        for entry in kernels.entries() {
            let size = Problem { n: n.min(entry.variant.largest_order()), batch: 1, rhs: 1 };
            backend.prepare(entry, entry.shape(&size).shared_bytes)?;
        }
        Ok(Some(kernels))
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.entries().map(|entry| entry.name).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        [self.pack].into_iter().chain(self.panels.into_iter().flatten()).chain([self.update, self.unpack])
    }

    /// The kernel for panels of so many rows, and the blocks of a cluster: few rows a lane are faster, more leave room for
    /// the panels of other matrices.
    fn panel(&self, rows: u32, batch: u64) -> Result<(&'static Entry, u32)> {
        let mut choices = LANE_ROWS.iter().zip(self.panels).filter_map(|(&lane_rows, entry)| {
            let blocks = panel::blocks(rows, lane_rows.into());
            entry.filter(|_| blocks <= panel::MAX_BLOCKS).map(|entry| (entry, blocks))
        });
        let leaves_room = |&(_, blocks): &(_, u32)| batch * u64::from(blocks) <= MANY_BLOCKS;
        choices
            .clone()
            .find(leaves_room)
            .or_else(|| choices.next_back())
            .ok_or_else(|| Error::Unsupported(format!("no cluster has lanes for panels of {rows} rows")))
    }
}

impl Launcher<'_> {
    /// PA = LU by many blocks a matrix; `a` may be `factors.lu`.
    ///
    /// # Safety
    /// As for [`Self::lu`]. `work` is of shape (batch, n, n rounded up to whole blocks of columns), `rows` (batch, 3, n).
    pub(crate) unsafe fn factor_by_blocks<T: Scalar>(
        &self,
        kernels: &MultiBlock,
        panels: &mut PanelQueue,
        a: Matrices<T>,
        factors: Factors<T>,
        (work, rows): (Global<T>, Global<u32>),
        size: Problem,
    ) -> Result<()> {
        let (n, nb) = (size.n, u32::from(kernels.columns));
        let Factors { lu, pivots, status } = factors;
        let all =
            StepArgs { a, lu, pivots, status, work, rows, first: 0, end: 0, n, column: 0, begin: 0, columns_end: 0 };
        let PanelQueue { queue, panels: after_panel, update: after_update } = panels;
        let beside = Launcher { backend: self.backend, queue };
        for step in steps(n, nb) {
            // SAFETY: the caller's promise.
            unsafe {
                match step {
                    Step::Pack => {
                        self.step(kernels.pack, size, |batch| pack::shape::<T>(n, batch), all)?;
                        self.queue.record(after_update)?;
                    }
                    Step::Panel { column } => {
                        let (entry, blocks) = kernels.panel(n - column, size.batch)?;
                        let shape = |batch| Shape {
                            blocks: batch * u64::from(blocks),
                            cluster: blocks,
                            ..entry.shape(&Problem { n: 1, batch, rhs: 1 })
                        };
                        queue.wait(after_update)?;
                        beside.step(entry, size, shape, StepArgs { column, ..all })?;
                        queue.record(&mut after_panel[(column / nb % 2) as usize])?;
                    }
                    Step::Update { column, begin } => {
                        let shape = |batch| {
                            let blocks = batch * update::tiles(n - column - nb, n - begin);
                            Shape { blocks, ..kernels.update.shape(&Problem { n: 1, batch, rhs: 1 }) }
                        };
                        self.queue.wait(&after_panel[(column / nb % 2) as usize])?;
                        self.step(kernels.update, size, shape, StepArgs { column, begin, columns_end: n, ..all })?;
                        self.queue.record(after_update)?;
                    }
                    Step::Unpack => {
                        self.queue.wait(&after_panel[((n - 1) / nb % 2) as usize])?;
                        self.step(kernels.unpack, size, |batch| pack::shape::<T>(n, batch), all)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Self::lu`].
    unsafe fn step<T: Scalar>(
        &self,
        entry: &'static Entry,
        size: Problem,
        shape: impl Fn(u64) -> Shape,
        args: StepArgs<T>,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_as(entry, size.batch, shape, |first, end| StepArgs { first, end, ..args }) }
    }
}
