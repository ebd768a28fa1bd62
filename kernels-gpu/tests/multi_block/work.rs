//! A workspace in the emulator, and the launches in it.

use kernels_gpu::collective::mma::Mma;
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::schedule::multi_block::args::{row_words, work_columns};
use kernels_gpu::schedule::multi_block::slab::division::Slabs;
use kernels_gpu::schedule::multi_block::steps::{Division, FACTORS, Kernel, Part, Step, copy, copy_definite};
use kernels_gpu::schedule::multi_block::{StepArgs, column, pack, panel, triangle, update};
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::cpu::{Buffer, Memory};

use crate::common::batch::{Batch, array, launch_as, words};

fn entry<T: Scalar>(variant: Variant) -> &'static Entry {
    table::find(Family::Steps, variant, T::KIND).unwrap()
}

/// Factors, pivots and statuses.
pub(crate) type Factors<T> = (Vec<Vec<T>>, Vec<u32>, Vec<i32>);

/// Blocks of a cluster at least, of a machine that has clusters, in the first two panels; and columns of a block of panels.
pub(crate) type How = (u32, u32);

/// Of a machine without clusters, and with little shared memory.
pub(crate) const NO_CLUSTERS: u32 = 0;

/// Columns of a triangle and of a stage of an update, of the kernels with most shared memory and with least.
fn sizes<T: Scalar>() -> [(u8, u8); 2] {
    match T::KIND {
        ScalarKind::F32 => [(128, 32), (128, 32)],
        ScalarKind::F64 => [(128, 16), (64, 16)],
        ScalarKind::C32 => [(128, 32), (64, 16)],
        ScalarKind::C64 => [(128, 16), (32, 8)],
    }
}

/// A workspace for matrices, and the launches in it. Panels have `NB` columns, of which a lane has `ROWS` rows, if it is
/// clusters that factor them.
pub(crate) struct Work<T: Mma, const NB: usize, const ROWS: usize> {
    pub(crate) memory: Memory,
    pub(crate) args: StepArgs<T>,
    pub(crate) division: Division,
    /// Blocks of a cluster at least, or [`NO_CLUSTERS`].
    pub(crate) blocks: u32,
    /// Columns of a stage of an update.
    depth: u8,
    /// Whether tiles of updates are small, by columns of triangles of even and of odd number.
    pub(crate) small_tiles: [bool; 2],
    /// Whether the matrices are positive definite.
    is_definite: bool,
    /// Tiles beside a block on the diagonal at most that are solved for by what factors it.
    pub(crate) together: u64,
    pub(crate) pivots: Buffer,
    pub(crate) status: Buffer,
    _work: [Buffer; 2],
}

impl<T: Mma, const NB: usize, const ROWS: usize> Work<T, NB, ROWS> {
    pub(crate) fn new(n: usize, rhs: usize, batch: usize, (blocks, block): How) -> Self {
        let memory = Memory::new();
        let (pivots, status) = (memory.allocate(4 * n * batch), memory.allocate(4 * batch));
        let columns = work_columns(n as u32, rhs as u32);
        let work = memory.allocate(batch * n * columns as usize * size_of::<T>());
        let rows = memory.allocate(4 * row_words::<T>(n as u32) as usize * batch);
        let args = StepArgs {
            matrices: Batch::new::<T>(&memory, 1, 1, 1, 0).matrices(),
            pivots: array(&pivots),
            status: array(&status),
            final_status: array(&status),
            work: array(&work),
            rows: array(&rows),
            first: 0,
            end: batch as u64,
            n: n as u32,
            work_columns: columns,
            column: 0,
            width: 0,
            begin: 0,
            end_column: 0,
            begin_row: 0,
            end_row: 0,
            list: 0,
            next_list: 0,
            flags: 0,
        };
        let [most, least] = sizes::<T>();
        let (triangle, depth) = if blocks == NO_CLUSTERS { least } else { most };
        let division = Division {
            n: n as u32,
            panel: NB as u32,
            cluster_rows: if blocks == NO_CLUSTERS { 0 } else { u32::MAX },
            block,
            triangle: triangle.into(),
            slabs: Slabs::NONE,
        };
        Self {
            memory,
            args,
            division,
            blocks,
            depth,
            small_tiles: [true, false],
            is_definite: false,
            together: 0,
            pivots,
            status,
            _work: [work, rows],
        }
    }

    fn launch(&self, variant: Variant, shape: Shape, args: StepArgs<T>) {
        let seed = u64::from(args.n + args.column);
        launch_as(&self.memory, entry::<T>(variant), shape, (args.n, seed), args);
    }

    pub(crate) fn factor(&self, a: &[Vec<T>], (from, to): (&Batch, &Batch)) -> Factors<T> {
        from.write(a);
        self.step(Kernel::Pack, copy(0, self.args.n, 0), Some(from.matrices()));
        self.steps(&self.division.factor(self.args.work_columns));
        self.step(Kernel::Unpack, copy(0, self.args.n, FACTORS), Some(to.matrices()));
        (to.read(), words(&self.pivots), self.statuses())
    }

    /// Cholesky factors, from lower triangles.
    pub(crate) fn cholesky(mut self, a: &[Vec<T>], (from, to): (&Batch, &Batch)) -> (Vec<Vec<T>>, Vec<i32>) {
        self.is_definite = true;
        from.write(a);
        let lower = from.matrices();
        let upper = Matrices { row_stride: lower.col_stride, col_stride: lower.row_stride, ..lower };
        self.step(Kernel::Pack, copy_definite(self.args.n), Some(upper));
        self.steps(&self.division.cholesky(self.together));
        let unpack = Part { width: self.division.triangle, ..copy(0, self.args.n, 0) };
        self.step(Kernel::Unpack, unpack, Some(to.matrices()));
        (to.read(), self.statuses())
    }

    fn batch(&self) -> u64 {
        self.args.end
    }

    pub(crate) fn step(&self, kernel: Kernel, part: Part, matrices: Option<Matrices<T>>) {
        let Part { column, width, begin, end_column, begin_row, end_row, list, next_list, flags } = part;
        let matrices = matrices.unwrap_or(self.args.matrices);
        let part = StepArgs {
            matrices,
            column,
            width,
            begin,
            end_column,
            begin_row,
            end_row,
            list,
            next_list,
            flags,
            ..self.args
        };
        let (n, columns, batch) = (self.args.n, end_column.saturating_sub(begin), self.batch());
        let (variant, shape) = match kernel {
            Kernel::Pack => (Variant::Pack, pack::shape::<T>(n, columns, batch)),
            Kernel::Unpack => {
                let variant = if self.is_definite { Variant::UnpackDefinite } else { Variant::Unpack };
                (variant, pack::shape::<T>(n, columns, batch))
            }
            Kernel::Triangle => {
                let variant = Variant::Triangle { columns: self.division.triangle as u8 };
                (variant, Shape { blocks: batch * triangle::tiles(columns), ..self.one(variant) })
            }
            Kernel::Update => {
                let is_small = self.small_tiles[(column / self.division.triangle % 2) as usize];
                let depth = if is_small { if T::KIND == ScalarKind::F32 { 32 } else { 16 } } else { self.depth };
                let variant = match (self.is_definite, is_small) {
                    (true, true) => Variant::SmallDefiniteUpdate { depth },
                    (true, false) => Variant::DefiniteUpdate { depth },
                    (false, true) => Variant::SmallTrailingUpdate { depth },
                    (false, false) => Variant::TrailingUpdate { depth },
                };
                let tiles = if is_small { update::tiles::<1, 2> } else { update::tiles::<2, 4> };
                (variant, Shape { blocks: batch * tiles(end_row - begin_row, columns), ..self.one(variant) })
            }
            Kernel::Diagonal => {
                let problem = Problem { n: width, batch, rhs: columns };
                (Variant::Diagonal, entry::<T>(Variant::Diagonal).shape(&problem))
            }
            Kernel::Column => (Variant::Column, column::shape::<T>(end_row - begin_row, batch)),
            Kernel::Slab => {
                let (rows, one) = self.division.slabs.launch(end_row - begin_row, end_column - column).unwrap();
                let columns = if T::KIND == ScalarKind::C64 { 16 } else { 32 };
                (Variant::Slab { rows: rows as u8, columns }, Shape { blocks: batch * one.blocks, ..one })
            }
            Kernel::Panel => {
                // The second panel has one before it; more of them by many blocks would take the emulator long.
                let least = if column < 2 * NB as u32 { self.blocks } else { self.blocks.min(2) };
                let blocks = panel::blocks(n - column, ROWS as u32).max(least);
                let variant = Variant::Panel { rows: ROWS as u8, columns: NB as u8 };
                (variant, panel::shape::<T, NB, ROWS>(blocks, batch))
            }
        };
        self.launch(variant, shape, part);
    }

    /// The launch of a kernel for one matrix.
    fn one(&self, variant: Variant) -> Shape {
        entry::<T>(variant).shape(&Problem { n: self.args.n, batch: 1, rhs: 1 })
    }

    pub(crate) fn steps(&self, steps: &[Step]) {
        for step in steps {
            if let Step::Launch(_, kernel, part) = *step {
                self.step(kernel, part, None);
            }
        }
    }

    pub(crate) fn by_block(&self, variant: Variant, part: Part) {
        let Part { begin, end_column, flags, .. } = part;
        let one = self.one(variant);
        let shape = Shape { blocks: self.batch() * one.blocks, ..one };
        self.launch(variant, shape, StepArgs { begin, end_column, flags, ..self.args });
    }

    /// U^-1 of a few columns, by clusters of two blocks.
    pub(crate) fn solve_upper(&self, begin: u32, rhs: u32) {
        let one = entry::<T>(Variant::SolveUpper).shape(&Problem { n: self.args.n, batch: self.batch(), rhs });
        let shape = Shape { blocks: 2 * self.batch() * u64::from(rhs), cluster: 2, ..one };
        self.launch(Variant::SolveUpper, shape, StepArgs { begin, end_column: begin + rhs, ..self.args });
    }

    pub(crate) fn statuses(&self) -> Vec<i32> {
        words(&self.status).iter().map(|&s| s as i32).collect()
    }
}
