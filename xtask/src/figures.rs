//! `cargo xtask figures`: the figures and tables of the papers, measured on this machine and drawn.

use std::fs;
use std::path::PathBuf;

use crate::error::Error;
use crate::{bench, plot, process};

/// What `warplu-bench --figure` takes, and whether the paper had a serial program beside it.
const FIGURES: [(&str, bool); 10] = [
    ("p1-10", false),
    ("p1-11", false),
    ("p1-12", false),
    ("p1-14", false),
    ("p1-16", false),
    ("p1-17", false),
    ("p1-18", false),
    ("p2", true),
    ("p3", true),
    ("p4", true),
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Some of them only, separated by commas: p1-10 to p1-18, p2, p3, p4
    #[arg(long, value_name = "FIGURE", value_delimiter = ',')]
    figure: Vec<String>,
    /// The folder for a JSON and the SVGs of each
    #[arg(short, long, value_name = "DIR", default_value = "papers/results")]
    output: PathBuf,
    /// Where the algorithms run: auto, cuda, cuda:K or sim; serial programs run on the CPU
    #[arg(long, default_value = "auto")]
    device: String,
    /// More arguments of `warplu-bench`, such as --n 33..190:8 --reps 5
    #[arg(last = true)]
    args: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let named = |figure: &str| args.figure.is_empty() || args.figure.iter().any(|name| name == figure);
    if let Some(unknown) = args.figure.iter().find(|name| !FIGURES.iter().any(|(figure, _)| name == figure)) {
        return Err(Error::Figure(unknown.clone(), FIGURES.map(|(figure, _)| figure).join(", ")));
    }
    let folder = process::root().join(&args.output);
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    for (figure, serial) in FIGURES.into_iter().filter(|(figure, _)| named(figure)) {
        let mut files = vec![measure(figure, &args.device, &folder.join(format!("{figure}.json")), &args.args)?];
        if serial {
            files.push(measure(figure, "cpu", &folder.join(format!("{figure}-cpu.json")), &args.args)?);
        }
        plot::run(&plot::Args::of(files, folder.clone()))?;
    }
    Ok(())
}

/// Runs the benchmark of a figure into a file, which it returns.
fn measure(figure: &str, device: &str, file: &PathBuf, more: &[String]) -> Result<PathBuf, Error> {
    let mut args =
        vec!["--figure".into(), figure.into(), "--device".into(), device.into(), "--json".into(), file.into()];
    if device == "cpu" {
        // The papers had a serial program beside theirs.
        args.extend(["--peers".into(), "none".into()]);
    }
    args.extend(more.iter().map(Into::into));
    bench::run(&bench::Args::of(args))?;
    Ok(file.clone())
}
