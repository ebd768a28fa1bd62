//! Solution of linear systems.

use super::checks;
use super::lu::Lu;
use crate::algorithm::Algorithm;
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::Fresh;
use numbers::op::Op;

/// The solutions of a batch of linear systems.
///
/// ```
/// use warplu::{Batch, Device, Solution};
/// let (a, b) = (Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, Batch::c_order(&[3.0, 2.0], 1, 2, 1)?);
/// let Solution { x, status } = Device::cpu().solve(&a, &b)?;
/// assert!(status.all_ok());
/// assert_eq!(x.as_slice(), [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Solution<T: Element> {
    /// X, n x k, laid out as the right-hand sides were; all NaN where a matrix cannot be used. A right-hand side that is
    /// not finite, or whose solution overflows, makes its own column NaN and no other.
    pub x: Matrices<T>,
    /// How each matrix fared, and its solutions: [`Status::SideNotFinite`] where one of these is not finite.
    pub status: Statuses,
}

impl Device {
    /// Solves A X = B for each matrix and its right-hand sides, by LU with partial pivoting (LAPACK `xGESV`).
    ///
    /// `b` is (batch, n, k): k right-hand sides for each matrix.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// let b = Batch::c_order(&[3.0, 2.0], 1, 2, 1)?;
    /// assert_eq!(Device::cpu().solve(&a, &b)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square or `b` does not fit them; a device's
    /// errors. A singular matrix is no error: its status says so and its solution is all NaN.
    #[doc(alias = "gesv")]
    pub fn solve<T: Element>(&self, a: &Batch<'_, T>, b: &Batch<'_, T>) -> Result<Solution<T>> {
        let (n, batch, rhs) = (a.order()?, a.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        let layout = b.output_layout(n, rhs);
        if rhs == 0 {
            return Ok(Solution { x: Matrices::new(Vec::new(), batch, n, 0, layout), status: self.statuses_of(a)? });
        }
        let mut x = Fresh::new(product(&[batch, n, rhs])?)?;
        let mut call = Call::new(self, batch);
        call.input(a);
        call.input(b);
        call.fresh(&mut x, n, rhs, layout);
        let codes = call.perform(&operation::solve::<T>(), Size { n, rhs })?;
        // SAFETY: the call has written every solution.
        let x = Matrices::new(unsafe { x.written() }, batch, n, rhs, layout);
        Ok(Solution { x, status: Statuses::from_codes(&codes) })
    }

    /// As [`Device::solve`], into memory of the caller's.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Status};
    /// let (a, b, mut x, mut status) = ([2.0, 1.0, 1.0, 1.0], [3.0, 2.0], [0.0; 2], [Status::Ok]);
    /// let (a, b) = (Batch::c_order(&a, 1, 2, 2)?, Batch::c_order(&b, 1, 2, 1)?);
    /// Device::cpu().solve_into(&a, &b, &mut BatchMut::c_order(&mut x, 1, 2, 1)?, &mut status)?;
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the inputs' size. After
    /// an error of the device, the output is partly written.
    pub fn solve_into<T: Element>(
        &self,
        a: &Batch<'_, T>,
        b: &Batch<'_, T>,
        x: &mut BatchMut<'_, T>,
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch, rhs) = (a.order()?, a.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        checks::output(x, (batch, n, rhs))?;
        checks::length(status, batch, "statuses")?;
        if rhs == 0 {
            status.copy_from_slice(&self.statuses_of(a)?);
            return Ok(());
        }
        let mut call = Call::new(self, batch);
        call.input(a);
        call.input(b);
        call.output(x);
        let codes = call.perform(&operation::solve::<T>(), Size { n, rhs })?;
        checks::hand_over(&codes, status);
        Ok(())
    }

    /// As [`Device::solve`], each solution in the place of its right-hand sides.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Status};
    /// let (mut b, mut status) = ([3.0, 2.0], [Status::Ok]);
    /// let a = Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// Device::cpu().solve_in_place(&a, &mut BatchMut::c_order(&mut b, 1, 2, 1)?, &mut status)?;
    /// assert_eq!(b, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve_into`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place<T: Element>(
        &self,
        a: &Batch<'_, T>,
        b: &mut BatchMut<'_, T>,
        status: &mut [Status],
    ) -> Result<()> {
        let (n, batch, rhs) = (a.order()?, a.batch(), b.cols());
        checks::right_hand_sides(&b.view(), batch, n)?;
        checks::length(status, batch, "statuses")?;
        if rhs == 0 {
            status.copy_from_slice(&self.statuses_of(a)?);
            return Ok(());
        }
        let mut call = Call::new(self, batch);
        call.input(a);
        call.in_place(b);
        let codes = call.perform(&operation::solve::<T>(), Size { n, rhs })?;
        checks::hand_over(&codes, status);
        Ok(())
    }

    /// How the matrices fare where there is nothing to solve for.
    pub(super) fn statuses_of<T: Element>(&self, a: &Batch<'_, T>) -> Result<Statuses> {
        Ok(self.clone().with_algorithm(Algorithm::Auto).det(a)?.status)
    }
}

impl<T: Element> Lu<T> {
    /// Solves op(A) X = B from the factors (LAPACK `xGETRS`); `b` is (batch, n, k).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Op};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let b = Batch::c_order(&[3.0, 1.0], 1, 2, 1)?;
    /// assert_eq!(lu.solve(&b, Op::Transpose)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    #[doc(alias = "getrs")]
    pub fn solve(&self, b: &Batch<'_, T>, op: Op) -> Result<Solution<T>> {
        let (n, batch, rhs) = (self.n(), self.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        let layout = b.output_layout(n, rhs);
        let (mut x, codes) = (Fresh::new(product(&[batch, n, rhs])?)?, self.codes()?);
        let mut call = Call::new(self.device(), batch);
        self.ports(&mut call, &codes);
        call.input(b);
        call.fresh(&mut x, n, rhs, layout);
        let solved = call.solve_from_lu::<T>(Size { n, rhs }, op, codes.clone())?;
        // SAFETY: the call has written every solution.
        let x = Matrices::new(unsafe { x.written() }, batch, n, rhs, layout);
        Ok(Solution { x, status: Statuses::from_codes(&solved) })
    }

    /// As [`Lu::solve`], each solution in the place of its right-hand sides; all NaN where its status is not
    /// [`Status::Ok`].
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Op, Status};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let (mut b, mut status) = ([3.0, 1.0], [Status::Ok]);
    /// lu.solve_in_place(&mut BatchMut::c_order(&mut b, 1, 2, 1)?, Op::Transpose, &mut status)?;
    /// assert_eq!(b, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::solve`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut BatchMut<'_, T>, op: Op, status: &mut [Status]) -> Result<()> {
        checks::right_hand_sides(&b.view(), self.batch(), self.n())?;
        checks::length(status, self.batch(), "statuses")?;
        checks::hand_over(&self.replace_by_solutions(self.device(), b, op)?, status);
        Ok(())
    }

    /// Replaces right-hand sides, of this type or that of the arithmetic, by solutions, and returns their status codes.
    pub(super) fn replace_by_solutions<U: Element<Scalar = T::Scalar>>(
        &self,
        device: &Device,
        b: &mut BatchMut<'_, U>,
        op: Op,
    ) -> Result<Vec<i32>> {
        let (n, rhs, codes) = (self.n(), b.cols(), self.codes()?);
        let mut call = Call::new(device, self.batch());
        self.ports(&mut call, &codes);
        call.in_place(b);
        let solved = call.solve_from_lu::<U>(Size { n, rhs }, op, codes.clone())?;
        Ok(solved)
    }

    /// As [`Lu::solve`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Op, Status};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let (mut x, mut status) = ([0.0; 2], [Status::Ok]);
    /// let b = Batch::c_order(&[3.0, 2.0], 1, 2, 1)?;
    /// lu.solve_into(&b, &mut BatchMut::c_order(&mut x, 1, 2, 1)?, Op::None, &mut status)?;
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's size. After an
    /// error of the device, the output is partly written.
    pub fn solve_into(&self, b: &Batch<'_, T>, x: &mut BatchMut<'_, T>, op: Op, status: &mut [Status]) -> Result<()> {
        let (n, batch, rhs) = (self.n(), self.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        checks::output(x, (batch, n, rhs))?;
        checks::length(status, batch, "statuses")?;
        let codes = self.codes()?;
        let mut call = Call::new(self.device(), batch);
        self.ports(&mut call, &codes);
        call.input(b);
        call.output(x);
        let solved = call.solve_from_lu::<T>(Size { n, rhs }, op, codes.clone())?;
        checks::hand_over(&solved, status);
        Ok(())
    }
}

impl<T: Element> Solution<T> {
    /// The solutions, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let (a, b) = (Batch::c_order(&[2.0, 0.0], 2, 1, 1)?, Batch::c_order(&[6.0, 8.0], 2, 1, 1)?);
    /// let told = Device::cpu().solve(&a, &b)?.check().unwrap_err().to_string();
    /// assert!(told.starts_with("1 of 2 matrices cannot be used; the first is matrix 1"));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Matrices<T>> {
        self.status.check().map(|()| self.x)
    }
}

impl Call<'_> {
    /// Solves op(A) X = B from LU factors, which are the first ports, and whose status codes are given. Returns those of
    /// solutions: where there are none, the same.
    pub(crate) fn solve_from_lu<T: Element>(self, size: Size, op: Op, codes: Vec<i32>) -> Result<Vec<i32>> {
        if size.rhs == 0 {
            return Ok(codes);
        }
        self.perform_then(&operation::lu_solve::<T>(), (size, op), codes, &|_, _, _| Ok(()))
    }
}
