//! Reads that the memory's cells have no room for.

use std::collections::BTreeMap;

use super::learned::Need;
use super::shadow::{Access, Actor, Clash};

/// Bytes that share a cell at most: the largest access that one instruction makes.
pub(super) const LARGEST_GRANULE: u32 = 16;

/// The reads of a stretch of memory that were left over, by the first byte that their cell had.
///
/// Barriers alone never order a write after some reads of different warps and not after others, so with them the reads
/// in the cells suffice. Mbarriers may: then all are kept that nothing is known to come after.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd(BTreeMap<usize, Vec<Kept>>);

#[derive(Clone, Debug)]
struct Kept {
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
        let all = self.0.entry(at).or_default();
        if all.iter_mut().any(|kept| kept.era == era && kept.bytes == bytes && kept.read.absorb(&read)) {
            return;
        }
        all.retain(|kept| kept.era == era && actor.unordered(&kept.read, Need::Over) != 0);
        all.push(Kept { bytes, era, read });
    }

    /// Checks a write of the bytes at `at`, and forgets the reads of them, after which it must come.
    #[cold]
    pub(super) fn check(&mut self, at: usize, bytes: usize, actor: &Actor<'_>) -> Result<(), Clash> {
        let first = (at + 1).saturating_sub(LARGEST_GRANULE as usize);
        let mut is_over = false;
        for (&other, all) in self.0.range_mut(first..at + bytes) {
            for kept in all.iter().filter(|kept| kept.era == actor.era && at < other + kept.bytes) {
                actor.check(Some(&kept.read), false, Need::Over)?;
            }
            all.retain(|kept| kept.era == actor.era && (other < at || other + kept.bytes > at + bytes));
            is_over |= all.is_empty();
        }
        if is_over {
            self.0.retain(|_, all| !all.is_empty());
        }
        Ok(())
    }
}
