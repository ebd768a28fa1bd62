//! What the factors of matrices of many orders are asked for.

use super::lu::RaggedLu;
use crate::call::Call;
use crate::element::{Element, Real, RealOf, Scalar};
use crate::error::Result;
use crate::lend::{Groups, Lent, Return, check_ragged, key_of, of_group};
use crate::operation::{self, Access, Size};
use crate::ops::{Determinants, Inverse, Lu, Solution};
use crate::ragged::{Ragged, RaggedMatrices, RaggedMut, Shape, Spot, Unwritten};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;
use numbers::op::Op;

impl<T: Element> RaggedLu<T> {
    /// Solves op(A) X = B from the factors; see [`Lu::solve`].
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
        let mut room = RaggedMatrices::room_like(b)?;
        let status = self.solve_to(&[Lent::read(b), Lent::write(&mut room)], op)?;
        // SAFETY: every solution has been written.
        Ok(Solution { x: unsafe { RaggedMatrices::written(room) }, status })
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

    /// The inverses, from the factors; see [`Lu::inverse`].
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
    pub fn inverse(&self) -> Result<Inverse<RaggedMatrices<T>>> {
        let place = |b: usize| (Shape::from(self.n(b)), self.factors[self.place(b).0].layout());
        let mut room = Unwritten::new((0..self.batch()).map(place))?;
        let lent = [Lent::write(&mut room)];
        let bytes = |b: usize| self.n(b) * self.n(b) * size_of::<T>();
        let statuses = self.groups.each(&self.device, bytes, |members| {
            of_group(&lent, members, |lent| self.lu_of(members[0]).invert_to(lent[0])).map(Statuses::into_vec)
        })?;
        let status = Statuses::new(self.groups.in_order(&statuses, Status::Ok)?);
        // SAFETY: every inverse has been written.
        Ok(Inverse { matrices: unsafe { room.written() }, status })
    }

    /// The determinants, from the factors; see [`Lu::det`].
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
    pub fn det(&self) -> Result<Determinants<T>> {
        let parts = self.groups.each(&self.device, |_| 0, |members| self.lu_of(members[0]).det())?;
        let [mut values, mut sign] = [Vec::new(), Vec::new()];
        let (mut log_abs, mut status) = (Vec::new(), Vec::new());
        for part in parts {
            values.push(part.values);
            sign.push(part.sign);
            log_abs.push(part.log_abs);
            status.push(part.status.into_vec());
        }
        Ok(Determinants {
            values: self.groups.in_order(&values, T::Scalar::ONE)?,
            sign: self.groups.in_order(&sign, T::Scalar::ONE)?,
            log_abs: self.groups.in_order(&log_abs, RealOf::<T>::from_f64(0.0))?,
            status: Statuses::new(self.groups.in_order(&status, Status::Ok)?),
        })
    }

    /// Solves for the right-hand sides, to where solutions go.
    fn solve_to(&self, sides: &[Lent<'_>; 2], op: Op) -> Result<Statuses> {
        let operation = operation::lu_solve::<T>();
        let [.., b, x, _] = operation.operands else { unreachable!("there are sides and statuses") };
        let size = |i: usize| sides[0].sizes.shape(i);
        check_ragged([b, x].into_iter().zip(sides), self.batch(), |i| Size { n: self.n(i), rhs: size(i).1 })?;
        let key = |i: usize| (self.place(i).0, size(i).1, key_of(&self.device, sides, i));
        let groups = Groups::new(self.batch(), key, size)?;
        let bytes = |i: usize| 2 * size(i).0 * size(i).1 * size_of::<T>();
        let codes = groups.each(&self.device, bytes, |members| {
            let lu = self.lu_of(members[0]);
            of_group(sides, members, |sides| {
                let sides = [sides[0], sides[1]];
                if members.len() == lu.batch() {
                    return lu.solve_to::<T>(lu.device(), sides, op);
                }
                let places: Vec<usize> = members.iter().map(|&i| self.place(i).1).collect();
                solve_some(lu, &places, &sides, op)
            })
        })?;
        Ok(Statuses::from_codes(&groups.in_order(&codes, 0)?))
    }
}

/// Solves with some of the factors, from the host.
fn solve_some<T: Element>(lu: &Lu<T>, places: &[usize], sides: &[Lent<'_>; 2], op: Op) -> Result<Vec<i32>> {
    let (n, batch, all) = (lu.n(), places.len(), lu.factors()?);
    let spot = |place: &usize| Spot::new(all.as_slice().as_ptr().cast_mut(), place * n * n, n.into(), all.layout());
    let (mut pivots, mut codes) = (filled(0, batch * n)?, filled(0, batch)?);
    for (at, &place) in places.iter().enumerate() {
        pivots[at * n..][..n].copy_from_slice(lu.pivots(place)?);
        codes[at] = lu.status()[place].code();
    }
    let mut call = Call::new(lu.device(), batch);
    call.reserve(lu.machine_bytes());
    // SAFETY: borrowed with the factors; what is to be read is not written through.
    unsafe { call.anywhere::<T::Scalar>(places.iter().map(spot).collect(), Access::Read) };
    call.values_in(&pivots, n);
    call.values_in(&codes, 1);
    let (operation, size) = (operation::lu_solve::<T>(), Size { n, rhs: sides[0].cols() });
    call.lend((&operation, size), sides)?;
    call.solve_from_factors(&operation, (size, op), codes.clone())
}
