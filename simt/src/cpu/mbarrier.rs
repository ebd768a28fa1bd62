//! The mbarriers of a block: what their phases still lack, and what those who wait for them learn.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::clock::Snapshot;
use super::fault::{FaultKind, Finding, Site};
use super::learned::{ARRIVALS, Learned, Places};

/// Most arrivals of a phase, and most bytes that it can expect: what the hardware counts to.
pub(super) const MOST: u32 = (1 << 20) - 1;

/// Bytes of an mbarrier.
pub(super) const BYTES: u32 = 8;

/// The mbarriers of a block, by their first bytes in its shared memory.
#[derive(Debug, Default)]
pub(super) struct Mbarriers(BTreeMap<u32, Mbarrier>);

#[derive(Debug)]
pub(super) struct Mbarrier {
    /// Arrivals of each phase.
    count: u32,
    /// Arrivals that the phase lacks.
    pending: u32,
    /// Bytes that it expects, less those that have come.
    bytes: i64,
    /// Phases that are complete.
    phase: u32,
    /// The entry among the block's arrivals. Where there are more mbarriers than entries, some share one: races may be
    /// missed then, but none is made up.
    pub(super) lane: u32,
    /// When bytes came last.
    last: Option<u32>,
    made: Site,
    /// What those who arrived knew.
    gathered: Learned,
    /// The same, as of the last complete phase.
    released: Rc<Learned>,
}

impl Mbarriers {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes one that expects `count` arrivals a phase.
    pub(super) fn init(&mut self, offset: u32, count: u32, places: &Places, made: Site) -> Result<(), Box<Finding>> {
        if let Some((at, other)) = self.near(offset, BYTES) {
            let detail = format!(
                "an mbarrier of byte {offset} is initialised, where {} has initialised one of byte {at} that is \
                 still in use",
                other.made
            );
            return Err(Finding::against(FaultKind::Mbarrier, other.made.clone(), detail));
        }
        if !(1..=MOST).contains(&count) {
            let detail = format!("an mbarrier for {count} arrivals a phase, where 1 to {MOST} are possible");
            return Err(Finding::new(FaultKind::Mbarrier, detail));
        }
        let taken = |lane: u32| self.0.values().any(|other| other.lane == lane);
        let lane = (0..ARRIVALS as u32).find(|&lane| !taken(lane)).unwrap_or(offset / BYTES % ARRIVALS as u32);
        let gathered = Learned::new(places);
        let released = Rc::new(gathered.clone());
        let new = Mbarrier { count, pending: count, bytes: 0, phase: 0, lane, last: None, made, gathered, released };
        self.0.insert(offset, new);
        Ok(())
    }

    /// Ends the use of one.
    pub(super) fn remove(&mut self, offset: u32) -> Result<(), Box<Finding>> {
        self.0.remove(&offset).map(|_| ()).ok_or_else(|| none(offset))
    }

    /// The one of this byte.
    pub(super) fn get(&mut self, offset: u32) -> Result<&mut Mbarrier, Box<Finding>> {
        self.0.get_mut(&offset).ok_or_else(|| none(offset))
    }

    /// A fault if ordinary memory accesses meet one.
    pub(super) fn check_apart(&self, access: &str, offset: usize, len: usize) -> Result<(), Box<Finding>> {
        match self.near(offset as u32, len as u32) {
            None => Ok(()),
            Some((at, _)) => {
                let detail =
                    format!("{access} of {len} bytes at byte {offset}, where an mbarrier of byte {at} is in use");
                Err(Finding::new(FaultKind::Mbarrier, detail))
            }
        }
    }

    /// What the phase of the mbarrier of this byte lacks.
    pub(super) fn lack(&self, offset: u32) -> String {
        match self.0.get(&offset) {
            Some(mbarrier) => format!("the mbarrier of byte {offset} {}", mbarrier.lack()),
            None => format!("there is no mbarrier of byte {offset} any more"),
        }
    }

    /// For each to which bytes have come: its entry among the arrivals, when they came last, and who made it.
    pub(super) fn arrivals(&self) -> impl Iterator<Item = (u32, u32, &Site)> {
        self.0.values().filter_map(|mbarrier| Some((mbarrier.lane, mbarrier.last?, &mbarrier.made)))
    }

    fn near(&self, offset: u32, len: u32) -> Option<(u32, &Mbarrier)> {
        let (&at, other) = self.0.range(..offset.saturating_add(len)).next_back()?;
        (at + BYTES > offset).then_some((at, other))
    }
}

impl Mbarrier {
    /// Phases that are complete.
    pub(super) fn phase(&self) -> u32 {
        self.phase
    }

    /// What is known to those who have waited for the last complete phase.
    pub(super) fn released(&self) -> Rc<Learned> {
        Rc::clone(&self.released)
    }

    /// A thread arrives, after it has let the phase expect so many bytes more. Returns whether that completes it.
    pub(super) fn arrive(&mut self, places: &Places, thread: &Snapshot, expected: u32) -> Result<bool, Box<Finding>> {
        if self.pending == 0 {
            let detail = format!(
                "an arrival in phase {} more than the {} that an mbarrier was initialised for",
                self.phase, self.count
            );
            return Err(Finding::against(FaultKind::Mbarrier, self.made.clone(), detail));
        }
        self.bytes += i64::from(expected);
        if self.bytes > i64::from(MOST) {
            let detail = format!("phase {} expects {} bytes, where {MOST} are possible", self.phase, self.bytes);
            return Err(Finding::new(FaultKind::Mbarrier, detail));
        }
        thread.tell(places, &mut self.gathered, true);
        self.pending -= 1;
        self.advance()
    }

    /// Bytes have come, stored at time `stamp` by a thread with this clock. Returns whether that completes the phase.
    ///
    /// What the thread did before is over then, but only these bytes are seen.
    pub(super) fn complete(
        &mut self,
        places: &Places,
        rank: u32,
        sender: &Snapshot,
        stamp: u32,
        bytes: u32,
    ) -> Result<bool, Box<Finding>> {
        self.bytes -= i64::from(bytes);
        sender.tell(places, &mut self.gathered, false);
        let entry = places.arrival(rank, self.lane);
        self.gathered.raise(entry..entry + 1, stamp + 1, true);
        self.last = Some(stamp);
        if self.bytes < -i64::from(MOST) {
            let detail = format!("{} bytes came in phase {} that it did not expect", -self.bytes, self.phase);
            return Err(Finding::against(FaultKind::Mbarrier, self.made.clone(), detail));
        }
        self.advance()
    }

    fn advance(&mut self) -> Result<bool, Box<Finding>> {
        if self.pending > 0 || self.bytes > 0 {
            return Ok(false);
        }
        // Bytes may come before they are expected, but after the last arrival nobody can expect more.
        if self.bytes < 0 {
            let detail = format!("{} bytes came in phase {} that it did not expect", -self.bytes, self.phase);
            return Err(Finding::against(FaultKind::Mbarrier, self.made.clone(), detail));
        }
        self.phase += 1;
        self.pending = self.count;
        self.released = Rc::new(self.gathered.clone());
        Ok(true)
    }

    fn lack(&self) -> String {
        let arrivals = format!("lacks {} of {} arrivals", self.pending, self.count);
        match self.bytes {
            0 => format!("{arrivals} in phase {}", self.phase),
            bytes if bytes > 0 => format!("{arrivals} and {bytes} bytes in phase {}", self.phase),
            bytes => format!(
                "{arrivals} in phase {}, for which {} bytes have come that it did not expect yet",
                self.phase, -bytes
            ),
        }
    }
}

#[cold]
fn none(offset: u32) -> Box<Finding> {
    Finding::new(FaultKind::Mbarrier, format!("no mbarrier of byte {offset} is initialised"))
}
