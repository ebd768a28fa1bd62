//! Reads that the memory's cells have no room for.

use super::learned::Need;
use super::shadow::{Access, Actor, Clash};

/// The reads of a stretch of memory that were left over.
///
/// Barriers alone never order a write after some reads of different warps and not after others, so with them the reads
/// in the cells suffice. Mbarriers may: then all are kept that nothing is known to come after.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd(Vec<Kept>);

#[derive(Clone, Debug)]
struct Kept {
    at: usize,
    bytes: usize,
    era: u64,
    read: Access,
}

impl Crowd {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps a read of the bytes at `at`.
    #[cold]
    pub(super) fn keep(&mut self, at: usize, bytes: usize, actor: &Actor<'_>, read: Access) {
        if !actor.clock.is_intricate() {
            return;
        }
        let era = actor.era;
        self.0.retain(|kept| kept.era == era && (kept.at != at || actor.unordered(&kept.read, Need::Over) != 0));
        let same = |kept: &&mut Kept| (kept.at, kept.bytes) == (at, bytes);
        if !self.0.iter_mut().filter(same).any(|kept| kept.read.absorb(&read)) {
            self.0.push(Kept { at, bytes, era, read });
        }
    }

    /// Checks a write of the bytes at `at`, and forgets the reads of them, after which it must come.
    #[cold]
    pub(super) fn check(&mut self, at: usize, bytes: usize, actor: &Actor<'_>) -> Result<(), Clash> {
        let meets = |kept: &Kept| kept.era == actor.era && kept.at < at + bytes && at < kept.at + kept.bytes;
        for kept in self.0.iter().filter(|kept| meets(kept)) {
            actor.check(Some(&kept.read), false, Need::Over)?;
        }
        self.0.retain(|kept| kept.era == actor.era && !(kept.at >= at && kept.at + kept.bytes <= at + bytes));
        Ok(())
    }
}
