//! Thousands of cells of polluted air, each a stiff system of 20 equations, integrated over an hour by an implicit
//! method whose linear algebra is done in batches.
//!
//! The cells differ in temperature, light, emissions and what is in them at first; each has its own steps, by its own
//! errors. Cell 0 is the test problem POLLU, for which there is a published solution.
//!
//! - the crate `chemistry` has what a cell does: the reactions in `pollu`, their rates and Jacobian in `kinetics`, the
//!   integrator, without any linear algebra, in `cell`; and it has these as kernels;
//! - `cells.rs` says how cells differ;
//! - `on_host.rs` works on all cells by the host's threads, with calls on host memory;
//! - `on_gpu.rs` has all of it on a GPU, by the kernels and by warplu, in one stream;
//! - `plot.rs` draws.
//!
//! `cargo run --release -p warplu-examples --bin stiff_chemistry -- --plot chemistry.svg`, on a GPU with
//! `--features kernels`

mod cells;
#[cfg(feature = "kernels")]
mod on_gpu;
mod on_host;
mod plot;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use chemistry::cell::Cell;
use chemistry::pollu::{NITROGEN, REFERENCE, SPECIES};
use chemistry::sdirk::State;
use clap::Parser;
use warplu::Device;

use crate::cells::Cells;

/// What went wrong.
type Failure = Box<dyn Error + Send + Sync>;

/// Minutes.
const END: f64 = 60.0;

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
    let mut cells = Cells::new(args.cells, args.tolerance, args.plot.is_some());
    let start = Instant::now();
    let work = integrate(&device, &mut cells, END)?;
    summarize(&cells.states, work, start.elapsed().as_secs_f64());
    if let Some(path) = &args.plot {
        std::fs::write(path, plot::svg(&cells)?).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    check(&cells)
}

/// Where the work is done best.
fn integrate(device: &Device, cells: &mut Cells, end: f64) -> Result<Work, Failure> {
    #[cfg(feature = "kernels")]
    if device.to_string().strip_prefix("cuda:").is_some_and(|ordinals| !ordinals.contains(',')) {
        return on_gpu::integrate(device, cells, end);
    }
    on_host::integrate(device, cells, end)
}

/// Batches, and what was in them.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Batches of matrices, and the matrices of cells that were under way.
    batches: usize,
    factored: usize,
    /// Batches of right-hand sides, the systems in them, and those that a cell has asked for.
    rounds: usize,
    solved: usize,
    asked: usize,
}

/// That a cell has come to a point that it cannot leave.
fn stuck(index: usize, cell: &Cell) -> Failure {
    format!("cell {index} makes no progress at t = {} min", cell.time).into()
}

fn summarize(cells: &[Cell], work: Work, seconds: f64) {
    let sum = |count: fn(&Cell) -> u32| cells.iter().map(count).sum::<u32>();
    let (accepted, rejected) = (sum(|cell| cell.accepted), sum(|cell| cell.rejected));
    let most = cells.iter().map(|cell| cell.accepted).max().unwrap_or(0);
    let fewest = cells.iter().map(|cell| cell.accepted).min().unwrap_or(0);
    println!("steps:      {accepted} accepted ({fewest} to {most} a cell), {rejected} rejected by their error");
    println!("            {} given up by Newton's method", sum(|cell| cell.failed));
    println!("factored:   {} matrices of {SPECIES} x {SPECIES} in {} batches", work.factored, work.batches);
    let share = 100.0 * work.asked as f64 / work.solved.max(1) as f64;
    println!("solved:     {} systems in {} batches ({share:.0} % of those in them)", work.asked, work.rounds);
    println!("time:       {seconds:.2} s");
}

/// Compares cell 0 with the published solution, and counts atoms in all cells.
fn check(cells: &Cells) -> Result<(), Failure> {
    let Some(standard) = cells.states.first() else { return Ok(()) };
    let relative = |(y, reference): (&f64, &f64)| (y - reference).abs() / reference;
    let error = standard.y.iter().zip(&REFERENCE).map(relative).fold(0.0, f64::max);
    println!("cell 0:     off the published solution by {error:.1e}, relative, at most");
    let imbalance = (0..cells.states.len()).map(|index| imbalance(cells, index)).fold(0.0, f64::max);
    println!("nitrogen:   balanced in all cells but for {imbalance:.1e}, relative");
    // Errors of about a hundred steps add up.
    if !(error < 300.0 * cells.tolerance.relative) {
        return Err(format!("cell 0 is off the published solution by {error}").into());
    }
    if !(imbalance < 1e-9) {
        return Err(format!("nitrogen is off by {imbalance}").into());
    }
    Ok(())
}

/// What is there at the end, less what was there or came in. It should be zero, whatever the steps.
fn imbalance(cells: &Cells, index: usize) -> f64 {
    let atoms = |y: &State| NITROGEN.iter().zip(y).map(|(atoms, y)| atoms * y).sum::<f64>();
    let (conditions, after) = (&cells.conditions[index], &cells.states[index].y);
    (atoms(after) - atoms(&conditions.initial) - END * atoms(&conditions.emission())).abs() / atoms(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integrated(mut cells: Cells) -> Cells {
        on_host::integrate(&Device::cpu(), &mut cells, END).unwrap();
        cells
    }

    /// One of many, by itself.
    fn only(cells: &Cells, index: usize) -> Cells {
        Cells {
            conditions: vec![cells.conditions[index].clone()],
            air: vec![cells.air[index]],
            states: vec![cells.states[index]],
            histories: Vec::new(),
            ..*cells
        }
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
            check(&integrated(Cells::new(1, tolerance, false))).unwrap();
        }
    }

    /// A cell has the same bits alone, and beside one whose first step is so long that it fails again and again.
    #[test]
    fn cells_do_not_depend_on_each_other() {
        let mut cells = Cells::new(12, 1e-6, false);
        let alone: Vec<_> = (0..12).map(|index| integrated(only(&cells, index)).states[0]).collect();
        cells.states[5] = cells.states[5].with_width(END);
        let together = integrated(cells).states;
        assert!(together[5].failed + together[5].rejected > alone[5].failed + alone[5].rejected);
        for (index, (alone, together)) in alone.iter().zip(&together).enumerate().filter(|(index, _)| *index != 5) {
            assert_eq!(alone.y.map(f64::to_bits), together.y.map(f64::to_bits), "cell {index}");
            assert_eq!(alone.accepted, together.accepted, "cell {index}");
        }
    }

    /// The kernels, by the emulator, for as long as that takes a moment. They do what the host's threads do.
    #[cfg(feature = "kernels")]
    #[test]
    fn kernels_take_the_same_steps() {
        let (mut by_kernels, mut by_threads) = (Cells::new(12, 1e-4, true), Cells::new(12, 1e-4, true));
        let end = 1e-2;
        let on_gpu = on_gpu::integrate(&Device::cpu(), &mut by_kernels, end).unwrap();
        let on_host = on_host::integrate(&Device::cpu(), &mut by_threads, end).unwrap();
        assert_eq!((on_gpu.factored, on_gpu.asked), (on_host.factored, on_host.asked));
        for (kernels, threads) in by_kernels.states.iter().zip(&by_threads.states) {
            assert_eq!((kernels.time, kernels.accepted), (end, threads.accepted));
            assert_eq!(kernels.y.map(f64::to_bits), threads.y.map(f64::to_bits));
        }
        let points = |cells: &Cells| cells.histories.iter().map(|history| history.points.len()).collect::<Vec<_>>();
        assert_eq!(points(&by_kernels), points(&by_threads));
    }

    #[cfg(feature = "kernels")]
    #[test]
    fn a_cell_that_gets_nowhere_is_an_error() {
        for integrate in [on_host::integrate, on_gpu::integrate] {
            let mut cells = Cells::new(3, 1e-4, false);
            cells.air[1].constants[0] = f64::NAN;
            let error = integrate(&Device::cpu(), &mut cells, 1e-5).unwrap_err().to_string();
            assert!(error.contains("cell 1 makes no progress"), "{error}");
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
        let mut cells = integrated(Cells::new(1, 1e-6, false));
        cells.states[0].y[0] *= 1.001;
        assert!(check(&cells).is_err());
    }
}
