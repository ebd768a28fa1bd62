//! Reciprocal condition numbers.

use numbers::scalar::{Real, Scalar, ScalarKind};

use super::Cholesky;
use super::checks;
use super::estimates::{Estimate, Rounds};
use super::lu::Lu;
use super::norms::Norms;
use super::one_size::OneSize;
use crate::batch::Batch;
use crate::device::Device;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::norm::Norm;
use crate::statuses::Statuses;
use crate::structure::Structure;
use crate::triangle::Triangle;
use crate::triangular::Triangular;
use kernels_cpu::fresh::filled;
use numbers::op::Op;

/// The largest order whose inverse is looked at as a whole.
const EXACT: usize = 32;

/// The reciprocal condition numbers of a batch.
///
/// ```
/// use warplu::{Batch, Device, Norm};
/// let a = Batch::row_major(&[1.0, 0.0, 0.0, 1e-20, 1.0, 0.0, 0.0, 0.5], 2, 2, 2)?;
/// let conditions = Device::cpu().lu(&a)?.rcond(&a.norms(Norm::One)?)?;
/// assert!(conditions.status.all_ok()); // no pivot is zero
/// for (index, rcond) in conditions.ill_conditioned() {
///     println!("matrix {index} is singular to working precision: {rcond:e}");
/// }
/// assert_eq!(conditions.ill_conditioned().count(), 1);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Conditions<T: Element> {
    /// 1 / (|A| |A^-1|), from 0 to 1: 0 for a singular matrix, and for one that is so to working precision that A^-1
    /// overflows or the norm of A does; NaN for one that is not finite, 1 for one of order 0.
    pub rcond: Vec<RealOf<T>>,
    /// How each matrix fared when it was factored.
    pub status: Statuses,
}

impl<T: Element> Conditions<T> {
    /// The condition numbers, or an error if any matrix is singular or not finite. Those that are ill-conditioned are
    /// told by [`Self::ill_conditioned`].
    ///
    /// ```
    /// use warplu::{Batch, Device, Norm};
    /// let a = Batch::row_major(&[2.0, 4.0], 2, 1, 1)?;
    /// let conditions = Device::cpu().lu(&a)?.check()?.rcond(&a.norms(Norm::One)?)?.check()?;
    /// assert_eq!(conditions.rcond, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Self> {
        self.status.check().map(|()| self)
    }

    /// The matrices that have factors but are ill-conditioned, by index: they are singular to working precision, as
    /// their reciprocal condition number is below the unit roundoff of the arithmetic, 2^-24 or 2^-53 (where LAPACK's
    /// `xGESVX` says `info = n + 1`). Their solutions may have no correct digit.
    ///
    /// ```
    /// use warplu::{Batch, Device, Norm};
    /// let a = Batch::row_major(&[1.0, 1.0, 1.0, 1.0 + f64::EPSILON, 2.0, 0.0, 0.0, 1.0], 2, 2, 2)?;
    /// let conditions = Device::cpu().lu(&a)?.rcond(&a.norms(Norm::One)?)?;
    /// assert_eq!(conditions.ill_conditioned().map(|(b, _)| b).collect::<Vec<_>>(), [0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn ill_conditioned(&self) -> impl Iterator<Item = (usize, RealOf<T>)> {
        self.below(Self::unit_roundoff())
    }

    /// The same, for another limit than the unit roundoff.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Norm};
    /// let a = Batch::row_major(&[1.0, 0.0, 0.0, 0.125, 1.0, 0.0, 0.0, 0.5], 2, 2, 2)?;
    /// let conditions = Device::cpu().lu(&a)?.rcond(&a.norms(Norm::One)?)?;
    /// assert_eq!(conditions.below(0.25).collect::<Vec<_>>(), [(0, 0.125)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn below(&self, limit: RealOf<T>) -> impl Iterator<Item = (usize, RealOf<T>)> {
        let all = self.rcond.iter().copied().zip(&self.status).enumerate();
        all.filter(move |&(_, (rcond, status))| status.is_ok() && rcond < limit).map(|(b, (rcond, _))| (b, rcond))
    }

    /// The limit below which a matrix counts as ill-conditioned, unless another is given.
    ///
    /// ```
    /// # use warplu::Conditions;
    /// assert_eq!(Conditions::<f64>::unit_roundoff(), f64::EPSILON / 2.0);
    /// ```
    #[must_use]
    pub fn unit_roundoff() -> RealOf<T> {
        Real::from_f64(match T::Scalar::KIND {
            ScalarKind::F32 | ScalarKind::C32 => f64::from(f32::EPSILON) / 2.0,
            ScalarKind::F64 | ScalarKind::C64 => f64::EPSILON / 2.0,
        })
    }
}

impl Device {
    /// The reciprocal condition number of each matrix, as [`Lu::rcond`] and [`Cholesky::rcond`] find them from factors,
    /// which are made for it; of matrices of the device's [`Structure`]: of positive definite matrices one triangle is
    /// read, triangular ones have no factors to make (LAPACK `xTRCON`).
    ///
    /// ```
    /// use warplu::{Batch, Device, Norm, Triangular};
    /// let a = Batch::row_major(&[4.0, f64::NAN, 0.0, 0.5], 1, 2, 2)?;
    /// assert_eq!(Device::cpu().with(Triangular::LOWER).rcond(&a, Norm::One)?.rcond, [0.125]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lu`] and [`Device::cholesky`]. Matrices without an inverse are no error: theirs is 0.
    #[doc(alias = "trcon")]
    #[doc(alias = "cond")]
    pub fn rcond<T: Element>(&self, a: &Batch<'_, T>, norm: Norm) -> Result<Conditions<T>> {
        match self.options.structure {
            Structure::General => self.lu(a)?.rcond(&a.norms(norm)?),
            Structure::PositiveDefinite(triangle) => {
                self.cholesky(a, triangle)?.rcond(&a.hermitian(triangle)?.view().norms(norm)?)
            }
            Structure::Triangular(triangular) => of_triangles(self, a, triangular, norm),
        }
    }
}

/// Those of triangular matrices, as upper ones, which are factors of LU: of a lower one the transposed matrix, which has
/// the other norms.
fn of_triangles<T: Element>(
    device: &Device,
    a: &Batch<'_, T>,
    triangular: Triangular,
    norm: Norm,
) -> Result<Conditions<T>> {
    let whole = a.triangular(triangular)?;
    let is_upper = (triangular.triangle == Triangle::Upper) == (triangular.op == Op::None);
    let (upper, norm) = match norm {
        _ if is_upper => (whole.view(), norm),
        Norm::One => (whole.view().transposed(), Norm::Infinity),
        Norm::Infinity => (whole.view().transposed(), Norm::One),
    };
    let (n, batch) = (upper.rows(), upper.batch());
    let wide: Vec<T::Scalar> = whole.as_slice().iter().map(|x| x.widen()).collect();
    let factors = Batch::strided(&wide, batch, n, n, upper.layout)?;
    let pivots: Vec<u32> = (0..batch).flat_map(|_| 0..n as u32).collect();
    Lu::from_parts(&device.with(Structure::General), &factors, &pivots)?.rcond(&upper.norms(norm)?)
}

impl<T: Element> Lu<T> {
    /// The reciprocal condition number of each matrix, in the norm of `norms`, which are those of the matrices that
    /// were factored (LAPACK `xGECON`). Relative errors of a matrix and of its right-hand sides come back in its
    /// solutions multiplied by up to 1 / rcond.
    ///
    /// Up to order 32 it is exact but for rounding, from the inverse. Beyond it is an estimate from about two solves
    /// with A and two with its adjoint, at most ten in all: not below the exact number but for rounding, nearly always
    /// within a factor of 3 of it, though there are matrices for which it is too large. For 16-bit types it is that of
    /// the arithmetic in f32.
    ///
    /// ```
    /// use warplu::{Batch, Device, Norm};
    /// let a = Batch::row_major(&[4.0, 0.0, 0.0, 0.5], 1, 2, 2)?;
    /// let conditions = Device::cpu().lu(&a)?.rcond(&a.norms(Norm::One)?)?;
    /// assert_eq!(conditions.rcond, [0.125]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many norms as matrices; a device's errors. Singular
    /// matrices are no error: theirs is 0.
    #[doc(alias = "gecon")]
    #[doc(alias = "cond")]
    pub fn rcond(&self, norms: &Norms<T>) -> Result<Conditions<T>> {
        rcond_of(self, norms)
    }
}

impl<T: Element> Cholesky<T> {
    /// The reciprocal condition number of each matrix, in the norm of `norms`, which are those of the matrices that
    /// were factored, both triangles of them (LAPACK `xPOCON`): exact or an estimate as [`Lu::rcond`].
    ///
    /// ```
    /// use warplu::{Batch, Device, Norm, Triangle};
    /// let a = Batch::row_major(&[4.0, 0.0, 0.0, 0.25], 1, 2, 2)?;
    /// let conditions = Device::cpu().cholesky(&a, Triangle::Lower)?.rcond(&a.norms(Norm::One)?)?;
    /// assert_eq!(conditions.rcond, [0.0625]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::rcond`]. For a matrix that is not positive definite it is 0, as by `xPOSVX`.
    #[doc(alias = "pocon")]
    pub fn rcond(&self, norms: &Norms<T>) -> Result<Conditions<T>> {
        rcond_of(self, norms)
    }
}

/// The reciprocal condition numbers of matrices of one order.
pub(super) fn rcond_of<F: OneSize>(factors: &F, norms: &Norms<F::Element>) -> Result<Conditions<F::Element>> {
    let factored = factors.factored();
    checks::length(norms, factored.batch(), "norms")?;
    let mut rcond = filled(RealOf::<F::Element>::from_f64(1.0), factored.batch())?;
    if factored.n() > 0 && factored.batch() > 0 {
        let estimates = estimates(factors, norms)?;
        rcond.iter_mut().zip(estimates).for_each(|(rcond, estimate)| *rcond = Real::from_f64(estimate.rcond()));
    }
    factored.device().finished(factored.batch());
    Ok(Conditions { rcond, status: factored.status().clone() })
}

/// What is found of the matrices' inverses.
fn estimates<F: OneSize>(factors: &F, norms: &Norms<F::Element>) -> Result<Vec<Estimate>> {
    let (n, norm) = (factors.factored().n(), norms.norm());
    let estimates = Estimate::of_all(factors, norms, 1)?;
    if n <= EXACT {
        let mut rounds = Rounds::new(factors, estimates, n)?;
        let take = |_, estimate: &mut Estimate, x: &mut [_], _: &mut [_]| estimate.take_inverse(n, x, norm);
        rounds.round(Op::None, n, &|_, estimate, _, b| estimate.ask_for_inverse(n, b), &take)?;
        return Ok(rounds.finish());
    }
    // The infinity-norm is the 1-norm of the adjoint matrix.
    let ops = match norm {
        Norm::One => (Op::None, Op::Adjoint),
        Norm::Infinity => (Op::Adjoint, Op::None),
    };
    Rounds::new(factors, estimates, 2)?.run(ops, |_, _| {})
}
