//! Thousands of cells of polluted air, each a stiff system of 20 equations, integrated over an hour by an implicit
//! method whose linear algebra is done in batches.
//!
//! The cells differ in temperature, light, emissions and what is in them at first; each has its own steps, by its own
//! errors. Cell 0 is the test problem POLLU, for which there is a published solution.
//!
//! - `warplu_examples::pollu` is the chemistry, `warplu_examples::kinetics` its rates and Jacobian;
//! - `cells.rs` says how cells differ;
//! - `sdirk.rs` is the integrator of one cell, without any linear algebra;
//! - `batch.rs` factors and solves for all cells: here is warplu;
//! - `plot.rs` draws.
//!
//! `cargo run --release -p warplu-examples --bin stiff_chemistry -- --plot chemistry.svg`

mod batch;
mod cells;
mod plot;
mod sdirk;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use warplu::Device;
use warplu_examples::pollu::{NITROGEN, REFERENCE, SPECIES};

use crate::batch::Work;
use crate::cells::Conditions;
use crate::sdirk::{Cell, Tolerance};

/// What went wrong.
type Failure = Box<dyn Error + Send + Sync>;

/// Minutes.
const END: f64 = 60.0;

/// Cells whose history is drawn: the standard one, and some of the others.
const DRAWN: [usize; 5] = [0, 1, 5, 8, 11];

/// Integrates the chemistry of many cells of air over an hour.
#[derive(Parser)]
struct Args {
    /// Number of cells
    #[arg(long, default_value_t = 2000)]
    cells: usize,
    /// auto, cpu, cuda, cuda:K, ...
    #[arg(long, default_value = "auto")]
    device: String,
    /// Permitted error of a step, relative to each concentration
    #[arg(long, default_value_t = 1e-6)]
    tolerance: f64,
    /// Where to draw concentrations and steps, as SVG
    #[arg(long)]
    plot: Option<PathBuf>,
}

fn main() -> Result<(), Failure> {
    run(&Args::parse())
}

fn run(args: &Args) -> Result<(), Failure> {
    if !(1e-10..=1e-2).contains(&args.tolerance) {
        return Err(format!("--tolerance {}: it may be from 1e-10 to 1e-2", args.tolerance).into());
    }
    let device = Device::by_name(&args.device)?;
    println!("{} cells on {device}", args.cells);
    let start = Instant::now();
    let (cells, work) = batch::integrate(&device, cells(args.cells, args.tolerance), END)?;
    summarize(&cells, work, start.elapsed().as_secs_f64());
    if let Some(path) = &args.plot {
        std::fs::write(path, plot::svg(&cells)?).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    check(&cells, args.tolerance)
}

fn cells(count: usize, relative: f64) -> Vec<Cell> {
    // Absolutely, far below what can be measured; species of which there is less follow the others.
    let tolerance = Tolerance { absolute: 1e-12, relative };
    let cell = |index| {
        let cell = Cell::new(index, Conditions::of(index), tolerance);
        if DRAWN.contains(&index) { cell.with_history() } else { cell }
    };
    (0..count).map(cell).collect()
}

fn summarize(cells: &[Cell], work: Work, seconds: f64) {
    let sum = |count: fn(&Cell) -> usize| cells.iter().map(count).sum::<usize>();
    let (accepted, rejected) = (sum(|cell| cell.steps.accepted), sum(|cell| cell.steps.rejected));
    let most = cells.iter().map(|cell| cell.steps.accepted).max().unwrap_or(0);
    let fewest = cells.iter().map(|cell| cell.steps.accepted).min().unwrap_or(0);
    println!("steps:      {accepted} accepted ({fewest} to {most} a cell), {rejected} rejected by their error");
    println!("            {} given up by Newton's method", sum(|cell| cell.steps.failed));
    println!("factored:   {} matrices of {SPECIES} x {SPECIES} in {} batches", work.factored, work.batches);
    let share = 100.0 * work.asked as f64 / work.solved.max(1) as f64;
    println!("solved:     {} systems in {} batches ({share:.0} % of those in them)", work.asked, work.rounds);
    println!("time:       {seconds:.2} s");
}

/// Compares cell 0 with the published solution, and counts atoms in all cells.
fn check(cells: &[Cell], tolerance: f64) -> Result<(), Failure> {
    let Some(standard) = cells.first() else { return Ok(()) };
    let relative = |(y, reference): (&f64, &f64)| (y - reference).abs() / reference;
    let error = standard.y.iter().zip(&REFERENCE).map(relative).fold(0.0, f64::max);
    println!("cell 0:     off the published solution by {error:.1e}, relative, at most");
    let imbalance = cells.iter().map(imbalance).fold(0.0, f64::max);
    println!("nitrogen:   balanced in all cells but for {imbalance:.1e}, relative");
    // Errors of about a hundred steps add up.
    if !(error < 300.0 * tolerance) {
        return Err(format!("cell 0 is off the published solution by {error}").into());
    }
    if !(imbalance < 1e-9) {
        return Err(format!("nitrogen is off by {imbalance}").into());
    }
    Ok(())
}

/// What is there at the end, less what was there or came in. It should be zero, whatever the steps.
fn imbalance(cell: &Cell) -> f64 {
    let atoms = |y: &[f64; SPECIES]| NITROGEN.iter().zip(y).map(|(atoms, y)| atoms * y).sum::<f64>();
    let (before, emitted, after) = (&cell.conditions.initial, &cell.conditions.emission(), &cell.y);
    (atoms(after) - atoms(before) - END * atoms(emitted)).abs() / atoms(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integrated(cells: Vec<Cell>) -> Vec<Cell> {
        batch::integrate(&Device::cpu(), cells, END).unwrap().0
    }

    #[test]
    fn runs() {
        let plot = std::env::temp_dir().join(format!("warplu-stiff-chemistry-{}.svg", std::process::id()));
        let args = Args { cells: 40, device: "cpu".to_owned(), tolerance: 1e-6, plot: Some(plot.clone()) };
        run(&args).unwrap();
        let svg = std::fs::read_to_string(&plot).unwrap();
        std::fs::remove_file(&plot).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("ozone"));
    }

    #[test]
    fn errors_follow_the_tolerance() {
        for tolerance in [1e-4, 1e-8] {
            check(&integrated(cells(1, tolerance)), tolerance).unwrap();
        }
    }

    /// A cell has the same bits alone, and beside one whose first step is so long that it fails again and again.
    #[test]
    fn cells_do_not_depend_on_each_other() {
        let alone: Vec<_> =
            (0..12).map(|index| integrated(vec![cells(12, 1e-6).swap_remove(index)]).remove(0)).collect();
        let mut together = cells(12, 1e-6);
        together[5] = together[5].clone().with_width(END);
        let together = integrated(together);
        assert!(
            together[5].steps.failed + together[5].steps.rejected > alone[5].steps.failed + alone[5].steps.rejected
        );
        for (index, (alone, together)) in alone.iter().zip(&together).enumerate().filter(|(index, _)| *index != 5) {
            assert_eq!(alone.y.map(f64::to_bits), together.y.map(f64::to_bits), "cell {index}");
            assert_eq!(alone.steps.accepted, together.steps.accepted, "cell {index}");
        }
    }

    #[test]
    fn bad_arguments_are_errors() {
        let args = |tolerance, device: &str| Args { cells: 1, device: device.to_owned(), tolerance, plot: None };
        for (args, named) in [(args(f64::NAN, "cpu"), "--tolerance"), (args(1e-6, "tpu"), "tpu")] {
            let error = run(&args).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn wrong_results_are_errors() {
        let mut cells = integrated(cells(1, 1e-6));
        cells[0].y[0] *= 1.001;
        assert!(check(&cells, 1e-6).is_err());
    }
}
