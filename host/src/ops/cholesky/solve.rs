//! Solution of linear systems from Cholesky factors.

use super::Cholesky;
use crate::call::Call;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{InPlace, Input, Lent, Output, Return, check_sides};
use crate::matrices::Matrices;
use crate::operation::{self, Size};
use crate::ops::Solution;
use crate::statuses::Statuses;
use numbers::op::Op;

impl<T: Element> Cholesky<T> {
    /// Solves A X = B from the factors (LAPACK `xPOTRS`); `b` is (batch, n, k).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::row_major(&[4.0, 2.0, 2.0, 10.0], 1, 2, 2)?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// assert_eq!(cholesky.solve(&Batch::row_major(&[6.0, 12.0], 1, 2, 1)?)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    #[doc(alias = "potrs")]
    pub fn solve<B>(&self, b: &B) -> Result<Solution<Matrices<T>>>
    where
        B: Input<Element = T, Owned = Matrices<T>>,
    {
        let operation = operation::cholesky_solve::<T>().in_triangle(self.triangle);
        check_sides(&operation.operands[2], (self.batch(), self.n), Lent::read(b))?;
        let mut room = Matrices::room_like(b)?;
        let status = self.solve_to([Lent::read(b), Lent::write(&mut room)])?;
        // SAFETY: the call has written every solution.
        Ok(Solution { x: unsafe { Matrices::written(room) }, status })
    }

    /// As [`Cholesky::solve`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// let mut x = [0.0; 2];
    /// let b = Batch::row_major(&[6.0, 4.0], 1, 2, 1)?;
    /// cholesky.solve_into(&b, &mut BatchMut::row_major(&mut x, 1, 2, 1)?)?.check()?;
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's size. After
    /// an error of the device, the output is partly written.
    pub fn solve_into<B>(&self, b: &B, x: &mut impl Output<Owned = Matrices<T>>) -> Result<Statuses>
    where
        B: Input<Element = T, Owned = Matrices<T>>,
    {
        self.solve_to([Lent::read(b), Lent::write(x)])
    }

    /// As [`Cholesky::solve`], each solution in the place of its right-hand sides; all NaN where its status is not
    /// [`Status::Ok`](crate::Status::Ok).
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Triangle};
    /// let a = Batch::row_major(&[4.0, 2.0, 2.0, 10.0], 1, 2, 2)?;
    /// let mut b = [6.0, 12.0];
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// cholesky.solve_in_place(&mut BatchMut::row_major(&mut b, 1, 2, 1)?)?.check()?;
    /// assert_eq!(b, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::solve`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut impl InPlace<Owned = Matrices<T>>) -> Result<Statuses> {
        self.solve_to(Lent::in_place(b))
    }

    fn solve_to(&self, sides: [Lent<'_>; 2]) -> Result<Statuses> {
        let codes = self.codes()?;
        let mut call = Call::new(&self.device, self.batch());
        self.ports(&mut call, &codes);
        let size = Size { n: self.n, rhs: sides[0].cols() };
        let operation = operation::cholesky_solve::<T>().in_triangle(self.triangle);
        call.lend((&operation, size), &sides)?;
        let solved = call.solve_from_factors(&operation, (size, Op::None), codes.clone())?;
        Ok(Statuses::from_codes(&solved))
    }
}
