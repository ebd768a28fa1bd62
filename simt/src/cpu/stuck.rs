//! What is wrong when no thread can go on.

use std::fmt::Write;

use super::fault::{FaultKind, Finding, Site};
use super::state::Block;

/// Nothing if all threads have returned, else the first who waits, and the whole state.
pub(super) fn finding(blocks: &[Block<'_>]) -> Option<(Site, Box<Finding>)> {
    let mut waiting = blocks
        .iter()
        .flat_map(|block| block.schedule.waiting().map(|(thread, location)| (block.index, thread, location)));
    let (index, thread, location) = waiting.next()?;
    // Who waits for an mbarrier knows best what is missing.
    let mbarrier = blocks.iter().find_map(|block| {
        let (_, &(thread, location)) = block.schedule.mbarriers().first_key_value()?;
        Some(Site::new(block.index, thread, location))
    });
    let site = mbarrier.clone().unwrap_or_else(|| Site::new(index, thread, location));
    let kind = if mbarrier.is_some() { FaultKind::Deadlock } else { FaultKind::Divergence };
    let other = waiting.find(|(_, _, at)| *at != location).map(|(block, thread, at)| Site::new(block, thread, at));
    let detail = describe(blocks);
    let finding = match other.filter(|other| *other != site) {
        None => Finding::new(kind, detail),
        Some(other) => Finding::against(kind, other, detail),
    };
    Some((site, finding))
}

fn describe(blocks: &[Block<'_>]) -> String {
    let mut text = String::from("no thread can go on: ");
    for (i, block) in blocks.iter().enumerate() {
        let separator = if i == 0 { "" } else { "; " };
        let named = if blocks.len() == 1 { String::new() } else { format!("in block {}, ", block.index) };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{named}{}", block.schedule.describe());
        for &offset in block.schedule.mbarriers().keys() {
            let _ = write!(text, "; {}", block.mbarriers.lack(offset));
        }
    }
    text
}
