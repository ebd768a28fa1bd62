//! Whether a result is right, by the first and the last matrix of the batch.

use warplu::verify::ratios::{self, LIMIT};
use warplu::verify::{definite_ratios, solution_ratio};
use warplu::{Batch, Determinants, Device, Element, Lu, Scalar, Triangle};

use crate::case::Case;
use crate::inputs::Numbers;

/// The largest order that is checked: the product of the factors takes its cube.
const LARGEST: usize = 2048;

/// What the first and the last matrix became; laid out as the case says.
#[derive(Debug)]
pub(crate) enum Ends<T: Element> {
    Factors(Vec<T::Scalar>, Vec<u32>),
    /// The lower triangle, of which alone is looked at.
    Cholesky(Vec<T::Scalar>),
    Inverse(Vec<T>),
    Solution(Vec<T>),
    /// X with L U X = B, and the pivots of the factors; both column by column.
    SolutionWithoutInterchanges(Vec<T>, Vec<u32>),
    Determinants(Vec<T::Scalar>, Vec<<T::Scalar as Scalar>::Real>),
    /// With the factors that they were made from, and those of which interchanges: columns lie one after the other.
    Products(Vec<T::Scalar>, Vec<<T::Scalar as Scalar>::Real>, Vec<T::Scalar>, Vec<u32>),
    Copy(Vec<T>),
}

/// Those matrices and their right-hand sides, as they were.
#[derive(Debug)]
pub(crate) struct Judge<'a, T> {
    case: &'a Case,
    a: Vec<T>,
    b: Vec<T>,
}

/// The first and the last part, or the only one.
pub(crate) fn ends<V: Copy>(all: &[V], batch: usize) -> Vec<V> {
    let each = all.len() / batch;
    if batch == 1 { all.to_vec() } else { [&all[..each], &all[all.len() - each..]].concat() }
}

impl<'a, T: Element> Judge<'a, T> {
    pub(crate) fn new(case: &'a Case, numbers: &Numbers<T>) -> Self {
        let last = (case.batch - 1) % numbers.distinct;
        let pick = |all: &[T]| {
            let each = all.len() / numbers.distinct;
            [0, last][..case.batch.min(2)].iter().flat_map(|&at| &all[at * each..][..each]).copied().collect()
        };
        Self { case, a: pick(&numbers.a), b: pick(&numbers.b) }
    }

    /// LAPACK's test ratio, the worse of the two; `None` where it would take too long. `device` is that of a
    /// determinant.
    pub(crate) fn ratio(&self, device: &Device, result: &Ends<T>) -> warplu::Result<Option<f64>> {
        let &Case { n, rhs, layout, .. } = self.case;
        let count = self.case.batch.min(2);
        if n > LARGEST {
            return Ok(None);
        }
        let a = layout.host(&self.a, count, (n, n))?;
        let worst = |ratio: &dyn Fn(usize) -> f64| (0..count).map(ratio).fold(0.0, ratios::worst);
        let ratio = match result {
            Ends::Factors(lu, pivots) => {
                let lu = layout.host(lu, count, (n, n))?;
                worst(&|i| ratios::factors(&a, &lu, &pivots[i * n..][..n], i).norm)
            }
            Ends::Cholesky(l) => {
                let l = layout.host(l, count, (n, n))?;
                worst(&|i| definite_ratios::factors(&a, &l, Triangle::Lower, i).norm)
            }
            Ends::Inverse(x) => {
                let x = layout.host(x, count, (n, n))?;
                worst(&|i| ratios::inverse(&a, &x, i).norm)
            }
            Ends::Solution(x) => {
                let (b, x) = (layout.host(&self.b, count, (n, rhs))?, layout.host(x, count, (n, rhs))?);
                worst(&|i| solution_ratio(&a, &b, &x, i))
            }
            Ends::SolutionWithoutInterchanges(x, pivots) => {
                // A X is B with the interchanges undone.
                let mut b = self.b.clone();
                for (column, side) in b.chunks_exact_mut(n).enumerate() {
                    let pivots = &pivots[column / rhs * n..][..n];
                    (0..n).rev().for_each(|k| side.swap(k, pivots[k] as usize));
                }
                let (b, x) = (layout.host(&b, count, (n, rhs))?, layout.host(x, count, (n, rhs))?);
                worst(&|i| solution_ratio(&a, &b, &x, i))
            }
            Ends::Determinants(sign, log_abs) => {
                // By factors from the same kernels: others are rounded otherwise, and determinants magnify that.
                determinants(&a, &device.lu(&a)?, sign, log_abs)?
            }
            Ends::Products(sign, log_abs, lu, pivots) => {
                // Rows are taken as columns, too: the transpose has the same determinant.
                let (a, lu) = (self.a.as_slice(), lu.as_slice());
                let a = Batch::column_major(a, count, n, n)?;
                let lu = Lu::from_parts(device, &Batch::column_major(lu, count, n, n)?, pivots)?;
                determinants(&a, &lu, sign, log_abs)?
            }
            Ends::Copy(copy) => {
                if *copy == self.a {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        };
        // JSON has no NaN: a ratio that is one must not hide.
        Ok(Some(if ratio.is_finite() { ratio } else { f64::MAX }))
    }
}

/// Of determinants beside the factors that they were made from.
fn determinants<T: Element>(
    a: &Batch<'_, T>,
    lu: &Lu<T>,
    sign: &[T::Scalar],
    log_abs: &[<T::Scalar as Scalar>::Real],
) -> warplu::Result<f64> {
    let det = Determinants { sign: sign.to_vec(), log_abs: log_abs.to_vec(), ..lu.det()? };
    let ratio = |i| Ok(ratios::worst(ratios::lu(a, lu, i)?.norm, ratios::det(lu, &det, i)?));
    Ok((0..a.batch()).map(ratio).collect::<warplu::Result<Vec<_>>>()?.into_iter().fold(0.0, ratios::worst))
}

/// Whether a ratio is that of a wrong result.
pub(crate) fn is_wrong(ratio: Option<f64>) -> bool {
    ratio.is_some_and(|ratio| !(ratio < LIMIT))
}
