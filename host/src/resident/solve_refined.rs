//! The plan that solves by factors in single precision.

use super::batch::{DeviceBatch, DeviceBatchMut, Placed};
use super::plan::PlanMemory;
use super::stream::Stream;
use super::uses::Access;
use crate::device::{Device, Single};
use crate::element::Double;
use crate::error::{Error, Result};
use crate::operation::Size;
use crate::operation::SolveRefined;
use crate::ops::{Refinement, apart, note};
use crate::route::{RoomMemory, Space};
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;

/// A X = B by factors in single precision and iterative refinement: see [`Device::solve_refined`]. How far to refine
/// depends on the matrices: unlike other plans', its runs wait for their results, and no graph can capture them.
///
/// ```
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, SolveRefinedPlan};
/// use warplu::{Device, Refinement};
///
/// let device = Device::best();
/// let stream = device.stream()?;
/// let (a, b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let mut x = device.buffer::<f64>(2)?;
/// let plan = SolveRefinedPlan::new(&device, 2, 1, 1)?;
/// let (a, b) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatch::row_major(&b, 1, 2, 1)?);
/// let (status, refinement) = plan.run(&stream, &a, &b, &mut DeviceBatchMut::row_major(&mut x, 1, 2, 1)?)?;
/// assert!(status.all_ok() && refinement == [Refinement::Converged(0)]);
/// assert_eq!(x.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct SolveRefinedPlan<T: Double> {
    memory: PlanMemory,
    route: SolveRefined<T>,
}

impl<T: Double> SolveRefinedPlan<T> {
    /// A plan for at most `batch` matrices of order `n` with `rhs` right-hand sides each.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::SolveRefinedPlan;
    /// let plan = SolveRefinedPlan::<f64>::new(&Device::cpu(), 64, 1000, 1)?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device's algorithm leaves no factors; the driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize, rhs: usize) -> Result<Self> {
        let route = |device: &Single, space: &mut Space| SolveRefined::new(device, n, rhs, space);
        let (memory, route) = PlanMemory::new(device, Size { n, rhs }, batch, route)?;
        Ok(Self { memory, route })
    }

    /// The names of warplu's own kernels that factor and solve, in single precision and, where it has to be, in double.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::SolveRefinedPlan;
    /// let plan = SolveRefinedPlan::<f64>::new(&Device::sim(), 64, 1000, 1)?;
    /// assert!(!plan.kernels().is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.route.kernels()
    }

    /// Bytes of device memory that it works in.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::SolveRefinedPlan;
    /// let plan = SolveRefinedPlan::<f64>::new(&Device::cpu(), 64, 1000, 1)?;
    /// println!("{} bytes of memory to work in", plan.bytes());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// Solves, and waits: x, n x rhs, is all NaN where the status is not [`Status::Ok`](crate::Status::Ok).
    ///
    /// # Errors
    /// [`Error::Shape`] if a batch is not of the plan's sizes or of more matrices, or anything is of another device;
    /// [`Error::Unsupported`] for matrices behind pointers; the driver's errors.
    pub fn run(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        b: &DeviceBatch<'_, T>,
        x: &mut DeviceBatchMut<'_, T>,
    ) -> Result<(Statuses, Vec<Refinement>)> {
        let (a, b, x) = (a.placed(), b.placed(), x.placed());
        let Size { n, rhs } = self.memory.size;
        self.memory.matrices(a.batch)?;
        let expect = |of: &Placed<'_, T>, cols, what: &str| {
            let matrices = of.expect(a.batch, n, cols, what)?;
            if matrices.pointers.is_null() {
                return Ok(matrices);
            }
            Err(Error::Unsupported(format!("{what} is behind pointers: this plan takes matrices at strides")))
        };
        let systems = (expect(a, n, "a")?, expect(b, rhs, "b")?, expect(x, rhs, "x")?);
        let mut fared = filled((0, Refinement::Converged(0)), a.batch)?;
        if n > 0 && rhs > 0 {
            let (read, write) = (Access::Read, Access::Write);
            let uses = [(a.allocation, read), (b.allocation, read), (x.allocation, write)];
            self.memory.run(stream, a.batch, uses.into_iter(), |launcher, count, room| {
                let memory = RoomMemory { memory: self.memory.memory(), queue: launcher.queue };
                // SAFETY: all are of these sizes and of this machine, apart by their borrows; it is waited for.
                let refined = unsafe { self.route.run(launcher, count, systems, (room, memory))? };
                note(&mut fared, rhs, &refined);
                Ok(())
            })?;
        }
        Ok(apart(fared))
    }
}
