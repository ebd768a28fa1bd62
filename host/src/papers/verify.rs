//! The published algorithms, each option of each.

use half::{bf16, f16};
use numbers::scalar::Scalar;

use super::block_bordering::columns;
use super::{Allocation, Columns, Correction, Interchange, Published, Strategy};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::device::Device;
use crate::element::{Element, c32, c64};
use crate::error::{Error, Result};
use crate::resident::{InversePlan, LuPlan, Size};
use crate::status::Status;
use crate::verify::check::{self, Case, Checked};
use crate::verify::random::{Random, make_definite, matrices};
use crate::verify::{Options, Ratio, Row};
use numbers::op::Op;

/// Orders around panel widths, tiles and the largest block; all that the emulator takes are the small ones.
const ORDERS: [usize; 16] = [1, 2, 7, 8, 9, 14, 15, 17, 28, 33, 40, 65, 100, 129, 190, 257];
/// The last of the small ones.
const SMALL: usize = 40;
/// The largest that is verified, as most work with one block a matrix.
const LARGEST: usize = 2048;

/// Runs on the emulator one option in so many, another one for each order.
const SIM_STRIDE: usize = 8;

/// Every option, by algorithm.
fn all() -> Vec<Vec<Published>> {
    use Interchange::{Delayed, Grouped, Sequential};
    let lu_widths = [8, 10, 14, 16, 18, 24, 32];
    let left = |nb| [Sequential, Grouped, Delayed].map(|interchange| Published::LeftLooking { nb, interchange });
    let right = |nb| [Sequential, Grouped].map(|interchange| Published::RightLooking { nb, interchange });
    let times = [Correction::Timely, Correction::Delayed];
    let corrected = |nb| {
        times.into_iter().flat_map(move |upper| times.map(move |lower| (upper, lower))).flat_map(
            move |(upper, lower)| {
                [(Allocation::Static, Columns::Swap), (Allocation::Dynamic, Columns::Gather)]
                    .map(|(allocation, columns)| Published::Corrected { nb, upper, lower, allocation, columns })
            },
        )
    };
    let elimination = |pivoting| {
        [Strategy::Rows, Strategy::RowsShared, Strategy::Columns, Strategy::ColumnsShared]
            .into_iter()
            .zip([64, 128, 256, 1024])
            .map(move |(strategy, threads)| Published::Elimination { strategy, threads, pivoting })
    };
    vec![
        lu_widths.into_iter().flat_map(left).collect(),
        lu_widths.into_iter().flat_map(right).collect(),
        [8, 14, 16, 20, 24, 28].into_iter().flat_map(corrected).collect(),
        elimination(true).chain(elimination(false)).collect(),
        [None, Some(8), Some(16), Some(32)].map(|tile| Published::ElementWise { tile }).to_vec(),
        [None, Some(1), Some(32), Some(64), Some(96)].map(|block| Published::Bordering { block }).to_vec(),
    ]
}

/// Verifies every algorithm for every type, and hands on each row.
pub(crate) fn verify(device: &Device, options: &Options, on_row: impl FnMut(Row)) {
    let types: [fn(&Device, &Options) -> Vec<Row>; 6] =
        [rows::<f32>, rows::<f64>, rows::<c32>, rows::<c64>, rows::<f16>, rows::<bf16>];
    types.iter().flat_map(|rows| rows(device, options)).for_each(on_row);
}

/// The rows of a type, one an algorithm.
fn rows<T: Element>(device: &Device, options: &Options) -> Vec<Row> {
    if matches!(device.first(), Backend::Cpu) || !options.has::<T>() {
        return Vec::new();
    }
    let is_sim = matches!(device.first(), Backend::Sim(_));
    let mut orders = options.sizes.clone().unwrap_or_else(|| {
        ORDERS.into_iter().filter(|&n| n <= if is_sim || options.quick { SMALL } else { usize::MAX }).collect()
    });
    orders.retain(|&n| n <= LARGEST);
    if orders.is_empty() {
        return Vec::new();
    }
    let rows = all().into_iter().map(|mut algorithms| {
        algorithms.retain(|algorithm| has::<T>(device, algorithm));
        row::<T>(device, &algorithms, &orders, is_sim, options.seed)
    });
    rows.collect()
}

/// Whether the device has kernels for the algorithm: blocks of columns have them for compute capability 9.0 only.
fn has<T: Element>(device: &Device, algorithm: &Published) -> bool {
    match *algorithm {
        Published::Bordering { block } => columns(device.first(), T::Scalar::KIND, 1, block).is_ok(),
        _ => true,
    }
}

fn row<T: Element>(device: &Device, algorithms: &[Published], orders: &[usize], is_sim: bool, seed: u64) -> Row {
    let ends = orders.iter().min().zip(orders.iter().max());
    let mut row = Row {
        operation: algorithms[0].name(),
        element: T::NAME,
        orders: ends.map_or((0, 0), |(&first, &last)| (first, last)),
        matrices: 0,
        ratio: Ratio::default(),
        problem: None,
    };
    for (turn, &n) in orders.iter().enumerate() {
        for (at, &algorithm) in algorithms.iter().enumerate() {
            if is_sim && algorithms.len() > SIM_STRIDE && (at + turn) % SIM_STRIDE != 0 {
                continue;
            }
            let batch = if n <= SMALL { 5 } else { 2 };
            let Some(checked) = check::<T>(&device.with(Algorithm::Published(algorithm)), algorithm, n, batch, seed)
            else {
                continue;
            };
            row.matrices += batch;
            match checked {
                Ok(ratio) => row.ratio = row.ratio.worst(ratio),
                Err(problem) => row.problem = row.problem.or(Some(format!("n = {n}, {algorithm}: {problem}"))),
            }
        }
    }
    row
}

/// What the algorithm makes of a batch; nothing where a wide panel of a large matrix is more than the device's shared
/// memory.
fn check<T: Element>(device: &Device, algorithm: Published, n: usize, batch: usize, seed: u64) -> Option<Checked> {
    let mut random = Random::new(seed ^ ((n as u64) << 20));
    let case: Case<T> =
        if algorithm.pivots() { Case::new(&mut random, n, batch) } else { definite(&mut random, n, batch) };
    let (a, alone) = (case.batch(), case.alone());
    let solve = || {
        let right: Vec<T> = random.clone().elements(batch * n * 3);
        let b = case.compact(&right, batch, 3);
        let lu = Device::cpu().lu(&a).map_err(check::message)?;
        case.check_solve(&lu, Op::None, &b, device.solve(&a, &b), || device.solve(&alone, &case.last(&b)))
    };
    let lu = || {
        let (lu, alone) = device.lu(&a).and_then(|lu| Ok((lu, device.lu(&alone)?))).map_err(check::message)?;
        case.check_lu(&lu, &alone)
    };
    let inverse = || case.check_inverse(device.invert(&a), || device.invert(&alone));
    match algorithm {
        Published::Corrected { .. } => fits(InversePlan::<T>::new(device, Size::order(n).batch(batch))).then(inverse),
        Published::Bordering { .. } => Some(inverse()),
        Published::Elimination { .. } => Some(solve()),
        Published::ElementWise { .. } => Some(lu().and_then(|ratio| Ok(ratio.worst(solve()?)))),
        _ => fits(LuPlan::<T>::new(device, Size::order(n).batch(batch))).then(lu),
    }
}

/// Hermitian, positive definite matrices.
fn definite<T: Element>(random: &mut Random, n: usize, batch: usize) -> Case<T> {
    let mut data = matrices(random, batch, n);
    data.chunks_exact_mut((n * n).max(1)).for_each(|matrix| make_definite(matrix, n));
    let (column_major, statuses) = (n.is_multiple_of(2), vec![Status::Ok; batch]);
    Case { data, n, batch, column_major, statuses, singular_has_factors: true }
}

fn fits<P>(plan: Result<P>) -> bool {
    !matches!(plan, Err(Error::AlgorithmTooLarge { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out() {
        let corrected = |nb| {
            let (upper, lower) = (Correction::Delayed, Correction::Delayed);
            Published::Corrected { nb, upper, lower, allocation: Allocation::Dynamic, columns: Columns::Gather }
        };
        for (algorithm, n, fits) in [
            (corrected(28), 512, false),
            (corrected(28), 12, true),
            (Published::LeftLooking { nb: 32, interchange: Interchange::Delayed }, 512, false),
            (Published::LeftLooking { nb: 32, interchange: Interchange::Delayed }, 12, true),
        ] {
            let device = Device::sim().with(Algorithm::Published(algorithm));
            let checked = check::<c64>(&device, algorithm, n, 2, 0);
            assert_eq!(checked.is_some(), fits, "{algorithm} n = {n}: {checked:?}");
        }
    }
}
