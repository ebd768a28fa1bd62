//! Options that all of the verbs have, and what follows from them.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use warplu::{Algorithm, Device, Status};

use crate::failure::{Failure, Result};
use crate::input::Input;
use crate::output::Output;
use crate::report::{self, Report};

/// Most bad matrices that are named on stderr.
const MOST_NAMED: usize = 10;

/// Where to work.
#[derive(clap::Args, Debug)]
pub(crate) struct DeviceArgs {
    /// auto (a GPU if one answers, else the CPU), cpu, cuda, cuda:K (GPU number K) or sim (the emulator of a GPU)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Most device memory to use, in bytes, or with K, M or G: larger batches go through in chunks
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<usize>,
}

/// Options of every verb that reads and writes files.
#[derive(clap::Args, Debug)]
pub(crate) struct Common {
    #[command(flatten)]
    device: DeviceArgs,
    /// auto (warplu's own kernels) or a published algorithm, with options: left-looking:nb=14,interchange=delayed,
    /// right-looking, corrected, elimination, element-wise, bordering; or a single kernel: kernel:lu_small32
    #[arg(long, default_value = "auto")]
    algorithm: Algorithm,
    /// Write a report of the run, as JSON: which matrices are singular, how accurate the others are
    #[arg(long, value_name = "R.json")]
    report: Option<PathBuf>,
    /// Say nothing on stderr unless something is wrong
    #[arg(long)]
    quiet: bool,
}

/// How a run that has written its outputs ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// Some matrices are singular or not finite.
    SomeBad,
}

/// A run of a verb on a file of matrices.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    op: &'static str,
    common: &'a Common,
    device: Device,
    report: Option<Output>,
    path: PathBuf,
    n: usize,
    batch: usize,
    dtype: &'static str,
    seconds: f64,
}

impl DeviceArgs {
    pub(crate) fn open(&self) -> Result<Device> {
        let device = Device::by_name(&self.device)?;
        Ok(match self.memory {
            Some(bytes) => device.with_memory_limit(bytes),
            None => device,
        })
    }
}

impl<'a> Job<'a> {
    /// Opens the device and the outputs, so that what cannot work fails before the work.
    pub(crate) fn start<const K: usize>(
        op: &'static str,
        common: &'a Common,
        a: &Input,
        outputs: [&PathBuf; K],
    ) -> Result<(Self, [Output; K])> {
        let device = common.device.open()?.with_algorithm(common.algorithm);
        let outputs: Vec<_> = outputs.into_iter().map(|path| Output::create(path)).collect::<Result<_>>()?;
        let report = common.report.as_ref().map(|path| Output::create(path)).transpose()?;
        Output::expect_distinct(&outputs.iter().chain(&report).collect::<Vec<_>>())?;
        let Ok(outputs) = outputs.try_into() else { unreachable!("as many outputs as paths") };
        let (path, dtype) = (a.path().to_owned(), a.dtype().name());
        let job = Self { op, common, device, report, path, n: a.rows, batch: a.batch, dtype, seconds: 0.0 };
        Ok((job, outputs))
    }

    /// Computes, with a progress bar where someone may look at it.
    pub(crate) fn compute<R>(&mut self, work: impl FnOnce(&Device) -> warplu::Result<R>) -> Result<R> {
        let bar = match !self.common.quiet && io::stderr().is_terminal() {
            true => ProgressBar::new(self.batch as u64).with_style(style()),
            false => ProgressBar::hidden(),
        };
        let counted = bar.clone();
        let device = self.device.clone().with_progress(move |matrices| counted.inc(matrices as u64));
        let start = Instant::now();
        let result = work(&device);
        self.seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        result.map_err(Failure::from)
    }

    /// Moves the outputs to their places and says how it went. `ratio` measures the accuracy of one matrix's result.
    pub(crate) fn finish<const K: usize>(
        self,
        outputs: [Output; K],
        did: &str,
        status: &[Status],
        ratio: impl Fn(&Device, usize) -> warplu::Result<f64> + Sync,
    ) -> Result<Outcome> {
        let Self { op, common, device, report, path, n, batch, dtype, seconds } = self;
        let bad: Vec<_> = (0..batch).filter(|&b| !status[b].is_ok()).collect();
        let mut files = Vec::from(outputs);
        if let Some(mut file) = report {
            let max_ratio = report::max_ratio(n, status, |b| ratio(&device, b))?;
            let bad = bad.iter().map(|&b| report::Bad { index: b, status: status[b].code() }).collect();
            let device = device.to_string();
            let report = Report { op, dtype, n, batch, device, seconds, bad, max_ratio };
            file.write(|out| report.write(out))?;
            files.push(file);
        }
        files.into_iter().try_for_each(Output::commit)?;

        if !common.quiet {
            tell(format_args!("{did} {} of {n} x {n} ({dtype}) on {device} in {seconds:.3} s", count(batch, "matrix")));
        }
        let path = path.display();
        for &b in bad.iter().take(MOST_NAMED) {
            match status[b] {
                Status::Singular(k) if !common.algorithm.pivots() => tell(format_args!(
                    "warplu: {path}: matrix {b}: the leading block of order {k} is singular, at which {} stops as it does \
                     not interchange rows: use --algorithm auto",
                    common.algorithm.name()
                )),
                status => tell(format_args!("warplu: {path}: matrix {b} is {status}")),
            }
        }
        if bad.is_empty() {
            return Ok(Outcome::Done);
        }
        if bad.len() > MOST_NAMED {
            tell(format_args!("warplu: {path}: and {} more", bad.len() - MOST_NAMED));
        }
        Ok(Outcome::SomeBad)
    }
}

/// "1 matrix", "2 matrices", "1 right-hand side".
pub(crate) fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "matrix") => format!("{number} matrices"),
        _ => format!("{number} {noun}s"),
    }
}

/// A line on stderr; where nobody reads it, so be it.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A line on stdout; where nobody reads it, so be it.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn style() -> ProgressStyle {
    let template = "{wide_bar} {human_pos}/{human_len} matrices, {eta} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn parse_bytes(text: &str) -> std::result::Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|_| "give a number of bytes, such as 512M or 2G".to_owned())?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(|| "between 1 and 2^64 bytes".to_owned())
}
