//! The plan that solves by factors in single precision.

use super::batch::{DeviceBatch, DeviceBatchMut, Placed};
use super::rooms::Rooms;
use super::sizes::{Size, Sizes};
use super::stream::Stream;
use super::uses::Access;
use crate::device::Device;
use crate::element::Double;
use crate::error::{Error, Result};
use crate::launch::Launcher;
use crate::operation::{self, SolveRefined};
use crate::ops::{Refinement, apart, note};
use crate::route::{RoomMemory, Space};
use crate::statuses::Statuses;
use kernels_cpu::fresh::filled;

/// A X = B by factors in single precision and iterative refinement: see [`Device::solve_refined`]. How far to refine
/// depends on the matrices: unlike other plans', its runs wait for their results, and no graph can capture them.
///
/// ```
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, Size, SolveRefinedPlan};
/// use warplu::{Device, Refinement};
///
/// let device = Device::best();
/// let stream = device.stream()?;
/// let (a, b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let mut x = device.buffer::<f64>(2)?;
/// let plan = SolveRefinedPlan::new(&device, Size::order(2))?;
/// let (a, b) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatch::row_major(&b, 1, 2, 1)?);
/// let (status, refinement) = plan.run(&stream, &a, &b, &mut DeviceBatchMut::row_major(&mut x, 1, 2, 1)?)?;
/// assert!(status.all_ok() && refinement == [Refinement::Converged(0)]);
/// assert_eq!(x.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct SolveRefinedPlan<T: Double> {
    sizes: Sizes,
    size: operation::Size,
    space: Space,
    route: SolveRefined<T>,
    rooms: Rooms,
}

impl<T: Double> SolveRefinedPlan<T> {
    /// A plan for matrices of one size.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{Size, SolveRefinedPlan};
    /// let plan = SolveRefinedPlan::<f64>::new(&Device::cpu(), Size::order(64).batch(1000))?;
    /// # let _ = plan;
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device's algorithm leaves no factors; the driver's errors.
    pub fn new(device: &Device, size: Size) -> Result<Self> {
        let (sizes, mut space) = (Sizes::One(size), Space::default());
        let of_each = sizes.groups(&operation::solve::<T>())?[0];
        let route = SolveRefined::new(&device.single()?, of_each.n, of_each.rhs, &mut space)?;
        let rooms = Rooms::new(device, &[space.bytes(size.batch)?])?;
        Ok(Self { sizes, size: of_each, space, route, rooms })
    }

    /// The names of warplu's own kernels that factor and solve, in single precision and, where it has to be, in double.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{Size, SolveRefinedPlan};
    /// let plan = SolveRefinedPlan::<f64>::new(&Device::sim(), Size::order(64).batch(1000))?;
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
    /// # use warplu::resident::{Size, SolveRefinedPlan};
    /// let plan = SolveRefinedPlan::<f64>::new(&Device::cpu(), Size::order(64).batch(1000))?;
    /// println!("{} bytes of memory to work in", plan.bytes());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rooms.bytes()
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
        let operation::Size { n, rhs } = self.size;
        self.sizes.check(&a.into())?;
        let expect = |of: &Placed<'_, T>, cols, what: &str| {
            let matrices = of.expect(a.batch, n, cols, what)?;
            if matrices.pointers.is_null() {
                return Ok(matrices);
            }
            Err(Error::Unsupported(format!("{what} is behind pointers: this plan takes matrices at strides")))
        };
        let systems = (expect(a, n, "a")?, expect(b, rhs, "b")?, expect(x, rhs, "x")?);
        let mut fared = filled((0, Refinement::Converged(0)), a.batch)?;
        if n > 0 && rhs > 0 && a.batch > 0 {
            let (read, write) = (Access::Read, Access::Write);
            let uses = [(a.allocation, read), (b.allocation, read), (x.allocation, write)];
            self.rooms.check(stream, uses.iter().map(|&(buffer, _)| buffer))?;
            self.rooms.run(stream, uses.into_iter(), |lanes| {
                let ((queue, room), count) = (lanes.at(0), a.batch as u64);
                let memory = RoomMemory { memory: &room.allocation.memory, queue };
                let room = (self.space.room(room.address(), count), memory);
                let launcher = Launcher { backend: &self.rooms.backend, queue };
                // SAFETY: all are of these sizes and of this machine, apart by their borrows; it is waited for.
                let refined = unsafe { self.route.run(&launcher, count, systems, room)? };
                note(&mut fared, rhs, &refined);
                Ok(())
            })?;
        }
        Ok(apart(fared))
    }
}
