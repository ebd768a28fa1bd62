//! `warplu solve`.

use std::path::PathBuf;

use warplu::out_of_core::{self, Sink, SinkBatch};
use warplu::verify::solution_ratio;
use warplu::{Batch, Double, Element, Matrices, Solution, Statuses, Structure, c64};

use crate::common::{Common, Outcome, count};
use crate::conditions::{ConditionArgs, ConditionSink};
use crate::dtype::{Dtype, with_element};
use crate::error_bounds::{BoundArgs, BoundSinks};
use crate::failure::Result;
use crate::growth::PivotingArgs;
use crate::input::{Input, expect_one_stdin};
use crate::job::Start;
use crate::known::Known;
use crate::npy::NpySink;
use crate::ratio;
use crate::refine::{Refined, not_double};

/// Solve linear systems A X = B
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n), or an .npz archive of (n, n)
    #[arg(value_name = "A.npy")]
    pub(crate) a: PathBuf,
    /// The right-hand sides: (n) or (n, k) for one matrix, (batch, n) or (batch, n, k) for a batch; for an archive one
    /// of (n) or (n, k) under the same names
    #[arg(value_name = "B.npy")]
    pub(crate) b: PathBuf,
    /// Where to write the solutions, of the shape and type of B
    #[arg(short, long, value_name = "X.npy")]
    pub(crate) output: PathBuf,
    /// Factor in single precision, and refine the solutions to double precision; matrices that are too ill-conditioned
    /// are factored in double precision (as LAPACK's DSGESV and ZCGESV). For float64 and complex128
    #[arg(long, conflicts_with_all = ["rcond", "ferr", "berr"])]
    pub(crate) refine: bool,
    /// general; spd (positive definite: by Cholesky factorization, which reads the lower triangle alone) or spd:upper;
    /// lower or upper (triangular), with :unit for a diagonal of ones, and :transpose or :adjoint
    #[arg(long, default_value = "general", conflicts_with_all = ["refine", "pivoting"])]
    pub(crate) structure: Structure,
    #[command(flatten)]
    pub(crate) conditions: ConditionArgs,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    #[command(flatten)]
    pub(crate) pivoting: PivotingArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    expect_one_stdin(&[&args.a, &args.b])?;
    let a = Input::matrices(&args.a)?;
    let b = Input::right_hand_sides(&args.b, &a)?;
    if args.refine {
        return match a.dtype() {
            Dtype::F64 => solve_by_single::<f64>(args, a, b),
            Dtype::C64 => solve_by_single::<c64>(args, a, b),
            other => Err(not_double(a.path(), other)),
        };
    }
    args.bounds.check(&a, args.structure)?;
    with_element!(a.dtype(), T => solve::<T>(args, a, b))
}

impl Args {
    fn inputs(&self) -> [&PathBuf; 2] {
        [&self.a, &self.b]
    }
}

fn solve<T: Element>(args: &Args, a: Input, b: Input) -> Result<Outcome> {
    let [ferr, berr] = args.bounds.paths();
    let optional = [args.conditions.path(), ferr, berr];
    let (mut start, [output], [rcond, ferr, berr]) =
        Start::with_optional("solve", &args.common, &a, &args.inputs(), [&args.output], optional)?;
    let (descr, shape, batch, n, rhs) = (b.dtype().descr(), b.shape(), b.batch, b.rows, b.cols);
    let mut conditions = ConditionSink::<T>::new(&args.conditions, rcond, &a)?;
    let bounds = BoundSinks::<T>::new([ferr, berr], &b)?;
    let (a, b) = (start.open::<T>(a)?, start.open::<T>(b)?);
    let x = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device_with(args.pivoting)?;
    let mut to = SinkBatch::row_major(&x, batch, n, rhs)?;
    let status = job.compute(|device| {
        if conditions.is_none() && bounds.is_none() {
            let device = device.with(args.structure);
            return device.solve_into(&a.batch()?, &b.batch()?, &mut to);
        }
        let others = n.saturating_mul(rhs).saturating_mul(if bounds.is_some() { 8 } else { 2 });
        out_of_core::in_pieces(device, a.batch()?, others, |device, first, a| {
            let b = b.batch()?.read(first, a.batch())?;
            let a = Known::new(device, args.structure, a)?;
            if let Some(conditions) = &mut conditions {
                conditions.take(first, |norm| a.rcond(norm))?;
            }
            match &bounds {
                Some(bounds) => bounds.solve(first, &a, &b.view(), &x),
                None => solution_to(&x, (first, n * rhs), a.solve(&b.view())?),
            }
        })
    })?;
    job.measure(&status, &|_, i| {
        let (a, b, x) = (a.matrix(i)?, b.matrix(i)?, x.matrix(i, n, rhs)?);
        let a = ratio::with_structure(&a.view()?, args.structure)?;
        Ok(solution_ratio(&Batch::row_major(&a, 1, n, n)?, &b.view()?, &x.view()?, 0))
    })?;
    let did = format!("solved for {} with each of", count(rhs, "right-hand side"));
    let rcond = job.note_conditions(conditions.map(ConditionSink::into_parts));
    let bounds = bounds.into_iter().flat_map(BoundSinks::into_outputs);
    job.finish([x.into_output()].into_iter().chain(rcond).chain(bounds), &did, &status)
}

/// By factors in single precision.
fn solve_by_single<T: Double>(args: &Args, a: Input, b: Input) -> Result<Outcome> {
    let (mut start, [output]) = Start::new("solve", &args.common, &a, &args.inputs(), [&args.output])?;
    let (descr, shape, batch, n, rhs) = (b.dtype().descr(), b.shape(), b.batch, b.rows, b.cols);
    let part = a.part();
    let (a, b) = (start.open::<T>(a)?, start.open::<T>(b)?);
    let x = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device_with(args.pivoting)?;
    let mut to = SinkBatch::row_major(&x, batch, n, rhs)?;
    let (status, refinement) = job.compute(|device| device.solve_refined_into(&a.batch()?, &b.batch()?, &mut to))?;
    job.measure(&status, &|_, i| {
        let (a, b, x) = (a.matrix(i)?, b.matrix(i)?, x.matrix(i, n, rhs)?);
        Ok(solution_ratio(&a.view()?, &b.view()?, &x.view()?, 0))
    })?;
    let refined = Refined::of_all_ranks(&refinement, part)?;
    let did = format!("solved {} for {} with each of", refined.summary(), count(rhs, "right-hand side"));
    job.note_refinement(refined);
    job.finish([x.into_output()], &did, &status)
}

/// Writes solutions from matrix `first` on, of so many numbers each.
fn solution_to<T: Element>(
    to: &NpySink<T>,
    (first, each): (usize, usize),
    solution: Solution<Matrices<T>>,
) -> warplu::Result<Statuses> {
    to.write(first * each, &solution.x.into_row_major()?)?;
    Ok(solution.status)
}
