//! LU by many blocks a matrix, in the emulator: every kernel, at the limits of panels and tiles, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{Batch, LAYOUTS, array, words};
use common::cases::{CASES, Case, factor, matrix};
use common::measure::{bits, is_single, lu_ratio};
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::numbers::mma::Mma;
use kernels_gpu::numbers::scalar::{Real, Scalar, c32, c64};
use kernels_gpu::operation::NON_FINITE;
use kernels_gpu::schedule::multi_block::args::work_numbers;
use kernels_gpu::schedule::multi_block::steps::{Step, steps};
use kernels_gpu::schedule::multi_block::{StepArgs, pack, panel, update};
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use simt::cpu::{Launch, Memory, run};

fn entry<T: Scalar>(variant: Variant) -> &'static Entry {
    table::find(Family::GetrfSteps, variant, T::KIND).unwrap()
}

fn launch<T: Scalar>(memory: &Memory, variant: Variant, shape: Shape, args: StepArgs<T>) {
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
    run(memory, &launch, || unsafe { entry.run(&args) }).unwrap_or_else(|fault| panic!("n = {}: {fault}", args.n));
}

/// PA = LU by panels of `NB` columns, of which a lane has `ROWS` rows; clusters have at least `blocks` blocks.
fn lu<T: Mma, const NB: usize, const ROWS: usize>(
    n: usize,
    blocks: u32,
    a: &[Vec<T>],
    layouts: [usize; 2],
) -> (Vec<Vec<T>>, Vec<u32>, Vec<i32>) {
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&memory, a.len(), n, n, layouts[1]);
    let to = if layouts[0] == layouts[1] { &from } else { &other };
    let (pivots, status) = (memory.allocate(4 * n * a.len()), memory.allocate(4 * a.len()));
    let work = memory.allocate(a.len() * work_numbers(n as u32) as usize * size_of::<T>());
    let rows = memory.allocate(4 * 3 * n * a.len());
    from.write(a);
    let (n32, batch, columns) = (n as u32, a.len() as u64, NB as u8);
    let args = StepArgs::<T> {
        a: from.matrices(),
        lu: to.matrices(),
        pivots: array(&pivots),
        status: array(&status),
        work: array(&work),
        rows: array(&rows),
        first: 0,
        end: batch,
        n: n32,
        column: 0,
        begin: 0,
        columns_end: 0,
    };
    for step in steps(n32, NB as u32) {
        match step {
            Step::Pack => launch(&memory, Variant::Pack, pack::shape::<T>(n32, batch), args),
            Step::Panel { column } => {
                let blocks = panel::blocks(n32 - column, ROWS as u32).max(blocks);
                let shape = panel::shape::<T, NB, ROWS>(blocks, batch);
                launch(&memory, Variant::Panel { rows: ROWS as u8, columns }, shape, StepArgs { column, ..args });
            }
            Step::Update { column, begin } => {
                let shape = update::shape::<T, NB>(n32 - column - NB as u32, n32 - begin, batch);
                let args = StepArgs { column, begin, columns_end: n32, ..args };
                launch(&memory, Variant::Update { columns }, shape, args);
            }
            Step::Unpack => launch(&memory, Variant::Unpack { columns }, pack::shape::<T>(n32, batch), args),
        }
    }
    (to.read(), words(&pivots), words(&status).iter().map(|&s| s as i32).collect())
}

/// The factors, with the division of the kernels.
fn expected<T: Scalar>(a: &[T], n: usize) -> (Vec<T>, Vec<u32>, i32) {
    factor(a, n, |x, pivot| {
        let scale = T::Real::safe_scale(pivot.abs1());
        x.scale(scale) * pivot.scale(scale).reciprocal()
    })
}

fn check<T: Mma, const NB: usize, const ROWS: usize>(n: usize, blocks: u32, cases: &[Case]) {
    let a: Vec<Vec<T>> = cases.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let layouts = [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS];
    let (factors, pivots, status) = lu::<T, NB, ROWS>(n, blocks, &a, layouts);
    for (i, &case) in cases.iter().enumerate() {
        let what = format!("{} nb = {NB}, {ROWS} rows, {blocks} blocks, n = {n}, {case:?}", T::KIND.name());
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
    let (alone, alone_pivots, _) = lu::<T, NB, ROWS>(n, blocks, &a[..1], layouts);
    assert_eq!(bits(&alone[0]), bits(&factors[0]), "n = {n}: the batch matters");
    assert_eq!(alone_pivots, pivots[..n], "n = {n}: the batch matters");
}

/// Orders around the ends of panels, of blocks of columns, and of tiles; by one block and by clusters.
fn check_all<T: Mma, const NB: usize, const ROWS: usize>() {
    check::<T, NB, ROWS>(1, 1, &CASES);
    check::<T, NB, ROWS>(7, 2, &CASES);
    check::<T, NB, ROWS>(NB, 1, &CASES);
    check::<T, NB, ROWS>(NB + 1, 2, &CASES[1..4]);
    check::<T, NB, ROWS>(2 * NB + 3, 1, &CASES);
    check::<T, NB, ROWS>(63, 4, &CASES[2..3]);
    check::<T, NB, ROWS>(97, 1, &CASES[7..]);
    check::<T, NB, ROWS>(161, 2, &CASES[..1]);
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

/// As many rows as need several blocks, and several rows a lane.
#[test]
fn tall_panels() {
    check::<f64, 32, 1>(600, 1, &[Case::Random, Case::Ties]);
    check::<f32, 32, 2>(530, 2, &[Case::Ties]);
    check::<c64, 8, 4>(300, 16, &[Case::Random]);
}

#[test]
fn the_steps_cover_all_columns() {
    for (n, nb) in [(1, 8), (31, 32), (32, 32), (65, 32), (1000, 16)] {
        let mut updated = vec![0; n as usize];
        let mut next = 0;
        for step in steps(n, nb) {
            match step {
                Step::Pack => assert_eq!(next, 0),
                Step::Panel { column } => {
                    assert_eq!(column, next);
                    next += nb;
                    for times in &mut updated[column as usize..next.min(n) as usize] {
                        *times += u32::from(column > 0); // by the panel before
                        assert_eq!(*times, column / nb);
                    }
                }
                Step::Update { column, begin } => {
                    assert!(column + 2 * nb == next && begin == next);
                    updated[begin as usize..].iter_mut().for_each(|times| *times += 1);
                }
                Step::Unpack => assert!(next >= n),
            }
        }
    }
}
