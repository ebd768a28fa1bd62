//! The published algorithms, each option of each.

use warplu::extend::Part;
use warplu::resident::{InversePlan, LuPlan, Size};
use warplu::verify::{self, Options, Ratio, Row};
use warplu::{Algorithm, Device, Element, Error, Result, bf16, c32, c64, f16};

use super::{Allocation, Columns, Correction, Interchange, Published, Strategy};

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

/// Verifies every algorithm for every type, with all its options (on the emulator with a sample of them), up to order
/// 2048; of the CPU, which has none, nothing. Calls `on_row` with each row as soon as it is known, one an algorithm and
/// type.
///
/// ```
/// use warplu::{Device, verify::Options};
/// let options = Options { sizes: Some(vec![3]), types: Some(vec!["f32".to_owned()]), ..Options::default() };
/// papers::verify(&Device::sim(), &options, |row| assert!(row.passed(), "{row}"));
/// ```
pub fn verify(device: &Device, options: &Options, on_row: impl FnMut(Row)) {
    let types: [fn(&Device, &Options) -> Vec<Row>; 6] =
        [rows::<f32>, rows::<f64>, rows::<c32>, rows::<c64>, rows::<f16>, rows::<bf16>];
    types.iter().flat_map(|rows| rows(device, options)).for_each(on_row);
}

/// The rows of a type, one an algorithm.
fn rows<T: Element>(device: &Device, options: &Options) -> Vec<Row> {
    let Some(tier) = device.info().tier().filter(|_| options.has::<T>()) else { return Vec::new() };
    let is_sim = device.to_string().starts_with("sim");
    let mut orders = options.sizes.clone().unwrap_or_else(|| {
        ORDERS.into_iter().filter(|&n| n <= if is_sim || options.quick { SMALL } else { usize::MAX }).collect()
    });
    orders.retain(|&n| n <= LARGEST);
    if orders.is_empty() {
        return Vec::new();
    }
    let rows = all().into_iter().map(|mut algorithms| {
        algorithms.retain(|algorithm| has(tier, algorithm));
        row::<T>(device, &algorithms, &orders, is_sim, options.seed)
    });
    rows.collect()
}

/// Whether there are kernels for the algorithm: blocks of columns have them from compute capability 9.0 on only.
fn has(tier: u32, algorithm: &Published) -> bool {
    tier >= 90 || !matches!(algorithm, Published::Bordering { block: Some(2..) })
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
            let Some(checked) = check::<T>(&device.with(Algorithm::from(algorithm)), algorithm, n, batch, seed) else {
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
fn check<T: Element>(
    device: &Device,
    algorithm: Published,
    n: usize,
    batch: usize,
    seed: u64,
) -> Option<std::result::Result<Ratio, String>> {
    let definite = matches!(algorithm, Published::Bordering { .. } | Published::Elimination { pivoting: false, .. });
    let check = |part| verify::part::<T>(device, part, definite, (n, batch), seed);
    let size = Size::order(n).batch(batch);
    match algorithm {
        Published::Corrected { .. } => fits(InversePlan::<T>::new(device, size)).then(|| check(Part::Invert)),
        Published::Bordering { .. } => Some(check(Part::Invert)),
        Published::Elimination { .. } => Some(check(Part::Solve)),
        Published::ElementWise { .. } => Some(check(Part::Lu).and_then(|ratio| Ok(ratio.worst(check(Part::Solve)?)))),
        _ => fits(LuPlan::<T>::new(device, size)).then(|| check(Part::Lu)),
    }
}

fn fits<P>(plan: Result<P>) -> bool {
    !matches!(plan, Err(Error::AlgorithmTooLarge { .. }))
}
