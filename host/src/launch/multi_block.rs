//! Operations by many blocks a matrix: which kernels, and their launches in order.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::schedule::multi_block::steps::{Division, Kernel, Lane, Mark, Part, Step};
use kernels_gpu::schedule::multi_block::{StepArgs, pack, triangle, update};
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};

use super::Launcher;
use super::orders::{block, is_for_many_blocks};
use super::panels::{MANY_BLOCKS, Panels};
use crate::algorithm::Algorithm;
use crate::backend::{Backend, PanelQueue, Queue};
use crate::choice::Limits;
use crate::error::{Error, Result};

/// The columns of a triangle, the most first: fewer take less shared memory.
const TRIANGLES: [u8; 3] = [128, 64, 32];
/// The columns of L of a stage of an update, likewise.
const DEPTHS: [u8; 3] = [32, 16, 8];
/// Tiles of an update up to which small ones are done sooner: about half of what a GPU has multiprocessors.
const FEW_TILES: u64 = MANY_BLOCKS / 2;

/// The kernels for an order and a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MultiBlock {
    pub(crate) division: Division,
    pack: &'static Entry,
    unpack: &'static Entry,
    triangle: &'static Entry,
    update: &'static Entry,
    small_update: &'static Entry,
    status: &'static Entry,
    /// Tiles beside a block on the diagonal of a definite matrix at most for which each factors that block anew. Other
    /// bits come of it, so it does not depend on how many matrices there are.
    pub(crate) together: u64,
    /// What an operation begins with.
    start: Start,
}

/// From what an operation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Matrices, to be factored with interchanges.
    Matrices,
    /// Positive definite ones, to be factored without.
    Definite,
    /// Factors with interchanges.
    Factors,
}

/// The kernels for it.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// Those for panels.
    Matrices(Panels),
    /// That for blocks on the diagonal.
    Definite(&'static Entry),
    /// That for the list of pivot rows.
    Factors(&'static Entry),
}

impl MultiBlock {
    /// The kernels, loaded, where the algorithm is warplu's own choice and matrices of this order are too large for one
    /// block, or few of them are done sooner so; none also where the machine has no matrix instructions.
    ///
    /// Panels are for clusters where the machine has them, up to the rows that these have lanes for.
    pub(crate) fn prepare(
        backend: &Backend,
        algorithm: Algorithm,
        kind: ScalarKind,
        size: Problem,
        given: Given,
    ) -> Result<Option<Self>> {
        let n = size.n;
        if !algorithm.chooses() || !is_for_many_blocks(backend, algorithm, kind, size, given) {
            return Ok(None);
        }
        let Some(kernels) = Self::find(backend.limits(), kind, n, given) else {
            return Ok(None);
        };
        for entry in kernels.entries() {
            let is_slab = matches!(entry.variant, Variant::Slab { .. }); // which is as wide as there is memory
            let bytes =
                if is_slab { backend.limits().shared_bytes } else { shared_bytes(entry, kernels.order_of(entry)) };
            backend.prepare(entry, bytes)?;
        }
        // As many as have a multiprocessor each, of one matrix.
        let together = if algorithm == Algorithm::Latency { MANY_BLOCKS } else { 0 };
        Ok(Some(Self { together, ..kernels }))
    }

    /// Those that a machine has.
    fn find(limits: Limits, kind: ScalarKind, n: u32, given: Given) -> Option<Self> {
        let find_for = |variant, n| {
            let found = table::find(Family::Steps, variant, kind);
            found.filter(|entry| limits.has(entry) && shared_bytes(entry, n) <= limits.shared_bytes)
        };
        let find = |variant| find_for(variant, n);
        let is_definite = given == Given::Definite;
        // Blocks on the diagonal are as large as triangles.
        let diagonal = |columns: u8| find_for(Variant::Diagonal, columns.into());
        let (triangle_columns, triangle) = TRIANGLES.iter().find_map(|&columns| {
            let found = find(Variant::Triangle { columns })?;
            (!is_definite || diagonal(columns).is_some()).then_some((columns, found))
        })?;
        let panels = Panels::find(n, find)?;
        let update = |depth| {
            if is_definite { Variant::DefiniteUpdate { depth } } else { Variant::TrailingUpdate { depth } }
        };
        let small_update = |depth| {
            if is_definite { Variant::SmallDefiniteUpdate { depth } } else { Variant::SmallTrailingUpdate { depth } }
        };
        Some(Self {
            division: Division {
                n,
                panel: panels.columns(),
                cluster_rows: panels.cluster_rows(),
                block: block(n),
                triangle: triangle_columns.into(),
                slabs: panels.slabs(kind, limits.shared_bytes),
            },
            pack: find(Variant::Pack)?,
            unpack: find(if is_definite { Variant::UnpackDefinite } else { Variant::Unpack })?,
            triangle,
            update: DEPTHS.iter().find_map(|&depth| find(update(depth)))?,
            small_update: DEPTHS.iter().find_map(|&depth| find(small_update(depth)))?,
            status: find(Variant::Status)?,
            together: 0,
            start: match given {
                Given::Matrices => Start::Matrices(panels),
                Given::Definite => Start::Definite(diagonal(triangle_columns)?),
                Given::Factors => Start::Factors(find(Variant::PivotRows)?),
            },
        })
    }

    /// The largest order that a kernel is launched for: of blocks on the diagonal, that of a triangle.
    fn order_of(&self, entry: &Entry) -> u32 {
        if entry.variant == Variant::Diagonal { self.division.triangle } else { self.division.n }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.entries().map(|entry| entry.name).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let (panels, other) = match self.start {
            Start::Matrices(panels) => (Some(panels), None),
            Start::Definite(entry) | Start::Factors(entry) => (None, Some(entry)),
        };
        let always = [self.pack, self.unpack, self.triangle, self.update, self.small_update, self.status];
        always.into_iter().chain(panels.into_iter().flat_map(|panels| panels.entries())).chain(other)
    }

    /// What factors panels.
    fn panels(&self) -> Result<&Panels> {
        match &self.start {
            Start::Matrices(panels) => Ok(panels),
            _ => Err(Error::Unsupported("there are no panels to factor".to_owned())),
        }
    }

    /// What factors blocks of `width` columns on the diagonal, and its launch for a matrix, with `beside` columns.
    fn diagonal(&self, width: u32, beside: u32) -> Result<(&'static Entry, Shape)> {
        match self.start {
            Start::Definite(entry) => Ok((entry, entry.shape(&Problem { n: width, batch: 1, rhs: beside }))),
            _ => Err(Error::Unsupported("only definite matrices have blocks on the diagonal to factor".to_owned())),
        }
    }
}

/// Shared memory of a kernel's launch for order `n`, or for the largest that it takes: slabs need that at least.
fn shared_bytes(entry: &Entry, n: u32) -> u32 {
    entry.shape(&Problem { n: n.min(entry.variant.largest_order()), batch: 1, rhs: 1 }).shared_bytes
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

    /// U^-1 of the columns `begin..end_column`, in the workspace: by clusters, if there is a kernel for as many.
    pub(crate) unsafe fn solve_upper(&self, upper: Option<&'static Entry>, begin: u32, rhs: u32) -> Result<()> {
        let Some(entry) = upper else {
            let steps = self.kernels.division.solve_upper(begin, self.args.work_columns, 0);
            // SAFETY: the caller's promise.
            return unsafe { self.run(&steps) };
        };
        let args = StepArgs { begin, end_column: begin + rhs, ..self.args };
        let size = Problem { n: args.n, batch: self.batch, rhs };
        // SAFETY: as above.
        unsafe { self.launcher.launch(entry, size, |first, end| StepArgs { first, end, ..args }) }
    }

    /// The list of pivot rows, from the factors' pivots.
    pub(crate) unsafe fn pivot_rows(&self) -> Result<()> {
        let Start::Factors(entry) = self.kernels.start else { return Ok(()) };
        // SAFETY: the caller's promise.
        unsafe { self.by_block(entry, self.args) }
    }

    /// The status of what is to be copied from the workspace.
    pub(crate) unsafe fn status(&self, part: Part) -> Result<()> {
        let Part { begin, end_column, flags, .. } = part;
        // SAFETY: the caller's promise.
        unsafe { self.by_block(self.kernels.status, StepArgs { begin, end_column, flags, ..self.args }) }
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
        let grid = |entry: &'static Entry, blocks: u64, cluster: u32| {
            let one = entry.shape(&Problem { n: 1, batch: 1, rhs: 1 });
            (entry, Shape { blocks, cluster, ..one })
        };
        let (entry, one) = match kernel {
            Kernel::Pack => grid(kernels.pack, pack::tiles(n, columns), 1),
            Kernel::Unpack => grid(kernels.unpack, pack::tiles(n, columns), 1),
            Kernel::Triangle => grid(kernels.triangle, triangle::tiles(columns), 1),
            Kernel::Update => {
                let rows = end_row - begin_row;
                let tiles = update::tiles::<2, 4>(rows, columns);
                if self.batch.saturating_mul(tiles) <= FEW_TILES {
                    grid(kernels.small_update, update::tiles::<1, 2>(rows, columns), 1)
                } else {
                    grid(kernels.update, tiles, 1)
                }
            }
            Kernel::Slab => {
                let (rows, columns) = (end_row - begin_row, end_column - column);
                kernels.panels()?.slab(&kernels.division.slabs, (rows, columns), self.batch)?
            }
            Kernel::Diagonal => kernels.diagonal(width, columns)?,
            Kernel::Column => kernels.panels()?.column(end_row - begin_row)?,
            Kernel::Panel => {
                let (entry, blocks) = kernels.panels()?.panel(end_row - begin_row, self.batch)?;
                grid(entry, u64::from(blocks), blocks)
            }
        };
        let shape = |batch: u64| Shape { blocks: batch * one.blocks, ..one };
        let launcher = Launcher { backend: self.launcher.backend, queue };
        // SAFETY: the caller's promise.
        unsafe { launcher.launch_as(entry, self.batch, shape, |first, end| StepArgs { first, end, ..args }) }
    }
}

#[cfg(test)]
mod tests;
