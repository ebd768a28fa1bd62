//! Build and bench tasks of the workspace: `cargo xtask <command>`.

/// `println!`, but that whoever reads may close the pipe.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

mod bench;
mod ci;
mod comparison;
mod cpu_targets;
mod cusolverdx;
mod dependencies;
mod dependent;
mod error;
mod examples;
mod figures;
mod floor;
mod kernels;
mod measurements;
mod modules;
mod platforms;
mod plot;
mod process;
mod ptxas;
mod python;
mod size;
mod sums;
mod targets;
mod toolkit;
mod tune;
mod tutorial;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Build and bench tasks of the workspace")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the PTX modules that `kernels-gpu` embeds, or check the committed ones
    Kernels(kernels::Args),
    /// Build `warplu-bench` in release mode and run it
    Bench(bench::Args),
    /// Draw charts of what benchmarks measured
    Plot(plot::Args),
    /// Measure and draw the figures and tables of the papers whose algorithms warplu contains
    Figures(figures::Args),
    /// Write the table of kernels that the host prefers, from measurements of each kernel
    Tune(tune::Args),
    /// Compare measurements with the best of the other libraries and with what the hardware allows
    Targets(targets::Args),
    /// Follow the readme of warplu-simt-build in an empty folder
    Tutorial,
    /// Test and run the programs of examples/ that are workspaces of their own
    Examples,
    /// Build the Python package as pip does, install it in an environment of its own, and run its tests
    Python(python::Args),
    /// Compile the library for other machines: Linux on aarch64, and Windows
    Platforms,
    /// Ask RustSec's database for advisories on dependencies, by `cargo deny`
    Advisories,
    /// Measure lines, packages, duplicates and machine code, and hold them to the limits of xtask/limits.toml
    Size(size::Args),
    /// Run every check that a change must pass
    Ci,
}

fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Kernels(args) => kernels::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Figures(args) => figures::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Targets(args) => targets::run(&args),
        Command::Tutorial => tutorial::run(),
        Command::Examples => examples::run(),
        Command::Python(args) => python::run(&args),
        Command::Platforms => platforms::run(),
        Command::Advisories => dependencies::advisories(),
        Command::Size(args) => size::run(&args),
        Command::Ci => ci::run(),
    }
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
