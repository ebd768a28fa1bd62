//! A workspace in the emulator, and the operations that the host does in one.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::numbers::mma::Mma;
use kernels_gpu::numbers::scalar::{Scalar, ScalarKind};
use kernels_gpu::operation::getrs::cluster_per_rhs::MAX_RHS;
use kernels_gpu::schedule::multi_block::args::{
    CONJUGATED, NAN_WHERE_FAILED, ROWS_BY_PIVOT, UNIT_DIAGONAL, UNIT_MATRIX, row_words, work_columns,
};
use kernels_gpu::schedule::multi_block::slab::division::Slabs;
use kernels_gpu::schedule::multi_block::steps::{Division, FACTORS, INVERSES, Kernel, Part, SOLUTIONS, Step, copy};
use kernels_gpu::schedule::multi_block::{StepArgs, column, pack, panel, triangle, update};
use kernels_gpu::shape::{Problem, Shape};
use kernels_gpu::table;
use simt::cpu::{Buffer, Launch, Memory, run};

use crate::common::batch::{Batch, LAYOUTS, array, words};

fn entry<T: Scalar>(variant: Variant) -> &'static Entry {
    table::find(Family::Steps, variant, T::KIND).unwrap()
}

/// Blocks of a cluster at least, of a machine that has clusters; and columns of a block of panels.
pub(crate) type How = (u32, u32);

/// Of a machine without clusters, and with little shared memory.
pub(crate) const NO_CLUSTERS: u32 = 0;

/// Columns of a triangle and of a stage of an update, of the kernels with most shared memory and with least.
fn sizes<T: Scalar>() -> [(u8, u8); 2] {
    match T::KIND {
        ScalarKind::F32 => [(128, 32), (128, 32)],
        ScalarKind::F64 | ScalarKind::C32 => [(128, 32), (64, 16)],
        ScalarKind::C64 => [(128, 16), (32, 8)],
    }
}

/// A workspace for matrices, and the launches in it. Panels have `NB` columns, of which a lane has `ROWS` rows, if it is
/// clusters that factor them.
pub(crate) struct Work<T: Mma, const NB: usize, const ROWS: usize> {
    memory: Memory,
    args: StepArgs<T>,
    division: Division,
    /// Blocks of a cluster at least, or [`NO_CLUSTERS`].
    blocks: u32,
    /// Columns of a stage of an update.
    depth: u8,
    pivots: Buffer,
    status: Buffer,
    _work: [Buffer; 2],
}

impl<T: Mma, const NB: usize, const ROWS: usize> Work<T, NB, ROWS> {
    fn new(n: usize, rhs: usize, batch: usize, (blocks, block): How) -> Self {
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
        Self { memory, args, division, blocks, depth, pivots, status, _work: [work, rows] }
    }

    fn launch(&self, variant: Variant, shape: Shape, args: StepArgs<T>) {
        let entry = entry::<T>(variant);
        let launch = Launch {
            kernel: entry.name,
            grid: shape.blocks as u32,
            cluster: shape.cluster,
            block: shape.threads,
            shared_bytes: shape.shared_bytes,
            seed: u64::from(args.n + args.column),
        };
        // SAFETY: the arguments are this kernel's; the buffers are of the order's size.
        run(&self.memory, &launch, || unsafe { entry.run(&args) })
            .unwrap_or_else(|fault| panic!("n = {}: {fault}", args.n));
    }

    fn factor(&self, a: &[Vec<T>], (from, to): (&Batch, &Batch)) -> Factors<T> {
        from.write(a);
        self.step(Kernel::Pack, copy(0, self.args.n, 0), Some(from.matrices()));
        self.steps(&self.division.factor(self.args.work_columns));
        self.step(Kernel::Unpack, copy(0, self.args.n, FACTORS), Some(to.matrices()));
        (to.read(), words(&self.pivots), self.statuses())
    }

    fn batch(&self) -> u64 {
        self.args.end
    }

    fn step(&self, kernel: Kernel, part: Part, matrices: Option<Matrices<T>>) {
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
            Kernel::Unpack => (Variant::Unpack, pack::shape::<T>(n, columns, batch)),
            Kernel::Triangle => {
                let variant = Variant::Triangle { columns: self.division.triangle as u8 };
                (variant, Shape { blocks: batch * triangle::tiles(columns), ..self.one(variant) })
            }
            Kernel::Update => {
                let variant = Variant::TrailingUpdate { depth: self.depth };
                let tiles = update::tiles(end_row - begin_row, columns);
                (variant, Shape { blocks: batch * tiles, ..self.one(variant) })
            }
            Kernel::Column => (Variant::Column, column::shape::<T>(end_row - begin_row, batch)),
            Kernel::Slab => {
                let (rows, one) = self.division.slabs.launch(end_row - begin_row, end_column - column).unwrap();
                let columns = if T::KIND == ScalarKind::C64 { 16 } else { 32 };
                (Variant::Slab { rows: rows as u8, columns }, Shape { blocks: batch * one.blocks, ..one })
            }
            Kernel::Panel => {
                let blocks = panel::blocks(n - column, ROWS as u32).max(self.blocks);
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

    fn steps(&self, steps: &[Step]) {
        for step in steps {
            if let Step::Launch(_, kernel, part) = *step {
                self.step(kernel, part, None);
            }
        }
    }

    fn by_block(&self, variant: Variant, begin: u32, end_column: u32) {
        let one = self.one(variant);
        let shape = Shape { blocks: self.batch() * one.blocks, ..one };
        self.launch(variant, shape, StepArgs { begin, end_column, ..self.args });
    }

    /// U^-1 of a few columns, by clusters of two blocks.
    fn solve_upper(&self, begin: u32, rhs: u32) {
        let one = entry::<T>(Variant::SolveUpper).shape(&Problem { n: self.args.n, batch: self.batch(), rhs });
        let shape = Shape { blocks: 2 * self.batch() * u64::from(rhs), cluster: 2, ..one };
        self.launch(Variant::SolveUpper, shape, StepArgs { begin, end_column: begin + rhs, ..self.args });
    }

    fn statuses(&self) -> Vec<i32> {
        words(&self.status).iter().map(|&s| s as i32).collect()
    }
}

/// Factors, pivots and statuses.
pub(crate) type Factors<T> = (Vec<Vec<T>>, Vec<u32>, Vec<i32>);

/// PA = LU.
pub(crate) fn lu<T: Mma, const NB: usize, const ROWS: usize>(
    n: usize,
    how: How,
    a: &[Vec<T>],
    layouts: [usize; 2],
) -> Factors<T> {
    let work = Work::<T, NB, ROWS>::new(n, 0, a.len(), how);
    let from = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[1]);
    let from_to = (&from, if layouts[0] == layouts[1] { &from } else { &other });
    work.factor(a, from_to)
}

/// The same by slabs of so many columns at most, and clusters of so many blocks at least.
pub(crate) fn lu_by_slabs<T: Mma, const NB: usize>(
    n: usize,
    (blocks, columns): (u32, u32),
    a: &[Vec<T>],
) -> Factors<T> {
    let mut work = Work::<T, NB, 1>::new(n, 0, a.len(), (1, 64));
    work.division.slabs = Slabs { kind: T::KIND, lane_rows: [1, 2, 0], shared_bytes: 232_448, columns, blocks };
    let matrices = Batch::new::<T>(&work.memory, a.len(), n, n, n % LAYOUTS);
    work.factor(a, (&matrices, &matrices))
}

/// op(A).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    None,
    Transpose,
    Adjoint,
}

impl Op {
    pub(crate) fn of<T: Scalar>(self, a: &[T], n: usize) -> Vec<T> {
        let element = |e: usize| match self {
            Self::None => a[e],
            Self::Transpose => a[e % n * n + e / n],
            Self::Adjoint => a[e % n * n + e / n].conj(),
        };
        (0..n * n).map(element).collect()
    }
}

/// A X = B with the right-hand sides beside the matrix; or op(A) X = B from factors, where there are any.
pub(crate) fn solve<T: Mma, const NB: usize, const ROWS: usize>(
    (n, rhs, how): (usize, usize, How),
    a: &[Vec<T>],
    b: &[Vec<T>],
    factors: Option<(&Factors<T>, Op)>,
) -> (Vec<Vec<T>>, Vec<i32>) {
    let work = Work::<T, NB, ROWS>::new(n, rhs, a.len(), how);
    let sides = Batch::new::<T>(&work.memory, a.len(), n, rhs, n % LAYOUTS);
    sides.write(b);
    let (n32, rhs32, first) = (n as u32, rhs as u32, work.division.first_rhs());
    let end = work.args.work_columns;
    let matrices = Batch::new::<T>(&work.memory, a.len(), n, n, (n + 1) % LAYOUTS);
    let (mut pack_b, mut unpack) = (0, SOLUTIONS);
    match factors {
        None => {
            matrices.write(a);
            work.step(Kernel::Pack, copy(0, n32, 0), Some(matrices.matrices()));
            work.step(Kernel::Pack, copy(first, rhs32, 0), Some(sides.matrices()));
            work.steps(&work.division.factor(end));
            if rhs32 <= MAX_RHS && work.blocks != NO_CLUSTERS {
                work.solve_upper(first, rhs32);
            } else {
                work.steps(&work.division.solve_upper(first, end, 0));
            }
        }
        Some(((lu, pivots, status), ref op)) => {
            let bytes: Vec<u8> = pivots.iter().flat_map(|p| p.to_le_bytes()).collect();
            work.pivots.write(0, &bytes).unwrap();
            let bytes: Vec<u8> = status.iter().flat_map(|s| s.to_le_bytes()).collect();
            work.status.write(0, &bytes).unwrap();
            matrices.write(lu);
            let (mut from, mut flags) = (matrices.matrices(), ROWS_BY_PIVOT);
            let (mut lower, mut upper) = (UNIT_DIAGONAL, 0);
            if *op != Op::None {
                from = Matrices { row_stride: from.col_stride, col_stride: from.row_stride, ..from };
                (lower, upper, pack_b, unpack) = (0, UNIT_DIAGONAL, ROWS_BY_PIVOT, SOLUTIONS & !ROWS_BY_PIVOT);
                flags |= if *op == Op::Adjoint { CONJUGATED } else { 0 };
            }
            work.by_block(Variant::PivotRows, 0, 0);
            work.step(Kernel::Pack, copy(0, n32, flags), Some(from));
            work.step(Kernel::Pack, copy(first, rhs32, pack_b), Some(sides.matrices()));
            work.steps(&work.division.solve_lower(first, end, lower));
            work.steps(&work.division.solve_upper(first, end, upper));
        }
    }
    work.by_block(Variant::Status, first, first + rhs32);
    work.step(Kernel::Unpack, copy(first, rhs32, unpack), Some(sides.matrices()));
    (sides.read(), work.statuses())
}

/// A^-1, by its factors: column by column in the workspace, or row by row with their transposes.
pub(crate) fn inverse<T: Mma, const NB: usize, const ROWS: usize>(
    (n, how): (usize, How),
    a: &[Vec<T>],
    by_rows: bool,
) -> (Vec<Vec<T>>, Vec<i32>) {
    let work = Work::<T, NB, ROWS>::new(n, n, a.len(), how);
    let batch = Batch::new::<T>(&work.memory, a.len(), n, n, n % LAYOUTS);
    batch.write(a);
    let (first, n32, end) = (work.division.first_rhs(), n as u32, work.args.work_columns);
    let matrices = batch.matrices();
    let transposed = Matrices { row_stride: matrices.col_stride, col_stride: matrices.row_stride, ..matrices };
    let (mut lower, mut upper, mut result) = (UNIT_DIAGONAL, 0, (INVERSES, matrices));
    work.step(Kernel::Pack, copy(0, n32, 0), Some(matrices));
    work.steps(&work.division.factor(first));
    if by_rows {
        work.step(Kernel::Unpack, copy(0, n32, FACTORS), Some(matrices));
        work.step(Kernel::Pack, copy(0, n32, ROWS_BY_PIVOT), Some(transposed));
        (lower, upper, result) = (0, UNIT_DIAGONAL, (NAN_WHERE_FAILED, transposed));
    }
    work.step(Kernel::Pack, copy(first, n32, ROWS_BY_PIVOT | UNIT_MATRIX), Some(matrices));
    work.steps(&work.division.solve_lower(first, end, lower | UNIT_MATRIX));
    work.steps(&work.division.solve_upper(first, end, upper));
    work.by_block(Variant::Status, first, first + n32);
    work.step(Kernel::Unpack, copy(first, n32, result.0), Some(result.1));
    (batch.read(), work.statuses())
}
