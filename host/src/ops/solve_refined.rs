//! Solution of linear systems in double precision, by factors in single precision.

use std::fmt;

use super::det::statuses_of;
use crate::call::Call;
use crate::device::Device;
use crate::element::Double;
use crate::error::Result;
use crate::lend::{Input, Lent, Output, Return, check, each};
use crate::operation;
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;

/// How the systems of a matrix were solved by [`Device::solve_refined`] (LAPACK's `ITER`).
///
/// ```
/// use warplu::Refinement;
/// assert_eq!((Refinement::Converged(2).code(), Refinement::Stalled.code()), (2, -31));
/// assert!(!Refinement::Overflow.is_converged());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refinement {
    /// By factors in single precision, and so many corrections, the most of a right-hand side.
    Converged(u32),
    /// In double precision, as an element of the matrix overflows in single precision, or is not finite, or a solution
    /// or a right-hand side is not finite.
    Overflow,
    /// In double precision, as the factors in single precision are singular or not finite.
    Singular,
    /// In double precision, as a correction did not make the residual smaller, or 30 did not make it small enough: the
    /// matrix is ill-conditioned.
    Stalled,
}

/// The solutions of a batch of linear systems, and how they were found.
///
/// ```
/// use warplu::{Batch, Device};
/// let (a, b) = (Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, Batch::row_major(&[3.0, 2.0], 1, 2, 1)?);
/// let solution = Device::cpu().solve_refined(&a, &b)?;
/// assert_eq!(solution.x.as_slice(), [1.0, 1.0]);
/// println!("{}", solution.refinement[0]); // 0 corrections
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct RefinedSolution<M> {
    /// X, n x k, laid out as the right-hand sides were; NaN as in [`Solution`](crate::Solution).
    pub x: M,
    /// How each matrix fared, and its solution, as in [`Solution`](crate::Solution).
    pub status: Statuses,
    /// How each was solved.
    pub refinement: Vec<Refinement>,
}

impl Refinement {
    /// LAPACK's `ITER`: corrections, or -2 for [`Refinement::Overflow`], -3 for [`Refinement::Singular`] and -31 for
    /// [`Refinement::Stalled`].
    ///
    /// ```
    /// # use warplu::Refinement;
    /// assert_eq!((Refinement::Converged(2).code(), Refinement::Overflow.code()), (2, -2));
    /// ```
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Converged(steps) => steps.cast_signed(),
            Self::Overflow => -2,
            Self::Singular => -3,
            Self::Stalled => -31,
        }
    }

    /// Whether factors in single precision sufficed.
    ///
    /// ```
    /// # use warplu::Refinement;
    /// assert!(Refinement::Converged(2).is_converged() && !Refinement::Stalled.is_converged());
    /// ```
    #[must_use]
    pub fn is_converged(self) -> bool {
        matches!(self, Self::Converged(_))
    }

    /// What a [code](Self::code) says, such as a plan's.
    ///
    /// ```
    /// # use warplu::Refinement;
    /// assert_eq!(Refinement::from_code(2), Refinement::Converged(2));
    /// assert_eq!(Refinement::from_code(-3), Refinement::Singular);
    /// ```
    #[must_use]
    pub fn from_code(code: i32) -> Self {
        match code {
            0.. => Self::Converged(code.cast_unsigned()),
            -2 => Self::Overflow,
            -3 => Self::Singular,
            _ => Self::Stalled,
        }
    }
}

impl fmt::Display for Refinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged(1) => f.write_str("1 correction"),
            Self::Converged(steps) => write!(f, "{steps} corrections"),
            Self::Overflow => f.write_str("double precision: it overflows in single precision"),
            Self::Singular => f.write_str("double precision: it is singular in single precision"),
            Self::Stalled => f.write_str("double precision: corrections do not converge"),
        }
    }
}

impl<M> RefinedSolution<M> {
    /// The solutions, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let (a, b) = (Batch::row_major(&[2.0], 1, 1, 1)?, Batch::row_major(&[6.0], 1, 1, 1)?);
    /// assert_eq!(Device::cpu().solve_refined(&a, &b)?.check()?.as_slice(), [3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<M> {
        self.status.check().map(|()| self.x)
    }

    /// The matrices that were solved in double precision, by index.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Refinement};
    /// let (a, b) = (Batch::row_major(&[2.0, 1e60], 2, 1, 1)?, Batch::row_major(&[1.0, 1e60], 2, 1, 1)?);
    /// let solution = Device::cpu().solve_refined(&a, &b)?;
    /// assert_eq!(solution.in_double().collect::<Vec<_>>(), [(1, Refinement::Overflow)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn in_double(&self) -> impl Iterator<Item = (usize, Refinement)> {
        self.refinement.iter().copied().enumerate().filter(|(_, how)| !how.is_converged())
    }
}

impl Device {
    /// Solves A X = B by factors in single precision and iterative refinement in double precision (LAPACK `DSGESV`,
    /// `ZCGESV`), to the accuracy of [`Device::solve`]. `b` is (batch, n, k).
    ///
    /// A solution is accepted where, for each right-hand side, its residual is at most `|x| |A| u sqrt(n)` in the
    /// infinity-norm and row i of it at most (n + 1) u times row i of `|A| |x| + |b|`, so that unknowns of different
    /// units count alike. That takes at most 30 corrections; two are usual, and matrices with a condition up to some
    /// 1e7 converge, whatever the units of their columns. Others are factored anew, in double precision, as those that
    /// overflow or are singular in single precision: their solutions have the bits of [`Device::solve`], those for
    /// all right-hand sides. So a batch of ill-conditioned matrices takes longer than by that.
    ///
    /// It pays where arithmetic is slow in double precision and matrices are large enough: on GPUs for graphics, whose
    /// f32 is 32 to 64 times as fast as their f64, and on the CPU from some hundred rows on. Right-hand sides may be as
    /// large or as small as double precision allows. Single precision itself is not refined: there is no faster
    /// arithmetic to start from.
    ///
    /// ```
    /// use warplu::{Batch, Device, Refinement};
    /// let a = Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// let b = Batch::row_major(&[3.0, 2.0], 1, 2, 1)?;
    /// let solution = Device::cpu().solve_refined(&a, &b)?;
    /// assert_eq!(solution.x.as_slice(), [1.0, 1.0]);
    /// assert_eq!(solution.refinement, [Refinement::Converged(0)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    /// Only types of double precision have something to gain:
    /// ```compile_fail,E0277
    /// use warplu::{Batch, Device};
    /// let a = Batch::row_major(&[2.0_f32], 1, 1, 1)?;
    /// Device::cpu().solve_refined(&a, &a)?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve`]. A singular matrix is no error: its status says so and its solution is all NaN.
    #[doc(alias = "dsgesv")]
    #[doc(alias = "zcgesv")]
    #[doc(alias = "mixed precision")]
    pub fn solve_refined<A, B>(&self, a: &A, b: &B) -> Result<RefinedSolution<A::Owned>>
    where
        A: Input<Element: Double>,
        B: Input<Element = A::Element, Owned = A::Owned>,
    {
        let (a, read) = (Lent::read(a), Lent::read(b));
        check(operation::solve::<A::Element>().operands, &[a, read])?;
        let mut room = A::Owned::room_like(b)?;
        let (status, refinement) = solve_refined::<A::Element>(self, [a, read, Lent::write(&mut room)])?;
        // SAFETY: the call has written every solution.
        Ok(RefinedSolution { x: unsafe { A::Owned::written(room) }, status, refinement })
    }

    /// As [`Device::solve_refined`], into memory of the caller's or to a sink.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Refinement};
    /// let (a, b, mut x) = ([2.0, 1.0, 1.0, 1.0], [3.0, 2.0], [0.0; 2]);
    /// let (a, b) = (Batch::row_major(&a, 1, 2, 2)?, Batch::row_major(&b, 1, 2, 1)?);
    /// let mut out = BatchMut::row_major(&mut x, 1, 2, 1)?;
    /// let (status, refinement) = Device::cpu().solve_refined_into(&a, &b, &mut out)?;
    /// assert!(status.all_ok() && refinement == [Refinement::Converged(0)]);
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve_refined`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the size of `b`.
    /// After an error of the device, a source or a sink, the output is partly written.
    pub fn solve_refined_into<A, B>(
        &self,
        a: &A,
        b: &B,
        x: &mut impl Output<Owned = A::Owned>,
    ) -> Result<(Statuses, Vec<Refinement>)>
    where
        A: Input<Element: Double>,
        B: Input<Element = A::Element, Owned = A::Owned>,
    {
        solve_refined::<A::Element>(self, [Lent::read(a), Lent::read(b), Lent::write(x)])
    }
}

/// Solves, whatever the matrices are.
fn solve_refined<T: Double>(device: &Device, lent: [Lent<'_>; 3]) -> Result<(Statuses, Vec<Refinement>)> {
    let operation = operation::solve_refined::<T>();
    let fared = each(device, operation.operands, &lent, (0, 0), &|lent, size| {
        let mut refinement = filled(0, lent[0].sizes.count())?;
        let codes = if size.rhs == 0 {
            statuses_of::<T>(device, lent[0])?
        } else {
            let mut call = Call::new(device, lent[0].sizes.count()).at_strides();
            call.lend((&operation, size), lent)?;
            call.values(&mut refinement, 1);
            call.perform(&operation, size)?
        };
        Ok(codes.into_iter().zip(refinement).collect())
    })?;
    let statuses = fared.iter().map(|&(code, _)| Status::from_code(code)).collect();
    Ok((Statuses::new(statuses), fared.into_iter().map(|(_, code)| Refinement::from_code(code)).collect()))
}
