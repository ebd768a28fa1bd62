//! Cholesky factors, and what they are asked for.

mod det;
mod factor;
mod inverse;
mod kept;
mod solve;

use std::sync::Arc;

use numbers::scalar::Scalar;

use self::factor::factored;
use self::kept::{Kept, MachineFactors};
use crate::batch::Batch;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::lend::Lent;
use crate::matrices::Matrices;
use crate::status::Status;
use crate::statuses::Statuses;
use crate::triangle::Triangle;
use kernels_cpu::fresh::filled;

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
    device: Device,
    n: usize,
    triangle: Triangle,
    layout: Layout,
    status: Statuses,
    factors: Arc<Kept<T::Scalar>>,
}

impl<T: Element> Cholesky<T> {
    fn new(
        device: &Device,
        n: usize,
        triangle: Triangle,
        (factors, layout, status): (Kept<T::Scalar>, Layout, Statuses),
    ) -> Self {
        Self { device: device.clone(), n, triangle, layout, status, factors: Arc::new(factors) }
    }

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
        let (n, batch, layout) =
            (factors.order()?, factors.batch(), factors.output_layout(factors.rows(), factors.rows()));
        let zero = <T::Scalar as Scalar>::ZERO;
        let mut data = filled(<T::Scalar as Element>::narrow(zero), product(&[batch, n, n])?)?;
        let mut codes = filled(0, batch)?;
        for b in 0..batch {
            for i in 0..n {
                for k in 0..=i {
                    let (row, column) = if triangle == Triangle::Lower { (i, k) } else { (k, i) };
                    let x = factors.get(b, row, column);
                    let is_good = x.is_finite() && (i > k || x.to_c64().re > 0.0);
                    if !is_good {
                        codes[b] = Status::NonFinite.code();
                    }
                    data[layout.at(b, row, column)] = x;
                }
            }
        }
        let host = Matrices::new(data, batch, n, n, layout);
        let kept = match MachineFactors::new(device, batch, n)? {
            Some(machine) => {
                machine.fill(device, &host, &codes)?;
                Kept::Machine(machine)
            }
            None => Kept::Host(host),
        };
        Ok(Self::new(device, n, triangle, (kept, layout, Statuses::from_codes(&codes))))
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
        let same = (a.batch(), a.rows()) == (self.batch(), self.n);
        let none = Kept::Host(Matrices::new(Vec::new(), 0, 0, 0, self.layout));
        let old = Arc::into_inner(std::mem::replace(&mut self.factors, Arc::new(none))).filter(|_| same);
        (self.n, self.status) = (0, Statuses::from_codes(&[]));
        let (factors, layout, status) = factored::<T>(&self.device, Lent::read(a), self.triangle, old)?;
        (self.n, self.layout, self.status, self.factors) = (a.rows(), layout, status, Arc::new(factors));
        Ok(())
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
        self.status.len()
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
        self.n
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
        &self.status
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
        self.status.check().map(|()| self)
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
        match &*self.factors {
            Kept::Host(host) => Ok(host),
            Kept::Machine(machine) => machine.host(&self.device, self.batch(), self.n, self.layout),
        }
    }

    /// The statuses' codes, as kernels read them.
    fn codes(&self) -> Result<Vec<i32>> {
        let mut codes = filled(0, self.batch())?;
        codes.iter_mut().zip(&self.status).for_each(|(code, status)| *code = status.code());
        Ok(codes)
    }

    /// The factors as inputs of a call, with the statuses in `codes`.
    fn ports<'a>(&'a self, call: &mut Call<'a>, codes: &'a [i32]) {
        match &*self.factors {
            Kept::Host(host) => {
                call.elements(&host.data, self.n, self.n, host.layout);
                call.values_in(codes, 1);
            }
            Kept::Machine(machine) => machine.ports(call, self.n, self.layout),
        }
    }
}
