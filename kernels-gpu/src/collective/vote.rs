//! Votes among all threads of a block.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

/// Whether any thread of the block passes `true`. One barrier; `flags`, of shape (32), is written before it.
#[inline(always)]
pub fn any_thread(predicate: bool, flags: Shared<u32>) -> bool {
    any_bits(warp::any(warp::ALL, predicate) as u32, flags) != 0
}

/// Two votes with one barrier.
#[inline(always)]
pub fn any_thread_of_two(predicates: (bool, bool), flags: Shared<u32>) -> (bool, bool) {
    let found = (warp::any(warp::ALL, predicates.0), warp::any(warp::ALL, predicates.1));
    let any = any_bits(found.0 as u32 + 2 * found.1 as u32, flags);
    (any & 1 != 0, any & 2 != 0)
}

/// The bitwise or of what the warps of the block pass.
#[inline(always)]
fn any_bits(found: u32, flags: Shared<u32>) -> u32 {
    if warp::lane() == 0 {
        flags.store(warp::index(), found);
    }
    sync_threads();
    let mut any = 0;
    let mut i = 0;
    while i < block::dim() / warp::SIZE {
        any |= flags.load(i);
        i += 1;
    }
    any
}
