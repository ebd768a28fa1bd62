//! Determinants.

use numbers::scalar::{Real, Scalar};

use super::lu::Lu;
use super::one_size::OneSize;
use crate::algorithm::Algorithm;
use crate::call::Call;
use crate::device::Device;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::lend::{Input, Lent, Values, check, each};
use crate::operation::{self, Operation, Size};
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;

/// The determinants of a batch, also free of overflow: det A = sign * exp(log_abs).
///
/// ```
/// use warplu::{Batch, Device};
/// let large = [1e200_f64, 0.0, 0.0, -1e200]; // its determinant overflows, but not the logarithm
/// let det = Device::cpu().det(&Batch::row_major(&large, 1, 2, 2)?)?;
/// assert_eq!((det.values[0], det.sign[0]), (f64::NEG_INFINITY, -1.0));
/// assert!((det.log_abs[0] - 400.0 * 10.0_f64.ln()).abs() < 1e-9);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Determinants<T: Element> {
    /// det A: 0 for a singular matrix or where it is too small for the type, infinite where it is too large, NaN for a
    /// matrix that is not finite. Each is right to n roundings of the type beyond those of the factors.
    pub values: Vec<T::Scalar>,
    /// det A / |det A|: 1 or -1, or of this magnitude for complex types; 0 for a singular matrix, NaN for one that is not
    /// finite.
    pub sign: Vec<T::Scalar>,
    /// log |det A|; minus infinity for a singular matrix, NaN for one that is not finite.
    pub log_abs: Vec<RealOf<T>>,
    /// How each matrix fared.
    pub status: Statuses,
}

/// Determinants on their way out of a call; at first those of matrices of order 0.
pub(super) struct Logs<T: Element> {
    values: Vec<T::Scalar>,
    sign: Vec<T::Scalar>,
    log_abs: Vec<RealOf<T>>,
}

impl<T: Element> Determinants<T> {
    /// The determinants, or an error if any matrix is singular or not finite.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = Batch::row_major(&[1.0, 2.0, 2.0, 4.0], 1, 2, 2)?;
    /// let told = Device::cpu().det(&a)?.check().unwrap_err().to_string();
    /// assert_eq!(told, "1 of 1 matrices cannot be used; the first is matrix 0, which is singular (U[1][1] is zero)");
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadMatrices`](crate::Error::BadMatrices).
    pub fn check(self) -> Result<Self> {
        self.status.check().map(|()| self)
    }
}

impl Device {
    /// The determinant of each matrix, by LU with partial pivoting.
    ///
    /// ```
    /// use warplu::{Batch, Device, Ragged};
    /// assert_eq!(Device::cpu().det(&Ragged::row_major(&[0.0, 1.0, 1.0, 0.0, 4.0], &[2, 1])?)?.values, [-1.0, 4.0]);
    /// let det = Device::cpu().det(&Batch::row_major(&[0.0_f64, 2.0, 3.0, 0.0], 1, 2, 2)?)?;
    /// assert_eq!(det.sign, [-1.0]);
    /// assert!((det.log_abs[0] - 6.0_f64.ln()).abs() < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors, and what a source
    /// returns.
    #[doc(alias = "slogdet")]
    pub fn det<A: Input>(&self, a: &A) -> Result<Determinants<A::Element>> {
        check(operation::det::<A::Element>().operands, &[Lent::read(a)])?;
        let mut logs = Logs::new(a.sizes().count())?;
        let codes = logs.find(self, Lent::read(a))?;
        Ok(logs.with(&codes))
    }
}

/// How matrices fare where there is nothing to solve for: whether they can be factored.
pub(super) fn statuses_of<T: Element>(device: &Device, a: Lent<'_>) -> Result<Vec<i32>> {
    Logs::<T>::new(a.sizes.count())?.find(&device.with(Algorithm::Auto), a)
}

impl<T: Element> Lu<T> {
    /// The determinants, from the factors.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::row_major(&[0.0, 1.0, 1.0, 0.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.det()?.sign, [-1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn det(&self) -> Result<Determinants<T>> {
        self.factored().det(&Self::finding_det(()))
    }
}

impl<T: Element> Logs<T> {
    pub(super) fn new(batch: usize) -> Result<Self> {
        Ok(Self {
            values: filled(T::Scalar::ONE, batch)?,
            sign: filled(T::Scalar::ONE, batch)?,
            log_abs: filled(RealOf::<T>::from_f64(0.0), batch)?,
        })
    }

    /// Finds the determinants of matrices, and returns their status codes.
    fn find(&mut self, device: &Device, a: Lent<'_>) -> Result<Vec<i32>> {
        let Self { values, sign, log_abs } = self;
        let (mut values, mut sign) = (Values::one(values, a.sizes), Values::one(sign, a.sizes));
        let mut log_abs = Values::one(log_abs, a.sizes);
        let lent = [a, Lent::write(&mut values), Lent::write(&mut sign), Lent::write(&mut log_abs)];
        let operation = operation::det::<T>();
        each(device, operation.operands, &lent, 0, &|lent, size| {
            Call::on(device, (&operation, size), lent)?.perform(&operation, size)
        })
    }

    /// Finds determinants by an operation on the factors that the call's ports hold.
    pub(super) fn find_from_factors<'a>(
        &'a mut self,
        mut call: Call<'a>,
        operation: &Operation,
        n: usize,
    ) -> Result<()> {
        call.values(&mut self.values, 1);
        call.values(&mut self.sign, 1);
        call.values(&mut self.log_abs, 1);
        call.perform(operation, Size::order(n)).map(drop)
    }

    /// The determinants with the status codes of the matrices.
    pub(super) fn with(self, codes: &[i32]) -> Determinants<T> {
        let Self { values, sign, log_abs } = self;
        Determinants { values, sign, log_abs, status: Statuses::from_codes(codes) }
    }
}
