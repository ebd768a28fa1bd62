//! Whose turn it is: the threads that can run, those that wait, and those that have returned.

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
    Returned,
}

/// The threads of a block.
#[derive(Debug)]
pub(super) struct Schedule {
    block: u32,
    threads: Vec<Wait>,
    ready: Vec<u32>,
    waiting_at_barrier: usize,
    warps: Vec<Warp>,
    random: SplitMix64,
}

/// Steele, Lea and Flood's generator.
#[derive(Debug)]
struct SplitMix64(u64);

impl Schedule {
    pub(super) fn new(block: u32, threads: u32, seed: u64) -> Self {
        let key = SplitMix64(seed).next() ^ u64::from(block);
        Self {
            block,
            threads: vec![Wait::No; threads as usize],
            ready: (0..threads).collect(),
            waiting_at_barrier: 0,
            warps: (0..threads.div_ceil(32)).map(|index| Warp::new(block, index, threads)).collect(),
            random: SplitMix64(SplitMix64(key).next()),
        }
    }

    /// Moves the threads that can run now to `order`, shuffled.
    pub(super) fn round(&mut self, order: &mut Vec<u32>) {
        order.clear();
        order.append(&mut self.ready);
        for i in (1..order.len()).rev() {
            order.swap(i, self.random.below(i as u32 + 1) as usize);
        }
    }

    /// The warp of a thread.
    pub(super) fn warp(&self, thread: u32) -> &Warp {
        &self.warps[thread as usize / 32]
    }

    pub(super) fn exit(&mut self, thread: u32) {
        self.threads[thread as usize] = Wait::Returned;
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
            Some((thread, at)) if at != location => {
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

    /// When nobody can run: nothing if all have returned, else the first who waits, where, and the whole state.
    pub(super) fn stuck(&self) -> Option<(u32, &'static Location<'static>, Box<Finding>)> {
        let mut waiting = self.threads.iter().enumerate().filter_map(|(thread, wait)| match *wait {
            Wait::Barrier(at) | Wait::Collective(_, _, at) => Some((thread as u32, at)),
            Wait::No | Wait::Returned => None,
        });
        let (thread, location) = waiting.next()?;
        let other = waiting.find(|&(_, at)| at != location).map(|(thread, at)| Site::new(self.block, thread, at));
        let detail = self.describe();
        let kind = FaultKind::Divergence;
        let finding = other
            .map_or_else(|| Finding::new(kind, detail.clone()), |other| Finding::against(kind, other, detail.clone()));
        Some((thread, location, finding))
    }

    /// Who waits where: runs of threads that do the same.
    fn describe(&self) -> String {
        let mut text = String::from("no thread can go on");
        let mut first = 0;
        for run in self.threads.chunk_by(|a, b| a == b) {
            let last = first + run.len() - 1;
            let separator = if first == 0 { ": " } else { "; " };
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
            Self::Collective(operation, mask, at) => {
                write!(f, "in {operation} of the lanes {mask:#010x} at {}:{}", at.file(), at.line())
            }
        }
    }
}

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }
}
