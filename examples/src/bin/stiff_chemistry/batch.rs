//! All cells' linear algebra, in batches: the matrices of all cells that are under way are factored together, and what
//! they ask for is solved together, until each has done or failed its own step.
//!
//! These are calls on host memory: on a GPU the factors stay there, while matrices, right-hand sides and solutions
//! cross the bus. A program whose rates and Jacobians are a GPU kernel, too, would keep all of it there: matrices in a
//! `DeviceBuffer`, and `LuPlan` and `LuSolvePlan` on a stream (`warplu::resident`), which neither allocate nor wait.

use rayon::prelude::*;
use warplu::{Batch, BatchMut, Device, Lu, Op, Status};
use warplu_examples::pollu::SPECIES;

use crate::Failure;
use crate::sdirk::Cell;

/// What was done for all cells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// Batches of matrices, and the matrices in them.
    pub(crate) batches: usize,
    pub(crate) factored: usize,
    /// Batches of right-hand sides, the systems in them, and those that a cell has asked for.
    pub(crate) rounds: usize,
    pub(crate) solved: usize,
    pub(crate) asked: usize,
}

/// Takes all cells from where they are to `end`, in minutes. They come back in the order of their indices.
pub(crate) fn integrate(device: &Device, mut cells: Vec<Cell>, end: f64) -> Result<(Vec<Cell>, Work), Failure> {
    let mut matrices = vec![0.0; cells.len() * SPECIES * SPECIES];
    let mut vectors = vec![0.0; cells.len() * SPECIES];
    let mut status = vec![Status::Ok; cells.len()];
    let (mut done, mut work) = (Vec::with_capacity(cells.len()), Work::default());
    let mut kept: Option<Lu<f64>> = None;

    while !cells.is_empty() {
        let batch = cells.len();
        let matrices = &mut matrices[..batch * SPECIES * SPECIES];
        let (vectors, status) = (&mut vectors[..batch * SPECIES], &mut status[..batch]);

        let each = matrices.par_chunks_exact_mut(SPECIES * SPECIES);
        cells.par_iter_mut().zip(each).for_each(|(cell, matrix)| cell.begin(end, matrix));
        let a = Batch::c_order(matrices, batch, SPECIES, SPECIES)?;
        let lu = match kept.as_mut() {
            Some(lu) => {
                lu.refactor(&a)?; // in the same memory, as long as no cell has left
                lu
            }
            None => kept.insert(device.lu(&a)?),
        };
        work.batches += 1;
        work.factored += batch;
        // A bad matrix is its cell's own trouble.
        lu.status().bad().for_each(|(index, _)| cells[index].fail());

        loop {
            let asks = |(cell, b): (&Cell, &mut [f64])| cell.ask(b);
            let each = vectors.par_chunks_exact_mut(SPECIES);
            let asked = cells.par_iter().zip(each).map(asks).filter(|asks| *asks).count();
            if asked == 0 {
                break;
            }
            lu.solve_in_place(&mut BatchMut::c_order(vectors, batch, SPECIES, 1)?, Op::None, status)?;
            // Where a solution is not finite, neither is its norm, which the cell looks at.
            let each = vectors.par_chunks_exact(SPECIES);
            cells.par_iter_mut().zip(each).for_each(|(cell, x)| cell.answer(x));
            work.rounds += 1;
            work.solved += batch;
            work.asked += asked;
        }

        cells.iter_mut().for_each(|cell| cell.end(end));
        if let Some(cell) = cells.iter().find(|cell| cell.is_stuck()) {
            let Cell { index, time, .. } = cell;
            return Err(format!("cell {index} makes no progress at t = {time} min").into());
        }
        done.extend(cells.extract_if(.., |cell| cell.time >= end));
    }
    done.sort_by_key(|cell| cell.index);
    Ok((done, work))
}
