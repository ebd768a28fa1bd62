//! The plan that solves.

use std::sync::Arc;

use numbers::matrix::Matrices;

use super::batch::{DeviceBatch, DeviceBatchMut, Placed};
use super::plan::{Plan, all_well, read, write};
use super::slice::DeviceSliceMut;
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::route::{self, Systems};

/// A X = B by LU with partial pivoting (LAPACK `xGESV`), or by the device's algorithm. Where one kernel solves systems
/// of this size, the plan has memory for the upper triangles at most (16-bit types: and for matrices and right-hand
/// sides in f32).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, SolvePlan};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (a, mut b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let mut status = device.buffer(1)?;
/// let plan = SolvePlan::<f64>::new(&device, 2, 1, 1)?;
/// let (a, mut x) = (DeviceBatch::c_order(&a, 1, 2, 2)?, DeviceBatchMut::c_order(&mut b, 1, 2, 1)?);
/// plan.run_in_place(&stream, &a, &mut x, &mut status)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct SolvePlan<T: Element>(Plan<route::Solve<T>>);

impl<T: Element> SolvePlan<T> {
    /// A plan for at most `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::SolvePlan;
    /// let plan = SolvePlan::<f64>::new(&Device::cpu(), 64, 1000, 1)?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm does not solve; the driver's
    /// errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        Plan::new(device, (n, rhs), batch, |device, space| route::Solve::new(device, n, rhs, space)).map(Self)
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::SolvePlan;
    /// let plan = SolvePlan::<f64>::new(&Device::sim(), 64, 1000, 1)?;
    /// assert!(!plan.kernels().is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.0.route.kernels()
    }

    /// Bytes of device memory that it works in.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::SolvePlan;
    /// let plan = SolvePlan::<f64>::new(&Device::cpu(), 64, 1000, 1)?;
    /// println!("{} bytes of memory to work in", plan.bytes());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Enqueues the solution: x, n x rhs, is all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's sizes or of more matrices, or anything is
    /// of another device.
    pub fn run<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        b: &DeviceBatch<'_, T>,
        x: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (a, b, x) = (a.placed(), b.placed(), x.placed());
        let sides = (self.sides(a, b, "b")?, self.sides(a, x, "x")?);
        self.solve(stream, a, sides, &[read(b), write(x)], status.into())
    }

    /// As [`Self::run`], each solution in the place of its right-hand sides.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_in_place<'s>(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        b: &mut DeviceBatchMut<'_, T>,
        status: impl Into<DeviceSliceMut<'s, i32>>,
    ) -> Result<()> {
        let (a, b) = (a.placed(), b.placed());
        let sides = self.sides(a, b, "b")?;
        self.solve(stream, a, (sides, sides), &[write(b)], status.into())
    }

    fn sides(&self, a: &Placed<'_, T>, sides: &Placed<'_, T>, what: &str) -> Result<Matrices<T>> {
        sides.expect(a.batch, self.0.n, self.0.rhs, what)
    }

    fn solve(
        &self,
        stream: &Stream,
        a: &Placed<'_, T>,
        (b, x): (Matrices<T>, Matrices<T>),
        sides: &[(&Arc<Allocation>, Access)],
        status: DeviceSliceMut<'_, i32>,
    ) -> Result<()> {
        self.0.matrices(a.batch)?;
        let status = status.inner();
        let a_matrices = a.expect(a.batch, self.0.n, self.0.n, "a")?;
        let systems = Systems { a: a_matrices, b, x, status: status.global_of(a.batch, "status")? };
        let uses = [sides, &[read(a), (status.allocation, Access::Write)]].concat();
        self.0.run(stream, a.batch, &uses, |launcher, count, room| {
            if self.0.n == 0 {
                return all_well(launcher, &status, count);
            }
            // SAFETY: all are of these sizes and of this machine, apart by their borrows; buffers outlive the work on
            // them.
            unsafe { self.0.route.enqueue(launcher, count, systems, room) }
        })
    }
}
