//! Reciprocal condition numbers.

mod estimate;

use kernels_gpu::numbers::scalar::{Real, Scalar, ScalarKind};
use rayon::prelude::*;

use self::estimate::Estimate;
use super::checks;
use super::factors::quiet;
use super::lu::Lu;
use super::norms::Norms;
use crate::batch::BatchMut;
use crate::call::start_threads;
use crate::device::Device;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::fresh::filled;
use crate::layout::product;
use crate::norm::Norm;
use crate::op::Op;
use crate::statuses::Statuses;

/// The largest order whose inverse is looked at as a whole.
const EXACT: usize = 32;
/// Most vectors, equal ones included, that an estimate goes through (LAPACK's `ITMAX`).
const MOST_VECTORS: usize = 5;

/// The reciprocal condition numbers of a batch.
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
    /// The matrices that have factors but are ill-conditioned, by index: they are singular to working precision, as
    /// their reciprocal condition number is below the unit roundoff of the arithmetic, 2^-24 or 2^-53 (where LAPACK's
    /// `xGESVX` says `info = n + 1`). Their solutions may have no correct digit.
    ///
    /// ```
    /// use warplu::{Batch, Device, Norm};
    /// let a = Batch::c_order(&[1.0, 1.0, 1.0, 1.0 + f64::EPSILON, 2.0, 0.0, 0.0, 1.0], 2, 2, 2)?;
    /// let conditions = Device::cpu().lu(&a)?.rcond(&a.norms(Norm::One)?)?;
    /// assert_eq!(conditions.ill_conditioned().map(|(b, _)| b).collect::<Vec<_>>(), [0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn ill_conditioned(&self) -> impl Iterator<Item = (usize, RealOf<T>)> {
        self.below(Self::unit_roundoff())
    }

    /// The same, for another limit than the unit roundoff.
    pub fn below(&self, limit: RealOf<T>) -> impl Iterator<Item = (usize, RealOf<T>)> {
        let all = self.rcond.iter().copied().zip(&self.status).enumerate();
        all.filter(move |&(_, (rcond, status))| status.is_ok() && rcond < limit).map(|(b, (rcond, _))| (b, rcond))
    }

    /// The limit below which a matrix counts as ill-conditioned, unless another is given.
    #[must_use]
    pub fn unit_roundoff() -> RealOf<T> {
        Real::from_f64(match T::Scalar::KIND {
            ScalarKind::F32 | ScalarKind::C32 => f64::from(f32::EPSILON) / 2.0,
            ScalarKind::F64 | ScalarKind::C64 => f64::EPSILON / 2.0,
        })
    }
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
    /// let a = Batch::c_order(&[4.0, 0.0, 0.0, 0.5], 1, 2, 2)?;
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
        let (n, batch) = (self.n(), self.batch());
        checks::length(norms, batch, "norms")?;
        let mut rcond = filled(RealOf::<T>::from_f64(1.0), batch)?;
        if n > 0 && batch > 0 {
            let estimates = Rounds::new(self, norms)?.run(norms.norm())?;
            rcond.iter_mut().zip(estimates).for_each(|(rcond, estimate)| *rcond = Real::from_f64(estimate.rcond()));
        }
        self.device().finished(batch);
        Ok(Conditions { rcond, status: self.status().clone() })
    }
}

/// Solves for all matrices that are not done yet, at once. Those that are done are carried along.
struct Rounds<'a, T: Element> {
    lu: &'a Lu<T>,
    device: Device,
    estimates: Vec<Estimate>,
    x: Vec<T::Scalar>,     // shape (batch, columns, n)
    signs: Vec<T::Scalar>, // shape (batch, n)
}

impl<'a, T: Element> Rounds<'a, T> {
    fn new(lu: &'a Lu<T>, norms: &Norms<T>) -> Result<Self> {
        start_threads()?;
        let (n, batch) = (lu.n(), lu.batch());
        let mut estimates = filled(Estimate::new::<T::Scalar>(0.0, crate::Status::Ok), batch)?;
        for ((estimate, norm), &status) in estimates.iter_mut().zip(&**norms).zip(lu.status()) {
            *estimate = Estimate::new::<T::Scalar>(norm.to_f64(), status);
        }
        let zeros = |columns: usize| filled(T::Scalar::ZERO, product(&[batch, columns, n])?);
        let x = zeros(if n <= EXACT { n } else { 2 })?;
        Ok(Self { lu, device: quiet(lu.device()), estimates, x, signs: zeros(1)? })
    }

    fn run(mut self, norm: Norm) -> Result<Vec<Estimate>> {
        let n = self.lu.n();
        if n <= EXACT {
            let take = |estimate: &mut Estimate, x: &[_], _: &mut [_]| estimate.take_inverse(n, x, norm);
            self.round(Op::None, n, |estimate, _, b| estimate.ask_for_inverse(n, b), take)?;
            return Ok(self.estimates);
        }
        // The infinity-norm is the 1-norm of the adjoint matrix.
        let (op, adjoint) = match norm {
            Norm::One => (Op::None, Op::Adjoint),
            Norm::Infinity => (Op::Adjoint, Op::None),
        };
        self.round(op, 2, |estimate, _, b| estimate.ask_first(n, b), Estimate::take_first)?;
        for _ in 1..MOST_VECTORS {
            self.round(adjoint, 1, Estimate::ask_where, |estimate, z, _| estimate.take_where(z))?;
            self.round(op, 1, |estimate, _, b| estimate.ask_for_column(b), Estimate::take_column)?;
        }
        Ok(self.estimates)
    }

    /// Asks for the solutions of `columns` right-hand sides for each open matrix and takes them, which is false where
    /// they are too large. Where they overflow, it asks again for smaller ones.
    fn round(
        &mut self,
        op: Op,
        columns: usize,
        ask: impl Fn(&Estimate, &[T::Scalar], &mut [T::Scalar]) + Sync,
        take: impl Fn(&mut Estimate, &[T::Scalar], &mut [T::Scalar]) -> bool + Sync,
    ) -> Result<()> {
        let Self { lu, ref device, ref mut estimates, ref mut x, ref mut signs } = *self;
        let (n, batch) = (lu.n(), lu.batch());
        let x = &mut x[..batch * columns * n];
        let mut waiting = filled(false, batch)?;
        waiting.iter_mut().zip(&*estimates).for_each(|(waiting, estimate)| *waiting = estimate.is_open());
        while waiting.contains(&true) {
            let sides = x.par_chunks_mut(columns * n).zip(signs.par_chunks(n));
            sides.zip(&*estimates).zip(&waiting).for_each(|(((x, signs), estimate), &waiting)| match waiting {
                true => ask(estimate, signs, x),
                false => x.fill(T::Scalar::ZERO),
            });
            let codes = lu.replace_by_solutions(device, &mut BatchMut::column_major(x, batch, n, columns)?, op)?;
            let solutions = x.par_chunks(columns * n).zip(&codes).zip(signs.par_chunks_mut(n));
            solutions.zip(estimates.par_iter_mut().zip(&mut waiting)).for_each(
                |(((x, &code), signs), (estimate, waiting))| {
                    if !*waiting {
                        return;
                    }
                    let taken = code == 0 && take(estimate, x, signs);
                    if !taken {
                        estimate.lower::<T::Scalar>();
                    }
                    *waiting = !taken && estimate.is_open();
                },
            );
        }
        Ok(())
    }
}
