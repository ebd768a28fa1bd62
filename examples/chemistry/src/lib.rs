//! The chemistry of [`pollu`], its rates and Jacobian in [`kinetics`], and the integrator of a [`cell`] by [`sdirk`]: the
//! same source for the host's threads and, as the kernels below, for a GPU's.
//!
//! A step of all cells is [`begin`], which writes matrices for warplu to factor and right-hand sides, then for as long as
//! any cell asks for more a solution by warplu and [`turn`], then [`end`].
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_gpu_kernel))]
#![allow(clippy::needless_range_loop, reason = "species are what the formulas are about")]

pub mod air;
pub mod cell;
pub mod kinetics;
pub mod pollu;
pub mod sdirk;

use simt::global::Global;
use simt::{block, thread};

use air::Air;
use cell::{Cell, Tolerance};
use pollu::SPECIES;

/// The argument of all kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Step {
    /// Shape (cells).
    pub cells: Global<Cell>,
    /// What is in the air of each: shape (cells).
    pub air: Global<Air>,
    /// I - h gamma J: shape (cells, [`SPECIES`], [`SPECIES`]), C order.
    pub matrices: Global<f64>,
    /// Right-hand sides, and then solutions: shape (cells, [`SPECIES`]).
    pub vectors: Global<f64>,
    /// warplu's status of each solution: shape (cells).
    pub status: Global<i32>,
    /// What the host wants to know of each: whether it asks for another solution, or, at the end of a step, whether it
    /// goes on. Shape (cells).
    pub answers: Global<u32>,
    /// How many there are.
    pub count: u64,
    /// Minutes.
    pub end: f64,
    /// Of all cells.
    pub tolerance: Tolerance,
}

simt::kernels! {
    /// Begins a step of each cell, a thread a cell: its matrix and its first right-hand side. A cell that has arrived has
    /// a unit matrix, and asks for nothing.
    pub fn begin(args: Step) {
        let Some(c) = own(args.count) else { return };
        let (mut cell, air, n) = (args.cells.load(c), args.air.load(c), SPECIES as i64);
        let matrix = args.matrices.offset(c * n * n);
        cell.begin(args.end, &air, |i, j, x| matrix.store(i as i64 * n + j as i64, x));
        ask(&args, c, &cell, &air);
        args.cells.store(c, cell);
    }

    /// Hands each cell the solution of what it has asked for, and takes its next right-hand side, a thread a cell.
    pub fn turn(args: Step) {
        let Some(c) = own(args.count) else { return };
        let (mut cell, air) = (args.cells.load(c), args.air.load(c));
        let x = args.vectors.cast::<[f64; SPECIES]>().load(c);
        cell.answer(&x, args.status.load(c) == 0, args.tolerance);
        ask(&args, c, &cell, &air);
        args.cells.store(c, cell);
    }

    /// Ends the step of each cell, a thread a cell, and says whether there is another.
    pub fn end(args: Step) {
        let Some(c) = own(args.count) else { return };
        let mut cell = args.cells.load(c);
        cell.end(args.end);
        args.answers.store(c, u32::from(cell.is_under_way(args.end) && !cell.is_stuck(args.end)));
        args.cells.store(c, cell);
    }
}

/// Writes the right-hand side of cell `c`, and whether it asks for a solution.
#[inline(always)]
fn ask(args: &Step, c: i64, cell: &Cell, air: &Air) {
    let b = cell.ask(air);
    args.answers.store(c, u32::from(b.is_some()));
    args.vectors.cast().store(c, b.unwrap_or([0.0; SPECIES]));
}

/// The cell of this thread; there are more threads than cells.
#[inline(always)]
fn own(count: u64) -> Option<i64> {
    let cell = u64::from(block::index()) * u64::from(block::dim()) + u64::from(thread::index());
    (cell < count).then_some(cell as i64)
}
