//! Sums over a warp and over a block, always in the same order.

use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use numbers::scalar::Scalar;

/// The sum of all lanes' values, in all lanes.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn warp_sum<T: Scalar>(mut x: T) -> T {
    let mut distance = warp::SIZE / 2;
    while distance > 0 {
        x = x + warp::shuffle_xor(warp::ALL, x, distance);
        distance /= 2;
    }
    x
}

/// The sum of all threads' values, in all threads. `partial` has shape (32). One barrier.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn block_sum<T: Scalar>(x: T, partial: Shared<T>) -> T {
    let of_warp = warp_sum(x);
    if warp::lane() == 0 {
        partial.store(warp::index(), of_warp);
    }
    sync_threads();
    let mut sum = T::ZERO;
    let mut w = 0;
    while w < block::dim() / warp::SIZE {
        sum = sum + partial.load(w);
        w += 1;
    }
    sum
}
