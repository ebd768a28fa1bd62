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
mod multiply;
mod primitives;
pub(crate) mod random;
pub mod ratios;
mod refinement;
mod report;
mod scaled;
mod sizes;

pub use random::{Random, make_definite};
pub use ratios::Ratio;
pub use report::{Options, Row, Summary};

use std::time::Instant;

use self::check::Outcome;
use crate::algorithm::Algorithm;
use crate::device::Device;
use crate::error::Result;
use crate::papers;
use crate::{Element, bf16, c32, c64, f16};

/// Verifies a device: every public operation for every type over the orders at which kernels change, random matrices
/// with singular and NaN ones among them, and that a matrix alone has, bit for bit, the result that it has in a batch. The choice of kernels for
/// [few](crate::Algorithm::Few) matrices is verified at the orders where it is another one, and LU without interchanges
/// and with boosted pivots ([`Pivoting`](crate::Pivoting)) on matrices with dominant diagonals. Cholesky factorization,
/// and what goes by it, is verified on positive definite matrices, on the devices that have it.
/// Calls `on_row` with each row as soon as it is known.
///
/// On the emulator and on GPUs the first rows compare the machine's primitives with what they should yield, and the
/// last ones are of the published algorithms, if the build has them, with all their options (on the emulator with a
/// sample of them).
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
/// [`Device::devices`]. What single operations report is a row's problem.
pub fn run(device: &Device, options: &Options, mut on_row: impl FnMut(&Row)) -> Result<Summary> {
    let start = Instant::now();
    let mut rows = Vec::new();
    let backend = device.machine()?;
    if backend.has_own_memory() {
        let row = primitives::verify(backend, options.seed)?;
        for row in [Some(row), clusters::verify(backend, options.seed)?].into_iter().flatten() {
            on_row(&row);
            rows.push(row);
        }
    }
    let few = device.clone().with_algorithm(Algorithm::Few);
    let choices = [
        (device, Operations::Any, sizes::classes(sizes::orders(device, options))),
        (&few, Operations::Few, sizes::classes(sizes::of_few(device, options))),
        (device, Operations::WithoutInterchanges, sizes::classes(sizes::without_interchanges(device, options))),
        (device, Operations::Definite, sizes::classes(sizes::definite(device, options))),
    ];
    let mut verify = |of_class: fn(&Device, Operations, &[usize], u64) -> Vec<Row>| {
        for (device, operations, classes) in &choices {
            for row in classes.iter().flat_map(|orders| of_class(device, *operations, orders, options.seed)) {
                on_row(&row);
                rows.push(row);
            }
        }
    };
    verify(of_class::<f32>);
    verify(of_class::<f64>);
    verify(of_class::<c32>);
    verify(of_class::<c64>);
    verify(of_class::<f16>);
    verify(of_class::<bf16>);
    for orders in &choices[0].2 {
        let refined = [
            refinement::improved::<f32>,
            refinement::improved::<f64>,
            refinement::improved::<c32>,
            refinement::improved::<c64>,
            refinement::by_single::<f64>,
            refinement::by_single::<c64>,
        ];
        for row in refined.map(|verify| verify(device, orders, options.seed)) {
            on_row(&row);
            rows.push(row);
        }
    }
    papers::verify(device, options, |row| {
        on_row(&row);
        rows.push(row);
    });
    Ok(Summary { rows, elapsed: start.elapsed() })
}

/// Checks operations on so many matrices of an order, from a seed.
type Check = fn(&Device, usize, usize, u64) -> Vec<Outcome>;

/// Operations that are verified together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operations {
    /// Those on any matrices.
    Any,
    /// The same by the choice of kernels for few.
    Few,
    /// The same without interchanges of rows, on matrices that need none.
    WithoutInterchanges,
    /// Those on positive definite matrices.
    Definite,
}

/// The rows of a type and a class of orders.
fn of_class<T: Element>(device: &Device, operations: Operations, orders: &[usize], seed: u64) -> Vec<Row> {
    let (names, check): (&[_], Check) = match operations {
        Operations::Any => (&check::OPERATIONS, check::order::<T>),
        Operations::Few => (&check::OPERATIONS_OF_FEW, check::order::<T>),
        Operations::WithoutInterchanges => {
            (&check::OPERATIONS_WITHOUT_INTERCHANGES, check::order_without_interchanges::<T>)
        }
        Operations::Definite => (&definite::OPERATIONS, definite::order::<T>),
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
}
