//! Solution of linear systems.

use super::det::statuses_of;
use super::lu::Lu;
use super::one_size::OneSize;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{InPlace, Input, Lent, Output, Return, check, perform_or};
use crate::matrices::Matrices;
use crate::operation::{self, Operation, Size};
use crate::statuses::Statuses;
use numbers::op::Op;

/// The solutions of a batch of linear systems.
///
/// ```
/// use warplu::{Batch, Device, Solution};
/// let (a, b) = (Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, Batch::row_major(&[3.0, 2.0], 1, 2, 1)?);
/// let Solution { x, status } = Device::cpu().solve(&a, &b)?;
/// assert!(status.all_ok());
/// assert_eq!(x.as_slice(), [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Solution<M> {
    /// X, n x k, laid out as the right-hand sides were; all NaN where a matrix cannot be used. A right-hand side that is
    /// not finite, or whose solution overflows, makes its own column NaN and no other.
    pub x: M,
    /// How each matrix fared, and its solutions: [`Status::SideNotFinite`](crate::Status::SideNotFinite) where one of
    /// these is not finite.
    pub status: Statuses,
}

impl Device {
    /// Solves A X = B for each matrix and its right-hand sides, by LU with partial pivoting (LAPACK `xGESV`).
    ///
    /// `b` is (batch, n, k): k right-hand sides for each matrix; for those of many sizes, k may differ, too.
    ///
    /// ```
    /// use warplu::{Batch, Device, Ragged};
    /// let a = Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// let b = Batch::row_major(&[3.0, 2.0], 1, 2, 1)?;
    /// assert_eq!(Device::cpu().solve(&a, &b)?.x.as_slice(), [1.0, 1.0]);
    /// let a = Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?;
    /// let b = Ragged::row_major(&[3.0, 2.0, 8.0, 4.0], &[(2, 1), (1, 2)])?; // one for the first, two for the second
    /// assert_eq!(Device::cpu().solve(&a, &b)?.x.matrix(1), [2.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square or `b` does not fit them; a device's
    /// errors, and what a source returns. A singular matrix is no error: its status says so and its solution is all NaN.
    #[doc(alias = "gesv")]
    pub fn solve<A: Input, B>(&self, a: &A, b: &B) -> Result<Solution<A::Owned>>
    where
        B: Input<Element = A::Element, Owned = A::Owned>,
    {
        let (a, read) = (Lent::read(a), Lent::read(b));
        check(operation::solve::<A::Element>().operands, &[a, read])?;
        let mut room = A::Owned::room_like(b)?;
        let status = solve::<A::Element>(self, [a, read, Lent::write(&mut room)])?;
        // SAFETY: the call has written every solution.
        Ok(Solution { x: unsafe { A::Owned::written(room) }, status })
    }

    /// As [`Device::solve`], into memory of the caller's or to a sink.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device};
    /// let (a, b, mut x) = ([2.0, 1.0, 1.0, 1.0], [3.0, 2.0], [0.0; 2]);
    /// let (a, b) = (Batch::row_major(&a, 1, 2, 2)?, Batch::row_major(&b, 1, 2, 1)?);
    /// assert!(Device::cpu().solve_into(&a, &b, &mut BatchMut::row_major(&mut x, 1, 2, 1)?)?.all_ok());
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the size of `b`. After
    /// an error of the device, a source or a sink, the output is partly written.
    pub fn solve_into<A: Input, B>(&self, a: &A, b: &B, x: &mut impl Output<Owned = A::Owned>) -> Result<Statuses>
    where
        B: Input<Element = A::Element, Owned = A::Owned>,
    {
        solve::<A::Element>(self, [Lent::read(a), Lent::read(b), Lent::write(x)])
    }

    /// As [`Device::solve`], each solution in the place of its right-hand sides.
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device};
    /// let mut b = [3.0, 2.0];
    /// let a = Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// assert!(Device::cpu().solve_in_place(&a, &mut BatchMut::row_major(&mut b, 1, 2, 1)?)?.all_ok());
    /// assert_eq!(b, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::solve`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place<A: Input>(&self, a: &A, b: &mut impl InPlace<Owned = A::Owned>) -> Result<Statuses> {
        let [b, x] = Lent::in_place(b);
        solve::<A::Element>(self, [Lent::read(a), b, x])
    }
}

/// Solves A X = B; where there is nothing to solve for, the statuses are those of the matrices.
fn solve<T: Element>(device: &Device, lent: [Lent<'_>; 3]) -> Result<Statuses> {
    perform_or(device, &operation::solve::<T>(), &lent, Some(statuses_of::<T>))
}

impl<T: Element> Lu<T> {
    /// Solves op(A) X = B from the factors (LAPACK `xGETRS`); `b` is (batch, n, k).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Op};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let b = Batch::row_major(&[3.0, 1.0], 1, 2, 1)?;
    /// assert_eq!(lu.solve(&b, Op::Transpose)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors, and what a source
    /// returns.
    #[doc(alias = "getrs")]
    pub fn solve<B>(&self, b: &B, op: Op) -> Result<Solution<Matrices<T>>>
    where
        B: Input<Element = T, Owned = Matrices<T>>,
    {
        self.factored().solution(&Self::solving::<T>(()), b, op)
    }

    /// As [`Lu::solve`], each solution in the place of its right-hand sides; all NaN where its status is not
    /// [`Status::Ok`](crate::Status::Ok).
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Op};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let mut b = [3.0, 1.0];
    /// lu.solve_in_place(&mut BatchMut::row_major(&mut b, 1, 2, 1)?, Op::Transpose)?.check()?;
    /// assert_eq!(b, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::solve`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut impl InPlace<Owned = Matrices<T>>, op: Op) -> Result<Statuses> {
        self.solve_to(Lent::in_place(b), op)
    }

    /// As [`Lu::solve`], into memory of the caller's or to a sink.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Op};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let mut x = [0.0; 2];
    /// let b = Batch::row_major(&[3.0, 2.0], 1, 2, 1)?;
    /// lu.solve_into(&b, &mut BatchMut::row_major(&mut x, 1, 2, 1)?, Op::None)?.check()?;
    /// assert_eq!(x, [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the size of `b`. After an
    /// error of the device, the output is partly written.
    pub fn solve_into<B>(&self, b: &B, x: &mut impl Output<Owned = Matrices<T>>, op: Op) -> Result<Statuses>
    where
        B: Input<Element = T, Owned = Matrices<T>>,
    {
        self.solve_to([Lent::read(b), Lent::write(x)], op)
    }

    fn solve_to(&self, sides: [Lent<'_>; 2], op: Op) -> Result<Statuses> {
        let codes = self.factored().solve(self.factored().device(), &Self::solving::<T>(()), sides, op)?;
        Ok(Statuses::from_codes(&codes))
    }
}

impl<M> Solution<M> {
    /// The solutions, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let (a, b) = (Batch::row_major(&[2.0, 0.0], 2, 1, 1)?, Batch::row_major(&[6.0, 8.0], 2, 1, 1)?);
    /// let told = Device::cpu().solve(&a, &b)?.check().unwrap_err().to_string();
    /// assert!(told.starts_with("1 of 2 matrices cannot be used; the first is matrix 1"));
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<M> {
        self.status.check().map(|()| self.x)
    }
}

impl Call<'_> {
    /// Solves op(A) X = B from factors, which are the first ports, and whose status codes are given. Returns those of
    /// solutions: where there are none, the same.
    pub(crate) fn solve_from_factors(
        self,
        operation: &Operation,
        (size, op): (Size, Op),
        codes: Vec<i32>,
    ) -> Result<Vec<i32>> {
        if size.rhs == 0 {
            return Ok(codes);
        }
        self.perform_then(operation, (size, op), codes, &|_, _, _| Ok(()))
    }
}
