//! `warplu solve`.

use std::path::PathBuf;

use warplu::out_of_core::{self, Sink, SinkBatch};
use warplu::{Element, Op};

use crate::common::{Common, Outcome, count};
use crate::conditions::{ConditionArgs, ConditionSink};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::{Input, expect_one_stdin};
use crate::job::Start;
use crate::npy::NpySink;
use crate::npz;
use crate::ratio;

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
    #[command(flatten)]
    pub(crate) conditions: ConditionArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if npz::is_archive(&args.a) {
        return npz::solve(args);
    }
    expect_one_stdin(&[&args.a, &args.b])?;
    let a = Input::matrices(&args.a)?;
    let b = Input::right_hand_sides(&args.b, &a)?;
    with_element!(a.dtype(), T => solve::<T>(args, a, b))
}

fn solve<T: Element>(args: &Args, a: Input, b: Input) -> Result<Outcome> {
    let (inputs, rcond) = ([&args.a, &args.b], args.conditions.path());
    let (mut start, [output], rcond) = Start::with_rcond("solve", &args.common, &a, &inputs, [&args.output], rcond)?;
    let (descr, shape, batch, n, rhs) = (b.dtype().descr(), b.shape(), b.batch, b.rows, b.cols);
    let mut conditions = ConditionSink::<T>::new(&args.conditions, rcond, &a)?;
    let (a, b) = (start.open::<T>(a)?, start.open::<T>(b)?);
    let x = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device()?;
    let to = SinkBatch::c_order(&x, batch, n, rhs);
    let status = job.compute(|device| match &mut conditions {
        None => out_of_core::solve(device, a.batch(), b.batch(), to),
        Some(conditions) => out_of_core::with_factors(device, a.batch(), 2 * n * rhs, |first, a, lu| {
            conditions.take(first, a, lu)?;
            let solution = lu.solve(&b.batch().read(first, lu.batch())?.view(), Op::None)?;
            x.write(first * n * rhs, &solution.x.into_c_order()?)?;
            Ok(solution.status)
        }),
    })?;
    job.measure(&status, |_, i| {
        let (a, b, x) = (a.matrix(i)?, b.matrix(i)?, x.matrix(i, n, rhs)?);
        Ok(ratio::solution(&a.view()?, &b.view()?, &x.view()?, 0))
    })?;
    let did = format!("solved for {} with each of", count(rhs, "right-hand side"));
    let rcond = job.note_conditions(conditions);
    job.finish([x.into_output()].into_iter().chain(rcond), &did, &status)
}
