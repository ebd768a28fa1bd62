//! Determinants from Cholesky factors.

use numbers::scalar::{Real, Scalar};

use super::Cholesky;
use crate::call::Call;
use crate::element::{Element, RealOf};
use crate::error::Result;
use crate::route::{self, Parts};
use kernels_cpu::fresh::filled;

impl<T: Element> Cholesky<T> {
    /// The logarithm of each determinant, which is positive: twice the sum of the logarithms of the factor's diagonal.
    /// NaN where the status is not [`Status::Ok`](crate::Status::Ok).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Triangle};
    /// let a = Batch::c_order(&[4.0_f64, 2.0, 2.0, 10.0], 1, 2, 2)?;
    /// let log_det = Device::cpu().cholesky(&a, Triangle::Lower)?.log_det()?;
    /// assert!((log_det[0] - 36.0_f64.ln()).abs() < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    #[doc(alias = "logdet")]
    pub fn log_det(&self) -> Result<Vec<RealOf<T>>> {
        let (n, codes) = (self.n, self.codes()?);
        let mut phase = filled(T::Scalar::ONE, self.batch())?;
        let mut log_abs = filled(RealOf::<T>::from_f64(0.0), self.batch())?;
        if n > 0 {
            let mut call = Call::new(&self.device, self.batch());
            let factors = self.ports(&mut call, &codes);
            let (phase, log_abs) = (call.values(&mut phase, 1), call.values(&mut log_abs, 1));
            call.run(
                |device, _| route::CholeskyDet::new::<T::Scalar>(device, n),
                |route, launcher, chunk| {
                    let parts = Parts { phase: chunk.values(phase), log_abs: chunk.values(log_abs) };
                    // SAFETY: the ports are of these sizes.
                    unsafe { route.enqueue(launcher, chunk.count, factors.of(chunk), parts) }
                },
            )?;
        }
        Ok(log_abs)
    }
}
