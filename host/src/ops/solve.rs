//! Solution of linear systems.

use rayon::prelude::*;
use simt::global::Global;

use super::lu::{Lu, all_nan};
use super::{check_rhs, load, statuses, store};
use crate::algorithm::Algorithm;
use crate::batch::{Batch, Matrices};
use crate::cpu;
use crate::device::{Backend, Device};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Result;
use crate::op::Op;
use crate::pipeline::{self, Input, Output};
use crate::resident::{LuSolvePlan, SolveBuffers, SolvePlan, matrices_at};
use crate::status::Status;
use crate::steps::Steps;

/// The solutions of a batch of linear systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution<T: Element> {
    /// X, n x k, laid out as the right-hand sides were; all NaN where the status is not [`Status::Ok`].
    pub x: Matrices<T>,
    /// How each matrix fared.
    pub status: Vec<Status>,
}

impl Device {
    /// Solves A X = B for each matrix and its right-hand sides, by LU with partial pivoting (LAPACK `xGESV`).
    ///
    /// `b` is (batch, n, k): k right-hand sides for each matrix.
    ///
    /// ```
    /// use warplu::{Batch, Device};
    /// let a = Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?;
    /// let b = Batch::c_order(&[3.0, 2.0], 1, 2, 1)?;
    /// assert_eq!(Device::cpu().solve(&a, &b)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrices are not square or `b` does not fit them; a device's errors.
    /// A singular matrix is no error: its status says so and its solution is all NaN.
    pub fn solve<T: Element>(&self, a: &Batch<'_, T>, b: &Batch<'_, T>) -> Result<Solution<T>> {
        let (n, batch, rhs) = (a.order()?, a.batch(), b.cols());
        check_rhs(b, batch, n)?;
        self.check_algorithm()?;
        let Backend::Machine(machine) = &self.backend else {
            return self.lu(a)?.solve(b, Op::None);
        };
        if n == 0 || rhs == 0 {
            return self.clone().with_algorithm(Algorithm::Auto).lu(a)?.solve(b, Op::None);
        }
        let layout = b.output_layout(n, rhs);
        let mut x = Matrices::zeros(batch, n, rhs, layout);
        let mut status = vec![0; batch];
        let ((a_data, a_layout), (b_data, b_layout)) = (a.to_compact(), b.to_compact());
        let inputs = [
            Input { bytes: bytes_of(&a_data), each: n * n * size_of::<T>() },
            Input { bytes: bytes_of(&b_data), each: n * rhs * size_of::<T>() },
        ];
        let mut outputs = [
            Output { bytes: bytes_of_mut(&mut x.data), each: n * rhs * size_of::<T>() },
            Output { bytes: bytes_of_mut(&mut status), each: 4 },
        ];
        let plan = |chunk| SolvePlan::<T>::new(self, n, chunk, rhs);
        let scratch = SolvePlan::<T>::scratch(self, n, rhs)?;
        pipeline::run(self, batch, scratch, &inputs, &mut outputs, plan, |plan, stream, count, ins, outs| {
            let steps = Steps { machine, queue: &stream.queue };
            // SAFETY: the pipeline's memory is of the chunk's size.
            unsafe {
                let buffers = SolveBuffers {
                    a: matrices_at(ins[0], a_layout),
                    b: matrices_at(ins[1], b_layout),
                    x: matrices_at(outs[0], layout),
                    status: Global::new(outs[1]),
                };
                plan.enqueue(&steps, count as u64, buffers)
            }
        })?;
        Ok(Solution { x, status: statuses(&status) })
    }
}

impl<T: Element> Lu<T> {
    /// Solves op(A) X = B from the factors (LAPACK `xGETRS`); `b` is (batch, n, k).
    ///
    /// ```
    /// # use warplu::{Batch, Device, Op};
    /// let lu = Device::cpu().lu(&Batch::c_order(&[2.0, 0.0, 1.0, 1.0], 1, 2, 2)?)?;
    /// let b = Batch::c_order(&[3.0, 1.0], 1, 2, 1)?;
    /// assert_eq!(lu.solve(&b, Op::Transpose)?.x.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `b` does not fit the matrices; a device's errors.
    pub fn solve(&self, b: &Batch<'_, T>, op: Op) -> Result<Solution<T>> {
        let (n, batch, rhs) = (self.n(), self.batch(), b.cols());
        check_rhs(b, batch, n)?;
        let layout = b.output_layout(n, rhs);
        let mut x = Matrices::zeros(batch, n, rhs, layout);
        let device = &self.device;
        match &device.backend {
            _ if n == 0 || rhs == 0 => {}
            Backend::Cpu => x.data.par_chunks_mut(n * rhs).enumerate().for_each(|(i, out)| {
                if self.status[i] == 0 {
                    let mut x = load(b, i);
                    cpu::solve(self.factor_matrix(i).as_ref(), self.pivots(i), op, x.as_mut());
                    store(x.as_ref(), layout, out);
                } else {
                    all_nan(out);
                }
            }),
            Backend::Machine(machine) => {
                let (data, from) = b.to_compact();
                let [lu, pivots, status] = self.inputs();
                let inputs = [lu, pivots, status, Input { bytes: bytes_of(&data), each: n * rhs * size_of::<T>() }];
                let mut outputs = [Output { bytes: bytes_of_mut(&mut x.data), each: n * rhs * size_of::<T>() }];
                let plan = |chunk| LuSolvePlan::<T>::new(device, n, chunk, rhs);
                let scratch = n * rhs * size_of::<T::Scalar>();
                pipeline::run(
                    device,
                    batch,
                    scratch,
                    &inputs,
                    &mut outputs,
                    plan,
                    |plan, stream, count, ins, outs| {
                        let steps = Steps { machine, queue: &stream.queue };
                        // SAFETY: the pipeline's memory is of the chunk's size.
                        unsafe {
                            let factors = self.factors_at(ins);
                            let (b, x) = (matrices_at(ins[3], from), matrices_at(outs[0], layout));
                            plan.enqueue(&steps, count as u64, factors, op, b, x)
                        }
                    },
                )?;
            }
        }
        Ok(Solution { x, status: self.status() })
    }
}
