//! The measurement of a case, library by library.

use std::time::Instant;

use warplu::resident::Stream;
use warplu::{Device, Element};
use warplu_bench_schema::{Library, Place, Row, Seconds};

use crate::case::{Case, Effort, Op, Way};
use crate::contender::Contender;
use crate::dtype::with_element;
use crate::failure::{Failure, Result};
use crate::host::Host;
use crate::inputs::{Arrays, Inputs, Numbers};
use crate::judge::{Judge, is_wrong};
use crate::machine::is_cpu;
use crate::peers::cusolver::{self, cholesky, potrf};
use crate::peers::{Peers, cpu, cublas};
use crate::program::Serial;
use crate::refined::Refinable;
use crate::resident::Resident;
use crate::results;
use crate::table;
use crate::text::tell;

/// The rows of a case: each algorithm of warplu's, then each peer that does the operation. What cannot be measured is
/// said on stderr, and left out.
pub(crate) fn measure(device: &Device, case: &Case, peers: &Peers, effort: Effort) -> Vec<Row> {
    with_element!(case.dtype, T => all::<T>(device, case, peers, effort))
}

fn all<T: cpu::Field + Refinable>(device: &Device, case: &Case, peers: &Peers, effort: Effort) -> Vec<Row> {
    let numbers = match Numbers::<T>::new(case) {
        Ok(numbers) => numbers,
        Err(failure) => {
            complain(case, &failure);
            return Vec::new();
        }
    };
    let mut session = Session { case, effort, judge: Judge::new(case, &numbers), rows: Vec::new() };
    // Several devices have no memory in common.
    if !is_cpu(device)
        && device.devices().len() == 1
        && let Err(failure) = session.resident(device, peers, &numbers)
    {
        complain(case, &failure);
    }
    if (is_cpu(device) || effort.host)
        && let Err(failure) = session.host(device, peers, &numbers)
    {
        complain(case, &failure);
    }
    session.rows
}

/// The measurements of a case so far.
struct Session<'a, T> {
    case: &'a Case,
    effort: Effort,
    judge: Judge<'a, T>,
    rows: Vec<Row>,
}

impl<T: cpu::Field + Refinable> Session<'_, T> {
    /// On matrices in device memory.
    fn resident(&mut self, device: &Device, peers: &Peers, numbers: &Numbers<T>) -> Result<()> {
        let stream = device.stream()?;
        // Current throughout, so that no call takes the time to make it so.
        stream.with_context(|| self.in_stream(device, &stream, peers, numbers))?
    }

    fn in_stream(&mut self, device: &Device, stream: &Stream, peers: &Peers, numbers: &Numbers<T>) -> Result<()> {
        let case = self.case;
        let inputs = Inputs::new(device, stream, case, numbers)?;
        let arrays = || Ok(Arrays::new(device, stream, case, &inputs)?);
        for (device, name) in each_way(device, case) {
            let to = (Library::Warplu, Place::Device);
            if case.op == Op::SolveRefined {
                self.add(to, name, &device, arrays().and_then(|arrays| T::on_device(&device, arrays)));
                continue;
            }
            let contender = arrays().and_then(|arrays| Ok(Resident::new(&device, arrays)?));
            self.add(to, name, &device, contender);
        }
        if let Some(library) = &peers.cublas {
            for route in cublas::routes(case) {
                let contender = arrays().and_then(|arrays| cublas::Batched::new(library, route, arrays));
                self.add((Library::Cublas, Place::Device), Some(route.to_string()), device, contender);
            }
        }
        if let Some(library) = &peers.cusolver
            && let Some(route) = cusolver::route(case)
        {
            let contender = arrays().and_then(|arrays| cusolver::Single::new(library, route, arrays));
            self.add((Library::Cusolver, Place::Device), Some(route.name().to_owned()), device, contender);
        }
        if let Some(library) = &peers.cusolver
            && cholesky::does(case)
        {
            let contender = arrays().and_then(|arrays| cholesky::Cholesky::new(library, arrays));
            self.add((Library::Cusolver, Place::Device), Some(cholesky::NAME.to_owned()), device, contender);
        }
        if let Some(library) = &peers.cusolver {
            for route in potrf::routes(case) {
                let contender = arrays().and_then(|arrays| potrf::Potrf::new(library, route, arrays));
                self.add((Library::Cusolver, Place::Device), Some(route.name().to_owned()), device, contender);
            }
        }
        Ok(())
    }

    /// From host memory to host memory.
    fn host(&mut self, device: &Device, peers: &Peers, numbers: &Numbers<T>) -> Result<()> {
        let (a, b) = numbers.repeated(self.case.batch)?;
        // Calls into memory that one has are there for operations whose result is as large as a batch.
        let places: &[Place] = match self.case.op {
            Op::Lu | Op::Inv | Op::Solve | Op::LuSolve | Op::Chol | Op::CholInv | Op::CholSolve if self.effort.host => {
                &[Place::Host, Place::Into, Place::Pinned]
            }
            _ => &[Place::Host],
        };
        for (device, name) in each_way(device, self.case) {
            if self.case.op == Op::SolveRefined {
                let contender = T::on_host(&device, self.case, (&a, &b));
                self.add((Library::Warplu, Place::Into), name, &device, contender);
                continue;
            }
            for &place in places.iter().filter(|&&place| place != Place::Pinned || !is_cpu(&device)) {
                let contender = Host::new(&device, self.case, place, &a, &b).map_err(Failure::from);
                self.add((Library::Warplu, place), name.clone(), &device, contender);
            }
        }
        if let Some(program) = self.case.serial {
            let contender = Ok(Serial::new(program, self.case, &a, &b));
            self.add((Library::Serial, Place::Host), Some(program.name().to_owned()), device, contender);
        }
        if cpu::do_case(self.case) {
            self.beside(device, peers, (&a, &b));
        }
        Ok(())
    }

    /// By other libraries, from host memory to host memory that is there already.
    fn beside(&mut self, device: &Device, peers: &Peers, inputs: (&[T], &[T])) {
        let case = self.case;
        if case.op.is_cholesky() {
            return self.cholesky_beside(device, peers, inputs);
        }
        if peers.faer.is_some() {
            self.add((Library::Faer, Place::Into), None, device, cpu::faer(case, inputs));
        }
        if peers.nalgebra.is_some() {
            for (way, contender) in cpu::nalgebra(case, inputs) {
                self.add((Library::Nalgebra, Place::Into), Some(way.to_owned()), device, Ok(contender));
            }
        }
        let route = || Some(cpu::route(case.op).to_owned());
        if let Some(blas) = &peers.openblas {
            let to = (Library::Openblas, Place::Into);
            if blas.is_wide {
                self.add(to, route(), device, cpu::one_by_one::<T, i64>(blas, case, inputs));
            } else {
                self.add(to, route(), device, cpu::one_by_one::<T, i32>(blas, case, inputs));
            }
        }
        if let Some(mkl) = &peers.mkl {
            let to = (Library::Mkl, Place::Into);
            self.add(to, route(), device, cpu::one_by_one::<T, i32>(mkl, case, inputs));
            self.add(to, Some("batched".to_owned()), device, cpu::batched(mkl, case, inputs));
            if let Some(contender) = cpu::compact(mkl, case, inputs) {
                self.add(to, Some("compact, no pivoting".to_owned()), device, contender);
            }
        }
    }

    /// As [`beside`](Self::beside), of Cholesky factors.
    fn cholesky_beside(&mut self, device: &Device, peers: &Peers, inputs: (&[T], &[T])) {
        let case = self.case;
        if peers.faer.is_some() {
            self.add((Library::Faer, Place::Into), None, device, cpu::faer_cholesky(case, inputs));
        }
        for (library, blas) in [(Library::Openblas, &peers.openblas), (Library::Mkl, &peers.mkl)] {
            let (to, route) = ((library, Place::Into), || Some(cpu::route(case.op).to_owned()));
            match blas {
                Some(blas) if blas.is_wide => {
                    self.add(to, route(), device, cpu::one_by_one_cholesky::<T, i64>(blas, case, inputs));
                }
                Some(blas) => self.add(to, route(), device, cpu::one_by_one_cholesky::<T, i32>(blas, case, inputs)),
                None => {}
            }
        }
    }

    /// A contender's row, if it can be made to run.
    fn add(
        &mut self,
        (library, place): (Library, Place),
        algorithm: Option<String>,
        device: &Device,
        contender: Result<impl Contender<T>>,
    ) {
        let who = format!("{} {}", library.name(), algorithm.as_deref().unwrap_or_default());
        match contender.and_then(|contender| self.row((library, place), algorithm, device, contender)) {
            Ok(row) => {
                table::line(&row);
                if is_wrong(row.ratio) {
                    let ratio = row.ratio.unwrap_or_default();
                    tell(format_args!("WRONG RESULT of {who}, {}: ratio {ratio:.3e}", self.case));
                }
                self.rows.push(row);
            }
            Err(failure) => tell(format_args!("{who}, {}: {failure}", self.case)),
        }
    }

    fn row(
        &self,
        (library, place): (Library, Place),
        algorithm: Option<String>,
        device: &Device,
        mut contender: impl Contender<T>,
    ) -> Result<Row> {
        let seconds = Seconds::of(time(&mut contender, self.effort)?);
        let ratio = self.judge.ratio(device, &contender.ends()?)?;
        // Without pivoting it is the matrix that is to blame.
        let ratio = ratio.filter(|&ratio| contender.pivots() || !is_wrong(Some(ratio)));
        let kernels = contender.kernels().into_iter().map(ToOwned::to_owned).collect();
        Ok(Row { ratio, kernels, ..results::row(self.case, library, algorithm, place, seconds) })
    }
}

/// The device with each of the case's ways, and their names. A copy has none.
fn each_way(device: &Device, case: &Case) -> Vec<(Device, Option<String>)> {
    if case.op == Op::Copy {
        return vec![(device.clone(), None)];
    }
    let with = |way: &Way| {
        let device = device.with(way.algorithm).with(way.pivoting);
        (device, Some(way.to_string()))
    };
    case.ways.iter().map(with).collect()
}

/// Seconds of each run: on a stream device time, else by the clock.
fn time<T: Element>(contender: &mut impl Contender<T>, effort: Effort) -> Result<Vec<f64>> {
    for _ in 0..effort.warmup {
        contender.restore()?;
        contender.run()?;
    }
    let mut seconds = Vec::new();
    let mut marks = Vec::new();
    for _ in 0..effort.reps {
        contender.restore()?;
        let clock = Instant::now();
        let start = contender.stream().map(Stream::record).transpose()?;
        contender.run()?;
        match (contender.stream(), start) {
            (Some(stream), Some(start)) => marks.push((start, stream.record()?)),
            _ => seconds.push(clock.elapsed().as_secs_f64()),
        }
    }
    // Waited for only now, so that the device has always something to do.
    for (start, end) in marks {
        seconds.push(end.seconds_since(&start)?);
    }
    Ok(seconds)
}

fn complain(case: &Case, failure: &Failure) {
    tell(format_args!("{case}: {failure}"));
}
