//! What plans for matrices of many sizes have: a route for each group, and streams of their own to have several groups
//! under way at once.

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use super::bound::RaggedBound;
use super::order::{RaggedSizes, Sizes};
use crate::backend::{Backend, Event, Queue, foreign};
use crate::device::Device;
use crate::error::Result;
use crate::launch::Launcher;
use crate::operation::{Operation, Route, Size, Work};
use crate::resident::uses::Access;
use crate::resident::{DeviceBuffer, Stream};
use crate::route::Space;
use numbers::op::Op;

/// Groups under way at once.
const LANES: usize = 8;

/// A plan for an operation `O` on matrices of many sizes, with elements of type `T`: as [`Plan`](crate::resident::Plan).
#[derive(Debug)]
pub struct RaggedPlan<O, T> {
    groups: Groups,
    of: PhantomData<fn() -> (O, T)>,
}

/// Routes, and the memory that they work in.
#[derive(Debug)]
struct Groups {
    sizes: Sizes,
    operation: Operation,
    groups: Vec<Planned>, // none for matrices of order 0
    backend: Backend,
    /// Taken by who enqueues work, which streams of several threads share.
    lanes: Mutex<Lanes>,
    bytes: usize,
}

/// A group's route.
#[derive(Debug)]
struct Planned {
    /// Which group.
    group: usize,
    route: Route,
    space: Space,
    lane: usize,
}

/// Where groups are under way.
#[derive(Debug)]
struct Lanes {
    /// Behind what was in the caller's stream before.
    begin: Event,
    lanes: Vec<Lane>,
}

/// One of a group after the other, in memory that they share.
#[derive(Debug)]
struct Lane {
    /// Of its own; where there is but one lane, the caller's stream does.
    queue: Option<(Queue, Event)>,
    room: DeviceBuffer<u8>,
}

impl<O, T> RaggedPlan<O, T> {
    /// The sizes of its matrices and of results of their sizes.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::RaggedInversePlan;
    /// let plan = RaggedInversePlan::<f64>::new(&Device::cpu(), &[2, 9, 2])?;
    /// assert_eq!(plan.matrices().batch(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    pub fn matrices(&self) -> &RaggedSizes {
        &self.groups.sizes.matrices
    }

    /// The sizes of the right-hand sides and solutions; without columns where there are none.
    pub fn sides(&self) -> &RaggedSizes {
        &self.groups.sizes.sides
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.groups.kernels()
    }

    /// Bytes of device memory that it works in.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.groups.bytes
    }

    pub(super) fn of(device: &Device, operation: Operation, sizes: Sizes) -> Result<Self> {
        Ok(Self { groups: Groups::new(device, operation, sizes)?, of: PhantomData })
    }

    /// As [`Groups::enqueue`].
    pub(super) fn enqueue(&self, stream: &Stream, op: Op, bound: &[RaggedBound<'_>]) -> Result<()> {
        self.groups.enqueue(stream, op, bound)
    }
}

impl Groups {
    /// Routes for matrices with these orders and numbers of right-hand sides.
    fn new(device: &Device, operation: Operation, sizes: Sizes) -> Result<Self> {
        let single = device.single()?;
        let backend = single.backend.clone();
        let some = || sizes.sides.groups().iter().enumerate().filter(|(_, group)| group.shape.rows > 0);
        let lanes = match backend {
            Backend::Cuda(_) => LANES.min(some().count()).max(1),
            Backend::Cpu | Backend::Sim(_) => 1,
        };
        let (mut loads, mut rooms, mut groups) = (vec![0.0; lanes], vec![0; lanes], Vec::new());
        for (index, group) in some() {
            let (n, rhs) = (group.shape.rows, group.shape.cols);
            let mut space = Space::default();
            let route = operation.route(&single, Size { n, rhs }, &mut space)?;
            // To the lane that has the least to do yet: the largest orders come first.
            let lane = (0..lanes).min_by(|&a, &b| f64::total_cmp(&loads[a], &loads[b])).unwrap_or(0);
            loads[lane] += group.count as f64 * (n * n) as f64 * (n + 3 * rhs) as f64;
            let bytes = if space.each() == 0 { 0 } else { space.bytes(group.count)? };
            rooms[lane] = bytes.max(rooms[lane]);
            groups.push(Planned { group: index, route, space, lane });
        }
        let bytes = rooms.iter().sum();
        let lane = |bytes: usize| {
            let queue = if lanes > 1 { Some((backend.queue()?, backend.event(false)?)) } else { None };
            Ok(Lane { queue, room: device.buffer(bytes)? })
        };
        let lanes = rooms.into_iter().map(lane).collect::<Result<Vec<_>>>()?;
        let lanes = Mutex::new(Lanes { begin: backend.event(false)?, lanes });
        Ok(Self { sizes, operation, groups, backend, lanes, bytes })
    }

    /// The names of the kernels that its routes launch.
    fn kernels(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.groups.iter().flat_map(|planned| planned.route.kernels()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Enqueues the operation on op(A) for each group. Operands are those that the operation has, in order, as for
    /// [`Plan`](crate::resident::plan::Plan). The statuses of matrices of order 0 are well.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), which names the operand that does not fit.
    fn enqueue(&self, stream: &Stream, op: Op, bound: &[RaggedBound<'_>]) -> Result<()> {
        let work = stream.work();
        self.operation.check_count(bound.len())?;
        let all = || self.operation.operands.iter().zip(bound);
        let matrices = all().map(|(operand, bound)| bound.expect(operand, &self.sizes)).collect::<Result<Vec<_>>>()?;
        let uses: Vec<_> = all().flat_map(|(operand, bound)| bound.uses(operand.access)).collect();
        if !work.backend.is(&self.backend) || uses.iter().any(|(own, _)| !own.backend.is(&self.backend)) {
            return Err(foreign());
        }
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let Lanes { begin, lanes } = &mut *lanes;
        let _turn = work.turn();
        let rooms = lanes.iter().filter(|lane| !lane.room.is_empty());
        let rooms = rooms.map(|lane| (&lane.room.allocation, Access::Write));
        for (allocation, access) in uses.iter().copied().chain(rooms) {
            allocation.enter(work, access)?;
        }
        for group in self.sizes.matrices.groups().iter().filter(|group| group.shape.rows == 0) {
            for (memory, start, each) in all().filter_map(|(operand, bound)| bound.written_values(operand)) {
                work.queue.fill(memory, start + each * group.first, 0, each * group.count)?;
            }
        }
        if lanes.iter().any(|lane| lane.queue.is_some()) {
            work.queue.record(begin)?;
        }
        lanes.iter().filter_map(|lane| lane.queue.as_ref()).try_for_each(|(queue, _)| queue.wait(begin))?;
        let one = |Planned { group, route, space, lane }: &Planned| {
            let Lane { queue, room } = &lanes[*lane];
            let queue = queue.as_ref().map_or(&work.queue, |(queue, _)| queue);
            let (batch, launcher) =
                (self.sizes.matrices.groups()[*group].count as u64, Launcher { backend: &self.backend, queue });
            let operands: Vec<_> = matrices.iter().map(|of_groups| of_groups[*group]).collect();
            let room = space.room(room.address(), batch);
            let work = Work { launcher: &launcher, batch, operands: &operands, op, room, memory: None };
            // SAFETY: checked to be what the operation takes, and of this machine; apart by their borrows; pivots are
            // below n; buffers outlive the work on them.
            unsafe { route.enqueue(&work) }
        };
        let mut outcome = self.groups.iter().try_for_each(one);
        // Also where one has failed, the caller's stream waits for what is under way.
        for (queue, mark) in lanes.iter_mut().filter_map(|lane| lane.queue.as_mut()) {
            outcome = outcome.and(queue.record(mark).and_then(|()| work.queue.wait(mark)));
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{self, Extent};
    use crate::resident::{DeviceRagged, DeviceSlice};

    /// Each operand of each operation is given with elements of another type, with other sizes, as something else, and
    /// not at all.
    #[test]
    fn an_operand_that_is_wrong_is_named() {
        let (device, sizes) = (Device::cpu(), Sizes::new(&[(2, 3), (1, 2)]).unwrap());
        let other_sizes = Sizes::new(&[(1, 1), (1, 1)]).unwrap();
        let (numbers, others) = (device.upload(&[1.0; 8]).unwrap(), device.upload(&[0.0_f32; 8]).unwrap());
        let (codes, few) = (device.upload(&[0; 2]).unwrap(), device.upload(&[0; 1]).unwrap());
        let (pivots, of_others) =
            (device.ragged_pivots(&sizes.matrices).unwrap(), device.ragged_pivots(&other_sizes.matrices).unwrap());
        let len = |sizes: &RaggedSizes| sizes.shapes().iter().map(|shape| shape.rows * shape.cols).sum::<usize>();
        // Those of matrices, and of right-hand sides.
        let of = |sizes: &Sizes| {
            let table = |of| DeviceRagged::row_major(numbers.slice(..len(of)).unwrap(), of).unwrap();
            [&sizes.matrices, &sizes.sides].map(table)
        };
        let (right, of_other_sizes) = (of(&sizes), of(&other_sizes));
        let of_other_type = [&sizes.matrices, &sizes.sides]
            .map(|of| DeviceRagged::row_major(others.slice(..len(of)).unwrap(), of).unwrap());
        let stream = device.stream().unwrap();
        let given = |extent: Extent, how: usize| -> RaggedBound<'_> {
            match (extent, how) {
                (Extent::Square | Extent::Sides, 0) => (&right[usize::from(extent == Extent::Sides)]).into(),
                (Extent::Square | Extent::Sides, 1) => (&of_other_type[usize::from(extent == Extent::Sides)]).into(),
                (Extent::Square | Extent::Sides, 2) => (&of_other_sizes[usize::from(extent == Extent::Sides)]).into(),
                (Extent::Rows, 0) => (&pivots).into(),
                (Extent::Rows, 2) => (&of_others).into(),
                (Extent::One, 0) => DeviceSlice::from(&codes).into(),
                (Extent::One, 2) => DeviceSlice::from(&few).into(),
                (Extent::One, 3) => (&pivots).into(),
                (Extent::One | Extent::Rows, 1) => DeviceSlice::from(&others).into(),
                _ => DeviceSlice::from(&numbers).into(),
            }
        };
        let operations = [
            operation::factor_lu::<f64>(),
            operation::invert::<f64>(),
            operation::solve::<f64>(),
            operation::lu_solve::<f64>(),
        ];
        for operation in operations {
            let plan = RaggedPlan::<(), f64>::of(&device, operation, sizes.clone()).unwrap();
            for (wrong, operand) in operation.operands.iter().enumerate() {
                for how in 1..=3 {
                    let one = |(at, other): (usize, &operation::Operand)| {
                        given(other.extent, if at == wrong { how } else { 0 })
                    };
                    let bound: Vec<_> = operation.operands.iter().enumerate().map(one).collect();
                    let told = plan.enqueue(&stream, Op::None, &bound).unwrap_err().to_string();
                    assert!(told.contains(operand.name), "{operation:?}, {}: {told}", operand.name);
                }
            }
            assert!(plan.enqueue(&stream, Op::None, &[]).is_err());
        }
    }
}
