//! Cholesky factors, and what they are asked for.

use numbers::op::Op;
use numbers::scalar::Scalar;

use super::kept::Factored;
use super::one_size::OneSize;
use super::{Determinants, Inverse, Solution};
use crate::batch::Batch;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::lend::{InPlace, Input, Lent, Output, Owned, perform};
use crate::matrices::Matrices;
use crate::operation::{self, Operation};
use crate::status::Status;
use crate::statuses::Statuses;
use crate::triangle::Triangle;

/// The Cholesky factors of a batch of Hermitian positive definite matrices, A = L L^H, or A = U^H U, kept where they
/// were made.
///
/// For 16-bit types the factors are in f32. Clones share the factors.
///
/// ```
/// use warplu::{Batch, Device, Triangle};
/// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
/// assert_eq!(cholesky.factors()?.as_slice(), [2.0, 0.0, 1.0, 1.0]);
/// assert_eq!(cholesky.solve(&Batch::row_major(&[6.0, 4.0], 1, 2, 1)?)?.x.as_slice(), [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Cholesky<T: Element> {
    triangle: Triangle,
    factored: Factored<T::Scalar>,
}

impl Device {
    /// Factors each Hermitian positive definite matrix, A = L L^H, or, from the upper triangle, A = U^H U (LAPACK
    /// `xPOTRF`). Only this triangle is read, and of its diagonal the real part.
    ///
    /// ```
    /// use warplu::{Batch, Device, Triangle};
    /// let a = [4.0, 2.0, 2.0, 10.0];
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&a, 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.factors()?.as_slice(), [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square, [`Error::Unsupported`](crate::Error) on
    /// GPUs below compute capability 8.0 above order 32; a device's errors, and what a source returns. A matrix that is
    /// not positive definite is no error: see [`Cholesky::status`].
    #[doc(alias = "potrf")]
    pub fn cholesky<A: Input>(&self, a: &A, triangle: Triangle) -> Result<A::Cholesky> {
        a.cholesky(self, triangle)
    }

    /// As [`Device::cholesky`], into memory of the caller's or to a sink, also of matrices of many sizes: the factors, with
    /// zeros in the other triangle, all NaN where the status is not [`Status::Ok`](crate::Status::Ok).
    ///
    /// ```
    /// use warplu::{Batch, BatchMut, Device, Triangle};
    /// let (a, mut u) = ([4.0, 2.0, 2.0, 10.0], [0.0; 4]);
    /// let mut factors = BatchMut::row_major(&mut u, 1, 2, 2)?;
    /// Device::cpu().cholesky_into(&Batch::row_major(&a, 1, 2, 2)?, Triangle::Upper, &mut factors)?.check()?;
    /// assert_eq!(u, [2.0, 1.0, 0.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky`], and [`Error::Shape`](crate::Error::Shape) if the output is not of the input's size. After
    /// an error of the device, a source or a sink, the output is partly written.
    pub fn cholesky_into<A: Input>(
        &self,
        a: &A,
        triangle: Triangle,
        factors: &mut impl Output<Owned = <A::Owned as Owned>::Factors>,
    ) -> Result<Statuses> {
        let lent = [Lent::read(a), Lent::write(factors)];
        perform(self, &operation::factor_cholesky::<A::Element>().in_triangle(triangle), &lent)
    }

    /// As [`Device::cholesky_into`], the factors in the place of the matrices. 16-bit types, whose factors are in f32,
    /// have none.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Triangle};
    /// let mut a = [4.0, 2.0, 2.0, 10.0];
    /// Device::cpu().cholesky_in_place(&mut BatchMut::row_major(&mut a, 1, 2, 2)?, Triangle::Lower)?.check()?;
    /// assert_eq!(a, [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky_into`]. After an error of the device, some matrices are factored and some are not.
    pub fn cholesky_in_place<T, A>(&self, a: &mut A, triangle: Triangle) -> Result<Statuses>
    where
        T: Element<Scalar = T>,
        A: InPlace<Element = T>,
    {
        perform(self, &operation::factor_cholesky::<T>().in_triangle(triangle), &Lent::in_place(a))
    }

    /// As [`Device::cholesky_in_place`], but the other triangle keeps its values, as by LAPACK's `xPOTRF`, whose callers
    /// keep other things there (it is written with them: no other thread may change it meanwhile). Where the status is not [`Status::Ok`](crate::Status::Ok), this one is all NaN.
    ///
    /// ```
    /// use warplu::{BatchMut, Device, Triangle};
    /// let mut a = [4.0, 7.0, 2.0, 10.0];
    /// Device::cpu().cholesky_in_triangle(&mut BatchMut::row_major(&mut a, 1, 2, 2)?, Triangle::Lower)?.check()?;
    /// assert_eq!(a, [2.0, 7.0, 1.0, 3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky_in_place`].
    pub fn cholesky_in_triangle<T, A>(&self, a: &mut A, triangle: Triangle) -> Result<Statuses>
    where
        T: Element<Scalar = T> + Scalar,
        A: InPlace<Element = T>,
    {
        perform(self, &operation::factor_triangle::<T>().in_triangle(triangle), &Lent::in_place(a))
    }
}

impl<T: Element> Cholesky<T> {
    /// Factors that were made before, by warplu or LAPACK, in this triangle: (batch, n, n). What is in the other
    /// triangle does not matter. The statuses are found from the factors: [`Status::NonFinite`] where one is not
    /// finite, or has a diagonal that is not positive.
    ///
    /// ```
    /// use warplu::{Batch, Cholesky, Device, Triangle};
    /// let l = [2.0, 0.0, 1.0, 3.0]; // of the matrix [4 2; 2 10]
    /// let cholesky = Cholesky::<f64>::from_parts(&Device::cpu(), &Batch::row_major(&l, 1, 2, 2)?, Triangle::Lower)?;
    /// let x = cholesky.solve(&Batch::row_major(&[6.0, 12.0], 1, 2, 1)?)?.x;
    /// assert_eq!(x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the factors are not square; a device's errors.
    pub fn from_parts(device: &Device, factors: &Batch<'_, T::Scalar>, triangle: Triangle) -> Result<Self> {
        let n = factors.order()?;
        let factored = Factored::from_parts(device, factors, None, |b, put| {
            let mut code = 0;
            for (i, k) in (0..n).flat_map(|i| (0..=i).map(move |k| (i, k))) {
                let (row, column) = if triangle == Triangle::Lower { (i, k) } else { (k, i) };
                let x = factors.get(b, row, column);
                let is_good = x.is_finite() && (i > k || x.to_c64().re > 0.0);
                if !is_good {
                    code = Status::NonFinite.code();
                }
                put(row, column, x);
            }
            code
        })?;
        Ok(Self { triangle, factored })
    }

    /// Factors other matrices, of which the same triangle is read, in the memory of these factors if they are of the
    /// same number and order and nobody else has a clone.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let mut cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0], 1, 1, 1)?, Triangle::Lower)?;
    /// cholesky.refactor(&Batch::row_major(&[9.0], 1, 1, 1)?)?;
    /// assert_eq!(cholesky.factors()?.as_slice(), [3.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::cholesky`]; then there are no factors of anything, but those of no matrices.
    pub fn refactor(&mut self, a: &Batch<'_, T>) -> Result<()> {
        self.factored.refactor(&Self::factoring(self.triangle), Lent::read(a), true)
    }

    /// Matrices in the batch.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.batch(), 1);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.factored.batch()
    }

    /// Order of the matrices.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.n(), 2);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn n(&self) -> usize {
        self.factored.n()
    }

    /// Which triangle of the matrices was read, and so which one the factors are.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.triangle(), Triangle::Lower);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn triangle(&self) -> Triangle {
        self.triangle
    }

    /// How each matrix fared.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Status, Triangle};
    /// let a = [1.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0, 1.0]; // the first has determinant -3
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&a, 2, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(*cholesky.status(), [Status::NotPositiveDefinite(2), Status::Ok]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn status(&self) -> &Statuses {
        self.factored.status()
    }

    /// The factors, or an error if any matrix has none.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let (a, b) = (Batch::row_major(&[4.0], 1, 1, 1)?, Batch::row_major(&[8.0], 1, 1, 1)?);
    /// let x = Device::cpu().cholesky(&a, Triangle::Lower)?.check()?.solve(&b)?.check()?;
    /// assert_eq!(x.as_slice(), [2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Self> {
        self.status().check().map(|()| self)
    }

    /// L, or U, with zeros in the other triangle: (batch, n, n), laid out as the matrices were; all NaN where the
    /// status is not [`Status::Ok`].
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// assert_eq!(cholesky.factors()?.as_slice(), [2.0, 0.0, 1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors, on their first way to the host.
    pub fn factors(&self) -> Result<&Matrices<T::Scalar>> {
        Ok(&self.factored.host()?.factors)
    }

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
        self.factored.solution(&Self::solving::<T>(self.how()), b, Op::None)
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

    /// The inverses, from the factors (LAPACK `xPOTRI`), both triangles of them: Hermitian to the bit.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?;
    /// let cholesky = Device::cpu().cholesky(&a, Triangle::Lower)?;
    /// assert_eq!(cholesky.inverse()?.matrices.as_slice(), [0.5, -0.5, -0.5, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    #[doc(alias = "potri")]
    pub fn inverse(&self) -> Result<Inverse<Matrices<T>>> {
        self.factored.inverse(&Self::inverting(self.how()))
    }

    /// As [`Cholesky::inverse`], into memory of the caller's.
    ///
    /// ```
    /// # use warplu::{Batch, BatchMut, Device, Triangle};
    /// let cholesky = Device::cpu().cholesky(&Batch::row_major(&[4.0, 2.0, 2.0, 2.0], 1, 2, 2)?, Triangle::Lower)?;
    /// let mut inverse = [0.0; 4];
    /// cholesky.inverse_into(&mut BatchMut::row_major(&mut inverse, 1, 2, 2)?)?.check()?;
    /// assert_eq!(inverse, [0.5, -0.5, -0.5, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cholesky::inverse`], and [`Error::Shape`](crate::Error::Shape) if an output is not of the factors' size.
    /// After an error of the device, the output is partly written.
    pub fn inverse_into(&self, inverse: &mut impl Output<Owned = Matrices<T>>) -> Result<Statuses> {
        self.factored.invert(&Self::inverting(self.how()), Lent::write(inverse))
    }

    /// The determinants, which are positive, from the factors, and their logarithms: as log-likelihoods ask for. NaN
    /// where the status is not [`Status::Ok`](crate::Status::Ok).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::row_major(&[4.0_f64, 2.0, 2.0, 10.0], 1, 2, 2)?;
    /// let det = Device::cpu().cholesky(&a, Triangle::Lower)?.det()?;
    /// assert_eq!(det.values, [36.0]);
    /// assert!((det.log_abs[0] - 36.0_f64.ln()).abs() < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    #[doc(alias = "logdet")]
    pub fn det(&self) -> Result<Determinants<T>> {
        self.factored.det(&Self::finding_det(self.how()))
    }

    fn solve_to(&self, sides: [Lent<'_>; 2]) -> Result<Statuses> {
        let codes = self.factored.solve(self.factored.device(), &Self::solving::<T>(self.how()), sides, Op::None)?;
        Ok(Statuses::from_codes(&codes))
    }
}

impl<T: Element> OneSize for Cholesky<T> {
    type Element = T;
    type How = Triangle;

    fn of(triangle: Triangle, factored: Factored<T::Scalar>) -> Self {
        Self { triangle, factored }
    }

    fn how(&self) -> Triangle {
        self.triangle
    }

    fn factored(&self) -> &Factored<T::Scalar> {
        &self.factored
    }

    fn factored_mut(&mut self) -> &mut Factored<T::Scalar> {
        &mut self.factored
    }

    fn factoring(triangle: Triangle) -> Operation {
        operation::factor_cholesky::<T>().in_triangle(triangle)
    }

    fn solving<U: Element<Scalar = T::Scalar>>(triangle: Triangle) -> Operation {
        operation::cholesky_solve::<U>().in_triangle(triangle)
    }

    fn refining(triangle: Triangle) -> Operation {
        operation::cholesky_refine::<T::Scalar>().in_triangle(triangle)
    }

    fn inverting(triangle: Triangle) -> Operation {
        operation::cholesky_invert::<T>().in_triangle(triangle)
    }

    fn finding_det(_: Triangle) -> Operation {
        operation::cholesky_det::<T>()
    }
}
