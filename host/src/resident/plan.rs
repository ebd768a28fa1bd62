//! What all plans have: a route, the memory that it works in, and the sizes that it is for.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use numbers::matrix::Matrices;
use numbers::op::Op;

use super::bound::Bound;
use super::buffer::DeviceBuffer;
use super::stream::Stream;
use super::uses::{Access, Allocation};
use crate::backend::{Backend, Memory, Queue, foreign};
use crate::device::{Device, Single};
use crate::error::{Error, Result};
use crate::launch::Launcher;
use crate::layout::product;
use crate::operation::{Extent, Operation, Route, Size, Work};
use crate::route::{Room, Space, problem};

/// A plan for an operation `O` on matrices of one size, with elements of type `T`: the kernels, which are loaded, and the
/// memory that they work in. Each operation has a name for its plans, such as [`SolvePlan`](super::SolvePlan).
#[derive(Debug)]
pub struct Plan<O, T> {
    operation: Operation,
    route: Route,
    memory: PlanMemory,
    of: PhantomData<fn() -> (O, T)>,
}

/// The operations that plans are of.
pub mod of {
    /// PA = LU.
    #[derive(Debug)]
    pub enum Lu {}
    /// A^-1.
    #[derive(Debug)]
    pub enum Inverse {}
    /// A X = B.
    #[derive(Debug)]
    pub enum Solve {}
    /// det A.
    #[derive(Debug)]
    pub enum Det {}
    /// A^-1 from LU factors.
    #[derive(Debug)]
    pub enum LuInverse {}
    /// op(A) X = B from LU factors.
    #[derive(Debug)]
    pub enum LuSolve {}
    /// det A from LU factors.
    #[derive(Debug)]
    pub enum LuDet {}
    /// A = L L^H.
    #[derive(Debug)]
    pub enum Cholesky {}
    /// A^-1 from Cholesky factors.
    #[derive(Debug)]
    pub enum CholeskyInverse {}
    /// A X = B from Cholesky factors.
    #[derive(Debug)]
    pub enum CholeskySolve {}
    /// det A from Cholesky factors.
    #[derive(Debug)]
    pub enum CholeskyDet {}
}

/// What a plan works in, for so many matrices of a size.
#[derive(Debug)]
pub(super) struct PlanMemory {
    backend: Backend,
    space: Space,
    room: DeviceBuffer<u8>,
    /// Taken by who enqueues work in the room, which streams of several threads share.
    turn: Mutex<()>,
    pub(super) size: Size,
    /// Matrices at most.
    batch: usize,
}

/// What a run uses of a buffer.
pub(super) type Use<'a> = (&'a Arc<Allocation>, Access);

impl<O, T> Plan<O, T> {
    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::LuPlan;
    /// let plan = LuPlan::<f64>::new(&Device::sim(), 64, 1000)?;
    /// assert!(!plan.kernels().is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.route.kernels()
    }

    /// Bytes of device memory that it works in.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// A plan for at most `batch` matrices.
    pub(super) fn of(device: &Device, operation: Operation, size: Size, batch: usize) -> Result<Self> {
        let (memory, route) =
            PlanMemory::new(device, size, batch, |device, space| operation.route(device, size, space))?;
        Ok(Self { operation, route, memory, of: PhantomData })
    }

    /// As [`enqueue`].
    pub(super) fn enqueue(&self, stream: &Stream, op: Op, bound: &[Bound<'_>]) -> Result<()> {
        enqueue(self.operation, &self.route, &self.memory, stream, op, bound)
    }
}

/// Enqueues the operation on op(A), for as many matrices as the first operand has. Operands are those that the
/// operation has, in order; where a result takes the place of what it is made from, both are the same.
///
/// # Errors
/// [`Error::Shape`], which names the operand that does not fit.
fn enqueue(
    operation: Operation,
    route: &Route,
    memory: &PlanMemory,
    stream: &Stream,
    op: Op,
    bound: &[Bound<'_>],
) -> Result<()> {
    operation.check_count(bound.len())?;
    let (size, batch) = (memory.size, bound[0].batch());
    memory.matrices(batch)?;
    let all = operation.operands.iter().zip(bound);
    all.clone().try_for_each(|(operand, bound)| bound.expect(operand, size, batch))?;
    let uses = all.map(|(operand, bound)| (bound.allocation, operand.access));
    memory.run(stream, batch, uses, |launcher, count, room| {
        if size.n == 0 {
            return of_order_0(operation, launcher.queue, batch, bound);
        }
        let work = Work { launcher, batch: count, operands: &bound, op, room, memory: None };
        // SAFETY: checked to be what the operation takes, and of this machine; apart by their borrows; pivots are
        // below n; buffers outlive the work on them.
        unsafe { route.enqueue(&work) }
    })
}

/// The results of matrices of order 0.
fn of_order_0(operation: Operation, queue: &Queue, batch: usize, bound: &[Bound<'_>]) -> Result<()> {
    let results = operation.operands.iter().zip(bound);
    for (operand, bound) in
        results.filter(|(operand, _)| operand.access == Access::Write && operand.extent == Extent::One)
    {
        let memory = &bound.allocation.memory;
        match operand.of_order_0 {
            None => queue.fill(memory, bound.offset, 0, operand.element.bytes * batch)?,
            Some(values) => {
                let bytes = values(batch)?;
                // SAFETY: the values outlive the wait.
                unsafe { queue.upload(memory, bound.offset, bytes.as_ptr(), bytes.len())? };
                queue.synchronize()?;
            }
        }
    }
    Ok(())
}

impl PlanMemory {
    /// Memory for what a route asks of its space, and the route.
    pub(super) fn new<R>(
        device: &Device,
        size: Size,
        batch: usize,
        route: impl FnOnce(&Single, &mut Space) -> Result<R>,
    ) -> Result<(Self, R)> {
        let Size { n, rhs } = size;
        problem(n, rhs)?;
        // So many matrices must be possible, whatever the device.
        product(&[batch, n.max(1), n.max(rhs).max(1), 16])?;
        let mut space = Space::default();
        let single = device.single()?;
        let route = route(&single, &mut space)?;
        let room = device.buffer(if space.each() == 0 { 0 } else { space.bytes(batch)? })?;
        Ok((Self { backend: single.backend, space, room, turn: Mutex::new(()), size, batch }, route))
    }

    pub(super) fn bytes(&self) -> usize {
        self.room.len()
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.room.allocation.memory
    }

    /// Checks a number of matrices.
    pub(super) fn matrices(&self, batch: usize) -> Result<()> {
        if batch <= self.batch {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "the plan is for at most {} matrices, not for {batch}: make a larger one",
            self.batch
        )))
    }

    /// Has the stream wait for others' work on what is used, all of which must be of the plan's device; then
    /// `enqueue`s.
    pub(super) fn run<'a>(
        &'a self,
        stream: &Stream,
        batch: usize,
        uses: impl Iterator<Item = Use<'a>> + Clone,
        enqueue: impl FnOnce(&Launcher<'_>, u64, Room<'_>) -> Result<()>,
    ) -> Result<()> {
        let work = stream.work();
        if !work.backend.is(&self.backend) || uses.clone().any(|(own, _)| !own.backend.is(&self.backend)) {
            return Err(foreign());
        }
        if batch == 0 {
            return Ok(());
        }
        let _own_turn = (!self.room.is_empty()).then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        let _turn = work.turn();
        let room = (!self.room.is_empty()).then_some((&self.room.allocation, Access::Write));
        for (allocation, access) in uses.chain(room) {
            allocation.enter(work, access)?;
        }
        let launcher = Launcher { backend: &self.backend, queue: &work.queue };
        enqueue(&launcher, batch as u64, self.space.room(self.room.address(), batch as u64))
    }
}

/// Matrices of any type, as routes are given them.
pub(super) type Raw = Matrices<u8>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{self, ElementType};
    use crate::resident::{DeviceBatch, DeviceSlice, Pivots};

    const SIZE: Size = Size { n: 2, rhs: 3 };

    /// Each operand of each operation is given with elements of another type, and of another shape; then all is right.
    #[test]
    fn an_operand_that_is_wrong_is_named() {
        let device = Device::cpu();
        let stream = device.stream().unwrap();
        let numbers = device.upload(&[4.0, 0.0, 0.0, 4.0, 4.0, 0.0, 0.0, 4.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
        let (others, codes) = (device.upload(&[0.0_f32; 12]).unwrap(), device.upload(&[0; 2]).unwrap());
        let (pivots, of_order_1) =
            (device.upload_pivots(&[0, 1, 0, 1], 2).unwrap(), device.upload_pivots(&[0; 4], 1).unwrap());
        let (few_numbers, few_codes) = (numbers.slice(..1).unwrap(), codes.slice(..1).unwrap());
        let batch = |shape: (usize, usize)| DeviceBatch::row_major(&numbers, 2, shape.0, shape.1).unwrap();
        let other = |shape: (usize, usize)| DeviceBatch::row_major(&others, 2, shape.0, shape.1).unwrap();
        let plain = |extent| !matches!(extent, Extent::SideRows | Extent::PerSide);
        let has_plan = |operation: &Operation| operation.operands.iter().all(|operand| plain(operand.extent));
        for operation in operation::all().into_iter().filter(has_plan) {
            let plan = Plan::<(), f64>::of(&device, operation, SIZE, 2).unwrap();
            let shapes: Vec<_> = operation.operands.iter().map(|operand| operand.extent.shape(SIZE)).collect();
            let right: Vec<_> = shapes.iter().map(|&shape| batch(shape)).collect();
            let of_other_type: Vec<_> = shapes.iter().map(|&shape| other(shape)).collect();
            let larger = DeviceBatch::row_major(&numbers, 2, 3, 1).unwrap();
            // What is given for an operand: as it should be, of another type, of another shape.
            let given = |at: usize, how: usize| -> Bound<'_> {
                let operand = &operation.operands[at];
                let is_values = matches!(operand.extent, Extent::One | Extent::Rows);
                if is_values && how == 1 {
                    return DeviceSlice::from(&others).into();
                }
                if operand.element == ElementType::of::<u32>() {
                    let pivots: &Pivots = if how == 0 { &pivots } else { &of_order_1 };
                    return pivots.into();
                }
                match (how, is_values) {
                    (0, true) if operand.element == ElementType::of::<i32>() => DeviceSlice::from(&codes).into(),
                    (_, true) if operand.element == ElementType::of::<i32>() => few_codes.into(),
                    (0, true) => DeviceSlice::from(&numbers).into(),
                    (_, true) => few_numbers.into(),
                    (0, false) => (&right[at]).into(),
                    (1, false) => (&of_other_type[at]).into(),
                    _ => (&larger).into(),
                }
            };
            for (wrong, operand) in operation.operands.iter().enumerate() {
                for how in [1, 2] {
                    let operands: Vec<_> =
                        (0..shapes.len()).map(|at| given(at, if at == wrong { how } else { 0 })).collect();
                    let told = plan.enqueue(&stream, Op::None, &operands).unwrap_err().to_string();
                    let names =
                        told.contains(operand.name) || operand.extent == Extent::Rows && told.contains("pivots");
                    // What the first operand is decides how many matrices there are.
                    assert!(names || wrong == 0, "{operation:?}, {}: {told}", operand.name);
                }
            }
            assert!(plan.enqueue(&stream, Op::None, &[]).is_err());
        }
    }
}
