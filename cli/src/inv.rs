//! `warplu inv`.

use std::path::PathBuf;

use warplu::out_of_core::SinkBatch;
use warplu::verify::ratios;
use warplu::{Batch, Element, Residual, Structure};

use crate::common::{Common, Outcome};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::growth::PivotingArgs;
use crate::input::Input;
use crate::job::Start;
use crate::npy::NpySink;
use crate::ratio;

/// Invert matrices
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n), or an .npz archive of (n, n)
    #[arg(value_name = "A.npy")]
    pub(crate) a: PathBuf,
    /// Where to write the inverses, of the shape and type of A
    #[arg(short, long, value_name = "AINV.npy")]
    pub(crate) output: PathBuf,
    /// left (I - XA is as small as rounding allows) or both (I - AX, too, is as small as LAPACK's; on GPUs this takes
    /// longer)
    #[arg(long, default_value = "left")]
    pub(crate) residual: Residual,
    /// general; spd (positive definite: by Cholesky factorization, which reads the lower triangle alone) or spd:upper;
    /// lower or upper (triangular), with :unit for a diagonal of ones, and :transpose or :adjoint
    #[arg(long, default_value = "general", conflicts_with = "pivoting")]
    pub(crate) structure: Structure,
    #[command(flatten)]
    pub(crate) pivoting: PivotingArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    with_element!(a.dtype(), T => invert::<T>(args, a))
}

fn invert<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (mut start, [output]) = Start::new("inv", &args.common, &a, &[&args.a], [&args.output])?;
    let (descr, shape, batch, n) = (a.dtype().descr(), a.shape(), a.batch, a.rows);
    let a = start.open::<T>(a)?;
    let x = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device_with(args.pivoting)?;
    let status = job.compute(|device| {
        let device = device.with(args.residual).with(args.structure);
        device.invert_into(&a.batch()?, &mut SinkBatch::row_major(&x, batch, n, n)?)
    })?;
    job.measure(&status, &|_, b| {
        let a = ratio::with_structure(&a.matrix(b)?.view()?, args.structure)?;
        Ok(ratios::inverse(&Batch::row_major(&a, 1, n, n)?, &x.matrix(b, n, n)?.view()?, 0).norm)
    })?;
    job.finish([x.into_output()], "inverted", &status)
}
