//! Solution of linear systems in double precision, by factors in single precision.

use numbers::refine::{OVERFLOW, SINGULAR, STALLED, steps_of};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::checks;
use crate::batch::{Batch, BatchMut};
use crate::call::{Call, Handle};
use crate::device::Device;
use crate::element::Double;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::operation::{Refined, SolveRefined};
use crate::route::RoomMemory;
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::{Fresh, filled};

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
/// let (a, b) = (Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, Batch::c_order(&[3.0, 2.0], 1, 2, 1)?);
/// let solution = Device::cpu().solve_refined(&a, &b)?;
/// assert_eq!(solution.x.as_slice(), [1.0, 1.0]);
/// println!("{}", solution.refinement[0]); // 0 corrections
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct RefinedSolution<T: Double> {
    /// X, n x k, laid out as the right-hand sides were; NaN as in [`Solution`](crate::Solution).
    pub x: Matrices<T>,
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

    /// From the states of a matrix's right-hand sides.
    fn of(states: &[i32]) -> Self {
        let worst = |code: i32| states.contains(&code);
        match states.iter().map(|&state| steps_of(state)).try_fold(0, |most, steps| Some(steps?.max(most))) {
            Some(most) => Self::Converged(most),
            None if worst(SINGULAR) => Self::Singular,
            None if worst(OVERFLOW) => Self::Overflow,
            None => {
                debug_assert!(worst(STALLED), "{states:?}");
                Self::Stalled
            }
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

impl<T: Double> RefinedSolution<T> {
    /// The solutions, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let (a, b) = (Batch::c_order(&[2.0], 1, 1, 1)?, Batch::c_order(&[6.0], 1, 1, 1)?);
    /// assert_eq!(Device::cpu().solve_refined(&a, &b)?.check()?.as_slice(), [3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Matrices<T>> {
        self.status.check().map(|()| self.x)
    }

    /// The matrices that were solved in double precision, by index.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Refinement};
    /// let (a, b) = (Batch::c_order(&[2.0, 1e60], 2, 1, 1)?, Batch::c_order(&[1.0, 1e60], 2, 1, 1)?);
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
    /// let a = Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// let b = Batch::c_order(&[3.0, 2.0], 1, 2, 1)?;
    /// let solution = Device::cpu().solve_refined(&a, &b)?;
    /// assert_eq!(solution.x.as_slice(), [1.0, 1.0]);
    /// assert_eq!(solution.refinement, [Refinement::Converged(0)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    /// Only types of double precision have something to gain:
    /// ```compile_fail,E0277
    /// use warplu::{Batch, Device};
    /// let a = Batch::c_order(&[2.0_f32], 1, 1, 1)?;
    /// Device::cpu().solve_refined(&a, &a)?;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve`]. A singular matrix is no error: its status says so and its solution is all NaN.
    #[doc(alias = "dsgesv")]
    #[doc(alias = "zcgesv")]
    #[doc(alias = "mixed precision")]
    pub fn solve_refined<T: Double>(&self, a: &Batch<'_, T>, b: &Batch<'_, T>) -> Result<RefinedSolution<T>> {
        let (n, batch, rhs) = (a.order()?, a.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        let layout = b.output_layout(n, rhs);
        let (mut x, mut outcome) = (Fresh::new(product(&[batch, n, rhs])?)?, Outcome::new(batch)?);
        if rhs == 0 {
            let (x, status) = (Matrices::new(Vec::new(), batch, n, 0, layout), self.statuses_of(a)?);
            return Ok(RefinedSolution { x, status, refinement: outcome.refinement });
        }
        let mut call = Call::new(self, batch);
        let handles = (call.input(a), call.input(b), call.fresh(&mut x, n, rhs, layout));
        solve_refined_by(self, (n, rhs), call, handles, &mut outcome)?;
        // SAFETY: the call has written every solution.
        let x = Matrices::new(unsafe { x.written() }, batch, n, rhs, layout);
        Ok(RefinedSolution { x, status: Statuses::from_codes(&outcome.codes), refinement: outcome.refinement })
    }

    /// As [`Device::solve_refined`], into memory of the caller's.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Refinement, Status};
    /// let (a, b, mut x) = ([2.0, 1.0, 1.0, 1.0], [3.0, 2.0], [0.0; 2]);
    /// let (mut status, mut refinement) = ([Status::NonFinite], [Refinement::Stalled]);
    /// let (a, b) = (Batch::c_order(&a, 1, 2, 2)?, Batch::c_order(&b, 1, 2, 1)?);
    /// let mut out = BatchMut::c_order(&mut x, 1, 2, 1)?;
    /// Device::cpu().solve_refined_into(&a, &b, &mut out, &mut status, &mut refinement)?;
    /// assert_eq!((x, status, refinement), ([1.0, 1.0], [Status::Ok], [Refinement::Converged(0)]));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve_refined`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the inputs' size.
    /// After an error of the device, the output is partly written.
    pub fn solve_refined_into<T: Double>(
        &self,
        a: &Batch<'_, T>,
        b: &Batch<'_, T>,
        x: &mut BatchMut<'_, T>,
        status: &mut [Status],
        refinement: &mut [Refinement],
    ) -> Result<()> {
        let (n, batch, rhs) = (a.order()?, a.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        checks::output(x, (batch, n, rhs))?;
        checks::length(status, batch, "statuses")?;
        checks::length(refinement, batch, "refinement")?;
        let mut outcome = Outcome::new(batch)?;
        if rhs == 0 {
            status.copy_from_slice(&self.statuses_of(a)?);
        } else {
            let mut call = Call::new(self, batch);
            let handles = (call.input(a), call.input(b), call.output(x));
            solve_refined_by(self, (n, rhs), call, handles, &mut outcome)?;
            checks::hand_over(&outcome.codes, status);
        }
        refinement.copy_from_slice(&outcome.refinement);
        Ok(())
    }
}

/// How the matrices of a call fared.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) codes: Vec<i32>,
    pub(crate) refinement: Vec<Refinement>,
}

impl Outcome {
    /// Of matrices that there is nothing to solve with.
    pub(crate) fn new(batch: usize) -> Result<Self> {
        Ok(Self { codes: filled(0, batch)?, refinement: filled(Refinement::Converged(0), batch)? })
    }

    /// Takes that of the matrices from `first` on.
    pub(crate) fn take(&mut self, first: usize, rhs: usize, refined: &Refined) {
        self.codes[first..][..refined.status.len()].copy_from_slice(&refined.status);
        for (how, states) in self.refinement[first..].iter_mut().zip(refined.states.chunks(rhs)) {
            *how = Refinement::of(states);
        }
    }
}

/// Solves what the call's ports hold.
pub(crate) fn solve_refined_by<T: Double>(
    device: &Device,
    (n, rhs): (usize, usize),
    call: Call<'_>,
    (a, b, x): (Handle<T>, Handle<T>, Handle<T>),
    outcome: &mut Outcome,
) -> Result<()> {
    device.check_algorithm()?;
    if n == 0 {
        return Ok(());
    }
    let outcome = Mutex::new(outcome);
    let outcome = &outcome;
    call.run(&|device, space| {
        let route = SolveRefined::<T>::new(device, n, rhs, space)?;
        Ok(Box::new(move |launcher, chunk| {
            let Some(memory) = chunk.room_memory else { unreachable!("the route has room") };
            let systems = (chunk.matrices(a), chunk.matrices(b), chunk.matrices(x));
            let memory = RoomMemory { memory, queue: launcher.queue };
            // SAFETY: the ports are of these sizes.
            let refined = unsafe { route.run(launcher, chunk.count, systems, (chunk.room, memory))? };
            outcome.lock().unwrap_or_else(PoisonError::into_inner).take(chunk.first, rhs, &refined);
            Ok(())
        }))
    })
}
