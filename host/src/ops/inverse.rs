//! Inversion.

use rayon::prelude::*;
use simt::global::Global;

use super::lu::{Lu, all_nan};
use super::{load, statuses, store};
use crate::batch::{Batch, Matrices};
use crate::cpu;
use crate::device::{Backend, Device};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Result;
use crate::layout::Layout;
use crate::pipeline::{self, Input, Output};
use crate::resident::{InversePlan, LuInversePlan, matrices_at};
use crate::status::Status;
use crate::steps::Steps;

/// The inverses of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverse<T: Element> {
    /// The inverses, laid out as the matrices were; all NaN where the status is not [`Status::Ok`].
    pub matrices: Matrices<T>,
    /// How each matrix fared.
    pub status: Vec<Status>,
}

/// An inverse on its way out of a backend.
struct Parts<T> {
    data: Vec<T>,
    status: Vec<i32>,
}

impl Device {
    /// Inverts each matrix, with partial pivoting: on a GPU in place by Gauss-Jordan elimination up to order 512; else by LU
    /// (LAPACK `xGETRF` and `xGETRI`).
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = [2.0, 1.0, 1.0, 1.0];
    /// let inverse = Device::cpu().invert(&Batch::c_order(&a, 1, 2, 2)?)?;
    /// assert_eq!(inverse.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// assert!(inverse.status[0].is_ok());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors. A singular matrix is no
    /// error: its status says so and its inverse is all NaN.
    pub fn invert<T: Element>(&self, a: &Batch<'_, T>) -> Result<Inverse<T>> {
        self.check_algorithm()?;
        let (n, batch) = (a.order()?, a.batch());
        let layout = a.output_layout(n, n);
        let mut parts = Parts::new(batch, n);
        match &self.backend {
            _ if n == 0 => {}
            Backend::Cpu => parts.fill(n, self, |b, out| {
                let mut pivots = vec![0; n];
                let mut lu = load(a, b);
                let status = cpu::factor(lu.as_mut(), &mut pivots);
                invert_on_cpu(&lu, &pivots, status, layout, out)
            }),
            Backend::Machine(machine) => {
                let (data, from) = a.to_compact();
                let inputs = [Input { bytes: bytes_of(&data), each: n * n * size_of::<T>() }];
                let plan = |chunk| InversePlan::<T>::new(self, n, chunk);
                let scratch = InversePlan::<T>::scratch(self, n)?;
                pipeline::run(
                    self,
                    batch,
                    scratch,
                    &inputs,
                    &mut parts.outputs(n),
                    plan,
                    |plan, stream, count, ins, outs| {
                        let steps = Steps { machine, queue: &stream.queue };
                        // SAFETY: the pipeline's memory is of the chunk's size.
                        unsafe {
                            let inverse = matrices_at(outs[0], layout);
                            let status = Global::new(outs[1]);
                            plan.enqueue(&steps, count as u64, matrices_at(ins[0], from), inverse, status)
                        }
                    },
                )?;
            }
        }
        Ok(parts.finish(batch, n, layout))
    }
}

impl<T: Element> Lu<T> {
    /// The inverses, from the factors (LAPACK `xGETRI`).
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.inverse()?.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// A device's errors.
    pub fn inverse(&self) -> Result<Inverse<T>> {
        let (n, batch, layout) = (self.n(), self.batch(), self.factors.layout);
        let device = &self.device;
        let mut parts = Parts::new(batch, n);
        match &device.backend {
            _ if n == 0 => {}
            Backend::Cpu => parts.fill(n, device, |b, out| {
                invert_on_cpu(&self.factor_matrix(b), self.pivots(b), self.status[b], layout, out)
            }),
            Backend::Machine(machine) => {
                let plan = |chunk| LuInversePlan::<T>::new(device, n, chunk);
                let scratch = n * n * 2 * size_of::<T::Scalar>();
                pipeline::run(
                    device,
                    batch,
                    scratch,
                    &self.inputs(),
                    &mut parts.outputs(n),
                    plan,
                    |plan, stream, count, ins, outs| {
                        let steps = Steps { machine, queue: &stream.queue };
                        // SAFETY: the pipeline's memory is of the chunk's size.
                        unsafe {
                            let (factors, inverse) = (self.factors_at(ins), matrices_at(outs[0], layout));
                            plan.enqueue(&steps, count as u64, factors, inverse, Global::new(outs[1]), None)
                        }
                    },
                )?;
            }
        }
        Ok(parts.finish(batch, n, layout))
    }
}

impl<T: Element> Parts<T> {
    fn new(batch: usize, n: usize) -> Self {
        let zero = T::narrow(kernels_gpu::scalar::Scalar::ZERO);
        Self { data: vec![zero; batch * n * n], status: vec![0; batch] }
    }

    /// Fills matrix by matrix, in parallel, with what `one` writes and returns.
    fn fill(&mut self, n: usize, device: &Device, one: impl Fn(usize, &mut [T]) -> i32 + Sync) {
        self.data.par_chunks_mut(n * n).zip(&mut self.status).enumerate().for_each(|(b, (out, status))| {
            *status = one(b, out);
            device.finished(1);
        });
    }

    fn outputs(&mut self, n: usize) -> [Output<'_>; 2] {
        [
            Output { bytes: bytes_of_mut(&mut self.data), each: n * n * size_of::<T>() },
            Output { bytes: bytes_of_mut(&mut self.status), each: 4 },
        ]
    }

    fn finish(self, batch: usize, n: usize, layout: Layout) -> Inverse<T> {
        let matrices = Matrices { data: self.data, batch, rows: n, cols: n, layout };
        Inverse { matrices, status: statuses(&self.status) }
    }
}

/// Writes the inverse from factors, or NaN, and returns the status.
fn invert_on_cpu<T: Element>(
    lu: &faer::Mat<T::Scalar>,
    pivots: &[u32],
    status: i32,
    layout: Layout,
    out: &mut [T],
) -> i32 {
    if status != 0 {
        all_nan(out);
        return status;
    }
    let mut inverse = faer::Mat::zeros(lu.nrows(), lu.ncols());
    cpu::invert(lu.as_ref(), pivots, inverse.as_mut());
    if !cpu::is_finite(inverse.as_ref()) {
        all_nan(out);
        return Status::NonFinite.code();
    }
    store(inverse.as_ref(), layout, out);
    0
}
