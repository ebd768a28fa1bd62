//! What to verify, and what came out.

use std::fmt;
use std::time::Duration;

use super::ratios::Ratio;
use crate::element::Element;

/// What to verify.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A spread of the orders instead of all of them.
    pub quick: bool,
    /// These orders, instead of those that suit the device.
    pub sizes: Option<Vec<usize>>,
    /// The types of these [names](crate::Element::NAME) only.
    pub types: Option<Vec<String>>,
    /// Where the random matrices start.
    pub seed: u64,
}

impl Options {
    /// Whether a type is to be verified.
    #[must_use]
    pub fn has<T: Element>(&self) -> bool {
        self.types.as_ref().is_none_or(|types| types.iter().any(|name| name == T::NAME))
    }
}

/// How an operation fared on matrices of a type and a range of orders.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// `"lu"`, `"lu.solve"`, `"lu.inverse"`, `"lu.det"`, `"solve"`, `"inverse"` or `"det"`; the same after `"latency: "` or
    /// `"nopiv: "`; `"boosted: lu"`; what is of positive definite matrices, after `"chol"` or `"spd: "`, and of
    /// triangular ones, after `"tri: "`; `"lu.refine"`
    /// or `"refined"` for iterative refinement; the name of an
    /// [`Algorithm`](crate::Algorithm); or `"machine"` and `"clusters"` for the primitives that the kernels are made of.
    pub operation: &'static str,
    /// The type's [`Element::NAME`](crate::Element::NAME).
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
            "{:<20} {:<4} n = {first:>4} to {last:>4}: {:>6} matrices, ratio {:7.3}, {}: {verdict}",
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

/// What came out of [`run`](super::run).
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

#[cfg(test)]
mod tests {
    use super::*;

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
