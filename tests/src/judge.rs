//! Judgement of results by LAPACK's ratios.

use rayon::prelude::*;
use warplu::verify::ratios::{self, LIMIT};
use warplu::{Batch, Element, Matrices, Op, Scalar, Status};

use crate::compare;
use crate::results::Results;

/// How much of a matrix's results is judged by ratios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    All,
    /// Everything, but where the matrix is singular to working precision, rounding decides whether a pivot is zero:
    /// `Device::invert`, which eliminates in another order, may disagree.
    Rounding,
    /// The factorization: solutions and inverse may leave the range.
    Factors,
    /// The factorization, element by element: its elements grow beyond any norm of the matrix.
    Growth,
}

/// Asserts that results have ratios below their limits, and that statuses and NaN are where they should be.
#[track_caller]
pub fn judge<T: Element>(what: &str, a: &Batch<'_, T>, b: &Batch<'_, T>, results: &Results<T>) {
    judge_where(what, a, b, results, |_| Extent::All);
}

/// As [`judge`], each matrix as far as `extent` says.
#[track_caller]
pub fn judge_where<T: Element>(
    what: &str,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    results: &Results<T>,
    extent: impl Fn(usize) -> Extent + Sync,
) {
    let statuses = results.lu.status();
    let faults: Vec<String> = (0..a.batch())
        .into_par_iter()
        .filter_map(|i| {
            matrix(a, b, results, i, statuses[i], extent(i)).err().map(|e| format!("{what}, matrix {i}: {e}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn matrix<T: Element>(
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    results: &Results<T>,
    i: usize,
    status: Status,
    extent: Extent,
) -> Result<(), String> {
    let Results { lu, solutions, inverses, dets } = results;
    let whole = matches!(extent, Extent::All | Extent::Rounding);
    if status != Status::NonFinite {
        let mut ratio = ratios::lu(a, lu, i).map_err(|e| e.to_string())?;
        if extent == Extent::Growth {
            ratio.norm = 0.0;
        }
        require(ratio.passes(), || format!("LU: {ratio:?}"))?;
    }
    for det in dets {
        require(det.status[i] == status, || format!("determinant is {}, factors {status}", det.status[i]))?;
        let ratio = ratios::det(lu, det, i).map_err(|e| e.to_string())?;
        require(ratio < LIMIT, || format!("determinant: {ratio}, {:?}, {:?}", det.sign[i], det.log_abs[i]))?;
    }
    for (op, solution) in [Op::None, Op::Transpose, Op::Adjoint, Op::None].into_iter().zip(solutions) {
        let overflow = !whole && matches!(solution.status[i], Status::SideNotFinite(_));
        require(overflow || solution.status[i] == status, || {
            format!("{op:?} is {}, factors {status}", solution.status[i])
        })?;
        let nan = nan_columns(&solution.x, i);
        let is_right = match solution.status[i] {
            Status::Ok => nan.iter().all(|x| !x),
            Status::SideNotFinite(k) => nan.iter().position(|x| *x) == Some(k as usize),
            _ => nan.iter().all(|x| *x),
        };
        require(is_right, || {
            format!("solutions of {op:?} are NaN where their status does not say so, or not where it does")
        })?;
        if solution.status[i] == Status::Ok && whole {
            let ratio = ratios::solve(a, lu, op, b, &solution.x, i).map_err(|e| e.to_string())?;
            require(ratio.passes(), || format!("solve {op:?}: {ratio:?}"))?;
        }
    }
    for (inverse, is_from_factors) in inverses.iter().zip([true, false]) {
        let overflow = !whole && inverse.status[i] == Status::NonFinite;
        let may_differ = extent == Extent::Rounding
            && !is_from_factors
            && inverse.status[i] != Status::NonFinite
            && inverses.iter().any(|x| x.status[i] == Status::Ok && is_nearly_singular(a, &x.matrices.view(), i));
        require(overflow || may_differ || inverse.status[i] == status, || {
            format!("inverse is {}, factors {status}", inverse.status[i])
        })?;
        let nan = all_nan(&inverse.matrices, i);
        require((inverse.status[i] == Status::Ok) != nan, || {
            "an inverse is NaN where its status is not ok".to_owned()
        })?;
        if inverse.status[i] == Status::Ok && whole {
            let ratio = ratios::inverse(a, &inverse.matrices.view(), i);
            require(ratio.passes(), || format!("inverse: {ratio:?}"))?;
        }
    }
    Ok(())
}

/// Whether matrix `i`, whose inverse is `x`, is singular to working precision: `n |A| |X| u >= 1` in the 1-norm.
fn is_nearly_singular<T: Element>(a: &Batch<'_, T>, x: &Batch<'_, T>, i: usize) -> bool {
    let n = a.rows();
    let norm = |matrix: &Batch<'_, T>| {
        let elements = compare::one(matrix, i);
        let size = |e: usize| elements[e].widen().to_c64().norm();
        (0..n).map(|j| (0..n).map(|row| size(row * n + j)).sum::<f64>()).fold(0.0, f64::max)
    };
    n as f64 * norm(a) * norm(x) * ratios::precision::<T>().0 >= 1.0
}

fn require(right: bool, message: impl Fn() -> String) -> Result<(), String> {
    if right { Ok(()) } else { Err(message()) }
}

/// Of each column of matrix `index`, whether it is all NaN.
fn nan_columns<T: Element>(x: &Matrices<T>, index: usize) -> Vec<bool> {
    let (elements, columns) = (compare::one(&x.view(), index), x.cols());
    let is_nan = |z: &T| compare::bits(*z)[0] == u64::MAX;
    (0..columns).map(|c| elements.iter().skip(c).step_by(columns).all(is_nan)).collect()
}

/// Whether every part of every element of matrix `index` is NaN.
pub fn all_nan<T: Element>(x: &Matrices<T>, index: usize) -> bool {
    compare::one(&x.view(), index).into_iter().all(|z| compare::bits(z)[0] == u64::MAX)
}
