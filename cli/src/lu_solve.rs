//! `warplu lu-solve`.

use std::path::PathBuf;

use warplu::out_of_core::{self, SinkBatch};
use warplu::{Element, Op};

use crate::common::{Common, Outcome, count};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::{Input, expect_one_stdin};
use crate::job::Start;
use crate::npy::NpySink;
use crate::pivots::PivotsInput;
use crate::ratio;

/// Solve linear systems A X = B from the factors that `lu` wrote
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The factors, U with L below its diagonal: shape (n, n) or (batch, n, n)
    #[arg(value_name = "LU.npy")]
    lu: PathBuf,
    /// Their row interchanges, int32 from 0: shape (n) or (batch, n)
    #[arg(value_name = "PIV.npy")]
    pivots: PathBuf,
    /// The right-hand sides, of the type of LU: (n) or (n, k) for one matrix, (batch, n) or (batch, n, k) for a batch
    #[arg(value_name = "B.npy")]
    b: PathBuf,
    /// Where to write the solutions, of the shape and type of B
    #[arg(short, long, value_name = "X.npy")]
    output: PathBuf,
    /// Solve with the transposed matrices instead
    #[arg(long, conflicts_with = "adjoint")]
    transpose: bool,
    /// Solve with the conjugate transposed matrices instead
    #[arg(long)]
    adjoint: bool,
    #[command(flatten)]
    common: Common,
}

impl Args {
    fn op(&self) -> Op {
        match (self.transpose, self.adjoint) {
            (true, _) => Op::Transpose,
            (_, true) => Op::Adjoint,
            _ => Op::None,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    expect_one_stdin(&[&args.lu, &args.pivots, &args.b])?;
    let lu = Input::matrices(&args.lu)?;
    let pivots = PivotsInput::open_header(&args.pivots, &lu)?;
    let b = Input::right_hand_sides(&args.b, &lu)?;
    with_element!(lu.dtype(), T => solve::<T>(args, lu, pivots, b))
}

fn solve<T: Element>(args: &Args, lu: Input, pivots: PivotsInput, b: Input) -> Result<Outcome> {
    let (op, inputs) = (args.op(), [&args.lu, &args.pivots, &args.b]);
    let (mut start, [output]) = Start::new("lu-solve", &args.common, &lu, &inputs, [&args.output])?;
    let (descr, shape, batch, n, rhs) = (b.dtype().descr(), b.shape(), b.batch, b.rows, b.cols);
    let (lu, pivots, b) = (start.open::<T>(lu)?, pivots.open()?, start.open::<T>(b)?);
    let x = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device()?;
    let to = SinkBatch::row_major(&x, batch, n, rhs)?;
    let status =
        job.compute(|device| out_of_core::solve_from_factors(device, lu.batch()?, &pivots, op, b.batch()?, to))?;
    job.measure(&status, &|_, i| {
        let (lu, b, x) = (lu.matrix(i)?, b.matrix(i)?, x.matrix(i, n, rhs)?);
        ratio::solution_by_factors(&lu.view()?, &pivots.of(i)?, op, &b.view()?, &x.view()?)
    })?;
    let did = format!("solved for {} with the factors of each of", count(rhs, "right-hand side"));
    job.finish([x.into_output()], &did, &status)
}
