//! The barrier of a cluster, at which all threads of all its blocks wait for each other.

use std::panic::Location;
use std::rc::Rc;

use super::clock::{Clocks, Snapshot};
use super::fault::{FaultKind, Finding, Site};
use super::id::Id;
use super::learned::Learned;

/// Who has arrived.
#[derive(Debug)]
pub(super) struct ClusterBarrier {
    first_block: u32,
    threads_each: u32,
    /// For each thread, block after block: where it arrived, and in which phase, until it has waited.
    arrived: Box<[Option<(u32, &'static Location<'static>)>]>,
    /// How many have arrived in this phase.
    count: usize,
    /// Phases that are complete.
    phase: u32,
    /// What those knew who arrive in one place and wait in another: what they do between is not ordered.
    parted: Option<Learned>,
    /// Those who arrive and wait at once.
    whole: Vec<Id>,
    /// What is known from the last phase on, where it is not everything.
    released: Option<Rc<Learned>>,
}

impl ClusterBarrier {
    pub(super) fn new(first_block: u32, blocks: u32, threads: u32) -> Self {
        Self {
            first_block,
            threads_each: threads,
            arrived: vec![None; (blocks * threads) as usize].into(),
            count: 0,
            phase: 0,
            parted: None,
            whole: Vec::new(),
            released: None,
        }
    }

    /// A thread arrives, and waits at once if it is not `parted`. Returns whether all have arrived now.
    pub(super) fn arrive(
        &mut self,
        id: Id,
        location: &'static Location<'static>,
        clocks: &mut Clocks,
        parted: bool,
    ) -> Result<bool, Box<Finding>> {
        self.check(id, location)?;
        self.arrived[self.at(id)] = Some((self.phase, location));
        self.count += 1;
        if parted {
            let part = clocks.part(id);
            let known = self.parted.get_or_insert_with(|| Learned::new(&clocks.places));
            part.tell(&clocks.places, known, true);
        } else {
            self.whole.push(id);
        }
        let complete = self.count == self.arrived.len();
        if complete {
            self.complete(clocks);
        }
        Ok(complete)
    }

    fn complete(&mut self, clocks: &mut Clocks) {
        self.count = 0;
        self.phase += 1;
        let whole = std::mem::take(&mut self.whole);
        self.released = self.parted.take().map(|mut known| {
            // They have done nothing since they arrived.
            let parts: Vec<Snapshot> = whole.into_iter().map(|id| clocks.part(id)).collect();
            parts.iter().for_each(|part| part.tell(&clocks.places, &mut known, true));
            Rc::new(known)
        });
        if self.released.is_none() {
            clocks.cluster_barrier();
        }
    }

    /// A thread that has arrived wants to go on. Returns whether it can.
    pub(super) fn may_pass(&self, id: Id) -> Result<bool, Box<Finding>> {
        match self.arrived[self.at(id)] {
            Some((phase, _)) => Ok(phase < self.phase),
            None => {
                let detail = "it waits at the cluster barrier without having arrived there".to_owned();
                Err(Finding::new(FaultKind::Divergence, detail))
            }
        }
    }

    /// A thread goes on.
    pub(super) fn pass(&mut self, id: Id, clocks: &mut Clocks) {
        self.arrived[self.at(id)] = None;
        if let Some(known) = &self.released {
            clocks.learn(id, known);
        }
    }

    fn at(&self, id: Id) -> usize {
        (id.rank * self.threads_each + id.thread) as usize
    }

    /// A thread must have waited before it arrives again, and all lanes of a warp arrive in one place.
    fn check(&self, id: Id, location: &'static Location<'static>) -> Result<(), Box<Finding>> {
        if let Some((_, at)) = self.arrived[self.at(id)] {
            let before = Site::new(self.first_block + id.rank, id.thread, at);
            let detail = format!("it arrives at the cluster barrier again, after {before} and without having waited");
            return Err(Finding::new(FaultKind::Divergence, detail));
        }
        let first = id.thread & !31;
        let lanes = first..(first + 32).min(self.threads_each);
        let elsewhere = lanes.into_iter().find_map(|thread| match self.arrived[self.at(Id { thread, ..id })] {
            Some((phase, at)) if phase == self.phase && at != location => Some((thread, at)),
            _ => None,
        });
        match elsewhere {
            None => Ok(()),
            Some((thread, at)) => {
                let other = Site::new(self.first_block + id.rank, thread, at);
                let detail = format!("at a cluster barrier, while {other} of the same warp is at another");
                Err(Finding::against(FaultKind::Divergence, other, detail))
            }
        }
    }
}
