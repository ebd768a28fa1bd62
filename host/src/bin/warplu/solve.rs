//! `warplu solve`.

use std::path::PathBuf;

use warplu::out_of_core::{self, Sink, SinkBatch};
use warplu::{Batch, Element, Op, Structure};

use crate::common::{Common, Outcome, count};
use crate::conditions::{ConditionArgs, ConditionSink};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::{Input, expect_one_stdin};
use crate::job::Start;
use crate::npy::NpySink;
use crate::ratio;

/// Solve linear systems A X = B
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n)
    #[arg(value_name = "A.npy")]
    a: PathBuf,
    /// The right-hand sides: (n) or (n, k) for one matrix, (batch, n) or (batch, n, k) for a batch
    #[arg(value_name = "B.npy")]
    b: PathBuf,
    /// Where to write the solutions, of the shape and type of B
    #[arg(short, long, value_name = "X.npy")]
    output: PathBuf,
    /// general, spd (positive definite: by Cholesky factorization, which reads the lower triangle alone) or spd:upper
    #[arg(long, default_value = "general", conflicts_with = "rcond")]
    structure: Structure,
    #[command(flatten)]
    conditions: ConditionArgs,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
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
        None => {
            let device = device.clone().with_structure(args.structure);
            out_of_core::solve(&device, a.batch(), b.batch(), to)
        }
        Some(conditions) => out_of_core::with_factors(device, a.batch(), 2 * n * rhs, |first, a, lu| {
            conditions.take(first, a, lu)?;
            let solution = lu.solve(&b.batch().read(first, lu.batch())?.view(), Op::None)?;
            x.write(first * n * rhs, &solution.x.into_c_order()?)?;
            Ok(solution.status)
        }),
    })?;
    job.measure(&status, |_, i| {
        let (a, b, x) = (ratio::with_structure(&a.matrix(i)?, args.structure)?, b.matrix(i)?, x.matrix(i, n, rhs)?);
        Ok(ratio::solution(&Batch::c_order(&a, 1, n, n)?, &b.view()?, &x.view()?, 0))
    })?;
    let did = format!("solved for {} with each of", count(rhs, "right-hand side"));
    let rcond = job.note_conditions(conditions);
    job.finish([x.into_output()].into_iter().chain(rcond), &did, &status)
}
