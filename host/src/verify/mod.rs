//! Whether a device computes what it should: each operation, type and kernel against LAPACK's test [`ratios`].
//!
//! ```
//! use warplu::Device;
//! use warplu::verify::{Options, run};
//!
//! let options = Options { sizes: Some(vec![1, 2, 5]), ..Options::default() };
//! let summary = run(&Device::cpu(), &options, |row| println!("{row}"))?;
//! assert!(summary.passed());
//! # Ok::<(), warplu::Error>(())
//! ```

pub(crate) mod check;
mod clusters;
pub(crate) mod definite;
pub mod definite_ratios;
mod part;
mod primitives;
pub(crate) mod random;
pub mod ratios;
mod refinement;
mod report;
mod scaled;
mod sizes;
mod solution;
mod system;
mod triangular;

#[doc(hidden)]
pub use part::part;
pub use random::{Random, make_definite};
pub use ratios::Ratio;
pub use report::{Options, Row, Summary};
pub use solution::solution_ratio;

use std::time::Instant;

use self::check::Outcome;
use crate::algorithm::Algorithm;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::{Element, bf16, c32, c64, f16};

/// The names of the types that are verified.
///
/// ```
/// assert!(warplu::verify::TYPES.contains(&"c64"));
/// ```
pub const TYPES: [&str; 6] = [f32::NAME, f64::NAME, c32::NAME, c64::NAME, f16::NAME, bf16::NAME];

/// Verifies a device: every public operation for every type over the orders at which kernels change, random matrices
/// with singular and NaN ones among them, and that a matrix alone has, bit for bit, the result that it has in a batch. The choice of kernels for
/// [few](crate::Algorithm::Latency) matrices is verified at the orders where it is another one, and LU without interchanges
/// and with boosted pivots ([`Pivoting`](crate::Pivoting)) on matrices with dominant diagonals. Cholesky factorization,
/// and what goes by it, is verified on positive definite matrices, on the devices that have it; solutions, inverses and
/// determinants on triangular ones, too.
/// Calls `on_row` with each row as soon as it is known.
///
/// On the emulator and on GPUs the first rows compare the machine's primitives with what they should yield.
///
/// ```
/// use warplu::Device;
/// use warplu::verify::{Options, run};
/// let options = Options { sizes: Some(vec![1, 3]), ..Options::default() };
/// let summary = run(&Device::cpu(), &options, |row| println!("{row}"))?;
/// assert_eq!(summary.failures().count(), 0);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// A device that cannot even be given memory, or that is [several](Device::cuda_list): verify each of
/// [`Device::devices`]. A type that there is none of. What single operations report is a row's problem.
pub fn run(device: &Device, options: &Options, mut on_row: impl FnMut(&Row)) -> Result<Summary> {
    let start = Instant::now();
    let unknown = |name: &&String| !TYPES.contains(&name.as_str());
    if let Some(name) = options.types.iter().flatten().find(unknown) {
        return Err(Error::Unsupported(format!("no type is called {name:?}: use {}", TYPES.join(", "))));
    }
    let mut rows = Vec::new();
    let backend = device.machine()?;
    if backend.has_own_memory() {
        let row = primitives::verify(backend, options.seed)?;
        for row in [Some(row), clusters::verify(backend, options.seed)?].into_iter().flatten() {
            on_row(&row);
            rows.push(row);
        }
    }
    let latency = device.with(Algorithm::Latency);
    let choices = [
        (device, Operations::Any, sizes::classes(sizes::orders(device, options))),
        (&latency, Operations::Latency, sizes::classes(sizes::of_few(device, options))),
        (device, Operations::WithoutInterchanges, sizes::classes(sizes::without_interchanges(device, options))),
        (device, Operations::Definite, sizes::classes(sizes::definite(device, options))),
        (device, Operations::Triangular, sizes::classes(sizes::orders(device, options))),
    ];
    let mut verify = |is_wanted: bool, of_class: fn(&Device, Operations, &[usize], u64) -> Vec<Row>| {
        for (device, operations, classes) in choices.iter().filter(|_| is_wanted) {
            for row in classes.iter().flat_map(|orders| of_class(device, *operations, orders, options.seed)) {
                on_row(&row);
                rows.push(row);
            }
        }
    };
    verify(options.has::<f32>(), of_class::<f32>);
    verify(options.has::<f64>(), of_class::<f64>);
    verify(options.has::<c32>(), of_class::<c32>);
    verify(options.has::<c64>(), of_class::<c64>);
    verify(options.has::<f16>(), of_class::<f16>);
    verify(options.has::<bf16>(), of_class::<bf16>);
    for orders in &choices[0].2 {
        let refined: [(bool, Refined); 6] = [
            (options.has::<f32>(), refinement::improved::<f32>),
            (options.has::<f64>(), refinement::improved::<f64>),
            (options.has::<c32>(), refinement::improved::<c32>),
            (options.has::<c64>(), refinement::improved::<c64>),
            (options.has::<f64>(), refinement::by_single::<f64>),
            (options.has::<c64>(), refinement::by_single::<c64>),
        ];
        for (_, verify) in refined.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            let row = verify(device, orders, options.seed);
            on_row(&row);
            rows.push(row);
        }
    }
    Ok(Summary { rows, elapsed: start.elapsed() })
}

/// Checks iterative refinement at some orders, from a seed.
type Refined = fn(&Device, &[usize], u64) -> Row;
/// Checks operations on so many matrices of an order, from a seed.
type Check = fn(&Device, usize, usize, u64) -> Vec<Outcome>;

/// Operations that are verified together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operations {
    /// Those on any matrices.
    Any,
    /// The same by the choice of kernels for few.
    Latency,
    /// The same without interchanges of rows, on matrices that need none.
    WithoutInterchanges,
    /// Those on positive definite matrices.
    Definite,
    /// Those on triangular matrices.
    Triangular,
}

/// The rows of a type and a class of orders.
fn of_class<T: Element>(device: &Device, operations: Operations, orders: &[usize], seed: u64) -> Vec<Row> {
    let (names, check): (&[_], Check) = match operations {
        Operations::Any => (&check::OPERATIONS, check::order::<T>),
        Operations::Latency => (&check::OPERATIONS_OF_LATENCY, check::order::<T>),
        Operations::WithoutInterchanges => {
            (&check::OPERATIONS_WITHOUT_INTERCHANGES, check::order_without_interchanges::<T>)
        }
        Operations::Definite => (&definite::OPERATIONS, definite::order::<T>),
        Operations::Triangular => (&triangular::OPERATIONS, triangular::order::<T>),
    };
    let mut rows: Vec<Row> = names
        .iter()
        .map(|&operation| Row {
            operation,
            element: T::NAME,
            orders: (orders[0], orders[orders.len() - 1]),
            matrices: 0,
            ratio: Ratio::default(),
            problem: None,
        })
        .collect();
    for &n in orders {
        for outcome in check(device, n, sizes::batch(device, n), seed) {
            let row = &mut rows[outcome.operation];
            row.matrices += outcome.matrices;
            row.ratio = row.ratio.worst(outcome.ratio);
            row.problem = row.problem.take().or(outcome.problem.map(|problem| format!("n = {n}: {problem}")));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_and_emulator_pass_at_small_orders() {
        for device in [Device::cpu(), Device::sim_with_seed(3)] {
            let options = Options { sizes: Some(vec![1, 3, 9, 17, 33]), ..Options::default() };
            let mut seen = 0;
            let summary = run(&device, &options, |_| seen += 1).unwrap();
            assert_eq!(seen, summary.rows.len());
            assert!(summary.passed(), "{device}: {:#?}", summary.failures().collect::<Vec<_>>());
        }
    }

    #[test]
    fn only_the_types_that_are_named() {
        let run_of = |name: &str| {
            let types = Some(vec![name.to_owned()]);
            run(&Device::cpu(), &Options { sizes: Some(vec![2]), types, ..Options::default() }, |_| {})
        };
        let rows = run_of("c64").unwrap().rows;
        assert!(!rows.is_empty() && rows.iter().all(|row| row.element == "c64"));
        assert!(run_of("f65").unwrap_err().to_string().contains("use f32, f64"));
    }
}
