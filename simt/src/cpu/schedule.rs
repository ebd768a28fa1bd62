//! Whose turn it is: the threads that can run, those that wait, and those that have returned.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::panic::Location;

use super::collective::{Call, Operation, Warp, lanes};
use super::fault::{FaultKind, Finding, Site};

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wait {
    No,
    Barrier(&'static Location<'static>),
    Collective(Operation, u32, &'static Location<'static>),
    Cluster(&'static Location<'static>),
    /// At the mbarrier of this byte.
    Mbarrier(u32, &'static Location<'static>),
    Returned,
}

/// The threads of a block.
#[derive(Debug)]
pub(super) struct Schedule {
    block: u32,
    threads: Vec<Wait>,
    ready: Vec<u32>,
    waiting_at_barrier: usize,
    returned: usize,
    warps: Vec<Warp>,
}

impl Schedule {
    pub(super) fn new(block: u32, threads: u32) -> Self {
        Self {
            block,
            threads: vec![Wait::No; threads as usize],
            ready: (0..threads).collect(),
            waiting_at_barrier: 0,
            returned: 0,
            warps: (0..threads.div_ceil(32)).map(|index| Warp::new(block, index, threads)).collect(),
        }
    }

    /// The threads that can run now, each of them once.
    pub(super) fn take_ready(&mut self) -> std::vec::Drain<'_, u32> {
        self.ready.drain(..)
    }

    /// Whether all threads have returned.
    pub(super) fn has_ended(&self) -> bool {
        self.returned == self.threads.len()
    }

    /// The warp of a thread.
    pub(super) fn warp(&self, thread: u32) -> &Warp {
        &self.warps[thread as usize / 32]
    }

    pub(super) fn exit(&mut self, thread: u32) {
        self.threads[thread as usize] = Wait::Returned;
        self.returned += 1;
        self.warps[thread as usize / 32].exit(thread % 32);
    }

    /// `thread` waits at the block's barrier. Returns whether all do now.
    pub(super) fn barrier(&mut self, thread: u32, location: &'static Location<'static>) -> Result<bool, Box<Finding>> {
        if self.waiting_at_barrier > 0 {
            self.check_barrier(location)?;
        }
        self.threads[thread as usize] = Wait::Barrier(location);
        self.waiting_at_barrier += 1;
        let complete = self.waiting_at_barrier == self.threads.len();
        if complete {
            self.waiting_at_barrier = 0;
            self.threads.fill(Wait::No);
            self.ready.extend(0..self.threads.len() as u32);
        }
        Ok(complete)
    }

    fn check_barrier(&self, location: &'static Location<'static>) -> Result<(), Box<Finding>> {
        let waiting = self.threads.iter().enumerate().find_map(|(thread, wait)| match *wait {
            Wait::Barrier(at) => Some((thread as u32, at)),
            _ => None,
        });
        match waiting {
            Some((thread, at)) if !std::ptr::eq(at, location) && at != location => {
                let other = Site::new(self.block, thread, at);
                let detail = format!("at a block barrier, while {other} waits at another");
                Err(Finding::against(FaultKind::Divergence, other, detail))
            }
            _ => Ok(()),
        }
    }

    /// `thread` waits in a collective of its warp. Returns whether all of the lanes do now.
    pub(super) fn collective(&mut self, thread: u32, call: &Call<'_>) -> Result<bool, Box<Finding>> {
        let warp = &mut self.warps[thread as usize / 32];
        self.threads[thread as usize] = Wait::Collective(call.operation, call.mask, call.location);
        let complete = warp.arrive(thread % 32, call)?;
        if complete {
            for lane in lanes(call.mask) {
                self.threads[(warp.first + lane) as usize] = Wait::No;
                self.ready.push(warp.first + lane);
            }
        }
        Ok(complete)
    }

    /// `thread` waits for the other blocks of the cluster.
    pub(super) fn wait_for_cluster(&mut self, thread: u32, location: &'static Location<'static>) {
        self.threads[thread as usize] = Wait::Cluster(location);
    }

    /// Those who wait for the other blocks can go on.
    pub(super) fn end_wait_for_cluster(&mut self) {
        self.end_waits(|wait| matches!(wait, Wait::Cluster(_)));
    }

    /// `thread` waits for a phase of the mbarrier of this byte.
    pub(super) fn wait_for_mbarrier(&mut self, thread: u32, offset: u32, location: &'static Location<'static>) {
        self.threads[thread as usize] = Wait::Mbarrier(offset, location);
    }

    /// Those who wait for the mbarrier of this byte can go on.
    pub(super) fn end_wait_for_mbarrier(&mut self, offset: u32) {
        self.end_waits(|wait| matches!(wait, Wait::Mbarrier(at, _) if at == offset));
    }

    fn end_waits(&mut self, is_over: impl Fn(Wait) -> bool) {
        for (thread, wait) in self.threads.iter_mut().enumerate().filter(|(_, wait)| is_over(**wait)) {
            *wait = Wait::No;
            self.ready.push(thread as u32);
        }
    }

    /// Those who wait, and where.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u32, &'static Location<'static>)> {
        self.threads.iter().enumerate().filter_map(|(thread, wait)| match *wait {
            Wait::Barrier(at) | Wait::Collective(_, _, at) | Wait::Cluster(at) | Wait::Mbarrier(_, at) => {
                Some((thread as u32, at))
            }
            Wait::No | Wait::Returned => None,
        })
    }

    /// The mbarriers that are waited for, by their first bytes, and the first who waits for each.
    pub(super) fn mbarriers(&self) -> BTreeMap<u32, (u32, &'static Location<'static>)> {
        let mut first = BTreeMap::new();
        for (thread, wait) in self.threads.iter().enumerate() {
            if let Wait::Mbarrier(offset, at) = *wait {
                first.entry(offset).or_insert((thread as u32, at));
            }
        }
        first
    }

    /// Who waits where: runs of threads that do the same.
    pub(super) fn describe(&self) -> String {
        let mut text = String::new();
        let mut first = 0;
        for run in self.threads.chunk_by(|a, b| a == b) {
            let last = first + run.len() - 1;
            let separator = if first == 0 { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = match first == last {
                true => write!(text, "{separator}thread {first} {}", run[0]),
                false => write!(text, "{separator}threads {first} to {last} {}", run[0]),
            };
            first = last + 1;
        }
        text
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::No => f.write_str("can run"),
            Self::Returned => f.write_str("returned"),
            Self::Barrier(at) => write!(f, "at the block barrier of {}:{}", at.file(), at.line()),
            Self::Cluster(at) => write!(f, "at the cluster barrier of {}:{}", at.file(), at.line()),
            Self::Mbarrier(offset, at) => {
                write!(f, "at the mbarrier of byte {offset}, at {}:{}", at.file(), at.line())
            }
            Self::Collective(operation, mask, at) => {
                write!(f, "in {operation} of the lanes {mask:#010x} at {}:{}", at.file(), at.line())
            }
        }
    }
}
