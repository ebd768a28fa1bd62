//! `warplu solve` of archives.

use std::fs::File;

use warplu::verify::solution_ratio;
use warplu::{Element, Op, Structure};

use super::{c_order, not_for_archives};
use crate::common::Outcome;
use crate::dtype::with_element;
use crate::failure::{Failure, Result};
use crate::job::Start;
use crate::npz::{Archive, is_archive, write, write_conditions};
use crate::solve::Args;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    not_for_archives(args.structure != Structure::General, "--structure")?;
    not_for_archives(args.refine, "--refine")?;
    not_for_archives(args.bounds.paths() != [None; 2], "--ferr or --berr")?;
    let a = Archive::matrices(&args.a)?;
    if !is_archive(&args.b) {
        // Where there is none, that is the fault.
        File::open(&args.b).map_err(|e| Failure::read(&args.b, e))?;
        let fault = format!("is no .npz archive, but {} is", args.a.display());
        let remedy = "save the right-hand sides with numpy.savez, too, under the names of the matrices";
        return Err(Failure::input(&args.b, format!("{fault}: {remedy}")));
    }
    let b = Archive::right_hand_sides(&args.b, &a)?;
    with_element!(a.dtype(), T => solve::<T>(args, a, b))
}

fn solve<T: Element>(args: &Args, a: Archive, b: Archive) -> Result<Outcome> {
    let (start, [output], [rcond]) =
        Start::with_optional("solve", &args.common, &a, &[&args.a, &args.b], [&args.output], [args.conditions.path()])?;
    let (descr, names, part) = (b.dtype().descr(), b.names(), start.part());
    let arrays = names.clone().into_iter().zip(b.shapes());
    let (a, b) = (a.read::<T>(part)?, b.read::<T>(part)?);
    let mut job = start.device_with(args.pivoting)?;
    let (solution, conditions) = job.compute(|device| {
        let (a, b) = (a.view()?, b.view()?);
        if rcond.is_none() {
            return Ok((device.solve(&a, &b)?, None));
        }
        let lu = device.lu(&a)?;
        Ok((lu.solve(&b, Op::None)?, Some(lu.rcond(&a.norms(args.conditions.norm())?)?)))
    })?;
    let conditions = write_conditions(&args.conditions, rcond.zip(conditions), &names, part)?;
    let rcond = job.note_conditions(conditions);
    let x = &solution.x;
    write(&output, descr, arrays, |i| c_order(&x.one(i)))?;
    job.measure(&solution.status, &|_, i| match x.shape(i).is_empty() {
        true => Ok(0.0),
        false => Ok(solution_ratio(&a.one(i)?, &b.one(i)?, &x.one(i), 0)),
    })?;
    job.finish([output].into_iter().chain(rcond), "solved for the right-hand sides of", &solution.status)
}
