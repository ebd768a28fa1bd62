//! `warplu solve` of archives.

use std::fs::File;

use warplu::verify::solution_ratio;
use warplu::{Batch, Conditions, Device, Element, Norm, Op, Ragged, RaggedMatrices, RefinedSolution, Solution};
use warplu::{Structure, c64};

use super::row_major;
use crate::common::Outcome;
use crate::dtype::{Dtype, with_element};
use crate::failure::{Failure, Result};
use crate::job::Start;
use crate::npz::{Archive, Stored, is_archive, write, write_conditions};
use crate::ratio;
use crate::refine::{Refined, not_double};
use crate::solve::Args;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if args.bounds.paths() != [None; 2] {
        let remedy = "give matrices of one order, (batch, n, n), as .npy";
        return Err(Failure::Usage(format!("--ferr and --berr are not for .npz archives: {remedy}")));
    }
    let a = Archive::matrices(&args.a)?;
    if !is_archive(&args.b) {
        // Where there is none, that is the fault.
        File::open(&args.b).map_err(|e| Failure::read(&args.b, e))?;
        let fault = format!("is no .npz archive, but {} is", args.a.display());
        let remedy = "save the right-hand sides with numpy.savez, too, under the names of the matrices";
        return Err(Failure::input(&args.b, format!("{fault}: {remedy}")));
    }
    let b = Archive::right_hand_sides(&args.b, &a)?;
    if args.refine {
        return match a.dtype() {
            Dtype::F64 => solve::<f64>(args, a, b, Some(|device, a, b| device.solve_refined(a, b))),
            Dtype::C64 => solve::<c64>(args, a, b, Some(|device, a, b| device.solve_refined(a, b))),
            other => Err(not_double(&args.a, other)),
        };
    }
    with_element!(a.dtype(), T => solve::<T>(args, a, b, None))
}

/// The condition numbers of matrices of the device's structure.
fn one_by_one<T: Element>(device: &Device, a: &Stored<T>, count: usize, norm: Norm) -> warplu::Result<Conditions<T>> {
    let (mut rcond, mut status) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for b in 0..count {
        let one = device.rcond(&a.one(b)?, norm)?;
        rcond.extend(one.rcond);
        status.extend(one.status.into_vec());
    }
    Ok(Conditions { rcond, status: status.into() })
}

/// What solves by factors in single precision, for types that have them.
type Refine<T> = fn(&Device, &Ragged<'_, T>, &Ragged<'_, T>) -> warplu::Result<RefinedSolution<RaggedMatrices<T>>>;

fn solve<T: Element>(args: &Args, a: Archive, b: Archive, refine: Option<Refine<T>>) -> Result<Outcome> {
    let (start, [output], [rcond]) =
        Start::with_optional("solve", &args.common, &a, &[&args.a, &args.b], [&args.output], [args.conditions.path()])?;
    let (descr, names, part) = (b.dtype().descr(), b.names(), start.part());
    let arrays = names.clone().into_iter().zip(b.shapes());
    let (a, b) = (a.read::<T>(part)?, b.read::<T>(part)?);
    let mut job = start.device_with(args.pivoting)?;
    let (mut conditions, mut refinement) = (None, None);
    let Solution { x, status } = job.compute(|device| {
        let (members, a, b) = (&a, a.view()?, b.view()?);
        if let Some(refine) = refine {
            let RefinedSolution { x, status, refinement: own } = refine(device, &a, &b)?;
            refinement = Some(own);
            return Ok(Solution { x, status });
        }
        let (norm, of_structure) = (args.conditions.norm(), device.with(args.structure));
        if rcond.is_some() && args.structure == Structure::General {
            let lu = device.lu(&a)?;
            conditions = Some(lu.rcond(&a.norms(norm)?)?);
            return lu.solve(&b, Op::None);
        }
        if rcond.is_some() {
            conditions = Some(one_by_one(&of_structure, members, a.batch(), norm)?);
        }
        of_structure.solve(&a, &b)
    })?;
    let conditions = write_conditions(&args.conditions, rcond.zip(conditions), &names, part)?;
    let rcond = job.note_conditions(conditions);
    write(&output, descr, arrays, |i| row_major(&x.one(i)))?;
    job.measure(&status, &|_, i| match x.shape(i).is_empty() {
        true => Ok(0.0),
        false => {
            let (a, n) = (ratio::with_structure(&a.one(i)?, args.structure)?, x.shape(i).rows);
            Ok(solution_ratio(&Batch::row_major(&a, 1, n, n)?, &b.one(i)?, &x.one(i), 0))
        }
    })?;
    let mut did = "solved for the right-hand sides of".to_owned();
    if let Some(own) = refinement {
        let refined = Refined::of_all_ranks(&own, part)?;
        did = format!("solved {} for the right-hand sides of", refined.summary());
        job.note_refinement(refined);
    }
    job.finish([output].into_iter().chain(rcond), &did, &status)
}
