//! A part of calls, as an algorithm of another crate does it.

use super::check::{self, Case};
use super::random::{Random, make_definite};
use super::ratios::Ratio;
use crate::device::Device;
use crate::element::Element;
use crate::extend::Part;
use crate::status::Status;
use numbers::op::Op;

/// Checks what a device makes of `batch` matrices of an order, positive definite ones, or any with a singular and a NaN
/// matrix among them: the worst ratios, or what is wrong. Systems have three right-hand sides.
///
/// # Errors
/// What is wrong: a status, a matrix that its neighbours change, an error of the device.
pub fn part<T: Element>(
    device: &Device,
    part: Part,
    definite: bool,
    (n, batch): (usize, usize),
    seed: u64,
) -> Result<Ratio, String> {
    let mut random = Random::new(seed ^ ((n as u64) << 20));
    let case: Case<T> = if definite { definite_case(&mut random, n, batch) } else { Case::new(&mut random, n, batch) };
    let (a, alone) = (case.batch(), case.alone());
    let factored = || device.lu(&a).and_then(|lu| Ok((lu, device.lu(&alone)?))).map_err(check::message);
    let right: Vec<T> = random.elements(batch * n * 3);
    let b = case.compact(&right, batch, 3);
    match part {
        Part::Lu => factored().and_then(|(lu, alone)| case.check_lu(&lu, &alone)),
        Part::LuInvert => factored().and_then(|(lu, alone)| case.check_inverse(lu.inverse(), || alone.inverse())),
        Part::LuSolve => factored().and_then(|(lu, alone)| {
            case.check_solve(&lu, Op::None, &b, lu.solve(&b, Op::None), || alone.solve(&case.last(&b), Op::None))
        }),
        Part::Invert => case.check_inverse(device.invert(&a), || device.invert(&alone)),
        Part::Solve => {
            let lu = Device::cpu().lu(&a).map_err(check::message)?;
            case.check_solve(&lu, Op::None, &b, device.solve(&a, &b), || device.solve(&alone, &case.last(&b)))
        }
    }
}

/// Hermitian, positive definite matrices.
fn definite_case<T: Element>(random: &mut Random, n: usize, batch: usize) -> Case<T> {
    let mut data: Vec<T> = random.elements(batch * n * n);
    data.chunks_exact_mut((n * n).max(1)).for_each(|matrix| make_definite(matrix, n));
    let (column_major, statuses) = (n.is_multiple_of(2), vec![Status::Ok; batch]);
    Case { data, n, batch, column_major, statuses, singular_has_factors: true }
}
