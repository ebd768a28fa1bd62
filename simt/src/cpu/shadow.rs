//! What is remembered of the accesses to a piece of memory, to find races.

use std::panic::Location;

use super::clock::View;
use super::fault::Site;

/// A thread that accesses memory now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor<'a> {
    /// Accesses of other eras are over: the launch for global memory, the block for shared memory.
    pub(super) era: u64,
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) location: &'static Location<'static>,
    pub(super) clock: View<'a>,
}

/// An access by one thread, or the same one by several lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    location: &'static Location<'static>,
    block: u32,
    stamp: u32,
    lanes: u32,
    warp: u8,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    /// Whose access came first.
    pub(super) other: Site,
    /// Whether that was a write.
    pub(super) wrote: bool,
}

/// The last write to a piece of memory, and the reads since.
///
/// One access a slot, and at most two reads: one that is ordered before a later read need not be kept, as whatever is
/// unordered with it is unordered with the later one too. Where more than two are left, the two from the most different
/// places are kept: no write can be ordered after reads of two blocks, nor of two warps without a block barrier.
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
        Access {
            location: self.location,
            block: self.block,
            stamp: self.clock.stamp,
            lanes: self.bit(),
            warp: (self.thread / 32) as u8,
        }
    }

    /// The lanes of an earlier access that nothing orders before this one.
    #[inline]
    fn unordered(&self, earlier: &Access) -> u32 {
        if earlier.block != self.block {
            earlier.lanes
        } else if earlier.stamp < self.clock.epoch {
            0
        } else if u32::from(earlier.warp) != self.thread / 32 {
            earlier.lanes
        } else {
            self.clock.unordered(earlier.lanes & !self.bit(), earlier.stamp)
        }
    }

    #[inline]
    fn check(&self, earlier: Option<&Access>, wrote: bool) -> Result<(), Clash> {
        match earlier.map(|access| (access, self.unordered(access))) {
            None | Some((_, 0)) => Ok(()),
            Some((access, lanes)) => Err(Clash { other: access.site(lanes), wrote }),
        }
    }
}

impl Access {
    /// The first of `lanes`, where it made the access.
    #[cold]
    fn site(&self, lanes: u32) -> Site {
        Site::new(self.block, u32::from(self.warp) * 32 + lanes.trailing_zeros(), self.location)
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
            actor.check(self.write.as_ref(), true)?;
            actor.check(self.reads[0].as_ref(), false)?;
            actor.check(self.reads[1].as_ref(), false)?;
        }
        *self = Self { era: actor.era, write: Some(actor.access()), reads: [None; 2] };
        Ok(())
    }

    #[inline]
    pub(super) fn read(&mut self, actor: &Actor<'_>) -> Result<(), Clash> {
        if self.era != actor.era {
            *self = Self { era: actor.era, ..Self::UNTOUCHED };
        }
        actor.check(self.write.as_ref(), true)?;
        let read = actor.access();
        if let Some(same) = self.reads.iter_mut().flatten().find(|earlier| earlier.is_like(&read)) {
            same.lanes |= read.lanes;
        } else {
            self.remember(actor, read);
        }
        Ok(())
    }

    /// Adds a read unlike those kept.
    fn remember(&mut self, actor: &Actor<'_>, read: Access) {
        for slot in &mut self.reads {
            *slot = slot.and_then(|earlier| match actor.unordered(&earlier) {
                0 => None,
                lanes => Some(Access { lanes, ..earlier }),
            });
        }
        match &mut self.reads {
            [slot @ None, _] | [_, slot @ None] => *slot = Some(read),
            [Some(first), Some(second)] => {
                let apart = first.distance(second);
                if first.distance(&read) == 0 {
                    first.lanes |= read.lanes;
                } else if second.distance(&read) == 0 {
                    second.lanes |= read.lanes;
                } else if apart == 0 {
                    first.lanes |= second.lanes;
                    *second = read;
                } else if first.distance(&read) > apart {
                    *second = read;
                }
            }
        }
    }
}
