//! Warp collectives: who has arrived, and what each lane gets.

use std::fmt;
use std::panic::Location;

use super::fault::{FaultKind, Finding, Site};
use super::product::{self, Fragments};

/// What a collective does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Sync,
    Ballot,
    Max,
    Shuffle { bytes: usize },
    Product,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sync => f.write_str("a warp sync"),
            Self::Ballot => f.write_str("a ballot"),
            Self::Max => f.write_str("a maximum"),
            Self::Shuffle { bytes } => write!(f, "a shuffle of {bytes} bytes"),
            Self::Product => f.write_str("a matrix product"),
        }
    }
}

/// A collective as one lane calls it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) operation: Operation,
    pub(super) mask: u32,
    pub(super) location: &'static Location<'static>,
    /// What the lane passes in.
    pub(super) value: [u32; 4],
    /// The lane it shuffles from.
    pub(super) source: u32,
    /// Its part of a product.
    pub(super) fragments: Option<&'a Fragments>,
}

/// The collectives that lanes of one warp wait in.
#[derive(Debug)]
pub(super) struct Warp {
    block: u32,
    /// Its first thread.
    pub(super) first: u32,
    /// The lanes that there are.
    pub(super) all: u32,
    exited: u32,
    groups: Vec<Group>,
    /// What each lane passed in, and then what it gets.
    values: [[u32; 4]; 32],
    sources: [u32; 32],
    /// Each lane's part of a product, none before the first: `c` is the result, in the end.
    fragments: Vec<Fragments>,
}

/// Lanes that wait for each other.
#[derive(Debug)]
struct Group {
    operation: Operation,
    mask: u32,
    arrived: u32,
    location: &'static Location<'static>,
}

/// The lanes of a mask.
#[inline]
pub(super) fn lanes(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

impl Warp {
    /// Warp `index` of a block of `threads` threads.
    pub(super) fn new(block: u32, index: u32, threads: u32) -> Self {
        let first = index * 32;
        let all = u32::MAX >> (32 - (threads - first).min(32));
        Self {
            block,
            first,
            all,
            exited: 0,
            groups: Vec::new(),
            values: [[0; 4]; 32],
            sources: [0; 32],
            fragments: Vec::new(),
        }
    }

    /// `lane` has returned from the kernel.
    pub(super) fn exit(&mut self, lane: u32) {
        self.exited |= 1 << lane;
    }

    /// What `lane` got from the collective that it waited in.
    pub(super) fn result(&self, lane: u32) -> [u32; 4] {
        self.values[lane as usize]
    }

    /// What `lane` got from the product that it waited in.
    pub(super) fn product(&self, lane: u32) -> [f64; 4] {
        self.fragments[lane as usize].c
    }

    /// `lane` makes a call and waits. Returns whether all lanes of its mask are there now.
    pub(super) fn arrive(&mut self, lane: u32, call: &Call<'_>) -> Result<bool, Box<Finding>> {
        self.check(lane, call)?;
        self.values[lane as usize] = call.value;
        self.sources[lane as usize] = call.source;
        if let Some(fragments) = call.fragments {
            self.fragments.resize(32, Fragments::default());
            self.fragments[lane as usize] = *fragments;
        }
        let i = match self.groups.iter().position(|group| group.mask == call.mask) {
            Some(i) => i,
            None => {
                let Call { operation, mask, location, .. } = *call;
                self.groups.push(Group { operation, mask, arrived: 0, location });
                self.groups.len() - 1
            }
        };
        self.groups[i].arrived |= 1 << lane;
        let complete = self.groups[i].arrived == call.mask;
        if complete {
            self.groups.swap_remove(i);
            self.exchange(call.operation, call.mask);
        }
        Ok(complete)
    }

    fn check(&self, lane: u32, call: &Call<'_>) -> Result<(), Box<Finding>> {
        let Call { operation, mask, location, source, .. } = *call;
        let refuse = |reason: String| {
            let detail = format!("{operation} of the lanes {mask:#010x} by lane {lane}, {reason}");
            Err(Finding::new(FaultKind::Divergence, detail))
        };
        if mask >> lane & 1 == 0 {
            return refuse("which is not one of them".to_owned());
        }
        if mask & !self.all != 0 {
            return refuse(format!("in a warp that has the lanes {:#010x} only", self.all));
        }
        if mask & self.exited != 0 {
            return refuse(format!("of which {:#010x} have returned", mask & self.exited));
        }
        if matches!(operation, Operation::Shuffle { .. }) && mask >> source & 1 == 0 {
            return refuse(format!("from lane {source}, which is not one of them"));
        }
        for group in &self.groups {
            // Those who wait for each other must agree.
            let same = group.mask == mask
                && group.operation == operation
                && (std::ptr::eq(group.location, location) || group.location == location);
            let at_odds = group.mask >> lane & 1 == 1 && group.arrived & mask != 0;
            if at_odds && !same {
                let waiting = self.first + (group.arrived & mask).trailing_zeros();
                let other = Site::new(self.block, waiting, group.location);
                let detail = format!(
                    "{operation} of the lanes {mask:#010x}, while {other} waits in {} of the lanes {:#010x}",
                    group.operation, group.mask,
                );
                return Err(Finding::against(FaultKind::Divergence, other, detail));
            }
        }
        Ok(())
    }

    fn exchange(&mut self, operation: Operation, mask: u32) {
        let passed = self.values;
        let of = |lane: u32| passed[lane as usize];
        let common = match operation {
            Operation::Sync => return,
            Operation::Product => {
                product::multiply(&mut self.fragments);
                return;
            }
            Operation::Shuffle { .. } => {
                for lane in lanes(mask) {
                    self.values[lane as usize] = of(self.sources[lane as usize]);
                }
                return;
            }
            Operation::Ballot => lanes(mask).fold(0, |bits, lane| bits | of(lane)[0] << lane),
            Operation::Max => lanes(mask).fold(0, |largest, lane| of(lane)[0].max(largest)),
        };
        for lane in lanes(mask) {
            self.values[lane as usize][0] = common;
        }
    }
}
