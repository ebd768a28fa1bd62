//! `cargo xtask size`: how large the workspace is, what users build of it, and that neither grows unnoticed.

mod build;
mod code;
mod duplicates;
mod limits;
mod lines;
mod packages;

use crate::error::Error;
use limits::Limits;
use lines::Source;

#[derive(Default, clap::Args)]
pub(crate) struct Args {
    /// Build the library and the program as users do, and measure their machine code, too
    #[arg(long)]
    build: bool,
    /// Build them from nothing, and say how long that takes
    #[arg(long, requires = "build")]
    seconds: bool,
    /// List the largest duplicates
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "20")]
    duplicates: Option<usize>,
    /// Lower limits to today's numbers where these are smaller, and give a limit to numbers that have none
    #[arg(long)]
    lower: bool,
}

impl Args {
    /// Asks for what continuous integration measures: what needs no build beside that of the tests.
    pub(crate) fn ci() -> Self {
        Self::default()
    }
}

/// What is measured, under the name that its limit has.
#[derive(Debug)]
struct Number {
    name: String,
    value: u64,
}

impl Number {
    fn new(name: impl Into<String>, value: u64) -> Self {
        Self { name: name.into(), value }
    }
}

/// Measures, prints each number beside its limit, and fails where one is above it.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let sources = Source::read_all()?;
    let mut numbers = lines::numbers(&sources);
    numbers.extend(packages::numbers()?);
    let duplicates = duplicates::find(&sources);
    numbers.push(Number::new("duplicates", duplicates.len() as u64));
    if args.build {
        numbers.extend(build::numbers(args.seconds)?);
    }
    let unmeasured: &[&str] = if args.build { &[] } else { &build::NAMES };

    let mut limits = Limits::read()?;
    limits.known(&numbers, unmeasured)?;
    if args.lower {
        limits.lower(&numbers);
        limits.write()?;
    }
    say!("{}\n{}", limits.table(&numbers), lines::modules(&sources).trim_end());
    if let Some(count) = args.duplicates {
        say!("\n{}", duplicates::list(&duplicates[..count.min(duplicates.len())]).trim_end());
    }
    limits.hold(&numbers)
}
