//! Operations by many blocks a matrix: which kernels, and their launches in order.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::numbers::scalar::{Scalar, ScalarKind};
use kernels_gpu::schedule::multi_block::steps::{Division, Kernel, Lane, Mark, Part, Step};
use kernels_gpu::schedule::multi_block::{StepArgs, pack, panel, triangle, update};
use kernels_gpu::shape::{Problem, Shape};
use kernels_gpu::table;

use super::Launcher;
use crate::algorithm::Algorithm;
use crate::backend::{Backend, PanelQueue, Queue};
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
    pub(crate) division: Division,
    pack: &'static Entry,
    unpack: &'static Entry,
    triangle: &'static Entry,
    update: &'static Entry,
    status: &'static Entry,
    /// What an operation begins with.
    start: Start,
}

/// From what an operation starts.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// From matrices, with kernels for panels by [`LANE_ROWS`], where there are any.
    Matrices([Option<&'static Entry>; LANE_ROWS.len()]),
    /// From factors, with the kernel for their list of pivot rows.
    Factors(&'static Entry),
}

impl MultiBlock {
    /// The kernels, loaded, where the algorithm is warplu's own choice and matrices of this order are too large for one
    /// block; none also where the machine has no clusters or the order is too large for them.
    pub(crate) fn prepare(
        backend: &Backend,
        algorithm: Algorithm,
        kind: ScalarKind,
        n: u32,
        from_factors: bool,
    ) -> Result<Option<Self>> {
        let one = Problem { n, batch: 1, rhs: 1 };
        let fits_a_block = choice::find(Family::Getrf, kind, &one, backend.limits())
            .is_some_and(|entry| entry.variant != Variant::Global);
        if algorithm != Algorithm::Auto || fits_a_block {
            return Ok(None);
        }
        let find = |variant| {
            table::find(Family::Steps, variant, kind).filter(|entry| entry.tiers.contains(&backend.limits().tier))
        };
        let found = COLUMNS.iter().find_map(|&columns| {
            let panels = LANE_ROWS.map(|rows| find(Variant::Panel { rows, columns }));
            panels.iter().flatten().any(|entry| n <= entry.variant.largest_order()).then_some((columns, panels))
        });
        let Some((columns, panels)) = found else { return Ok(None) };
        let only = |variant| choice::only(Family::Steps, variant, kind);
        let kernels = Self {
            division: Division { n, panel: columns.into(), block: block(n) },
            pack: only(Variant::Pack)?,
            unpack: only(Variant::Unpack)?,
            triangle: only(Variant::Triangle)?,
            update: only(Variant::Update)?,
            status: only(Variant::Status)?,
            start: if from_factors { Start::Factors(only(Variant::PivotRows)?) } else { Start::Matrices(panels) },
        };
        for entry in kernels.entries() {
            let n = n.min(entry.variant.largest_order());
            backend.prepare(entry, entry.shape(&Problem { n, ..one }).shared_bytes)?;
        }
        Ok(Some(kernels))
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.entries().map(|entry| entry.name).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let (panels, pivot_rows) = match self.start {
            Start::Matrices(panels) => (panels, None),
            Start::Factors(entry) => ([None; LANE_ROWS.len()], Some(entry)),
        };
        let always = [self.pack, self.unpack, self.triangle, self.update, self.status];
        always.into_iter().chain(panels.into_iter().flatten()).chain(pivot_rows)
    }

    /// The kernel for panels of so many rows, and the blocks of a cluster: few rows a lane are faster, more leave room
    /// for the panels of other matrices.
    fn panel(&self, rows: u32, batch: u64) -> Result<(&'static Entry, u32)> {
        let panels = if let Start::Matrices(panels) = self.start { panels } else { [None; LANE_ROWS.len()] };
        let mut choices = LANE_ROWS.iter().zip(panels).filter_map(|(&lane_rows, entry)| {
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

/// Columns of a block of panels: more of them read and write the trailing matrix less often, fewer wait less for each
/// other.
fn block(n: u32) -> u32 {
    match n {
        ..8192 => 128,
        8192..16384 => 256,
        _ => 512,
    }
}

/// The launches of an operation, in a workspace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps<'a, T: Scalar> {
    pub(crate) launcher: &'a Launcher<'a>,
    pub(crate) kernels: &'a MultiBlock,
    /// What all launches have in common.
    pub(crate) args: StepArgs<T>,
    pub(crate) batch: u64,
}

impl<T: Scalar> Steps<'_, T> {
    /// Packs columns of the workspace from matrices, or unpacks them.
    ///
    /// # Safety
    /// As for [`Launcher::lu`]; so for the other functions.
    pub(crate) unsafe fn copy(&self, kernel: Kernel, part: Part, matrices: Matrices<T>) -> Result<()> {
        let args = StepArgs { matrices, ..self.args };
        // SAFETY: the caller's promise.
        unsafe { Self { args, ..*self }.launch(self.launcher.queue, kernel, part) }
    }

    /// Does steps that need no second queue.
    pub(crate) unsafe fn run(&self, steps: &[Step]) -> Result<()> {
        for step in steps {
            if let Step::Launch(_, kernel, part) = *step {
                // SAFETY: the caller's promise.
                unsafe { self.launch(self.launcher.queue, kernel, part)? };
            }
        }
        Ok(())
    }

    /// Does steps in two queues.
    pub(crate) unsafe fn run_beside(&self, steps: &[Step], panels: &mut PanelQueue) -> Result<()> {
        let PanelQueue { queue: beside, panels: blocks, update } = panels;
        let queue = |lane| if lane == Lane::Main { self.launcher.queue } else { &*beside };
        for step in steps {
            match *step {
                // SAFETY: the caller's promise.
                Step::Launch(lane, kernel, part) => unsafe { self.launch(queue(lane), kernel, part)? },
                Step::Set(lane, Mark::Block(parity)) => queue(lane).record(&mut blocks[parity as usize])?,
                Step::Set(lane, Mark::Update) => queue(lane).record(update)?,
                Step::Wait(lane, Mark::Block(parity)) => queue(lane).wait(&blocks[parity as usize])?,
                Step::Wait(lane, Mark::Update) => queue(lane).wait(update)?,
            }
        }
        Ok(())
    }

    /// The list of pivot rows, from the factors' pivots.
    pub(crate) unsafe fn pivot_rows(&self) -> Result<()> {
        let Start::Factors(entry) = self.kernels.start else { return Ok(()) };
        // SAFETY: the caller's promise.
        unsafe { self.by_block(entry, self.args) }
    }

    /// The status of the solutions in columns `begin..end_column`.
    pub(crate) unsafe fn status(&self, begin: u32, end_column: u32) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.by_block(self.kernels.status, StepArgs { begin, end_column, ..self.args }) }
    }

    unsafe fn by_block(&self, entry: &'static Entry, args: StepArgs<T>) -> Result<()> {
        let size = Problem { n: args.n, batch: self.batch, rhs: 1 };
        // SAFETY: the caller's promise.
        unsafe { self.launcher.launch(entry, size, |first, end| StepArgs { first, end, ..args }) }
    }

    unsafe fn launch(&self, queue: &Queue, kernel: Kernel, part: Part) -> Result<()> {
        let Part { column, width, begin, end_column, begin_row, end_row, list, next_list, flags } = part;
        let args =
            StepArgs { column, width, begin, end_column, begin_row, end_row, list, next_list, flags, ..self.args };
        let (n, columns, kernels) = (args.n, end_column.saturating_sub(begin), self.kernels);
        let (entry, blocks, cluster) = match kernel {
            Kernel::Pack => (kernels.pack, pack::tiles(n, columns), 1),
            Kernel::Unpack => (kernels.unpack, pack::tiles(n, columns), 1),
            Kernel::Triangle => (kernels.triangle, triangle::tiles(columns), 1),
            Kernel::Update => (kernels.update, update::tiles(end_row - begin_row, columns), 1),
            Kernel::Panel => {
                let (entry, blocks) = kernels.panel(end_row - begin_row, self.batch)?;
                (entry, u64::from(blocks), blocks)
            }
        };
        let one = entry.shape(&Problem { n: 1, batch: 1, rhs: 1 });
        let shape = |batch: u64| Shape { blocks: batch * blocks, cluster, ..one };
        let launcher = Launcher { backend: self.launcher.backend, queue };
        // SAFETY: the caller's promise.
        unsafe { launcher.launch_as(entry, self.batch, shape, |first, end| StepArgs { first, end, ..args }) }
    }
}
