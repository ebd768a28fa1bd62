//! LU factorization.

use kernels_gpu::scalar::Scalar;
use rayon::prelude::*;
use simt::global::Global;

use super::{load, statuses, store};
use crate::batch::{Batch, Matrices};
use crate::cpu;
use crate::device::{Backend, Device};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Result;
use crate::pipeline::{self, Input, Output};
use crate::resident::{LuPlan, matrices_at};
use crate::status::Status;
use crate::steps::{Factors, Steps};

/// The LU factors of a batch, PA = LU, on the host; what is done with them is done on the device that made them.
///
/// For 16-bit types the factors are in f32.
#[derive(Clone, Debug)]
pub struct Lu<T: Element> {
    pub(super) device: Device,
    pub(super) factors: Matrices<T::Scalar>,
    pub(super) pivots: Vec<u32>, // shape (batch, n)
    pub(super) status: Vec<i32>,
}

impl Device {
    /// Factors each matrix, PA = LU with partial pivoting (LAPACK `xGETRF`).
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = [1.0, 2.0, 4.0, 2.0];
    /// let lu = Device::cpu().lu(&Batch::c_order(&a, 1, 2, 2)?)?;
    /// assert_eq!(lu.factors().as_slice(), [4.0, 2.0, 0.25, 1.5]);
    /// assert_eq!(lu.pivots(0), [1, 1]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square; a device's errors. Singular matrices are no
    /// error: see [`Lu::status`].
    pub fn lu<T: Element>(&self, a: &Batch<'_, T>) -> Result<Lu<T>> {
        self.check_algorithm()?;
        let (n, batch) = (a.order()?, a.batch());
        let layout = a.output_layout(n, n);
        let mut lu = Lu {
            device: self.clone(),
            factors: Matrices::zeros(batch, n, n, layout),
            pivots: vec![0; batch * n],
            status: vec![0; batch],
        };
        if n == 0 {
            return Ok(lu);
        }
        match &self.backend {
            Backend::Cpu => {
                lu.factors
                    .data
                    .par_chunks_mut(n * n)
                    .zip(lu.pivots.par_chunks_mut(n))
                    .zip(&mut lu.status)
                    .enumerate()
                    .for_each(|(b, ((out, pivots), status))| {
                        let mut matrix = load(a, b);
                        *status = cpu::factor(matrix.as_mut(), pivots);
                        store(matrix.as_ref(), layout, out);
                        self.finished(1);
                    });
            }
            Backend::Machine(machine) => {
                let (data, from) = a.to_compact();
                let inputs = [Input { bytes: bytes_of(&data), each: n * n * size_of::<T>() }];
                let mut outputs = [
                    Output { bytes: bytes_of_mut(&mut lu.factors.data), each: n * n * size_of::<T::Scalar>() },
                    Output { bytes: bytes_of_mut(&mut lu.pivots), each: n * 4 },
                    Output { bytes: bytes_of_mut(&mut lu.status), each: 4 },
                ];
                let plan = |chunk| LuPlan::<T>::new(self, n, chunk);
                pipeline::run(self, batch, 0, &inputs, &mut outputs, plan, |plan, stream, count, ins, outs| {
                    let steps = Steps { machine, queue: &stream.queue };
                    // SAFETY: the pipeline's memory is of the chunk's size.
                    unsafe {
                        let factors = Factors {
                            lu: matrices_at(outs[0], layout),
                            pivots: Global::new(outs[1]),
                            status: Global::new(outs[2]),
                        };
                        plan.enqueue(&steps, count as u64, matrices_at(ins[0], from), factors)
                    }
                })?;
            }
        }
        Ok(lu)
    }
}

impl<T: Element> Lu<T> {
    /// Matrices in the batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.factors.batch
    }

    /// Order of the matrices.
    #[must_use]
    pub fn n(&self) -> usize {
        self.factors.rows
    }

    /// U, and L below its diagonal (L's diagonal is 1): (batch, n, n), laid out as the matrices were.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[4.0, 2.0, 1.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.factors().get(0, 1, 0), 0.25);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn factors(&self) -> &Matrices<T::Scalar> {
        &self.factors
    }

    /// Row interchanges of matrix b, zero-based: row k was swapped with row `pivots[k]`, for k = 0, 1, ... (what
    /// `scipy.linalg.lu_factor` returns).
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn pivots(&self, b: usize) -> &[u32] {
        &self.pivots[b * self.n()..][..self.n()]
    }

    /// All interchanges: (batch, n).
    #[must_use]
    pub fn all_pivots(&self) -> &[u32] {
        &self.pivots
    }

    /// The interchanges of matrix b as a permutation: row i of PA is row `permutation[i]` of A.
    ///
    /// ```
    /// # use warplu::{Batch, Device};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[0.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
    /// assert_eq!(lu.permutation(0), [1, 0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no matrix b.
    #[must_use]
    pub fn permutation(&self, b: usize) -> Vec<u32> {
        let mut permutation: Vec<u32> = (0..self.n() as u32).collect();
        for (k, &p) in self.pivots(b).iter().enumerate() {
            permutation.swap(k, p as usize);
        }
        permutation
    }

    /// How each matrix fared.
    ///
    /// ```
    /// # use warplu::{Batch, Device, Status};
    /// let a = [1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0, 1.0]; // the first is singular
    /// let lu = Device::cpu().lu(&Batch::c_order(&a, 2, 2, 2)?)?;
    /// assert_eq!(lu.status(), [Status::Singular(2), Status::Ok]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn status(&self) -> Vec<Status> {
        statuses(&self.status)
    }

    /// Factors of matrix b as LAPACK stores them.
    pub(super) fn factor_matrix(&self, b: usize) -> faer::Mat<T::Scalar> {
        let f = &self.factors;
        faer::Mat::from_fn(f.rows, f.cols, |i, j| f.data[f.layout.at(b, i, j)])
    }

    /// The pipeline's inputs for factors: LU, pivots, status.
    pub(super) fn inputs(&self) -> [Input<'_>; 3] {
        let n = self.n();
        [
            Input { bytes: bytes_of(&self.factors.data), each: n * n * size_of::<T::Scalar>() },
            Input { bytes: bytes_of(&self.pivots), each: n * 4 },
            Input { bytes: bytes_of(&self.status), each: 4 },
        ]
    }

    /// The factors at the addresses of [`Self::inputs`] on the device.
    ///
    /// # Safety
    /// The addresses are those of device memory that holds what `inputs` names.
    pub(super) unsafe fn factors_at(&self, addresses: &[u64]) -> Factors<T::Scalar> {
        // SAFETY: the caller's promise.
        unsafe {
            Factors {
                lu: matrices_at(addresses[0], self.factors.layout),
                pivots: Global::new(addresses[1]),
                status: Global::new(addresses[2]),
            }
        }
    }
}

/// A matrix of NaN.
pub(super) fn all_nan<T: Element>(out: &mut [T]) {
    out.fill(T::narrow(T::Scalar::NAN));
}
