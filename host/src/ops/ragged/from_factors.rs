//! What the factors of matrices of many orders are asked for.

use super::det;
use super::groups::{Groups, layout_key};
use super::inverse::RaggedInverse;
use super::lu::RaggedLu;
use super::solve::RaggedSolution;
use crate::call::Call;
use crate::element::Element;
use crate::error::Result;
use crate::operation::{self, Size};
use crate::ops::{Determinants, Lu, checks};
use crate::ragged::{Ragged, RaggedMut, Shape, Spot, Spots, Unwritten};
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
    /// let lu = Device::cpu().lu_ragged(&Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let b = Ragged::c_order(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
    /// assert_eq!(lu.solve(&b, Op::None)?.x.as_slice(), [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    pub fn solve(&self, b: &Ragged<'_, T>, op: Op) -> Result<RaggedSolution<T>> {
        let mut x = Unwritten::like(&b.spots)?;
        let to = x.spots();
        // SAFETY: what is read is borrowed, and nobody else knows what is written.
        let codes = unsafe { self.solve_at(&b.spots, &to, op)? };
        // SAFETY: every solution has been written.
        Ok(RaggedSolution { x: unsafe { x.written() }, status: Statuses::from_codes(&codes) })
    }

    /// As [`Self::solve`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Device, Op, Ragged, RaggedMut, Status};
    /// let lu = Device::cpu().lu_ragged(&Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let b = Ragged::c_order(&[3.0, 2.0, 8.0], &[(2, 1), (1, 1)])?;
    /// let (mut x, mut status) = ([0.0; 3], [Status::Ok; 2]);
    /// lu.solve_into(&b, &mut RaggedMut::c_order(&mut x, &[(2, 1), (1, 1)])?, Op::None, &mut status)?;
    /// assert_eq!(x, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::solve`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's sizes. After
    /// an error of the device, the output is partly written.
    pub fn solve_into(&self, b: &Ragged<'_, T>, x: &mut RaggedMut<'_, T>, op: Op, status: &mut [Status]) -> Result<()> {
        checks::ragged_output(&x.spots, &b.spots)?;
        checks::length(status, self.batch(), "statuses")?;
        // SAFETY: both are borrowed, and outputs are apart from each other.
        checks::hand_over(&unsafe { self.solve_at(&b.spots, &x.spots, op)? }, status);
        Ok(())
    }

    /// As [`Self::solve`], each solution in the place of its right-hand sides.
    ///
    /// ```
    /// # use warplu::{Device, Op, Ragged, RaggedMut, Status};
    /// let lu = Device::cpu().lu_ragged(&Ragged::c_order(&[2.0, 0.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// let (mut b, mut status) = ([3.0, 1.0, 8.0], [Status::Ok; 2]);
    /// lu.solve_in_place(&mut RaggedMut::c_order(&mut b, &[(2, 1), (1, 1)])?, Op::Transpose, &mut status)?;
    /// assert_eq!(b, [1.0, 1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::solve_into`]. After an error of the device, some systems are solved and some are not.
    pub fn solve_in_place(&self, b: &mut RaggedMut<'_, T>, op: Op, status: &mut [Status]) -> Result<()> {
        checks::length(status, self.batch(), "statuses")?;
        // SAFETY: borrowed, and apart from each other.
        checks::hand_over(&unsafe { self.solve_at(&b.spots, &b.spots, op)? }, status);
        Ok(())
    }

    /// The inverses, from the factors; see [`Lu::inverse`].
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu_ragged(&Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(lu.inverse()?.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0, 0.25]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn inverse(&self) -> Result<RaggedInverse<T>> {
        let place = |b: usize| (Shape::from(self.n(b)), self.factors[self.place(b).0].layout());
        let mut out = Unwritten::new((0..self.batch()).map(place))?;
        let to = out.spots();
        let bytes = |b: usize| self.n(b) * self.n(b) * size_of::<T>();
        let codes = self.groups.each(&self.device, bytes, |members| {
            let lu = self.lu_of(members[0]);
            // SAFETY: nobody else knows them.
            let to = unsafe { Spots::of(&to, members) };
            let lu_codes = lu.codes()?;
            let mut call = Call::new(lu.device(), members.len());
            lu.ports(&mut call, &lu_codes);
            call.scatter(&to);
            call.perform(&operation::lu_invert::<T>(), Size::order(lu.n()))
        })?;
        // SAFETY: every inverse has been written.
        let matrices = unsafe { out.written() };
        Ok(RaggedInverse { matrices, status: Statuses::from_codes(&self.groups.in_order(&codes, 0)?) })
    }

    /// The determinants, from the factors; see [`Lu::det`].
    ///
    /// ```
    /// # use warplu::{Device, Ragged};
    /// let lu = Device::cpu().lu_ragged(&Ragged::c_order(&[2.0, 1.0, 1.0, 1.0, 4.0], &[2, 1])?)?;
    /// assert_eq!(lu.det()?.values[0], 1.0);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn det(&self) -> Result<Determinants<T>> {
        let parts = self.groups.each(&self.device, |_| 0, |members| self.lu_of(members[0]).det())?;
        det::in_order(&self.groups, parts)
    }

    /// Solves, and returns the solutions' status codes; `x` may be `b`.
    ///
    /// # Safety
    /// Matrices are there, and nobody else touches them. Those of `x` are apart from each other and from those of `b`
    /// but for their own.
    unsafe fn solve_at(&self, b: &[Spot<T>], x: &[Spot<T>], op: Op) -> Result<Vec<i32>> {
        checks::ragged_right_hand_sides(b, self.batch(), |i| self.n(i))?;
        let size = |i: usize| (b[i].shape.rows, b[i].shape.cols);
        let layouts = |i: usize| (layout_key(&self.device, &b[i]), layout_key(&self.device, &x[i]));
        let groups = Groups::new(b.len(), |i| (self.place(i).0, size(i).1, layouts(i)), size)?;
        let bytes = |i: usize| 2 * b[i].shape.len() * size_of::<T>();
        let codes = groups.each(&self.device, bytes, |members| {
            let lu = self.lu_of(members[0]);
            // SAFETY: the caller's promise.
            let (b, x) = unsafe { (Spots::of(b, members), Spots::of(x, members)) };
            if members.len() == lu.batch() {
                return solve_whole(lu, (&b, &x), op);
            }
            let places: Vec<usize> = members.iter().map(|&i| self.place(i).1).collect();
            solve_some(lu, &places, (&b, &x), op)
        })?;
        groups.in_order(&codes, 0)
    }
}

type Sides<'s, 'a, T> = (&'s Spots<'a, T>, &'s Spots<'a, T>);

/// With the factors where they are.
fn solve_whole<T: Element>(lu: &Lu<T>, (b, x): Sides<'_, '_, T>, op: Op) -> Result<Vec<i32>> {
    let codes = lu.codes()?;
    let mut call = Call::new(lu.device(), lu.batch());
    lu.ports(&mut call, &codes);
    call.gather(b);
    call.scatter(x);
    call.solve_from_lu::<T>(Size { n: lu.n(), rhs: b.shape().cols }, op, codes.clone())
}

/// With some of the factors, from the host.
fn solve_some<T: Element>(lu: &Lu<T>, places: &[usize], (b, x): Sides<'_, '_, T>, op: Op) -> Result<Vec<i32>> {
    let (n, batch, all) = (lu.n(), places.len(), lu.factors()?);
    let spot = |place: &usize| Spot::new(all.as_slice().as_ptr().cast_mut(), place * n * n, n.into(), all.layout());
    let spots: Vec<Spot<T::Scalar>> = places.iter().map(spot).collect();
    // SAFETY: borrowed with the factors; a port to read is not written through.
    let factors = unsafe { Spots::of(&spots, &(0..batch).collect::<Vec<_>>()) };
    let (mut pivots, mut codes) = (filled(0, batch * n)?, filled(0, batch)?);
    for (at, &place) in places.iter().enumerate() {
        pivots[at * n..][..n].copy_from_slice(lu.pivots(place)?);
        codes[at] = lu.status()[place].code();
    }
    let mut call = Call::new(lu.device(), batch);
    call.reserve(lu.machine_bytes());
    call.gather(&factors);
    call.values_in(&pivots, n);
    call.values_in(&codes, 1);
    call.gather(b);
    call.scatter(x);
    call.solve_from_lu::<T>(Size { n, rhs: b.shape().cols }, op, codes.clone())
}
