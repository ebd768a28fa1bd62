//! LU by many blocks a matrix, in the emulator: every kernel, at the limits of panels and tiles, and matrices that ask
//! for care.

#![cfg(not(target_arch = "nvptx64"))]

#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{Batch, LAYOUTS, array, words};
use common::cases::{CASES, Case, factor, matrix, side};
use common::measure::{bits, inverse_ratios, is_single, lu_ratio, product, solution_ratio};
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::memory::matrix::Matrices;
use kernels_gpu::numbers::mma::Mma;
use kernels_gpu::numbers::scalar::{Real, Scalar, c32, c64};
use kernels_gpu::operation::NON_FINITE;
use kernels_gpu::schedule::multi_block::args::{
    CONJUGATED, LISTS, NAN_WHERE_FAILED, ROWS_BY_PIVOT, UNIT_DIAGONAL, UNIT_MATRIX, work_columns,
};
use kernels_gpu::schedule::multi_block::steps::{Division, FACTORS, INVERSES, Kernel, Part, SOLUTIONS, Step, copy};
use kernels_gpu::schedule::multi_block::{StepArgs, pack, panel, triangle, update};
use kernels_gpu::shape::{Problem, Shape};
use kernels_gpu::table;
use simt::cpu::{Buffer, Launch, Memory, run};

fn entry<T: Scalar>(variant: Variant) -> &'static Entry {
    table::find(Family::Steps, variant, T::KIND).unwrap()
}

/// A workspace for matrices, and the launches in it. Panels have `NB` columns, of which a lane has `ROWS` rows.
struct Work<T: Mma, const NB: usize, const ROWS: usize> {
    memory: Memory,
    args: StepArgs<T>,
    division: Division,
    /// Blocks of a cluster at least.
    blocks: u32,
    pivots: Buffer,
    status: Buffer,
    _work: [Buffer; 2],
}

impl<T: Mma, const NB: usize, const ROWS: usize> Work<T, NB, ROWS> {
    fn new(n: usize, rhs: usize, batch: usize, blocks: u32, block: u32) -> Self {
        let memory = Memory::new();
        let (pivots, status) = (memory.allocate(4 * n * batch), memory.allocate(4 * batch));
        let columns = work_columns(n as u32, rhs as u32);
        let work = memory.allocate(batch * n * columns as usize * size_of::<T>());
        let rows = memory.allocate(4 * LISTS as usize * n * batch);
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
        let division = Division { n: n as u32, panel: NB as u32, block };
        Self { memory, args, division, blocks, pivots, status, _work: [work, rows] }
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
            Kernel::Triangle => (Variant::Triangle, triangle::shape::<T>(columns, batch)),
            Kernel::Update => (Variant::Update, update::shape::<T>(end_row - begin_row, columns, batch)),
            Kernel::Panel => {
                let blocks = panel::blocks(n - column, ROWS as u32).max(self.blocks);
                let variant = Variant::Panel { rows: ROWS as u8, columns: NB as u8 };
                (variant, panel::shape::<T, NB, ROWS>(blocks, batch))
            }
        };
        self.launch(variant, shape, part);
    }

    fn steps(&self, steps: &[Step]) {
        for step in steps {
            if let Step::Launch(_, kernel, part) = *step {
                self.step(kernel, part, None);
            }
        }
    }

    fn by_block(&self, variant: Variant, begin: u32, end_column: u32) {
        let entry = entry::<T>(variant);
        let shape = entry.shape(&Problem { n: self.args.n, batch: self.batch(), rhs: 1 });
        self.launch(variant, shape, StepArgs { begin, end_column, ..self.args });
    }

    fn statuses(&self) -> Vec<i32> {
        words(&self.status).iter().map(|&s| s as i32).collect()
    }
}

/// Factors, pivots and statuses.
type Factors<T> = (Vec<Vec<T>>, Vec<u32>, Vec<i32>);

/// PA = LU.
fn lu<T: Mma, const NB: usize, const ROWS: usize>(
    n: usize,
    (blocks, block): (u32, u32),
    a: &[Vec<T>],
    layouts: [usize; 2],
) -> Factors<T> {
    let work = Work::<T, NB, ROWS>::new(n, 0, a.len(), blocks, block);
    let from = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[1]);
    let to = if layouts[0] == layouts[1] { &from } else { &other };
    from.write(a);
    work.step(Kernel::Pack, copy(0, n as u32, 0), Some(from.matrices()));
    work.steps(&work.division.factor(work.args.work_columns));
    work.step(Kernel::Unpack, copy(0, n as u32, FACTORS), Some(to.matrices()));
    (to.read(), words(&work.pivots), work.statuses())
}

/// op(A).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    None,
    Transpose,
    Adjoint,
}

impl Op {
    fn of<T: Scalar>(self, a: &[T], n: usize) -> Vec<T> {
        let element = |e: usize| match self {
            Self::None => a[e],
            Self::Transpose => a[e % n * n + e / n],
            Self::Adjoint => a[e % n * n + e / n].conj(),
        };
        (0..n * n).map(element).collect()
    }
}

/// A X = B with the right-hand sides beside the matrix; or op(A) X = B from factors, where there are any.
fn solve<T: Mma, const NB: usize, const ROWS: usize>(
    (n, rhs, block): (usize, usize, u32),
    a: &[Vec<T>],
    b: &[Vec<T>],
    factors: Option<(&Factors<T>, Op)>,
) -> (Vec<Vec<T>>, Vec<i32>) {
    let work = Work::<T, NB, ROWS>::new(n, rhs, a.len(), 1, block);
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
            work.steps(&work.division.solve_upper(first, end, 0));
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
fn inverse<T: Mma, const NB: usize, const ROWS: usize>(
    (n, block): (usize, u32),
    a: &[Vec<T>],
    by_rows: bool,
) -> (Vec<Vec<T>>, Vec<i32>) {
    let work = Work::<T, NB, ROWS>::new(n, n, a.len(), 1, block);
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

/// `max ||b - A x|| / (n u ||A|| ||x||)`, all norms the largest element's.
fn residual_ratio<T: Scalar>(a: &[T], x: &[T], b: &[T], n: usize) -> f64 {
    let wide = |x: &[T]| x.iter().map(|x| x.to_c64()).collect::<Vec<_>>();
    let largest = |x: &[c64]| x.iter().map(|x| x.re.hypot(x.im)).fold(0.0, f64::max);
    let (a, x) = (wide(a), wide(x));
    let ax = product(&a, &x, n, b.len() / n);
    let residual: Vec<_> = wide(b).iter().zip(&ax).map(|(b, ax)| b - ax).collect();
    let u = if is_single::<T>() { 2_f64.powi(-24) } else { 2_f64.powi(-53) };
    largest(&residual) / (n as f64 * u * largest(&a) * largest(&x)).max(f64::MIN_POSITIVE)
}

/// The factors, with the division of the kernels.
fn expected<T: Scalar>(a: &[T], n: usize) -> (Vec<T>, Vec<u32>, i32) {
    factor(a, n, |x, pivot| {
        let scale = T::Real::safe_scale(pivot.abs1());
        x.scale(scale) * pivot.scale(scale).reciprocal()
    })
}

fn check<T: Mma, const NB: usize, const ROWS: usize>(n: usize, (blocks, block): (u32, u32), cases: &[Case]) {
    let a: Vec<Vec<T>> = cases.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let layouts = [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS];
    let found = lu::<T, NB, ROWS>(n, (blocks, block), &a, layouts);
    let (factors, pivots, status) = &found;
    for (i, &case) in cases.iter().enumerate() {
        let what = format!("{} nb = {NB}, {ROWS} rows, {blocks} blocks of {block}, n = {n}, {case:?}", T::KIND.name());
        if matches!(case, Case::Nan | Case::Infinite) {
            assert_eq!(status[i], NON_FINITE, "{what}");
            continue;
        }
        let (_, expected_pivots, expected_status) = expected(&a[i], n);
        let own = &pivots[i * n..][..n];
        assert_eq!(status[i], expected_status, "{what}");
        assert_eq!(own[0], expected_pivots[0], "{what}");
        // Sums are taken in another order, so that of equals another may be the larger.
        assert!(case == Case::Ties || is_single::<T>() || own == expected_pivots, "{what}");
        assert!(lu_ratio(&a[i], &factors[i], own, n) < 4.0, "{what}");
    }
    let (alone, alone_pivots, _) = lu::<T, NB, ROWS>(n, (blocks, block), &a[..1], layouts);
    assert_eq!(bits(&alone[0]), bits(&factors[0]), "n = {n}: the batch matters");
    assert_eq!(alone_pivots, pivots[..n], "n = {n}: the batch matters");
    if n < 300 {
        check_solutions::<T, NB, ROWS>(&a, cases, &found, (n, block)); // which take longer
    }
}

/// Solutions of A X = B, of op(A) X = B from factors, and inverses.
fn check_solutions<T: Mma, const NB: usize, const ROWS: usize>(
    a: &[Vec<T>],
    cases: &[Case],
    factors: &Factors<T>,
    (n, block): (usize, u32),
) {
    let rhs = n % 5 * 17 + 1;
    let b: Vec<Vec<T>> = a.iter().map(|a| side(a, n, rhs)).collect();
    let direct = solve::<T, NB, ROWS>((n, rhs, block), a, &b, None);
    let of = |op| solve::<T, NB, ROWS>((n, rhs, block), a, &b, Some((factors, op)));
    let op = if n.is_multiple_of(2) { Op::Transpose } else { Op::Adjoint };
    for (op, (x, status)) in [(Op::None, direct), (Op::None, of(Op::None)), (op, of(op))] {
        assert_eq!(status, factors.2, "n = {n}, {op:?}");
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} nb = {NB}, n = {n}, {op:?}, {case:?}", T::KIND.name());
            if status[i] != 0 {
                assert!(x[i].iter().all(|x| !x.is_finite()), "{what}");
            } else if op == Op::None {
                let pivots = &factors.1[i * n..][..n];
                assert!(solution_ratio(&a[i], &x[i], &b[i], &factors.0[i], pivots, n) < 4.0, "{what}");
            } else if !matches!(case, Case::Subnormal | Case::Ties) {
                assert!(residual_ratio(&op.of(&a[i], n), &x[i], &b[i], n) < 4.0, "{what}");
            }
        }
    }
    for by_rows in [false, true] {
        let (inverses, status) = inverse::<T, NB, ROWS>((n, block), a, by_rows);
        for (i, &case) in cases.iter().enumerate() {
            let what = format!("{} nb = {NB}, n = {n}, inverse by rows {by_rows}, {case:?}", T::KIND.name());
            // That of subnormal numbers may overflow.
            assert!(status[i] == factors.2[i] || case == Case::Subnormal && status[i] == NON_FINITE, "{what}");
            if status[i] != 0 {
                assert!(inverses[i].iter().all(|x| !x.is_finite()), "{what}");
            } else {
                let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
                let ratio = if by_rows { left } else { right };
                assert!(ratio < 4.0, "{what}: {ratio}");
            }
        }
    }
}

/// Orders around the ends of panels, of blocks of columns, and of tiles; by one block and by clusters.
fn check_all<T: Mma, const NB: usize, const ROWS: usize>() {
    check::<T, NB, ROWS>(1, (1, 32), &CASES);
    check::<T, NB, ROWS>(7, (2, 32), &CASES);
    check::<T, NB, ROWS>(NB, (1, 64), &CASES);
    check::<T, NB, ROWS>(NB + 1, (2, 32), &CASES[1..4]);
    check::<T, NB, ROWS>(2 * NB + 3, (1, 64), &CASES);
    check::<T, NB, ROWS>(63, (4, 128), &CASES[2..3]);
    check::<T, NB, ROWS>(97, (1, 32), &CASES[7..]);
    check::<T, NB, ROWS>(161, (2, 96), &CASES[..1]);
}

#[test]
fn f32_by_panels() {
    check_all::<f32, 32, 1>();
    check_all::<f32, 32, 2>();
    check_all::<f32, 32, 4>();
    check_all::<f32, 16, 8>();
}

#[test]
fn f64_by_panels() {
    check_all::<f64, 32, 1>();
    check_all::<f64, 32, 2>();
    check_all::<f64, 16, 4>();
    check_all::<f64, 8, 8>();
}

#[test]
fn c32_by_panels() {
    check_all::<c32, 32, 1>();
    check_all::<c32, 32, 2>();
    check_all::<c32, 16, 4>();
    check_all::<c32, 8, 8>();
}

#[test]
fn c64_by_panels() {
    check_all::<c64, 16, 1>();
    check_all::<c64, 16, 2>();
    check_all::<c64, 8, 4>();
}

/// As many rows as need several blocks, and several rows a lane; and blocks of more columns than a triangle has.
#[test]
fn tall_panels() {
    check::<f64, 32, 1>(600, (1, 128), &[Case::Random, Case::Ties]);
    check::<f32, 32, 2>(290, (2, 256), &[Case::Random]);
    check::<f32, 32, 2>(530, (2, 128), &[Case::Ties]);
    check::<c64, 8, 4>(300, (16, 192), &[Case::Random]);
}

/// Panels that several others of their block come before.
#[test]
fn blocks_of_panels() {
    check::<f32, 32, 1>(203, (1, 128), &[Case::Random, Case::Ties]);
    check::<f32, 16, 8>(100, (2, 128), &[Case::Random]);
    check::<f64, 32, 2>(161, (2, 96), &[Case::Random]);
    check::<f64, 8, 8>(130, (1, 128), &[Case::Random]);
    check::<c32, 32, 1>(130, (1, 128), &[Case::Random]);
    check::<c32, 8, 8>(75, (2, 64), &[Case::Random]);
    check::<c64, 16, 2>(97, (1, 96), &[Case::Random, Case::Ties]);
    check::<c64, 8, 4>(70, (4, 32), &[Case::Random]);
}

/// How many blocks a cluster has does not matter, bit for bit, ties included.
#[test]
fn clusters_agree() {
    for case in [Case::Random, Case::Ties] {
        let a = [matrix::<f64>(case, 75, 1)];
        let [one, others @ ..] = [1, 2, 4, 16].map(|blocks| lu::<f64, 16, 4>(75, (blocks, 32), &a, [0; 2]));
        for other in others {
            assert_eq!(bits(&one.0[0]), bits(&other.0[0]));
            assert_eq!(one.1, other.1);
        }
    }
}
