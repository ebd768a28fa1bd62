//! `warplu solve`.

use std::path::PathBuf;

use warplu::Element;

use crate::common::{Common, Job, Outcome, count};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::Input;
use crate::npy::write_matrices;
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
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    let b = Input::right_hand_sides(&args.b, &a)?;
    with_element!(a.dtype(), T => solve::<T>(args, a, b))
}

fn solve<T: Element>(args: &Args, a: Input, b: Input) -> Result<Outcome> {
    let (mut job, [mut output]) = Job::start("solve", &args.common, &a, [&args.output])?;
    let (descr, shape) = (b.dtype().descr(), b.shape());
    let did = format!("solved for {} with each of", count(b.cols, "right-hand side"));
    let (a, b) = (a.load::<T>()?, b.load::<T>()?);
    let (a, b) = (a.view()?, b.view()?);
    let solution = job.compute(|device| device.solve(&a, &b))?;
    output.write(|out| write_matrices::<T, T>(out, descr, &shape, &solution.x, |x| x))?;
    let ratio = |_: &_, i| Ok(ratio::solution(&a, &b, &solution.x.view(), i));
    job.finish([output], &did, &solution.status, ratio)
}
