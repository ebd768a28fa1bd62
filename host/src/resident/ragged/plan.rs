//! What plans for matrices of many sizes have: a route for each group, and streams of their own to have several groups
//! under way at once.

use std::sync::{Arc, Mutex, PoisonError};

use super::order::Sizes;
use crate::backend::{Backend, Event, Queue, foreign};
use crate::device::{Device, Single};
use crate::error::Result;
use crate::launch::Launcher;
use crate::resident::uses::{Access, Allocation};
use crate::resident::{DeviceBuffer, DeviceSlice, Stream};
use crate::route::{Room, Space};

/// Groups under way at once.
const LANES: usize = 8;

/// Routes, and the memory that they work in.
#[derive(Debug)]
pub(super) struct RaggedPlan<R> {
    pub(super) sizes: Sizes,
    groups: Vec<Planned<R>>, // none for matrices of order 0
    backend: Backend,
    /// Taken by who enqueues work, which streams of several threads share.
    lanes: Mutex<Lanes>,
    bytes: usize,
}

/// A group's route.
#[derive(Debug)]
struct Planned<R> {
    /// Which group.
    group: usize,
    route: R,
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

/// A group of a run.
#[derive(Clone, Copy)]
pub(super) struct Run<'a, R> {
    pub(super) group: usize,
    pub(super) count: u64,
    pub(super) route: &'a R,
    pub(super) room: Room<'a>,
}

impl<R> RaggedPlan<R> {
    /// Routes for matrices with these orders and numbers of right-hand sides.
    pub(super) fn new(
        device: &Device,
        sizes: Sizes,
        route: impl Fn(&Single, usize, usize, &mut Space) -> Result<R>,
    ) -> Result<Self> {
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
            let route = route(&single, n, rhs, &mut space)?;
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
        Ok(Self { sizes, groups, backend, lanes, bytes })
    }

    /// Bytes of device memory that it works in.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The names of the kernels that its routes launch, by `of` a route.
    pub(super) fn kernels(&self, of: impl Fn(&R) -> Vec<&'static str>) -> Vec<&'static str> {
        let mut names: Vec<_> = self.groups.iter().flat_map(|planned| of(&planned.route)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Has the stream wait for others' work on what is used, all of which must be of the plan's device; then
    /// `enqueue`s each group. The statuses of matrices of order 0 are well.
    pub(super) fn run(
        &self,
        stream: &Stream,
        uses: &[(&Arc<Allocation>, Access)],
        status: &DeviceSlice<'_, i32>,
        enqueue: impl Fn(&Launcher<'_>, Run<'_, R>) -> Result<()>,
    ) -> Result<()> {
        let work = stream.work();
        if !work.backend.is(&self.backend) || uses.iter().any(|(own, _)| !own.backend.is(&self.backend)) {
            return Err(foreign());
        }
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let Lanes { begin, lanes } = &mut *lanes;
        let _turn = work.turn();
        let rooms = lanes.iter().filter(|lane| !lane.room.is_empty());
        let rooms = rooms.map(|lane| (&lane.room.allocation, Access::Write));
        for (allocation, access) in uses.iter().copied().chain([(status.allocation, Access::Write)]).chain(rooms) {
            allocation.enter(work, access)?;
        }
        for group in self.sizes.matrices.groups().iter().filter(|group| group.shape.rows == 0) {
            let (first, bytes) = (4 * group.first, 4 * group.count);
            work.queue.fill(status.memory(), status.byte_offset() + first, 0, bytes)?;
        }
        if lanes.iter().any(|lane| lane.queue.is_some()) {
            work.queue.record(begin)?;
        }
        lanes.iter().filter_map(|lane| lane.queue.as_ref()).try_for_each(|(queue, _)| queue.wait(begin))?;
        let one = |Planned { group, route, space, lane }: &Planned<R>| {
            let Lane { queue, room } = &lanes[*lane];
            let queue = queue.as_ref().map_or(&work.queue, |(queue, _)| queue);
            let count = self.sizes.matrices.groups()[*group].count as u64;
            let run = Run { group: *group, count, route, room: space.room(room.address(), count) };
            enqueue(&Launcher { backend: &self.backend, queue }, run)
        };
        let mut outcome = self.groups.iter().try_for_each(one);
        // Also where one has failed, the caller's stream waits for what is under way.
        for (queue, mark) in lanes.iter_mut().filter_map(|lane| lane.queue.as_mut()) {
            outcome = outcome.and(queue.record(mark).and_then(|()| work.queue.wait(mark)));
        }
        outcome
    }
}
