//! The stacks that coroutines run on, kept from launch to launch.

use std::io;
use std::sync::{Mutex, PoisonError};

use corosensei::stack::DefaultStack;

/// Bytes of a stack. Only what a kernel touches takes memory; unoptimised code keeps every temporary.
const BYTES: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// Stacks in use by one launch at most: each takes two of the mappings that the system grants a process.
pub(super) const MOST: u32 = 16 * 1024;

/// Those that no worker has now. All workers share them: as many as were ever in use at once, and not as many for each.
static IDLE: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// A worker's stacks.
pub(super) struct Stacks(Vec<DefaultStack>);

impl Stacks {
    /// `count` stacks.
    pub(super) fn take(count: u32) -> io::Result<Self> {
        let count = count as usize;
        let mut stacks = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let left = idle.len().saturating_sub(count);
            Self(idle.split_off(left))
        };
        while stacks.0.len() < count {
            stacks.0.push(DefaultStack::new(BYTES)?);
        }
        Ok(stacks)
    }

    /// One of those taken and not put back.
    pub(super) fn pop(&mut self) -> DefaultStack {
        self.0.pop().expect("a block has no more threads than its worker has stacks")
    }

    pub(super) fn push(&mut self, stack: DefaultStack) {
        self.0.push(stack);
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        idle.append(&mut self.0);
    }
}
