//! Iterative refinement: improved solutions and their bounds, and solutions by factors in single precision.

use super::check::{Case, Checked, message};
use super::random::Random;
use super::ratios::{Ratio, precision};
use super::report::Row;
use super::sizes;
use crate::Real;
use crate::batch::Batch;
use crate::device::Device;
use crate::element::{Double, Element};
use crate::error::Result;
use crate::matrices::Matrices;
use crate::ops::{Lu, Solution};
use numbers::element::Arithmetic;
use numbers::op::Op;

/// Units of rounding that the component-wise backward error of an improved solution may be, for each row.
const UNITS: f64 = 4.0;

/// The row of improved solutions of a type and a class of orders.
pub(super) fn improved<T: Arithmetic>(device: &Device, orders: &[usize], seed: u64) -> Row {
    row::<T>("lu.refine", device, orders, seed, |case, b| {
        let (lu, alone) = (device.lu(&case.batch())?, device.lu(&case.alone())?);
        let all = [Op::None, Op::Transpose, Op::Adjoint].into_iter().try_fold(Ratio::default(), |ratio, op| {
            let single = || improve(&alone, &case.alone(), &case.last(b), op).map(|(solution, _)| solution);
            let (solution, worst) = improve(&lu, &case.batch(), b, op).map_err(message)?;
            let limit = UNITS * case.n as f64;
            if !(worst <= limit) {
                return Err(format!("{op:?}: a backward error is {worst:.3} units of rounding, more than {limit}"));
            }
            Ok(ratio.worst(case.check_solve(&lu, op, b, Ok(solution), single)?))
        });
        Ok(all)
    })
}

/// Improved solutions, and the largest backward error of good ones in units of rounding.
fn improve<T: Arithmetic>(
    lu: &Lu<T>,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    op: Op,
) -> Result<(Solution<Matrices<T>>, f64)> {
    let mut x = lu.solve(b, op)?.x;
    let bounds = lu.refine(a, b, &mut x.view_mut(), op)?;
    let good = bounds.berr.chunks(b.cols()).zip(&bounds.status).filter(|(_, status)| status.is_ok());
    let worst = good.flat_map(|(berr, _)| berr).map(|x| x.to_f64()).fold(0.0, super::ratios::worst);
    Ok((Solution { x, status: bounds.status }, worst / precision::<T>().0))
}

/// The row of solutions by factors in single precision.
pub(super) fn by_single<T: Double>(device: &Device, orders: &[usize], seed: u64) -> Row {
    row::<T>("refined", device, orders, seed, |case, b| {
        let lu = device.lu(&case.batch())?;
        let solve = |a: &Batch<'_, T>, b: &Batch<'_, T>| {
            let refined = device.solve_refined(a, b)?;
            Ok(Solution { x: refined.x, status: refined.status })
        };
        let checked =
            case.check_solve(&lu, Op::None, b, solve(&case.batch(), b), || solve(&case.alone(), &case.last(b)));
        // The criterion of refinement, as LAPACK's test of it (xGET08), allows as much.
        Ok(checked.map(|ratio| Ratio { norm: ratio.norm / (case.n as f64).sqrt(), ..ratio }))
    })
}

/// Checks each order with one right-hand side and with several.
fn row<T: Element>(
    operation: &'static str,
    device: &Device,
    orders: &[usize],
    seed: u64,
    check: impl Fn(&Case<T>, &Batch<'_, T>) -> Result<Checked>,
) -> Row {
    let mut row = Row {
        operation,
        element: <T::Scalar as Element>::NAME,
        orders: (orders[0], orders[orders.len() - 1]),
        matrices: 0,
        ratio: Ratio::default(),
        problem: None,
    };
    for &n in orders {
        let (batch, mut random) = (sizes::batch(device, n), Random::new(seed ^ ((n as u64) << 20)));
        let case = Case::<T>::new(&mut random, n, batch);
        row.matrices += batch;
        for rhs in [1, 5] {
            let b: Vec<T> = random.elements(batch * n * rhs);
            match check(&case, &case.compact(&b, batch, rhs)).map_err(message).and_then(|checked| checked) {
                Ok(ratio) => row.ratio = row.ratio.worst(ratio),
                Err(problem) => row.problem = row.problem.or(Some(format!("n = {n}: {problem}"))),
            }
        }
    }
    row
}
