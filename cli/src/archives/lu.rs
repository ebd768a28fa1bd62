//! `warplu lu` of an archive.

use warplu::Element;
use warplu::verify::ratios;

use super::row_major;
use crate::common::Outcome;
use crate::dtype::with_element;
use crate::failure::Result;
use crate::growth::Growth;
use crate::job::Start;
use crate::lu::Args;
use crate::npz::{Archive, write, write_conditions, write_numbers};

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let a = Archive::matrices(&args.a)?;
    with_element!(a.dtype(), T => factor::<T>(args, a))
}

fn factor<T: Element>(args: &Args, a: Archive) -> Result<Outcome> {
    let (outputs, optional) = ([&args.output, &args.pivots], [args.conditions.path(), args.growth.path()]);
    let (start, [output, pivots], [rcond, growth]) =
        Start::with_optional("lu", &args.common, &a, &[&args.a], outputs, optional)?;
    let (descr, names, shapes) = (a.dtype().descr(), a.names(), a.shapes());
    let part = start.part();
    let a = a.read::<T>(part)?;
    let mut job = start.device_with(args.pivoting)?;
    // With the factors and pivots brought to the host.
    let (lu, conditions, pivot_growth) = job.compute(|device| {
        let a = a.view()?;
        let lu = device.lu(&a)?;
        let conditions = rcond.as_ref().map(|_| lu.rcond(&a.norms(args.conditions.norm())?)).transpose()?;
        let growth = growth.as_ref().map(|_| lu.growth(&a)).transpose()?;
        (0..lu.batch()).try_for_each(|b| lu.factors(b).map(drop))?;
        Ok((lu, conditions, growth))
    })?;
    let conditions = write_conditions(&args.conditions, rcond.zip(conditions), &names, part)?;
    let rcond = job.note_conditions(conditions);
    let growth = match growth.zip(pivot_growth) {
        Some((output, growth)) => {
            write_numbers::<T>(&output, &names, &growth)?;
            Some((output, Growth::of(part.first, &growth)))
        }
        None => None,
    };
    let growth = job.note_growth(growth);
    let vectors: Vec<_> = names.iter().cloned().zip(shapes.iter().map(|shape| vec![shape[0]])).collect();
    let arrays = names.into_iter().zip(shapes);
    write(&output, descr, arrays, |b| {
        let factors = row_major(&lu.factors(b).map_err(std::io::Error::other)?)?;
        Ok(factors.into_iter().map(T::narrow).collect())
    })?;
    // Pivots are below n, so the same bits are int32.
    write(&pivots, "<i4", vectors.into_iter(), |b| Ok(lu.pivots(b).map_err(std::io::Error::other)?.to_vec()))?;
    job.measure(lu.status(), &|_, b| match lu.n(b) {
        0 => Ok(0.0),
        _ => Ok(ratios::factors(&a.one(b)?, &lu.factors(b)?, lu.pivots(b)?, 0).norm),
    })?;
    job.finish([output, pivots].into_iter().chain(rcond).chain(growth), "factored", lu.status())
}
