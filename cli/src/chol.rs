//! `warplu chol`.

use std::path::PathBuf;

use warplu::out_of_core::SinkBatch;
use warplu::{Element, Triangle};

use crate::common::{Common, Outcome};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::input::Input;
use crate::job::Start;
use crate::npy::{Narrowed, NpySink};
use crate::ratio;

/// Factor positive definite matrices, A = L L^H (Cholesky)
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices, symmetric or Hermitian: shape (n, n) or (batch, n, n)
    #[arg(value_name = "A.npy")]
    a: PathBuf,
    /// Where to write the factors, with zeros in the other triangle, of the shape and type of A
    #[arg(short, long, value_name = "L.npy")]
    output: PathBuf,
    /// Which triangle of A is read, and written: lower, or upper for A = U^H U. The other one may hold anything
    #[arg(long, default_value = "lower")]
    triangle: Triangle,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    with_element!(a.dtype(), T => factor::<T>(args, a))
}

fn factor<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (mut start, [output]) = Start::new("chol", &args.common, &a, &[&args.a], [&args.output])?;
    let (descr, shape, batch, n, triangle) = (a.dtype().descr(), a.shape(), a.batch, a.rows, args.triangle);
    let a = start.open::<T>(a)?;
    let factors = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device()?;
    let narrowed = Narrowed(&factors);
    let mut to = SinkBatch::row_major(&narrowed, batch, n, n)?;
    let status = job.compute(|device| device.cholesky_into(&a.batch()?, triangle, &mut to))?;
    job.measure(&status, &|_, b| {
        Ok(ratio::stored_cholesky(&a.matrix(b)?.view()?, &factors.matrix(b, n, n)?.view()?, triangle))
    })?;
    job.finish([factors.into_output()], "factored", &status)
}
