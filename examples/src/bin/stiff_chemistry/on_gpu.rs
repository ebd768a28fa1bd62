//! All cells in a GPU's memory, from beginning to end: kernels write matrices and right-hand sides, warplu factors and
//! solves them where they are, and nothing comes back but what each cell wants next. Cells that have arrived stay, with
//! a unit matrix.

use chemistry::pollu::SPECIES;
use chemistry::{Step, begin, end as end_step, turn};
use simt::global::Global;
use warplu::resident::{
    DeviceBatch, DeviceBatchMut, DeviceBuffer, Grid, InPlace, Kernel, LuPlan, LuSolvePlan, Module, Operands, Size,
    Stream, of,
};
use warplu::{Device, Op};

use crate::cells::Cells;
use crate::{Failure, Work, stuck};

/// What `build.rs` made of the kernels.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

/// Threads of a block.
const THREADS: u32 = 64;

/// Takes all cells from where they are to `end`, in minutes.
pub(crate) fn integrate(device: &Device, cells: &mut Cells, end: f64) -> Result<Work, Failure> {
    let (count, stream) = (cells.states.len(), device.stream()?);
    // SAFETY: the PTX of the kernels' own source.
    let module = unsafe { Module::load(device, PTX)? };
    let begin = module.kernel("begin", begin)?;
    let turn = module.kernel("turn", turn)?;
    let end_step = module.kernel("end", end_step)?;
    let factor = LuPlan::<f64>::new(device, Size::order(SPECIES).batch(count))?;
    let solve = LuSolvePlan::<f64>::new(device, Size::order(SPECIES).batch(count))?;

    let (mut states, air) = (device.upload(&cells.states)?, device.upload(&cells.air)?);
    let mut matrices = device.buffer::<f64>(count * SPECIES * SPECIES)?;
    let mut vectors = device.buffer::<f64>(count * SPECIES)?;
    let (mut factored, mut solved) = (device.buffer::<i32>(count)?, device.buffer::<i32>(count)?);
    let mut pivots = device.pivots(count, SPECIES)?;
    let mut answers = device.buffer::<u32>(count)?;
    // SAFETY: so many elements each, which outlive the kernels' work.
    let step = unsafe {
        Step {
            cells: Global::new(states.address()),
            air: Global::new(air.address()),
            matrices: Global::new(matrices.address()),
            vectors: Global::new(vectors.address()),
            status: Global::new(solved.address()),
            answers: Global::new(answers.address()),
            count: count as u64,
            end,
            tolerance: cells.tolerance,
        }
    };
    let mut work = Work::default();
    let mut under_way = count;
    while under_way > 0 {
        let operands = Operands::new().reads(&air).writes(&mut states).writes(&mut matrices);
        launch(&begin, &stream, step, operands.writes(&mut vectors).writes(&mut answers))?;
        let mut a = DeviceBatchMut::row_major(&mut matrices, count, SPECIES, SPECIES)?;
        factor.run(&stream, of::Lu { a: InPlace, lu: &mut a, pivots: &mut pivots, status: &mut factored })?;
        work.batches += 1;
        work.factored += under_way;

        let lu = DeviceBatch::row_major(&matrices, count, SPECIES, SPECIES)?;
        loop {
            let asked = answered(&answers)?;
            if asked == 0 {
                break;
            }
            let mut x = DeviceBatchMut::row_major(&mut vectors, count, SPECIES, 1)?;
            let operands = of::LuSolve {
                lu: &lu,
                pivots: &pivots,
                lu_status: &factored,
                op: Op::None,
                b: InPlace,
                x: &mut x,
                status: &mut solved,
            };
            solve.run(&stream, operands)?;
            let operands = Operands::new().reads(&air).reads(&solved).writes(&mut states);
            launch(&turn, &stream, step, operands.writes(&mut vectors).writes(&mut answers))?;
            work.rounds += 1;
            work.solved += count;
            work.asked += asked;
        }

        launch(&end_step, &stream, step, Operands::new().writes(&mut states).writes(&mut answers))?;
        under_way = answered(&answers)?;
        for history in &mut cells.histories {
            let cell = states.slice(history.cell..=history.cell)?.to_vec()?;
            history.note(&cell[0]);
        }
    }
    cells.states = states.to_vec()?;
    match cells.states.iter().position(|cell| cell.is_stuck(end)) {
        Some(index) => Err(stuck(index, &cells.states[index])),
        None => Ok(work),
    }
}

/// A kernel, with a thread for each cell.
fn launch(kernel: &Kernel<Step>, stream: &Stream, step: Step, operands: Operands<'_>) -> Result<(), Failure> {
    let grid = Grid::covering(step.count as usize, THREADS)?;
    // SAFETY: the operands are the arrays of the argument that this kernel uses, of so many elements as it demands.
    unsafe { kernel.launch(stream, grid, step, operands)? };
    Ok(())
}

/// How many cells have said yes.
fn answered(answers: &DeviceBuffer<u32>) -> Result<usize, Failure> {
    // The copy waits for the stream's work on the buffer.
    Ok(answers.to_vec()?.iter().filter(|answer| **answer != 0).count())
}
