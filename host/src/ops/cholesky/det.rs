//! Determinants from Cholesky factors.

use super::Cholesky;
use crate::call::Call;
use crate::element::Element;
use crate::error::Result;
use crate::operation;
use crate::ops::Determinants;
use crate::ops::det::Logs;

impl<T: Element> Cholesky<T> {
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
        let (n, codes) = (self.n, self.codes()?);
        let mut call = Call::new(&self.device, self.batch());
        self.ports(&mut call, &codes);
        let mut logs = Logs::new(self.batch())?;
        logs.find_from_factors(call, &operation::cholesky_det::<T>(), n)?;
        Ok(logs.with(&codes))
    }
}
