//! `warplu det`.

use std::path::PathBuf;

use warplu::{Determinants, Element, Real, Scalar, c64};

use crate::common::{Common, Job, Outcome};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::Input;
use crate::npy::write_array;
use crate::ratio;

/// Determinants, as sign and logarithm, free of overflow
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n)
    #[arg(value_name = "A.npy")]
    a: PathBuf,
    /// Where to write the sign (for complex types the phase) and log |det A|: shape (2) or (batch, 2), of the type of A
    #[arg(short, long, value_name = "DET.npy")]
    output: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    with_element!(a.dtype(), T => determinants::<T>(args, a))
}

fn determinants<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (mut job, [mut output]) = Job::start("det", &args.common, &a, [&args.output])?;
    let (descr, shape) = (a.dtype().descr(), a.shape_of(&[2]));
    let a = a.load::<T>()?;
    let a = a.view()?;
    let det = job.compute(|device| device.det(&a))?;
    output.write(|out| write_array(out, descr, &shape, &columns(&det)))?;
    // What can be measured is the factorization that the determinant is the product of: it is done again.
    let ratio = |device: &_, b| ratio::refactored(device, &a, b);
    job.finish([output], "took the determinants of", &det.status, ratio)
}

/// The sign or phase, and the logarithm, of each matrix.
fn columns<T: Element>(det: &Determinants<T>) -> Vec<T> {
    let log_abs = |&x: &_| T::narrow(T::Scalar::from_c64(c64::new(Real::to_f64(x), 0.0)));
    let pairs = det.phase.iter().zip(&det.log_abs);
    pairs.flat_map(|(&phase, x)| [T::narrow(phase), log_abs(x)]).collect()
}
