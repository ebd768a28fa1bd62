//! What the verbs on files have in common.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use warplu::{Device, Element, Pivoting, Status};

use crate::commit::commit;
use crate::common::{Common, Outcome, tell};
use crate::conditions::IllConditioned;
use crate::failure::{Failure, Result};
use crate::growth::{Growth, PivotingArgs};
use crate::input::{Input, Stored};
use crate::opening::Opening;
use crate::output::Output;
use crate::ranks::{self, Part};
use crate::refine::Refined;
use crate::report::{self, Report};
use crate::subject::Subject;

/// Most bad matrices that are named on stderr.
const MOST_NAMED: usize = 10;

/// What is known of a run before the work.
#[derive(Debug)]
struct Run<'a> {
    op: &'static str,
    common: &'a Common,
    /// Of the first rank only.
    report: Option<Output>,
    of: Subject,
    /// Right-hand sides, where there are such.
    last_input: Option<PathBuf>,
    bar: ProgressBar,
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
    pivoting: Pivoting,
    /// Those of all ranks, as messages call them.
    devices: String,
    seconds: f64,
    max_ratio: Option<f64>,
    conditions: Option<IllConditioned>,
    growth: Option<Growth>,
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
        ranks::expect_same(&format!("{op} {} in {} {}", of.summary(), of.container(), of.path.display()))?;
        let create = |path| Output::create_shared(path, of.part);
        let outputs: Vec<_> = outputs.into_iter().map(|path| create(path)).collect::<Result<_>>()?;
        let optional = optional.into_iter().map(|path| path.map(|path| create(path)).transpose());
        let optional: Vec<_> = optional.collect::<Result<_>>()?;
        let report = common.report.as_ref().filter(|_| ranks::is_first());
        let report = report.map(|path| Output::create(path)).transpose()?;
        let all = outputs.iter().chain(optional.iter().flatten()).chain(&report);
        Output::expect_distinct(&all.collect::<Vec<_>>())?;
        if let Some(report) = report.as_ref().filter(|report| inputs.iter().any(|path| report.replaces(path))) {
            let name = report.name().display();
            return Err(Failure::Usage(format!("{name} is an input: give the report a file of its own")));
        }
        let (Ok(outputs), Ok(optional)) = (outputs.try_into(), optional.try_into()) else {
            unreachable!("as many outputs as paths")
        };
        let bar = match !common.quiet && ranks::is_first() && io::stderr().is_terminal() {
            true => ProgressBar::new(of.part.of as u64),
            false => ProgressBar::hidden(),
        };
        let last_input = inputs.last().map(|&path| path.clone());
        let run = Run { op, common, report, of, last_input, bar };
        Ok((Self { run, opening }, outputs, optional))
    }

    /// What this rank works on.
    pub(crate) fn part(&self) -> Part {
        self.run.of.part
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

    /// Waits until the device is open, and those of the other ranks.
    pub(crate) fn device(self) -> Result<Job<'a>> {
        self.device_with(PivotingArgs { pivoting: Pivoting::Partial })
    }

    /// The same for a verb that chooses pivots.
    pub(crate) fn device_with(self, PivotingArgs { pivoting }: PivotingArgs) -> Result<Job<'a>> {
        let Self { run, mut opening } = self;
        let device = opening.wait()?.with(run.common.algorithm).with(pivoting);
        let devices = ranks::devices::names(&device)?;
        let (seconds, max_ratio, conditions, growth, refined) = (0.0, None, None, None, None);
        Ok(Job { run, device, pivoting, devices, seconds, max_ratio, conditions, growth, refined })
    }
}

impl Job<'_> {
    /// Reads, computes and writes, with a progress bar where someone may look at it. That of several ranks shows how
    /// far the first is, as if the others were as far.
    pub(crate) fn compute<R>(&mut self, work: impl FnOnce(&Device) -> warplu::Result<R>) -> Result<R> {
        let (device, start) = (self.watched(), Instant::now());
        let result = work(&device)?;
        ranks::meet()?;
        self.seconds = start.elapsed().as_secs_f64();
        Ok(result)
    }

    /// The device, which moves the progress bar.
    fn watched(&self) -> Device {
        let bar = &self.run.bar;
        bar.reset();
        bar.set_style(style("{wide_bar} {human_pos}/{human_len} matrices, {eta} left"));
        let (counted, part, done) = (bar.clone(), self.run.of.part, AtomicUsize::new(0));
        self.device.clone().with_progress(move |matrices| {
            let before = done.fetch_add(matrices, Ordering::Relaxed);
            // A second pass, as for condition numbers, finds the bar full.
            let [before, after] = [before, before + matrices].map(|done| part.scaled(done.min(part.count)));
            counted.inc(after - before);
        })
    }

    /// Measures the accuracy of a sample of the matrices, if it is to be reported. `status` and `ratio` are those of
    /// this rank's matrices, the latter of one, which it reads again with its result.
    pub(crate) fn measure(
        &mut self,
        status: &[Status],
        ratio: &(dyn Fn(&Device, usize) -> Result<f64> + Sync),
    ) -> Result<()> {
        if self.run.common.report.is_some() {
            self.run.show("measuring the accuracy".to_owned());
            let of = &self.run.of;
            self.max_ratio = report::max_ratio(&of.path, of.n, &of.bads(status)?, &|b| ratio(&self.device, b))?;
        }
        Ok(())
    }

    /// Keeps in mind which matrices are ill-conditioned, and hands over the output that says how much.
    pub(crate) fn note_conditions(&mut self, found: Option<(Output, IllConditioned)>) -> Option<Output> {
        let (output, conditions) = found?;
        self.conditions = Some(conditions);
        Some(output)
    }

    /// Keeps in mind how large pivots became, and hands over the output that says so of each matrix.
    pub(crate) fn note_growth(&mut self, found: Option<(Output, Option<Growth>)>) -> Option<Output> {
        let (output, growth) = found?;
        self.growth = growth;
        Some(output)
    }

    /// Keeps in mind how far solutions were refined, on all ranks.
    pub(crate) fn note_refinement(&mut self, refined: Refined) {
        self.refined = Some(refined);
    }

    /// Moves the outputs to their places and says how it went. `status` is that of this rank's matrices.
    pub(crate) fn finish(
        self,
        outputs: impl IntoIterator<Item = Output>,
        did: &str,
        status: &[Status],
    ) -> Result<Outcome> {
        self.run.show("moving the outputs from memory to disk".to_owned());
        let outputs: Vec<_> = outputs.into_iter().collect();
        let Self { run, pivoting, devices, seconds, max_ratio, conditions, growth, ref refined, .. } = self;
        let Run { op, common, report, ref of, ref last_input, bar } = run;
        let bads = of.bads(status)?;
        let conditions = conditions.map(|found| found.of_all_ranks(|b| bads.name(b))).transpose()?;
        let growth = Growth::of_all_ranks(growth)?;
        let ranks = Some(ranks::size()).filter(|&size| size > 1);
        let report = match report {
            Some(file) => {
                let name = |path: &Path| path.display().to_string();
                let outputs = outputs.iter().map(|output| name(output.name())).collect();
                Report {
                    version: env!("CARGO_PKG_VERSION"),
                    op,
                    input: name(&of.path),
                    outputs,
                    dtype: of.dtype,
                    n: of.n,
                    batch: of.part.of,
                    device: devices.clone(),
                    ranks,
                    pivoting: Some(pivoting).filter(|&pivoting| pivoting != Pivoting::Partial),
                    seconds,
                    bad: &bads,
                    max_ratio,
                    rcond: conditions.as_ref(),
                    growth,
                    refined: refined.as_ref(),
                }
                .save(&file)?;
                Some(file)
            }
            None => None,
        };
        commit(outputs.into_iter().chain(report))?;
        bar.finish_and_clear();

        let bad = bads.count();
        let outcome = if bad == 0 { Outcome::Done } else { Outcome::SomeBad };
        if !ranks::is_first() {
            return Ok(outcome);
        }
        if !common.quiet {
            let place = ranks.map_or(devices.clone(), |ranks| format!("{ranks} ranks ({devices})"));
            tell(format_args!("{did} {} on {place} in {seconds:.3} s", of.summary()));
        }
        let path = of.path.display();
        let name = |b: usize| bads.name(b).map_or(format!("matrix {b}"), |name| format!("matrix {name:?}"));
        if let Some(found) = conditions.as_ref().and_then(|found| found.summary(name)) {
            tell(format_args!("warplu: {path}: {found}"));
        }
        for (b, status) in bads.iter().take(MOST_NAMED) {
            let matrix = name(b);
            match status {
                Status::Singular(k) if pivoting != Pivoting::Partial => tell(format_args!(
                    "warplu: {path}: {matrix}: the leading block of order {k} is singular, at which LU without \
                     interchanges stops: use --pivoting partial",
                )),
                Status::Singular(k) if !common.algorithm.pivots() => tell(format_args!(
                    "warplu: {path}: {matrix}: the leading block of order {k} is singular, at which {} stops as it \
                     does not interchange rows: use --algorithm auto",
                    common.algorithm.name()
                )),
                Status::SideNotFinite(k) => {
                    let path = last_input.as_ref().unwrap_or(&of.path).display();
                    tell(format_args!(
                        "warplu: {path}: right-hand side {k} of {matrix}, or its solution, is not finite"
                    ));
                }
                status => tell(format_args!("warplu: {path}: {matrix} is {status}")),
            }
        }
        if bad > MOST_NAMED {
            tell(format_args!("warplu: {path}: and {} more", bad - MOST_NAMED));
        }
        Ok(outcome)
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
