//! `warplu lu`.

use std::path::PathBuf;

use warplu::Element;

use crate::common::{Common, Job, Outcome};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::Input;
use crate::npy::{write_array, write_matrices};
use crate::ratio;

/// Factor matrices, PA = LU with partial pivoting
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n)
    #[arg(value_name = "A.npy")]
    a: PathBuf,
    /// Where to write U, with L below its diagonal, of the shape and type of A
    #[arg(short, long, value_name = "LU.npy")]
    output: PathBuf,
    /// Where to write the row interchanges, int32 from 0, as `scipy.linalg.lu_factor` returns: shape (n) or (batch, n)
    #[arg(long, value_name = "PIV.npy")]
    pivots: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    with_element!(a.dtype(), T => factor::<T>(args, a))
}

fn factor<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (mut job, [mut output, mut pivots]) = Job::start("lu", &args.common, &a, [&args.output, &args.pivots])?;
    let (descr, shape, pivots_shape) = (a.dtype().descr(), a.shape(), a.shape_of(&[a.rows]));
    let a = a.load::<T>()?;
    let a = a.view()?;
    let lu = job.compute(|device| device.lu(&a))?;
    output.write(|out| write_matrices::<T, T::Scalar>(out, descr, &shape, lu.factors(), T::narrow))?;
    // Pivots are below n, so the same bits are int32.
    pivots.write(|out| write_array(out, "<i4", &pivots_shape, lu.all_pivots()))?;
    let ratio = |_: &_, b| Ok(ratio::factors(&a, &lu, b));
    job.finish([output, pivots], "factored", &lu.status(), ratio)
}
