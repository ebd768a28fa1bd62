//! `warplu inv` of an archive.

use warplu::verify::ratios;
use warplu::{Batch, Element};

use super::row_major;
use crate::common::Outcome;
use crate::dtype::with_element;
use crate::failure::Result;
use crate::inv::Args;
use crate::job::Start;
use crate::npz::{Archive, write};
use crate::ratio;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Archive::matrices(&args.a)?;
    with_element!(a.dtype(), T => invert::<T>(args, a))
}

fn invert<T: Element>(args: &Args, a: Archive) -> Result<Outcome> {
    let (start, [output]) = Start::new("inv", &args.common, &a, &[&args.a], [&args.output])?;
    let (descr, arrays) = (a.dtype().descr(), a.names().into_iter().zip(a.shapes()));
    let a = a.read::<T>(start.part())?;
    let mut job = start.device_with(args.pivoting)?;
    let inverse = job.compute(|device| device.with(args.residual).with(args.structure).invert(&a.view()?))?;
    let x = &inverse.matrices;
    write(&output, descr, arrays, |b| row_major(&x.one(b)))?;
    job.measure(&inverse.status, &|_, b| match x.shape(b).rows {
        0 => Ok(0.0),
        n => {
            let a = ratio::with_structure(&a.one(b)?, args.structure)?;
            Ok(ratios::inverse(&Batch::row_major(&a, 1, n, n)?, &x.one(b), 0).norm)
        }
    })?;
    job.finish([output], "inverted", &inverse.status)
}
