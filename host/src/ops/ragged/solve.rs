//! What the factors of matrices of many orders are asked for.

use super::{RaggedCholesky, RaggedFactors, RaggedLu};
use crate::element::{Element, Real, RealOf, Scalar};
use crate::error::Result;
use crate::lend::{Groups, Lent, Return, check_ragged, key_of, of_group};
use crate::operation::{Access, Extent, Size};
use crate::ops::one_size::{OneSize, ScalarOf};
use crate::ops::{Determinants, Inverse, Solution};
use crate::ragged::{Ragged, RaggedMatrices, RaggedMut, Shape, Unwritten};
use crate::status::Status;
use crate::statuses::Statuses;
use crate::triangle::Triangle;
use numbers::op::Op;

impl<T: Element> RaggedLu<T> {
    /// Solves op(A) X = B from the factors; see [`Lu::solve`](crate::Lu::solve).
    ///
    /// Where matrices of one order have different numbers of right-hand sides, their factors pass from the host through
    /// the device in each call.
    ///
    /// ```
    /// # use warplu::{Device, Op, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let b = Ragged::row_major(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
    /// assert_eq!(lu.solve(&b, Op::None)?.x.as_slice(), [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    pub fn solve(&self, b: &Ragged<'_, T>, op: Op) -> Result<Solution<RaggedMatrices<T>>> {
        self.solution(b, op)
    }

    /// As [`Self::solve`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Device, Op, Ragged, RaggedMut};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let b = Ragged::row_major(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
    /// let mut x = [0.0; 3];
    /// lu.solve_into(&b, &mut RaggedMut::row_major(&mut x, &[(2, 1), (1, 1)])?, Op::None)?.check()?;
    /// assert_eq!(x, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's sizes. After
    /// an error of the device, the output is partly written.
    pub fn solve_into(&self, b: &Ragged<'_, T>, x: &mut RaggedMut<'_, T>, op: Op) -> Result<Statuses> {
        self.solve_to(&[Lent::read(b), Lent::write(x)], op)
    }

    /// As [`Self::solve`], each solution in the place of its right-hand sides.
    ///
    /// ```
    /// # use warplu::{Device, Op, Ragged, RaggedMut};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 0.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let mut b = [3.0, 1.0, 8.0];
    /// lu.solve_in_place(&mut RaggedMut::row_major(&mut b, &[(2, 1), (1, 1)])?, Op::Transpose)?.check()?;
    /// assert_eq!(b, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::solve_into`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut RaggedMut<'_, T>, op: Op) -> Result<Statuses> {
        self.solve_to(&Lent::in_place(b), op)
    }
}

impl<T: Element> RaggedCholesky<T> {
    /// The triangle that was read, and that the factors are in.
    ///
    /// ```
    /// # use warplu::{Device, Ragged, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Ragged::row_major(&[4.0], &[1])?, Triangle::Upper)?;
    /// assert_eq!(cholesky.triangle(), Triangle::Upper);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn triangle(&self) -> Triangle {
        self.how
    }

    /// Solves A X = B from the factors; see [`Cholesky::solve`](crate::Cholesky::solve).
    ///
    /// Where matrices of one order have different numbers of right-hand sides, their factors pass from the host through
    /// the device in each call.
    ///
    /// ```
    /// # use warplu::{Device, Ragged, Triangle};
    /// let a = Ragged::row_major(&[4.0, 2.0, 2.0, 2.0, 4.0], &[2, 1])?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// let b = Ragged::row_major(&[6.0, 4.0, 8.0], &[(2, 1), (1, 1)])?;
    /// assert_eq!(cholesky.solve(&b)?.x.as_slice(), [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    pub fn solve(&self, b: &Ragged<'_, T>) -> Result<Solution<RaggedMatrices<T>>> {
        self.solution(b, Op::None)
    }

    /// As [`Self::solve`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Device, Ragged, RaggedMut, Triangle};
    /// let a = Ragged::row_major(&[4.0, 2.0, 2.0, 2.0, 4.0], &[2, 1])?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// let b = Ragged::row_major(&[6.0, 4.0, 8.0], &[(2, 1), (1, 1)])?;
    /// let mut x = [0.0; 3];
    /// cholesky.solve_into(&b, &mut RaggedMut::row_major(&mut x, &[(2, 1), (1, 1)])?)?.check()?;
    /// assert_eq!(x, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's sizes. After
    /// an error of the device, the output is partly written.
    pub fn solve_into(&self, b: &Ragged<'_, T>, x: &mut RaggedMut<'_, T>) -> Result<Statuses> {
        self.solve_to(&[Lent::read(b), Lent::write(x)], Op::None)
    }

    /// As [`Self::solve`], each solution in the place of its right-hand sides.
    ///
    /// ```
    /// # use warplu::{Device, Ragged, RaggedMut, Triangle};
    /// let a = Ragged::row_major(&[4.0, 2.0, 2.0, 2.0, 4.0], &[2, 1])?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// let mut b = [6.0, 4.0, 8.0];
    /// cholesky.solve_in_place(&mut RaggedMut::row_major(&mut b, &[(2, 1), (1, 1)])?)?.check()?;
    /// assert_eq!(b, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::solve_into`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut RaggedMut<'_, T>) -> Result<Statuses> {
        self.solve_to(&Lent::in_place(b), Op::None)
    }
}

impl<F: OneSize> RaggedFactors<F> {
    /// The inverses, from the factors; see [`Lu::inverse`](crate::Lu::inverse).
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(lu.inverse()?.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn inverse(&self) -> Result<Inverse<RaggedMatrices<F::Element>>> {
        let place = |b: usize| (Shape::from(self.n(b)), self.of_group(b).factored().layout());
        let mut room = Unwritten::new((0..self.batch()).map(place))?;
        let status = self.invert_to(Lent::write(&mut room))?;
        // SAFETY: every inverse has been written.
        Ok(Inverse { matrices: unsafe { room.written() }, status })
    }

    /// As [`Self::inverse`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Device, Ragged, RaggedMut};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let mut inverse = [0.0; 5];
    /// lu.inverse_into(&mut RaggedMut::row_major(&mut inverse, &[2, 1])?)?.check()?;
    /// assert_eq!(inverse, [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::inverse`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the matrices' sizes. After
    /// an error of the device, the output is partly written.
    pub fn inverse_into(&self, inverse: &mut RaggedMut<'_, F::Element>) -> Result<Statuses> {
        let lent = Lent::write(inverse);
        let inverses = F::inverting(self.how).operands.iter();
        let inverses = inverses.filter(|operand| operand.extent == Extent::Square && operand.access == Access::Write);
        check_ragged(inverses.map(|operand| (operand, &lent)), self.batch(), |b| Size::order(self.n(b)))?;
        self.invert_to(lent)
    }

    /// The determinants, from the factors; see [`Lu::det`](crate::Lu::det).
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu(&Ragged::row_major(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(lu.det()?.values[0], 1.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn det(&self) -> Result<Determinants<F::Element>> {
        let det = |members: &[usize]| self.of_group(members[0]).factored().det(&F::finding_det(self.how));
        let parts: Vec<Determinants<F::Element>> = self.groups.each(&self.device, |_| 0, det)?;
        let [mut values, mut sign] = [Vec::new(), Vec::new()];
        let (mut log_abs, mut status) = (Vec::new(), Vec::new());
        for part in parts {
            values.push(part.values);
            sign.push(part.sign);
            log_abs.push(part.log_abs);
            status.push(part.status.into_vec());
        }
        Ok(Determinants {
            values: self.groups.in_order(&values, ScalarOf::<F>::ONE)?,
            sign: self.groups.in_order(&sign, ScalarOf::<F>::ONE)?,
            log_abs: self.groups.in_order(&log_abs, RealOf::<F::Element>::from_f64(0.0))?,
            status: Statuses::new(self.groups.in_order(&status, Status::Ok)?),
        })
    }

    /// Solves for the right-hand sides, to where solutions go.
    fn solve_to(&self, sides: &[Lent<'_>; 2], op: Op) -> Result<Statuses> {
        let operation = F::solving::<F::Element>(self.how);
        let [.., b, x, _] = operation.operands else { unreachable!("there are sides and statuses") };
        let size = |i: usize| sides[0].sizes.shape(i);
        check_ragged([b, x].into_iter().zip(sides), self.batch(), |i| Size { n: self.n(i), rhs: size(i).1 })?;
        let key = |i: usize| (self.group(i), size(i).1, key_of(&self.device, sides, i));
        let groups = Groups::new(self.batch(), key, size)?;
        let bytes = |i: usize| 2 * size(i).0 * size(i).1 * size_of::<F::Element>();
        let codes = groups.each(&self.device, bytes, |members| {
            let factored = self.of_group(members[0]).factored();
            of_group(sides, members, |sides| {
                let sides = [sides[0], sides[1]];
                if members.len() == factored.batch() {
                    return factored.solve(factored.device(), &operation, sides, op);
                }
                let places: Vec<usize> = members.iter().map(|&i| self.place(i)).collect();
                factored.solve_some(&operation, &places, sides, op)
            })
        })?;
        Ok(Statuses::from_codes(&groups.in_order(&codes, 0)?))
    }

    fn solution(&self, b: &Ragged<'_, F::Element>, op: Op) -> Result<Solution<RaggedMatrices<F::Element>>> {
        let mut room = RaggedMatrices::room_like(b)?;
        let status = self.solve_to(&[Lent::read(b), Lent::write(&mut room)], op)?;
        // SAFETY: every solution has been written.
        Ok(Solution { x: unsafe { RaggedMatrices::written(room) }, status })
    }

    fn invert_to(&self, inverse: Lent<'_>) -> Result<Statuses> {
        let lent = [inverse];
        let bytes = |b: usize| self.n(b) * self.n(b) * size_of::<F::Element>();
        let statuses = self.groups.each(&self.device, bytes, |members| {
            let own = self.of_group(members[0]);
            let invert = |lent: &[Lent<'_>]| own.factored().invert(&F::inverting(self.how), lent[0]);
            of_group(&lent, members, invert).map(Statuses::into_vec)
        })?;
        Ok(Statuses::new(self.groups.in_order(&statuses, Status::Ok)?))
    }
}
