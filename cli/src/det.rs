//! `warplu det`.

use std::path::PathBuf;

use warplu::out_of_core::Sink;
use warplu::{Determinants, Element, Real, RealOf, Scalar, Structure, c64};

use crate::common::{Common, Outcome};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::growth::PivotingArgs;
use crate::input::Input;
use crate::job::Start;
use crate::npy::NpySink;
use crate::ratio;

/// Determinants that are written at a time.
const PIECE: usize = 1 << 14;

/// Determinants, as sign and logarithm, free of overflow
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n), or an .npz archive of (n, n)
    #[arg(value_name = "A.npy")]
    pub(crate) a: PathBuf,
    /// Where to write the sign (for complex types the phase) and log |det A|: shape (2) or (batch, 2), of the type of A
    #[arg(short, long, value_name = "DET.npy")]
    pub(crate) output: PathBuf,
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
    with_element!(a.dtype(), T => determinants::<T>(args, a))
}

fn determinants<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (mut start, [output]) = Start::new("det", &args.common, &a, &[&args.a], [&args.output])?;
    let (descr, shape) = (a.dtype().descr(), a.shape_of(&[2]));
    let a = start.open::<T>(a)?;
    let columns = NpySink::<T>::new(output, descr, &shape)?;
    let mut job = start.device_with(args.pivoting)?;
    let structure = args.structure;
    let det = job.compute(|device| device.with(structure).det(&a.batch()?))?;
    write(&det, &columns)?;
    // What can be measured is the factorization that the determinant is the product of: it is done again.
    job.measure(&det.status, &|device, b| Ok(ratio::refactored(device, structure, &a.matrix(b)?.view()?)?))?;
    job.finish([columns.into_output()], "took the determinants of", &det.status)
}

/// The sign or phase, and the logarithm, of each matrix.
fn write<T: Element>(det: &Determinants<T>, to: &NpySink<T>) -> Result<()> {
    for (piece, (sign, logs)) in det.sign.chunks(PIECE).zip(det.log_abs.chunks(PIECE)).enumerate() {
        let pairs = sign.iter().zip(logs).flat_map(|(&sign, &log_abs)| pair::<T>(sign, log_abs));
        to.write(2 * PIECE * piece, &pairs.collect::<Vec<_>>()).map_err(warplu::Error::Io)?;
    }
    Ok(())
}

/// The sign or phase, and the logarithm, as numbers of the file.
pub(crate) fn pair<T: Element>(sign: T::Scalar, log_abs: RealOf<T>) -> [T; 2] {
    [sign, T::Scalar::from_c64(c64::new(Real::to_f64(log_abs), 0.0))].map(T::narrow)
}
