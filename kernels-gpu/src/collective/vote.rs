//! Votes among all threads of a block. Each takes one barrier; `flags`, of shape (32), is written before it.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

/// Whether any thread of the block passes `true`.
#[inline(always)]
pub fn any_thread(predicate: bool, flags: Shared<u32>) -> bool {
    any_bits(warp::any(warp::ALL, predicate) as u32, flags) != 0
}

/// The bitwise or of what the warps of the block pass.
#[inline(always)]
pub fn any_bits(of_warp: u32, flags: Shared<u32>) -> u32 {
    fold(of_warp, flags, |a, b| a | b)
}

/// The smallest number that any thread of the block passes.
#[inline(always)]
pub fn smallest(number: u32, flags: Shared<u32>) -> u32 {
    fold(!warp::max_u32(warp::ALL, !number), flags, |a, b| if a < b { a } else { b })
}

#[inline(always)]
fn fold(of_warp: u32, flags: Shared<u32>, f: impl Fn(u32, u32) -> u32) -> u32 {
    if warp::lane() == 0 {
        flags.store(warp::index(), of_warp);
    }
    sync_threads();
    let mut all = of_warp;
    let mut i = 0;
    while i < block::dim() / warp::SIZE {
        all = f(all, flags.load(i));
        i += 1;
    }
    all
}
