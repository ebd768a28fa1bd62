//! `warplu det` of an archive.

use warplu::Element;

use crate::common::Outcome;
use crate::det::{Args, pair};
use crate::dtype::with_element;
use crate::failure::Result;
use crate::job::Start;
use crate::npz::{Archive, write};
use crate::ratio;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Archive::matrices(&args.a)?;
    with_element!(a.dtype(), T => determinants::<T>(args, a))
}

fn determinants<T: Element>(args: &Args, a: Archive) -> Result<Outcome> {
    let (start, [output]) = Start::new("det", &args.common, &a, &[&args.a], [&args.output])?;
    let (descr, names) = (a.dtype().descr(), a.names());
    let a = a.read::<T>(start.part())?;
    let mut job = start.device_with(args.pivoting)?;
    let det = job.compute(|device| device.with(args.structure).det(&a.view()?))?;
    let arrays = names.into_iter().map(|name| (name, vec![2]));
    write(&output, descr, arrays, |b| Ok(pair::<T>(det.sign[b], det.log_abs[b]).to_vec()))?;
    job.measure(&det.status, &|device, b| match a.one(b)? {
        one if one.rows() == 0 => Ok(0.0),
        one => Ok(ratio::refactored(device, args.structure, &one)?),
    })?;
    job.finish([output], "took the determinants of", &det.status)
}
