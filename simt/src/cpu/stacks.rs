//! The stacks that coroutines run on, kept from launch to launch.

use std::io;
use std::sync::{Mutex, PoisonError};

use corosensei::stack::DefaultStack;

/// Bytes of a stack. Only what a kernel touches takes memory; unoptimised code keeps every temporary.
const BYTES: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// Stacks in use by one launch at most: each takes two of the mappings that the system grants a process.
pub(super) const MOST: u32 = 16 * 1024;

/// One entry for each worker that is idle now.
static IDLE: Mutex<Vec<Vec<DefaultStack>>> = Mutex::new(Vec::new());

/// A worker's stacks.
pub(super) struct Stacks(Vec<DefaultStack>);

impl Stacks {
    /// At least `count` stacks.
    pub(super) fn take(count: u32) -> io::Result<Self> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut stacks = Self(idle.unwrap_or_default());
        while stacks.0.len() < count as usize {
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
        idle.push(std::mem::take(&mut self.0));
    }
}
