//! `warplu lu` of an archive.

use warplu::Element;
use warplu::verify::ratios;

use super::c_order;
use super::read::Archive;
use super::write::write;
use crate::common::Outcome;
use crate::dtype::with_element;
use crate::failure::Result;
use crate::job::Start;
use crate::lu::Args;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    args.conditions.expect_none()?;
    args.growth.expect_none()?;
    let a = Archive::matrices(&args.a)?;
    with_element!(a.dtype(), T => factor::<T>(args, a))
}

fn factor<T: Element>(args: &Args, a: Archive) -> Result<Outcome> {
    let outputs = [&args.output, &args.pivots];
    let (start, [output, pivots]) = Start::new("lu", &args.common, &a, &[&args.a], outputs)?;
    let (descr, names, shapes) = (a.dtype().descr(), a.names(), a.shapes());
    let a = a.read::<T>(start.part())?;
    let mut job = start.device_with(args.pivoting)?;
    // With the factors and pivots brought to the host.
    let lu = job.compute(|device| {
        let lu = device.lu_ragged(&a.view()?)?;
        (0..lu.batch()).try_for_each(|b| lu.factors(b).map(drop)).map(|()| lu)
    })?;
    let vectors: Vec<_> = names.iter().cloned().zip(shapes.iter().map(|shape| vec![shape[0]])).collect();
    let arrays = names.into_iter().zip(shapes);
    write(&output, descr, arrays, |b| {
        let factors = c_order(&lu.factors(b).map_err(std::io::Error::other)?)?;
        Ok(factors.into_iter().map(T::narrow).collect())
    })?;
    // Pivots are below n, so the same bits are int32.
    write(&pivots, "<i4", vectors.into_iter(), |b| Ok(lu.pivots(b).map_err(std::io::Error::other)?.to_vec()))?;
    job.measure(lu.status(), |_, b| match lu.n(b) {
        0 => Ok(0.0),
        _ => Ok(ratios::factors(&a.one(b)?, &lu.factors(b)?, lu.pivots(b)?, 0).norm),
    })?;
    job.finish([output, pivots], "factored", lu.status())
}
