//! Determinants.

use kernels_gpu::scalar::{Real, Scalar};
use rayon::prelude::*;
use simt::global::Global;

use super::lu::Lu;
use super::{load, statuses};
use crate::batch::Batch;
use crate::cpu;
use crate::device::{Backend, Device};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Result;
use crate::pipeline::{self, Input, Output};
use crate::resident::{DetPlan, matrices_at};
use crate::status::Status;
use crate::steps::{Size, Steps};

/// The real type under the arithmetic type of `T`.
type RealOf<T> = <<T as Element>::Scalar as Scalar>::Real;

/// The determinants of a batch, free of overflow: det A = phase * exp(log_abs).
#[derive(Clone, Debug, PartialEq)]
pub struct Determinants<T: Element> {
    /// det A / |det A|: the sign, for real types; 0 for a singular matrix, NaN for one that is not finite.
    pub phase: Vec<T::Scalar>,
    /// log |det A|; minus infinity for a singular matrix, NaN for one that is not finite.
    pub log_abs: Vec<RealOf<T>>,
    /// How each matrix fared.
    pub status: Vec<Status>,
}

/// Determinants on their way out of a backend.
struct Parts<T: Element> {
    phase: Vec<T::Scalar>,
    log_abs: Vec<RealOf<T>>,
}

impl Device {
    /// The determinant of each matrix, by LU with partial pivoting.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let det = Device::cpu().det(&Batch::c_order(&[0.0_f64, 2.0, 3.0, 0.0], 1, 2, 2)?)?;
    /// assert_eq!(det.phase, [-1.0]);
    /// assert!((det.log_abs[0] - 6.0_f64.ln()).abs() < 1e-15);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors.
    pub fn det<T: Element>(&self, a: &Batch<'_, T>) -> Result<Determinants<T>> {
        self.check_algorithm()?;
        let (n, batch) = (a.order()?, a.batch());
        let mut parts = Parts::<T>::ones(batch);
        let mut status = vec![0; batch];
        match &self.backend {
            _ if n == 0 => {}
            Backend::Cpu => {
                let all = parts.phase.par_iter_mut().zip(&mut parts.log_abs).zip(&mut status);
                all.enumerate().for_each(|(b, ((phase, log_abs), status))| {
                    let mut pivots = vec![0; n];
                    let mut lu = load(a, b);
                    *status = cpu::factor(lu.as_mut(), &mut pivots);
                    (*phase, *log_abs) = cpu::determinant(lu.as_ref(), &pivots, *status);
                    self.finished(1);
                });
            }
            Backend::Machine(machine) => {
                let (data, from) = a.to_compact();
                let inputs = [Input { bytes: bytes_of(&data), each: n * n * size_of::<T>() }];
                let [phase, log_abs] = parts.outputs();
                let mut outputs = [phase, log_abs, Output { bytes: bytes_of_mut(&mut status), each: 4 }];
                let plan = |chunk| DetPlan::<T>::new(self, n, chunk);
                let scratch = n * n * size_of::<T::Scalar>() + 4 * n;
                pipeline::run(self, batch, scratch, &inputs, &mut outputs, plan, |plan, stream, count, ins, outs| {
                    let steps = Steps { machine, queue: &stream.queue };
                    // SAFETY: the pipeline's memory is of the chunk's size.
                    unsafe {
                        let (phase, log_abs) = (Global::new(outs[0]), Global::new(outs[1]));
                        let status = Global::new(outs[2]);
                        plan.enqueue(&steps, count as u64, matrices_at(ins[0], from), phase, log_abs, status)
                    }
                })?;
            }
        }
        Ok(Determinants { phase: parts.phase, log_abs: parts.log_abs, status: statuses(&status) })
    }
}

impl<T: Element> Lu<T> {
    /// The determinants, from the factors.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[0.0, 1.0, 1.0, 0.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.det()?.phase, [-1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn det(&self) -> Result<Determinants<T>> {
        let (n, batch) = (self.n(), self.batch());
        let mut parts = Parts::<T>::ones(batch);
        let device = &self.device;
        match &device.backend {
            _ if n == 0 => {}
            Backend::Cpu => {
                let all = parts.phase.par_iter_mut().zip(&mut parts.log_abs);
                all.enumerate().for_each(|(b, (phase, log_abs))| {
                    let lu = self.factor_matrix(b);
                    (*phase, *log_abs) = cpu::determinant(lu.as_ref(), self.pivots(b), self.status[b]);
                });
            }
            Backend::Machine(machine) => {
                let size = Size { n: n as u32, batch: batch as u64, rhs: 1 };
                let plan = |_| Ok(());
                pipeline::run(
                    device,
                    batch,
                    0,
                    &self.inputs(),
                    &mut parts.outputs(),
                    plan,
                    |(), stream, count, ins, outs| {
                        let steps = Steps { machine, queue: &stream.queue };
                        // SAFETY: the pipeline's memory is of the chunk's size.
                        unsafe {
                            let (phase, log_abs) = (Global::new(outs[0]), Global::new(outs[1]));
                            steps.det(self.factors_at(ins), phase, log_abs, Size { batch: count as u64, ..size })
                        }
                    },
                )?;
            }
        }
        Ok(Determinants { phase: parts.phase, log_abs: parts.log_abs, status: self.status() })
    }
}

impl<T: Element> Parts<T> {
    /// The determinants of matrices of order 0.
    fn ones(batch: usize) -> Self {
        Self { phase: vec![T::Scalar::ONE; batch], log_abs: vec![RealOf::<T>::from_f64(0.0); batch] }
    }

    fn outputs(&mut self) -> [Output<'_>; 2] {
        [
            Output { bytes: bytes_of_mut(&mut self.phase), each: size_of::<T::Scalar>() },
            Output { bytes: bytes_of_mut(&mut self.log_abs), each: size_of::<RealOf<T>>() },
        ]
    }
}
