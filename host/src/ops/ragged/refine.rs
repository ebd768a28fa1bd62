//! Improvement of solutions of systems of many orders, and bounds on their errors.

use super::{RaggedCholesky, RaggedFactors, RaggedLu};
use crate::batch::{Batch, BatchMut};
use crate::element::{Element, Real, RealOf};
use crate::error::Result;
use crate::layout::product;
use crate::lend::{Groups, Lent, check_ragged};
use crate::operation::Size;
use crate::ops::ErrorBounds;
use crate::ops::one_size::{OneSize, ScalarOf};
use crate::ops::refine::refine;
use crate::ragged::{Ragged, RaggedMut};
use crate::status::Status;
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;
use numbers::op::Op;
use numbers::scalar::Scalar;

impl<T: Element> RaggedLu<T> {
    /// Improves solutions X of op(A) X = B, and bounds their errors; see [`Lu::refine`](crate::Lu::refine). The bounds of
    /// each matrix, one for each right-hand side, follow those of the matrix before.
    ///
    /// ```
    /// use warplu::{Device, Op, Ragged};
    /// let a = Ragged::row_major(&[4.0, 1.0, 2.0, 3.0, 5.0], &[2, 1])?;
    /// let b = Ragged::row_major(&[6.0, 8.0, 5.0, 10.0], &[(2, 1), (1, 2)])?;
    /// let lu = Device::cpu().lu(&a)?;
    /// let mut x = lu.solve(&b, Op::None)?.x;
    /// let bounds = lu.refine(&a, &b, &mut x.view_mut(), Op::None)?;
    /// assert!(bounds.ferr.len() == 3 && bounds.ferr[0] < 1e-14);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::refine`](crate::Lu::refine).
    pub fn refine(
        &self,
        a: &Ragged<'_, T::Scalar>,
        b: &Ragged<'_, T::Scalar>,
        x: &mut RaggedMut<'_, T::Scalar>,
        op: Op,
    ) -> Result<ErrorBounds<T>> {
        self.improve((a, b, x), op)
    }
}

impl<T: Element> RaggedCholesky<T> {
    /// Improves solutions X of A X = B, and bounds their errors, as [`RaggedLu::refine`]; see
    /// [`Cholesky::refine`](crate::Cholesky::refine).
    ///
    /// ```
    /// use warplu::{Device, Ragged, Triangle};
    /// let a = Ragged::row_major(&[4.0, 2.0, 2.0, 2.0, 5.0], &[2, 1])?;
    /// let b = Ragged::row_major(&[6.0, 4.0, 5.0], &[(2, 1), (1, 1)])?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// let mut x = cholesky.solve(&b)?.x;
    /// assert!(cholesky.refine(&a, &b, &mut x.view_mut())?.berr[1] < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Lu::refine`](crate::Lu::refine).
    pub fn refine(
        &self,
        a: &Ragged<'_, T::Scalar>,
        b: &Ragged<'_, T::Scalar>,
        x: &mut RaggedMut<'_, T::Scalar>,
    ) -> Result<ErrorBounds<T>> {
        self.improve((a, b, x), Op::None)
    }
}

/// A, B and X.
type Systems<'a, 'b, 'c, 'd, S> = (&'a Ragged<'b, S>, &'a Ragged<'c, S>, &'a mut RaggedMut<'d, S>);

impl<F: OneSize> RaggedFactors<F> {
    /// Improves those of one order and one number of right-hand sides together, in copies.
    fn improve(&self, (a, b, x): Systems<'_, '_, '_, '_, ScalarOf<F>>, op: Op) -> Result<ErrorBounds<F::Element>> {
        let operation = F::refining(self.how);
        let sides = |i: usize| if i < b.batch() { b.shape(i).cols } else { 0 };
        let size = |i: usize| (self.n(i), sides(i));
        {
            let lent = [Lent::read(a), Lent::read(b), Lent::write(x)];
            let named = ["a", "b", "x"].map(|name| operation.operands.iter().find(|operand| operand.name == name));
            let operands = named.into_iter().flatten().zip(&lent);
            check_ragged(operands, self.batch(), |i| Size { n: self.n(i), rhs: sides(i) })?;
        }
        let mut starts = filled(0, self.batch())?;
        let all = starts.iter_mut().enumerate().fold(0, |end, (i, start)| {
            *start = end;
            end + sides(i)
        });
        let zeros = || filled(RealOf::<F::Element>::from_f64(0.0), all);
        let (mut ferr, mut berr) = (zeros()?, zeros()?);
        let mut status = filled(Status::Ok, self.batch())?;
        for members in Groups::new(self.batch(), |i| (self.group(i), sides(i)), size)?.as_slice() {
            let ((n, rhs), count) = (size(members[0]), members.len());
            let elements = |of: &Ragged<'_, ScalarOf<F>>, cols: usize| -> Result<Vec<ScalarOf<F>>> {
                let mut all = filled(ScalarOf::<F>::ZERO, product(&[count, n, cols])?)?;
                for (at, element) in all.iter_mut().enumerate() {
                    *element = of.get(members[at / (n * cols)], at / cols % n, at % cols);
                }
                Ok(all)
            };
            let (own_a, own_b, mut own_x) = (elements(a, n)?, elements(b, rhs)?, elements(&x.view(), rhs)?);
            let mut places = filled(0, count)?;
            places.iter_mut().zip(members).for_each(|(place, &m)| *place = self.place(m));
            let factors = F::of(self.how, self.of_group(members[0]).factored().some(&places)?);
            let systems = (
                &Batch::row_major(&own_a, count, n, n)?,
                &Batch::row_major(&own_b, count, n, rhs)?,
                &mut BatchMut::row_major(&mut own_x, count, n, rhs)?,
            );
            let bounds = refine(&factors, systems, op)?;
            for (at, &m) in members.iter().enumerate() {
                let place = starts[m]..starts[m] + rhs;
                ferr[place.clone()].copy_from_slice(&bounds.ferr[at * rhs..][..rhs]);
                berr[place].copy_from_slice(&bounds.berr[at * rhs..][..rhs]);
                status[m] = bounds.status[at];
                let (spot, own) = (&x.spots[m], &own_x[at * n * rhs..]);
                for (i, j) in (0..n).flat_map(|i| (0..rhs).map(move |j| (i, j))) {
                    // SAFETY: an element of a matrix that is borrowed to be written.
                    unsafe { spot.start.wrapping_add(spot.layout().at(0, i, j)).write(own[i * rhs + j]) };
                }
            }
        }
        Ok(ErrorBounds { ferr, berr, status: Statuses::new(status) })
    }
}
