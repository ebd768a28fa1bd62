//! Solution of linear systems from Cholesky factors.

use super::Cholesky;
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::element::Element;
use crate::error::Result;
use crate::layout::product;
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::ops::{Solution, checks};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::Fresh;
use numbers::op::Op;

impl<T: Element> Cholesky<T> {
    /// Solves A X = B from the factors (LAPACK `xPOTRS`); `b` is (batch, n, k).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::c_order(&[4.0, 2.0, 2.0, 10.0], 1, 2, 2)?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// assert_eq!(cholesky.solve(&Batch::c_order(&[6.0, 12.0], 1, 2, 1)?)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    #[doc(alias = "potrs")]
    pub fn solve(&self, b: &Batch<'_, T>) -> Result<Solution<T>> {
        let (n, batch, rhs) = (self.n, self.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        let layout = b.output_layout(n, rhs);
        let (mut x, codes) = (Fresh::new(product(&[batch, n, rhs])?)?, self.codes()?);
        let mut call = Call::new(&self.device, batch);
        self.ports(&mut call, &codes);
        call.input(b);
        call.fresh(&mut x, n, rhs, layout);
        let solved = self.perform_solve(call, rhs, codes.clone())?;
        // SAFETY: the call has written every solution.
        let x = Matrices::new(unsafe { x.written() }, batch, n, rhs, layout);
        Ok(Solution { x, status: Statuses::from_codes(&solved) })
    }

    /// As [`Cholesky::solve`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Status, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::c_order(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// let (mut x, mut status) = ([0.0; 2], [Status::Ok]);
    /// let b = Batch::c_order(&[6.0, 4.0], 1, 2, 1)?;
    /// cholesky.solve_into(&b, &mut BatchMut::c_order(&mut x, 1, 2, 1)?, &mut status)?;
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's size. After
    /// an error of the device, the output is partly written.
    pub fn solve_into(&self, b: &Batch<'_, T>, x: &mut BatchMut<'_, T>, status: &mut [Status]) -> Result<()> {
        let (n, batch, rhs) = (self.n, self.batch(), b.cols());
        checks::right_hand_sides(b, batch, n)?;
        checks::output(x, (batch, n, rhs))?;
        checks::length(status, batch, "statuses")?;
        let codes = self.codes()?;
        let mut call = Call::new(&self.device, batch);
        self.ports(&mut call, &codes);
        call.input(b);
        call.output(x);
        let solved = self.perform_solve(call, rhs, codes.clone())?;
        checks::hand_over(&solved, status);
        Ok(())
    }

    /// As [`Cholesky::solve`], each solution in the place of its right-hand sides; all NaN where its status is not
    /// [`Status::Ok`].
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Status, Triangle};
    /// let a = Batch::c_order(&[4.0, 2.0, 2.0, 10.0], 1, 2, 2)?;
    /// let (mut b, mut status) = ([6.0, 12.0], [Status::Ok]);
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// cholesky.solve_in_place(&mut BatchMut::c_order(&mut b, 1, 2, 1)?, &mut status)?;
    /// assert_eq!(b, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::solve`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut BatchMut<'_, T>, status: &mut [Status]) -> Result<()> {
        checks::right_hand_sides(&b.view(), self.batch(), self.n)?;
        checks::length(status, self.batch(), "statuses")?;
        let (rhs, codes) = (b.cols(), self.codes()?);
        let mut call = Call::new(&self.device, self.batch());
        self.ports(&mut call, &codes);
        call.in_place(b);
        let solved = self.perform_solve(call, rhs, codes.clone())?;
        checks::hand_over(&solved, status);
        Ok(())
    }

    /// Solves from the factors, which are the first ports, and whose status codes are given. Returns those of solutions:
    /// where there are none, the same.
    fn perform_solve(&self, call: Call<'_>, rhs: usize, codes: Vec<i32>) -> Result<Vec<i32>> {
        if rhs == 0 {
            return Ok(codes);
        }
        let (size, operation) = (Size { n: self.n, rhs }, operation::cholesky_solve::<T>(self.triangle));
        call.perform_then(&operation, (size, Op::None), codes, &|_, _, _| Ok(()))
    }
}
