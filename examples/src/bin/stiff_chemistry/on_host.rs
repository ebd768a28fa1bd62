//! All cells in host memory, a thread some of them: the matrices of all cells that are under way are factored in one
//! batch, and what they ask for is solved in one, until each has done or failed its own step. Cells that have arrived
//! leave.
//!
//! These are calls on host memory: on a GPU the factors stay there, while matrices, right-hand sides and solutions
//! cross the bus.

use chemistry::cell::Cell;
use chemistry::pollu::SPECIES;
use rayon::prelude::*;
use warplu::{Batch, BatchMut, Device, Lu, Op, Status};

use crate::cells::Cells;
use crate::{Failure, Work, stuck};

/// Takes all cells from where they are to `end`, in minutes.
pub(crate) fn integrate(device: &Device, cells: &mut Cells, end: f64) -> Result<Work, Failure> {
    let Cells { air, states, tolerance, histories, .. } = cells;
    // With their indices.
    let mut under_way: Vec<(usize, Cell)> = states.iter().copied().enumerate().collect();
    let mut matrices = vec![0.0; under_way.len() * SPECIES * SPECIES];
    let mut vectors = vec![[0.0; SPECIES]; under_way.len()];
    let (mut work, mut kept) = (Work::default(), None::<Lu<f64>>);

    while !under_way.is_empty() {
        let batch = under_way.len();
        let matrices = &mut matrices[..batch * SPECIES * SPECIES];
        let vectors = &mut vectors[..batch];

        let each = matrices.par_chunks_exact_mut(SPECIES * SPECIES);
        under_way.par_iter_mut().zip(each).for_each(|((index, cell), matrix)| {
            cell.begin(end, &air[*index], |i, j, x| matrix[i * SPECIES + j] = x);
        });
        let a = Batch::row_major(matrices, batch, SPECIES, SPECIES)?;
        let lu = match kept.as_mut() {
            Some(lu) => {
                lu.refactor(&a)?; // in the same memory, as long as no cell has left
                lu
            }
            None => kept.insert(device.lu(&a)?),
        };
        work.batches += 1;
        work.factored += batch;

        loop {
            let asks = |((index, cell), b): (&(usize, Cell), &mut [f64; SPECIES])| {
                let asked = cell.ask(&air[*index]);
                *b = asked.unwrap_or_default();
                asked.is_some()
            };
            let asked = under_way.par_iter().zip(&mut *vectors).map(asks).filter(|asks| *asks).count();
            if asked == 0 {
                break;
            }
            let mut x = BatchMut::row_major(vectors.as_flattened_mut(), batch, SPECIES, 1)?;
            let statuses = lu.solve_in_place(&mut x, Op::None)?;
            // A bad matrix is its cell's own trouble.
            under_way.par_iter_mut().zip(&*vectors).zip(&*statuses).for_each(|(((_, cell), x), status)| {
                cell.answer(x, *status == Status::Ok, *tolerance);
            });
            work.rounds += 1;
            work.solved += batch;
            work.asked += asked;
        }

        for (index, cell) in &mut under_way {
            cell.end(end);
            states[*index] = *cell;
        }
        if let Some((index, cell)) = under_way.iter().find(|(_, cell)| cell.is_stuck(end)) {
            return Err(stuck(*index, cell));
        }
        histories.iter_mut().for_each(|history| history.note(&states[history.cell]));
        under_way.retain(|(_, cell)| cell.is_under_way(end));
    }
    Ok(work)
}
