//! A vote of the whole block.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

/// Whether any thread of the block passes `true`. `flags` has 32 words. One barrier.
#[inline(always)]
pub fn any_thread(predicate: bool, flags: Shared<u32>) -> bool {
    let found = warp::any(warp::ALL, predicate);
    if warp::lane() == 0 {
        flags.store(warp::index(), found as u32);
    }
    sync_threads();
    let mut any = 0;
    let mut i = 0;
    while i < block::dim() / warp::SIZE {
        any |= flags.load(i);
        i += 1;
    }
    any != 0
}
