//! What the verbs on files have in common.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use warplu::{Device, Element, Status};

use crate::commit::commit;
use crate::common::{Common, Outcome, count, tell};
use crate::conditions::{ConditionSink, IllConditioned};
use crate::failure::{Failure, Result};
use crate::input::{Input, Stored};
use crate::npz::Archive;
use crate::opening::Opening;
use crate::output::Output;
use crate::refine::Refined;
use crate::report::{self, Bads, Report};

/// Most bad matrices that are named on stderr.
const MOST_NAMED: usize = 10;

/// What is known of a run before the work.
#[derive(Debug)]
struct Run<'a> {
    op: &'static str,
    common: &'a Common,
    report: Option<Output>,
    of: Subject,
    bar: ProgressBar,
}

/// The matrices that a verb is about.
#[derive(Debug)]
pub(crate) struct Subject {
    path: PathBuf,
    /// The order, or the largest.
    n: usize,
    /// The order or orders, as messages have them.
    sizes: String,
    batch: usize,
    dtype: &'static str,
    /// In an archive each has one.
    names: Option<Vec<String>>,
}

impl From<&Input> for Subject {
    fn from(a: &Input) -> Self {
        let (n, batch, dtype) = (a.rows, a.batch, a.dtype().name());
        Self { path: a.path().to_owned(), n, sizes: format!("{n} x {n}"), batch, dtype, names: None }
    }
}

impl From<&Archive> for Subject {
    fn from(a: &Archive) -> Self {
        let (names, shapes, dtype) = (a.names(), a.shapes(), a.dtype().name());
        let orders = || shapes.iter().map(|shape| shape[0]);
        let (least, n) = (orders().min().unwrap_or(0), orders().max().unwrap_or(0));
        let sizes = if least == n { format!("{n} x {n}") } else { format!("orders {least} to {n}") };
        Self { path: a.path().to_owned(), n, sizes, batch: names.len(), dtype, names: Some(names) }
    }
}

impl Subject {
    /// Matrix b, as messages name it.
    fn name(&self, b: usize) -> String {
        match &self.names {
            None => format!("matrix {b}"),
            Some(names) => format!("matrix {:?}", names[b]),
        }
    }
}

/// A run that begins: the outputs are made while the device is opened.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    run: Run<'a>,
    opening: Opening,
}

/// A run of a verb on a file of matrices.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    run: Run<'a>,
    device: Device,
    seconds: f64,
    max_ratio: Option<f64>,
    conditions: Option<IllConditioned>,
    refined: Option<Refined>,
}

impl Run<'_> {
    /// Says what is being done where the bar was.
    fn show(&self, what: String) {
        self.bar.set_style(style("{msg}"));
        self.bar.set_message(what);
        self.bar.tick();
    }
}

impl<'a> Start<'a> {
    /// Opens the device and the outputs, so that what cannot work fails before the work. `inputs` are all of them, by
    /// name.
    pub(crate) fn new<const K: usize>(
        op: &'static str,
        common: &'a Common,
        a: impl Into<Subject>,
        inputs: &[&PathBuf],
        outputs: [&PathBuf; K],
    ) -> Result<(Self, [Output; K])> {
        Self::with_optional(op, common, a, inputs, outputs, []).map(|(start, outputs, [])| (start, outputs))
    }

    /// The same for a verb that may write others, too, such as condition numbers.
    pub(crate) fn with_optional<const K: usize, const M: usize>(
        op: &'static str,
        common: &'a Common,
        a: impl Into<Subject>,
        inputs: &[&PathBuf],
        outputs: [&PathBuf; K],
        optional: [Option<&PathBuf>; M],
    ) -> Result<(Self, [Output; K], [Option<Output>; M])> {
        let (of, opening) = (a.into(), Opening::start(&common.device)?);
        let outputs: Vec<_> = outputs.into_iter().map(|path| Output::create(path)).collect::<Result<_>>()?;
        let create = |path: Option<&PathBuf>| path.map(|path| Output::create(path)).transpose();
        let optional: Vec<_> = optional.into_iter().map(create).collect::<Result<_>>()?;
        let report = create(common.report.as_ref())?;
        let all = outputs.iter().chain(optional.iter().flatten()).chain(&report);
        Output::expect_distinct(&all.collect::<Vec<_>>())?;
        if let Some(report) = report.as_ref().filter(|report| inputs.iter().any(|path| report.replaces(path))) {
            let name = report.name().display();
            return Err(Failure::Usage(format!("{name} is an input: give the report a file of its own")));
        }
        let (Ok(outputs), Ok(optional)) = (outputs.try_into(), optional.try_into()) else {
            unreachable!("as many outputs as paths")
        };
        let bar = match !common.quiet && io::stderr().is_terminal() {
            true => ProgressBar::new(of.batch as u64),
            false => ProgressBar::hidden(),
        };
        let run = Run { op, common, report, of, bar };
        Ok((Self { run, opening }, outputs, optional))
    }

    /// Makes an input ready to be read. What comes through a pipe is waited for, once it is sure that there is a device
    /// for it.
    pub(crate) fn open<T: Element>(&mut self, input: Input) -> Result<Stored<T>> {
        if input.is_stream() {
            self.opening.wait()?;
            self.run.show(format!("reading {}", input.path().display()));
        }
        input.open()
    }

    /// Waits until the device is open.
    pub(crate) fn device(self) -> Result<Job<'a>> {
        let Self { run, mut opening } = self;
        let device = opening.wait()?.with_algorithm(run.common.algorithm);
        Ok(Job { run, device, seconds: 0.0, max_ratio: None, conditions: None, refined: None })
    }
}

impl Job<'_> {
    /// Reads, computes and writes, with a progress bar where someone may look at it.
    pub(crate) fn compute<R>(&mut self, work: impl FnOnce(&Device) -> warplu::Result<R>) -> Result<R> {
        let bar = &self.run.bar;
        bar.reset();
        bar.set_style(style("{wide_bar} {human_pos}/{human_len} matrices, {eta} left"));
        let counted = bar.clone();
        let device = self.device.clone().with_progress(move |matrices| counted.inc(matrices as u64));
        let start = Instant::now();
        let result = work(&device);
        self.seconds = start.elapsed().as_secs_f64();
        result.map_err(Failure::from)
    }

    /// Measures the accuracy of a sample of the matrices, if it is to be reported. `ratio` is that of one matrix, which
    /// it reads again with its result.
    pub(crate) fn measure(
        &mut self,
        status: &[Status],
        ratio: impl Fn(&Device, usize) -> Result<f64> + Sync,
    ) -> Result<()> {
        if self.run.report.is_some() {
            self.run.show("measuring the accuracy".to_owned());
            self.max_ratio = report::max_ratio(&self.run.of.path, self.run.of.n, status, |b| ratio(&self.device, b))?;
        }
        Ok(())
    }

    /// Keeps in mind which matrices are ill-conditioned, and hands over the output that says how much.
    pub(crate) fn note_conditions<T: Element>(&mut self, sink: Option<ConditionSink<T>>) -> Option<Output> {
        let (output, found) = sink?.into_parts();
        self.conditions = Some(found);
        Some(output)
    }

    /// Keeps in mind how far solutions were refined.
    pub(crate) fn note_refinement(&mut self, refined: Refined) {
        self.refined = Some(refined);
    }

    /// Moves the outputs to their places and says how it went.
    pub(crate) fn finish(
        self,
        outputs: impl IntoIterator<Item = Output>,
        did: &str,
        status: &[Status],
    ) -> Result<Outcome> {
        self.run.show("moving the outputs from memory to disk".to_owned());
        let outputs: Vec<_> = outputs.into_iter().collect();
        let Self { run, ref device, seconds, max_ratio, ref conditions, ref refined } = self;
        let Run { op, common, report, ref of, bar } = run;
        let Subject { ref path, n, ref sizes, batch, dtype, ref names } = *of;
        let report = match report {
            Some(file) => {
                let name = |path: &Path| path.display().to_string();
                let outputs = outputs.iter().map(|output| name(output.name())).collect();
                let (version, input, device) = (env!("CARGO_PKG_VERSION"), name(path), device.to_string());
                let (bad, rcond) = (Bads { status, names: names.as_deref() }, conditions.as_ref());
                let refined = refined.as_ref();
                Report {
                    version,
                    op,
                    input,
                    outputs,
                    dtype,
                    n,
                    batch,
                    device,
                    seconds,
                    bad,
                    max_ratio,
                    rcond,
                    refined,
                }
                .save(&file)?;
                Some(file)
            }
            None => None,
        };
        commit(outputs.into_iter().chain(report))?;
        bar.finish_and_clear();

        if !common.quiet {
            tell(format_args!("{did} {} of {sizes} ({dtype}) on {device} in {seconds:.3} s", count(batch, "matrix")));
        }
        let path = path.display();
        if let Some(found) = conditions.as_ref().and_then(IllConditioned::summary) {
            tell(format_args!("warplu: {path}: {found}"));
        }
        let bad = || (0..batch).filter(|&b| !status[b].is_ok());
        for b in bad().take(MOST_NAMED) {
            match status[b] {
                Status::Singular(k) if !common.algorithm.pivots() => tell(format_args!(
                    "warplu: {path}: {}: the leading block of order {k} is singular, at which {} stops as it \
                     does not interchange rows: use --algorithm auto",
                    of.name(b),
                    common.algorithm.name()
                )),
                status => tell(format_args!("warplu: {path}: {} is {status}", of.name(b))),
            }
        }
        match bad().count() {
            0 => return Ok(Outcome::Done),
            all if all > MOST_NAMED => tell(format_args!("warplu: {path}: and {} more", all - MOST_NAMED)),
            _ => {}
        }
        Ok(Outcome::SomeBad)
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
