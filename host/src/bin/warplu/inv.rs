//! `warplu inv`.

use std::path::PathBuf;

use warplu::Element;

use crate::common::{Common, Job, Outcome};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::Input;
use crate::npy::write_matrices;
use crate::ratio;

/// Invert matrices
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n)
    #[arg(value_name = "A.npy")]
    a: PathBuf,
    /// Where to write the inverses, of the shape and type of A
    #[arg(short, long, value_name = "AINV.npy")]
    output: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    with_element!(a.dtype(), T => invert::<T>(args, a))
}

fn invert<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (mut job, [mut output]) = Job::start("inv", &args.common, &a, [&args.output])?;
    let (descr, shape) = (a.dtype().descr(), a.shape());
    let a = a.load::<T>()?;
    let a = a.view()?;
    let inverse = job.compute(|device| device.invert(&a))?;
    output.write(|out| write_matrices::<T, T>(out, descr, &shape, &inverse.matrices, |x| x))?;
    let ratio = |_: &_, b| Ok(ratio::inverse(&a, &inverse.matrices, b));
    job.finish([output], "inverted", &inverse.status, ratio)
}
