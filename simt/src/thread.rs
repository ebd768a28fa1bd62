//! This thread.

use crate::machine;

/// Index of this thread in its block, `threadIdx.x`.
#[inline(always)]
#[must_use]
pub fn index() -> u32 {
    machine::thread_index()
}
