//! The speed of each operation on random matrices, beside that of other libraries.

mod case;
mod contender;
mod device;
mod dtype;
mod failure;
mod figures;
mod host;
mod inputs;
mod judge;
mod kernels;
mod machine;
mod measure;
mod paper;
mod peers;
mod program;
mod ragged;
mod range;
mod refined;
mod resident;
mod results;
mod serial;
mod table;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use numbers::problem::Problem;
use warplu::{Algorithm, Device, Pivoting};

use self::case::{Case, Effort, Op, Order, Way};
use self::device::DeviceArgs;
use self::dtype::Dtype;
use self::failure::{Failure, Result};
use self::figures::Figure;
use self::judge::is_wrong;
use self::kernels::Kernel;
use self::measure::measure;
use self::peers::{Peer, Peers};
use self::range::Orders;
use self::results::Output;

/// Measure the speed of each operation on random matrices, beside other libraries
#[derive(Parser, Debug)]
#[command(name = "warplu-bench", version)]
struct Args {
    #[command(flatten)]
    device: DeviceArgs,
    /// Operations, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "lu,solve,inv,det")]
    op: Vec<Op>,
    /// warplu's algorithm, such as left-looking:nb=14; may be given several times
    #[arg(long, default_value = "auto", value_parser = papers::parse)]
    algorithm: Vec<Algorithm>,
    /// A kernel of warplu's own instead, for the operation that it does; may be given several times; all: each that
    /// fits
    #[arg(long, value_name = "NAME", conflicts_with_all = ["algorithm", "figure"])]
    kernel: Vec<Kernel>,
    /// Which pivots warplu takes, separated by commas: partial, none, boosted:THRESHOLD; without interchanges on positive
    /// definite matrices
    #[arg(long, value_delimiter = ',', default_value = "partial")]
    pivoting: Vec<Pivoting>,
    /// Types, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32,f64")]
    dtype: Vec<Dtype>,
    /// A figure or table of a paper instead: its operation, types and algorithms, at its orders unless --n says others
    #[arg(long, value_enum, conflicts_with_all = ["op", "algorithm", "pivoting", "dtype", "batch", "rhs", "layout"])]
    figure: Option<Figure>,
    /// Orders and ranges of them, separated by commas: 64, 33..190 (with 190), 33..190:8 (every eighth)
    /// [default: 8,16,32,64,128]
    #[arg(long, value_name = "ORDERS", value_delimiter = ',')]
    n: Option<Vec<Orders>>,
    /// Matrices
    #[arg(long, default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=u32::MAX.into()))]
    batch: usize,
    /// Right-hand sides of each matrix, for solve, solve-refined and lu-solve
    #[arg(long, default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=u32::MAX.into()))]
    rhs: usize,
    /// One batch of matrices whose orders are drawn evenly from those of --n, beside uniform batches of the same
    /// matrices one after the other: lu, solve, inv and det, each by one algorithm
    #[arg(long, conflicts_with_all = ["figure", "kernel"])]
    ragged: bool,
    /// How the matrices lie in memory
    #[arg(long, value_enum, default_value = "column-major")]
    layout: Order,
    /// Timed runs
    #[arg(long, default_value_t = 7, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    reps: usize,
    /// Runs before them
    #[arg(long, default_value_t = 2)]
    warmup: usize,
    /// Other libraries to measure, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "auto")]
    peers: Vec<Peer>,
    /// Measure the calls on host memory, too (on the CPU there are no others)
    #[arg(long)]
    host: bool,
    /// Write the measurements as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn run(args: &Args) -> Result<()> {
    let device = args.device.open()?;
    if device.devices().len() > 1 && !args.host {
        let what = "several devices work together on host memory only: add --host, or choose one";
        return Err(Failure::Usage(format!("{device}: {what}")));
    }
    let peers = Peers::open(&device, &args.peers)?;
    let output = args.json.as_deref().map(Output::open).transpose()?;
    let effort = Effort { reps: args.reps, warmup: args.warmup, host: args.host };
    table::head(&device);
    let mut results = results::begin(&device);
    let cases = match args.figure {
        Some(figure) => {
            results.title = Some(figure.title().to_owned());
            results.figure = Some(figure.id().to_owned());
            results.rows = figure.published();
            figure.cases(&device, args.orders())
        }
        None => args.cases(&device)?,
    };
    let published = results.rows.len();
    for case in cases {
        results.rows.extend(match args.ragged {
            true => ragged::measure(&device, &case, &args.all_orders(), effort),
            false => measure(&device, &case, &peers, effort),
        });
        // A run that is cut keeps its rows.
        if let Some(output) = output.as_ref().filter(|output| output.is_replaceable()) {
            output.save(&results)?;
        }
    }
    if let Some(output) = output.filter(|output| !output.is_replaceable()) {
        output.save(&results)?;
    }
    let wrong = results.rows.iter().filter(|row| is_wrong(row.ratio)).count();
    match results.rows.len() - published {
        0 => Err(Failure::Bench("nothing could be measured: see above".to_owned())),
        all if wrong > 0 => {
            Err(Failure::Bench(format!("{wrong} of {all} measurements are of wrong results: see above")))
        }
        _ => Ok(()),
    }
}

impl Args {
    /// The orders that were named.
    fn orders(&self) -> Option<Vec<usize>> {
        Some(self.n.as_ref()?.iter().flat_map(Orders::iter).collect())
    }

    /// Those, or the ones that are measured else.
    fn all_orders(&self) -> Vec<usize> {
        self.orders().unwrap_or_else(|| vec![8, 16, 32, 64, 128])
    }

    fn cases(&self, device: &Device) -> Result<Vec<Case>> {
        let orders = self.all_orders();
        // A ragged batch is one case of all orders, and known by the largest.
        let orders = if self.ragged { orders.into_iter().max().into_iter().collect() } else { orders };
        let mut cases = Vec::new();
        for (&op, &dtype) in self.op.iter().flat_map(|op| self.dtype.iter().map(move |dtype| (op, dtype))) {
            for &n in &orders {
                let rhs = if op.has_right_hand_sides() { self.rhs } else { 0 };
                let mut ways = Vec::new();
                for &pivoting in &self.pivoting {
                    let algorithms = if self.kernel.is_empty() {
                        self.algorithm.clone()
                    } else {
                        let problem = Problem { n: n as u32, batch: self.batch as u64, rhs: self.rhs as u32 };
                        Kernel::of(&self.kernel, device, (op, pivoting), dtype.kind(), &problem)?
                    };
                    ways.extend(algorithms.into_iter().map(|algorithm| Way { algorithm, pivoting }));
                }
                let (batch, layout) = (self.batch, self.layout);
                let case = Case { op, ways, dtype, n, batch, rhs, layout, serial: None, definite: false };
                // Peers are measured beside warplu, not for an operation that none of the kernels does.
                cases.extend(Some(case).filter(|case| !case.ways.is_empty()));
            }
        }
        Ok(cases)
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            text::tell(&failure);
            failure.exit_code().into()
        }
    }
}
