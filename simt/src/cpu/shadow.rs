//! What is remembered of the accesses to a piece of memory, to find races.

use std::panic::Location;

use super::clock::View;
use super::fault::Site;
use super::learned::{ARRIVAL_WARP, Need};

/// A thread that accesses memory now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor<'a> {
    /// Accesses of other eras are over: the launch for global memory, the block for shared memory.
    pub(super) era: u64,
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) location: &'static Location<'static>,
    pub(super) clock: View<'a>,
    /// Where an asynchronous store of the thread arrives, which takes place by itself.
    pub(super) arrival: Option<&'a Arrival>,
}

/// Whose entry in [`Learned`](super::learned::Learned) orders what comes after an asynchronous store, and when it
/// arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// The block of the mbarrier.
    pub(super) block: u32,
    /// Which of the block's arrivals.
    pub(super) lane: u32,
    pub(super) stamp: u32,
}

/// Added to the block of an asynchronous store: no grid has so many blocks, so that it is never the actor's.
const OF_ARRIVALS: u32 = 1 << 31;

/// An access by one thread, or the same one by several lanes of a warp; or an asynchronous store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    location: &'static Location<'static>,
    /// With [`OF_ARRIVALS`] for an asynchronous store, whose block is that of its mbarrier.
    block: u32,
    stamp: u32,
    lanes: u32,
    warp: u8,
    /// Of an asynchronous store: how many blocks after `block` its thread's block is, modulo 256.
    sender_block: u8,
    /// Of an asynchronous store: its thread.
    sender: u16,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    /// Whose access came first.
    pub(super) other: Site,
    /// Whether that was a write.
    pub(super) wrote: bool,
    /// Whether that was an asynchronous store.
    pub(super) asynchronously: bool,
}

/// The last write to a piece of memory, and the reads since.
///
/// One access a slot, and at most two reads: one that is ordered before a later read need not be kept, as whatever is
/// unordered with it is unordered with the later one too. Where more than two are left, the two from the most different
/// places are kept: by barriers alone no write can be ordered after reads of two blocks, nor of two warps without a
/// block barrier. For the others there is the [`Crowd`](super::crowd::Crowd).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    era: u64,
    write: Option<Access>,
    reads: [Option<Access>; 2],
}

impl Actor<'_> {
    fn bit(&self) -> u32 {
        1 << (self.thread % 32)
    }

    fn access(&self) -> Access {
        let &Self { location, block, .. } = self;
        match self.arrival {
            None => Access {
                location,
                block,
                stamp: self.clock.stamp,
                lanes: self.bit(),
                warp: (self.thread / 32) as u8,
                sender_block: 0,
                sender: 0,
            },
            Some(arrival) => Access {
                location,
                block: arrival.block | OF_ARRIVALS,
                stamp: arrival.stamp,
                lanes: 1 << arrival.lane,
                warp: ARRIVAL_WARP,
                sender_block: block.wrapping_sub(arrival.block) as u8,
                sender: self.thread as u16,
            },
        }
    }

    /// The lanes of an earlier access that nothing orders before this one.
    #[inline]
    pub(super) fn unordered(&self, earlier: &Access, need: Need) -> u32 {
        let Access { block, warp, stamp, lanes, .. } = *earlier;
        let lanes = if block != self.block {
            lanes
        } else if stamp < self.clock.epoch {
            return 0;
        } else if u32::from(warp) != self.thread / 32 {
            lanes
        } else {
            // What a thread itself did comes before, unless it has only begun this access before.
            let own = if self.arrival.is_some() && stamp >= self.clock.stamp { 0 } else { self.bit() };
            self.clock.unordered(lanes & !own, stamp)
        };
        if lanes == 0 || !self.clock.is_intricate() {
            return lanes;
        }
        self.clock.unordered_beyond(block & !OF_ARRIVALS, warp, lanes, stamp, need)
    }

    #[inline]
    pub(super) fn check(&self, earlier: Option<&Access>, wrote: bool, need: Need) -> Result<(), Clash> {
        match earlier.map(|access| (access, self.unordered(access, need))) {
            None | Some((_, 0)) => Ok(()),
            Some((access, lanes)) => Err(access.clash(lanes, wrote)),
        }
    }
}

impl Access {
    /// What another access is at odds with: the first of `lanes`, where it made this one.
    #[cold]
    fn clash(&self, lanes: u32, wrote: bool) -> Clash {
        let asynchronously = self.warp == ARRIVAL_WARP;
        let other = if asynchronously {
            // Blocks of a cluster are less than 16 apart.
            let apart = i32::from(self.sender_block.cast_signed());
            Site::new((self.block & !OF_ARRIVALS).wrapping_add_signed(apart), self.sender.into(), self.location)
        } else {
            Site::new(self.block, u32::from(self.warp) * 32 + lanes.trailing_zeros(), self.location)
        };
        Clash { other, wrote, asynchronously }
    }

    /// How far apart two accesses are: in source only, in time, in another warp, in another block.
    fn distance(&self, other: &Self) -> u32 {
        match (self.block == other.block, self.warp == other.warp, self.stamp == other.stamp) {
            (true, true, true) => 0,
            (true, true, false) => 1,
            (true, false, _) => 2,
            (false, ..) => 3,
        }
    }

    /// Takes another in, if the two differ in nothing but source and lanes.
    pub(super) fn absorb(&mut self, other: &Self) -> bool {
        let alike = self.distance(other) == 0;
        if alike {
            self.lanes |= other.lanes;
        }
        alike
    }

    /// Whether the two differ in their lanes alone.
    #[inline]
    fn is_like(&self, other: &Self) -> bool {
        self.distance(other) == 0 && std::ptr::eq(self.location, other.location)
    }
}

impl Cell {
    pub(super) const UNTOUCHED: Self = Self { era: 0, write: None, reads: [None; 2] };

    #[inline]
    pub(super) fn write(&mut self, actor: &Actor<'_>) -> Result<(), Clash> {
        if self.era == actor.era {
            actor.check(self.write.as_ref(), true, Need::Over)?;
            actor.check(self.reads[0].as_ref(), false, Need::Over)?;
            actor.check(self.reads[1].as_ref(), false, Need::Over)?;
        }
        *self = Self { era: actor.era, write: Some(actor.access()), reads: [None; 2] };
        Ok(())
    }

    /// A read. Where that leaves no room for one, `leave` gets it.
    #[inline]
    pub(super) fn read(&mut self, actor: &Actor<'_>, leave: impl FnOnce(Access)) -> Result<(), Clash> {
        if self.era != actor.era {
            *self = Self { era: actor.era, ..Self::UNTOUCHED };
        }
        actor.check(self.write.as_ref(), true, Need::Seen)?;
        let read = actor.access();
        if let Some(same) = self.reads.iter_mut().flatten().find(|earlier| earlier.is_like(&read)) {
            same.lanes |= read.lanes;
        } else if let Some(left) = self.remember(actor, read) {
            leave(left);
        }
        Ok(())
    }

    /// Adds a read unlike those kept, and returns one that there is no room for.
    #[inline(never)]
    fn remember(&mut self, actor: &Actor<'_>, read: Access) -> Option<Access> {
        for slot in &mut self.reads {
            if let Some(earlier) = slot {
                match actor.unordered(earlier, Need::Over) {
                    0 => *slot = None,
                    lanes => earlier.lanes = lanes,
                }
            }
        }
        match &mut self.reads {
            [slot @ None, _] | [_, slot @ None] => *slot = Some(read),
            [Some(first), Some(second)] => {
                let apart = first.distance(second);
                if first.absorb(&read) || second.absorb(&read) {
                    return None;
                }
                if apart == 0 {
                    first.lanes |= second.lanes;
                    *second = read;
                } else if first.distance(&read) > apart {
                    return Some(std::mem::replace(second, read));
                } else {
                    return Some(read);
                }
            }
        }
        None
    }
}
