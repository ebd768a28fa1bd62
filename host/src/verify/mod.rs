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
mod primitives;
pub(crate) mod random;
pub mod ratios;
mod scaled;
mod sizes;

pub use random::{Random, make_definite};
pub use ratios::Ratio;

use std::fmt;
use std::time::{Duration, Instant};

use crate::device::Device;
use crate::error::Result;
use crate::papers;
use crate::{Element, bf16, c32, c64, f16};

/// What to verify.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A spread of the orders instead of all of them.
    pub quick: bool,
    /// These orders, instead of those that suit the device.
    pub sizes: Option<Vec<usize>>,
    /// Where the random matrices start.
    pub seed: u64,
}

/// How an operation fared on matrices of a type and a range of orders.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// `"lu"`, `"lu.solve"`, `"lu.inverse"`, `"lu.det"`, `"solve"`, `"inverse"` or `"det"`; the name of an
    /// [`Algorithm`](crate::Algorithm); or `"machine"` and `"clusters"` for the primitives that
    /// the kernels are made of.
    pub operation: &'static str,
    /// The type's [`Element::NAME`].
    pub element: &'static str,
    /// The smallest and the largest order.
    pub orders: (usize, usize),
    /// Matrices worked on.
    pub matrices: usize,
    /// The worst ratios.
    pub ratio: Ratio,
    /// What was wrong first, if anything was: a status, a matrix that its neighbours change, an error of the device.
    pub problem: Option<String>,
}

impl Row {
    /// Whether the ratios are below their limits and there was no problem.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.ratio.passes() && self.problem.is_none()
    }

    /// The ratio beside the norm-wise one.
    fn second(&self) -> String {
        let Ratio { component, right, .. } = self.ratio;
        if right > 0.0 { format!("from the right {right:6.3}") } else { format!("component-wise {component:6.3}") }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.orders;
        let verdict = if self.passed() { "ok" } else { "FAILED" };
        write!(
            f,
            "{:<13} {:<4} n = {first:>4} to {last:>4}: {:>6} matrices, ratio {:7.3}, {}: {verdict}",
            self.operation,
            self.element,
            self.matrices,
            self.ratio.norm,
            self.second()
        )?;
        match &self.problem {
            Some(problem) => write!(f, ": {problem}"),
            None => Ok(()),
        }
    }
}

/// What came out of [`run`].
#[derive(Clone, Debug)]
pub struct Summary {
    /// All rows.
    pub rows: Vec<Row>,
    /// The time that it took.
    pub elapsed: Duration,
}

impl Summary {
    /// Whether every row passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.rows.iter().all(Row::passed)
    }

    /// The rows that did not pass.
    pub fn failures(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.passed())
    }
}

/// Verifies a device: every public operation for every type over the orders at which kernels change, random matrices with
/// singular and NaN ones among them, and that a matrix alone has, bit for bit, the result that it has in a batch. Calls
/// `on_row` with each row as soon as it is known.
///
/// On the emulator and on GPUs the first rows compare the machine's primitives with what they should yield, and the
/// last ones are of the published algorithms, if the build has them, with all their options (on the emulator with a
/// sample of them).
///
/// # Errors
/// A device that cannot even be given memory. What single operations report is a row's problem.
pub fn run(device: &Device, options: &Options, mut on_row: impl FnMut(&Row)) -> Result<Summary> {
    let start = Instant::now();
    let mut rows = Vec::new();
    if device.backend.has_own_memory() {
        let row = primitives::verify(&device.backend, options.seed)?;
        for row in [Some(row), clusters::verify(&device.backend, options.seed)?].into_iter().flatten() {
            on_row(&row);
            rows.push(row);
        }
    }
    let classes = sizes::classes(device, options);
    let mut verify = |of_class: fn(&Device, &[usize], u64) -> Vec<Row>| {
        for orders in &classes {
            for row in of_class(device, orders, options.seed) {
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
    papers::verify(device, options, |row| {
        on_row(&row);
        rows.push(row);
    });
    Ok(Summary { rows, elapsed: start.elapsed() })
}

/// The rows of a type and a class of orders.
fn of_class<T: Element>(device: &Device, orders: &[usize], seed: u64) -> Vec<Row> {
    let mut rows: Vec<Row> = check::OPERATIONS
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
        for outcome in check::order::<T>(device, n, sizes::batch(device, n), seed) {
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
    fn a_row_says_what_failed() {
        let ratio = Ratio { norm: 31.0, component: 0.5, right: 0.0 };
        let row = Row {
            operation: "lu",
            element: "f32",
            orders: (1, 8),
            matrices: 3,
            ratio,
            problem: Some("n = 2: oh".to_owned()),
        };
        assert!(!row.passed() && row.to_string().ends_with("FAILED: n = 2: oh"));
    }
}
