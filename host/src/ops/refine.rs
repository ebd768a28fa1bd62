//! Improvement of solutions, and bounds on their errors.

use numbers::scalar::{Real, Scalar};

use super::estimates::{Estimate, Rounds};
use super::lu::Lu;
use super::one_size::{OneSize, ScalarOf};
use super::{Cholesky, checks};
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::floats::{exponent, times_power, worst};
use crate::layout::product;
use crate::lend::Lent;
use crate::norm::Norm;
use crate::operation::Size;
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;
use numbers::op::Op;

/// Bounds on the errors of solutions (LAPACK `xGERFS`, `xPORFS`).
///
/// ```
/// use warplu::{Batch, Device, Op};
/// let (a, b) = (Batch::row_major(&[4.0, 1.0, 2.0, 3.0], 1, 2, 2)?, Batch::row_major(&[6.0, 8.0], 1, 2, 1)?);
/// let lu = Device::cpu().lu(&a)?;
/// let mut x = lu.solve(&b, Op::None)?.x;
/// let bounds = lu.refine(&a, &b, &mut x.view_mut(), Op::None)?;
/// println!("{:?}, at most {:e} of it away from the solution", x.as_slice(), bounds.ferr[0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ErrorBounds<T: Element> {
    /// Forward errors: an estimate, nearly always too large, of a bound on the largest element of x - x', over the
    /// largest of x, where x' solves the system exactly. Shape (batch, k), infinite where A^-1 overflows, NaN where the
    /// solution is.
    pub ferr: Vec<RealOf<T>>,
    /// Backward errors, component by component: the least change of any element of A or b, over the element, that makes
    /// x an exact solution. A few units of rounding, unless the matrix is extremely ill-conditioned. Shape (batch, k),
    /// NaN as above.
    pub berr: Vec<RealOf<T>>,
    /// How each matrix fared, and its solution, as in [`Solution`](crate::Solution).
    pub status: Statuses,
}

impl<T: Element> ErrorBounds<T> {
    /// The bounds, or an error if any matrix has no solution.
    ///
    /// ```
    /// use warplu::{Batch, Device, Op};
    /// let (a, b) = (Batch::row_major(&[2.0], 1, 1, 1)?, Batch::row_major(&[6.0], 1, 1, 1)?);
    /// let lu = Device::cpu().lu(&a)?.check()?;
    /// let mut x = lu.solve(&b, Op::None)?.check()?;
    /// assert_eq!(lu.refine(&a, &b, &mut x.view_mut(), Op::None)?.check()?.berr, [0.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Self> {
        self.status.check().map(|()| self)
    }
}

/// A, B and X.
type Systems<'a, 'b, 'c, 'd, S> = (&'a Batch<'b, S>, &'a Batch<'c, S>, &'a mut BatchMut<'d, S>);

impl<T: Element> Lu<T> {
    /// Improves solutions X of op(A) X = B in the precision of the factors, and bounds their errors (LAPACK `xGERFS`, but
    /// that a correction that makes the backward error larger is not added).
    /// `a` are the matrices that were factored, `b` and `x` are (batch, n, k).
    ///
    /// A solution is corrected as long as its component-wise backward error is above the unit roundoff and each
    /// correction halves it, at most five times. So small rows beside large ones, whose residuals [`Lu::solve`] may
    /// leave, are solved as accurately as the others. The bounds on forward errors take some two solves more with A and
    /// two with its adjoint, ten at most in all. Solutions that are bad become NaN as in [`Solution`](crate::Solution).
    /// For 16-bit types, whose factors are in f32, all is in f32, as it is there.
    ///
    /// ```
    /// use warplu::{Batch, Device, Op};
    /// let a = Batch::row_major(&[4.0, 1.0, 2.0, 3.0], 1, 2, 2)?;
    /// let b = Batch::row_major(&[6.0, 8.0], 1, 2, 1)?; // of the solution (1, 2)
    /// let lu = Device::cpu().lu(&a)?;
    /// let mut x = lu.solve(&b, Op::None)?.x;
    /// let bounds = lu.refine(&a, &b, &mut x.view_mut(), Op::None)?;
    /// assert!((x.get(0, 1, 0) - 2.0_f64).abs() / 2.0 <= bounds.ferr[0]);
    /// assert!(bounds.ferr[0] < 1e-14 && bounds.berr[0] < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the batches do not fit the factors; a device's errors. After one of
    /// these, some solutions are improved and some are not.
    #[doc(alias = "gerfs")]
    #[doc(alias = "ferr")]
    pub fn refine(
        &self,
        a: &Batch<'_, T::Scalar>,
        b: &Batch<'_, T::Scalar>,
        x: &mut BatchMut<'_, T::Scalar>,
        op: Op,
    ) -> Result<ErrorBounds<T>> {
        refine(self, (a, b, x), op)
    }
}

impl<T: Element> Cholesky<T> {
    /// Improves solutions X of A X = B in the precision of the factors, and bounds their errors, as [`Lu::refine`]
    /// (LAPACK `xPORFS`). `a` are the matrices that were factored, both triangles of them.
    ///
    /// ```
    /// use warplu::{Batch, Device, Triangle};
    /// let a = Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?;
    /// let b = Batch::row_major(&[6.0, 4.0], 1, 2, 1)?; // of the solution (1, 1)
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// let mut x = cholesky.solve(&b)?.x;
    /// let bounds = cholesky.refine(&a, &b, &mut x.view_mut())?;
    /// assert!(bounds.ferr[0] < 1e-14 && bounds.berr[0] < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::refine`].
    #[doc(alias = "porfs")]
    pub fn refine(
        &self,
        a: &Batch<'_, T::Scalar>,
        b: &Batch<'_, T::Scalar>,
        x: &mut BatchMut<'_, T::Scalar>,
    ) -> Result<ErrorBounds<T>> {
        refine(self, (a, b, x), Op::None)
    }
}

/// The same from factors of either kind.
pub(super) fn refine<F: OneSize>(
    factors: &F,
    (a, b, x): Systems<'_, '_, '_, '_, ScalarOf<F>>,
    op: Op,
) -> Result<ErrorBounds<F::Element>> {
    let (n, batch, rhs) = (factors.factored().n(), factors.factored().batch(), b.cols());
    checks::factored(a, (batch, n))?;
    checks::right_hand_sides(b, batch, n)?;
    checks::output(x, (batch, n, rhs))?;
    let zeros = |len| filled(RealOf::<F::Element>::from_f64(0.0), len);
    let sides = product(&[batch, rhs])?;
    let (mut ferr, mut berr) = (zeros(sides)?, zeros(sides)?);
    if n == 0 || sides == 0 {
        return Ok(ErrorBounds { ferr, berr, status: factors.factored().status().clone() });
    }
    let (mut rows, mut x_size) = (zeros(product(&[sides, n])?)?, zeros(sides)?);
    let status = Statuses::from_codes(&improve(factors, (a, b, x), op, [&mut rows, &mut berr, &mut x_size])?);
    let bounds = forward_errors(factors, a, op, &rows, &x_size)?;
    ferr.iter_mut().zip(bounds).for_each(|(ferr, bound)| *ferr = Real::from_f64(bound));
    for (b, status) in status.bad() {
        let is_bad = |side: &usize| !matches!(status, Status::SideNotFinite(_)) || !x_size[*side].is_finite();
        for side in (b * rhs..(b + 1) * rhs).filter(is_bad) {
            (ferr[side], berr[side]) = (RealOf::<F::Element>::NAN, RealOf::<F::Element>::NAN);
        }
    }
    Ok(ErrorBounds { ferr, berr, status })
}

/// Improves solutions, and returns their status codes. Leaves bounds on residuals, (batch, k, n), backward errors
/// and the largest elements of solutions, (batch, k).
fn improve<F: OneSize>(
    factors: &F,
    (a, b, x): Systems<'_, '_, '_, '_, ScalarOf<F>>,
    op: Op,
    [rows, berr, x_size]: [&mut Vec<RealOf<F::Element>>; 3],
) -> Result<Vec<i32>> {
    let factored = factors.factored();
    let (n, rhs) = (factored.n(), b.cols());
    let codes = factored.codes()?;
    let mut call = Call::new(factored.device(), factored.batch());
    factored.ports(&mut call, &codes);
    let [from, to] = Lent::in_place(x);
    let (operation, size) = (F::refining(factors.how()), Size { n, rhs });
    call.lend((&operation, size), &[Lent::read(a), Lent::read(b), from, to])?;
    call.values(rows, n * rhs);
    call.values(berr, rhs);
    call.values(x_size, rhs);
    call.perform_then(&operation, (size, op), codes.clone(), &|_, _, _| Ok(()))
}

/// |op(A)^-1| w over the largest element of x, in the infinity-norm, for the bounds w on each residual: that is the
/// 1-norm of W op(A)^-H, W being diagonal.
fn forward_errors<F: OneSize>(
    factors: &F,
    a: &Batch<'_, ScalarOf<F>>,
    op: Op,
    rows: &[RealOf<F::Element>],
    x_size: &[RealOf<F::Element>],
) -> Result<Vec<f64>> {
    let (n, sides) = (factors.factored().n(), x_size.len());
    // Over powers of two, so that neither products with them nor solutions leave the range.
    let mut powers = filled(0, sides)?;
    let mut weights = filled(RealOf::<F::Element>::from_f64(0.0), rows.len())?;
    for ((power, weights), rows) in powers.iter_mut().zip(weights.chunks_mut(n)).zip(rows.chunks(n)) {
        let largest = rows.iter().map(|w| w.to_f64()).fold(0.0, worst);
        *power = if largest > 0.0 && largest < f64::INFINITY { exponent(largest) } else { 0 };
        for (weight, row) in weights.iter_mut().zip(rows) {
            *weight = Real::from_f64(times_power(row.to_f64(), -*power));
        }
    }
    let weigh = |side: usize, x: &mut [ScalarOf<F>]| {
        x.iter_mut().zip(&weights[side * n..][..n]).for_each(|(x, &weight)| *x = x.scale(weight));
    };
    // The elements of A^-T and A^-H are of the same size.
    let ops = if op == Op::None { (Op::Adjoint, Op::None) } else { (Op::None, Op::Adjoint) };
    let estimates = Estimate::of_all(factors, &a.norms(Norm::One)?, sides / factors.factored().batch())?;
    let estimates = Rounds::new(factors, estimates, 2)?.run(ops, weigh)?;
    let over = |estimate: &Estimate, power: i32, x_size: f64| match x_size {
        0.0 => estimate.of_inverse(power),
        _ if x_size.is_finite() => {
            let e = exponent(x_size);
            estimate.of_inverse(power - e) / times_power(x_size, -e)
        }
        _ => f64::NAN,
    };
    let all = estimates.iter().zip(powers).zip(x_size);
    Ok(all.map(|((estimate, power), x_size)| over(estimate, power, x_size.to_f64())).collect())
}
