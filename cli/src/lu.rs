//! `warplu lu`.

use std::path::PathBuf;

use warplu::Element;
use warplu::out_of_core::{self, Sink, SinkBatch};

use crate::common::{Common, Outcome};
use crate::conditions::{ConditionArgs, ConditionSink};
use crate::dtype::with_element;
use crate::failure::{Failure, Result};
use crate::growth::{GrowthArgs, GrowthSink, PivotingArgs};
use crate::input::Input;
use crate::job::Start;
use crate::memory::zeros;
use crate::npy::{Narrowed, NpySink};
use crate::ratio;

/// Factor matrices, PA = LU with partial pivoting, or without
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The matrices: shape (n, n) or (batch, n, n), or an .npz archive of (n, n)
    #[arg(value_name = "A.npy")]
    pub(crate) a: PathBuf,
    /// Where to write U, with L below its diagonal, of the shape and type of A
    #[arg(short, long, value_name = "LU.npy")]
    pub(crate) output: PathBuf,
    /// Where to write the row interchanges, int32 from 0, as `scipy.linalg.lu_factor` returns: shape (n) or (batch, n)
    #[arg(long, value_name = "PIV.npy")]
    pub(crate) pivots: PathBuf,
    #[command(flatten)]
    pub(crate) conditions: ConditionArgs,
    #[command(flatten)]
    pub(crate) growth: GrowthArgs,
    #[command(flatten)]
    pub(crate) pivoting: PivotingArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Input::matrices(&args.a)?;
    with_element!(a.dtype(), T => factor::<T>(args, a))
}

fn factor<T: Element>(args: &Args, a: Input) -> Result<Outcome> {
    let (outputs, optional) = ([&args.output, &args.pivots], [args.conditions.path(), args.growth.path()]);
    let (mut start, [output, pivots], [rcond, growth]) =
        Start::with_optional("lu", &args.common, &a, &[&args.a], outputs, optional)?;
    let (descr, shape, pivots_shape) = (a.dtype().descr(), a.shape(), a.shape_of(&[a.rows]));
    let (batch, n) = (a.batch, a.rows);
    let mut conditions = ConditionSink::<T>::new(&args.conditions, rcond, &a)?;
    let mut growth = GrowthSink::<T>::new(growth, &a)?;
    let a = start.open::<T>(a)?;
    let lu = NpySink::<T>::new(output, descr, &shape)?;
    // Pivots are below n, so the same bits are int32.
    let pivots = NpySink::<u32>::new(pivots, "<i4", &pivots_shape)?;
    let mut job = start.device_with(args.pivoting)?;
    let narrowed = Narrowed(&lu);
    let mut to = SinkBatch::row_major(&narrowed, batch, n, n)?;
    let status = job.compute(|device| {
        if conditions.is_none() && growth.is_none() {
            return device.lu_into(&a.batch()?, &mut to, SinkBatch::row_major(&pivots, batch, n, 1)?);
        }
        out_of_core::with_factors(device, a.batch()?, 0, |first, a, factors| {
            if let Some(conditions) = &mut conditions {
                conditions.take(first, |norm| factors.rcond(&a.norms(norm)?))?;
            }
            if let Some(growth) = &mut growth {
                growth.take(first, a, factors)?;
            }
            narrowed.write(first * n * n, &factors.factors()?.clone().into_row_major()?)?;
            pivots.write(first * n, factors.all_pivots()?)?;
            Ok(factors.status().clone())
        })
    })?;
    job.measure(&status, &|_, b| {
        let mut own = zeros(n).map_err(|_| Failure::memory(&args.pivots, 4 * n))?;
        pivots.read_back(b * n, &mut own)?;
        Ok(ratio::stored_factors(&a.matrix(b)?.view()?, &lu.matrix(b, n, n)?.view()?, &own))
    })?;
    let (rcond, growth) = (
        job.note_conditions(conditions.map(ConditionSink::into_parts)),
        job.note_growth(growth.map(GrowthSink::into_parts)),
    );
    job.finish([lu.into_output(), pivots.into_output()].into_iter().chain(rcond).chain(growth), "factored", &status)
}
