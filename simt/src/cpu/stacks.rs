//! The stacks that coroutines run on, kept from launch to launch.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use corosensei::stack::DefaultStack;

use super::threads::forks;

/// Bytes of a stack. Only what a kernel touches takes memory; unoptimised code keeps every temporary.
const BYTES: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// Stacks in use by one launch at most: each takes two of the mappings that the system grants a process.
pub(super) const MOST: u32 = 16 * 1024;

/// Those that no worker has now. All workers share them: as many as were ever in use at once, and not as many for each.
static IDLE: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// Those, unless, in a child of a fork, a thread has the lock: it may be one of the parent, which never gives it back.
fn idle() -> Option<MutexGuard<'static, Vec<DefaultStack>>> {
    if forks() == 0 {
        return Some(IDLE.lock().unwrap_or_else(PoisonError::into_inner));
    }
    match IDLE.try_lock() {
        Ok(idle) => Some(idle),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A worker's stacks.
pub(super) struct Stacks(Vec<DefaultStack>);

impl Stacks {
    /// `count` stacks.
    pub(super) fn take(count: u32) -> io::Result<Self> {
        let count = count as usize;
        let kept = idle().map(|mut idle| {
            let left = idle.len().saturating_sub(count);
            idle.split_off(left)
        });
        let mut stacks = Self(kept.unwrap_or_default());
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
        if let Some(mut idle) = idle() {
            idle.append(&mut self.0);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_child_does_not_wait_for_a_lock_of_its_parent() {
        let held = idle();
        // SAFETY: the child takes stacks, gives them back, and ends without a look back.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "no fork: {}", io::Error::last_os_error());
        if child == 0 {
            // SAFETY: may be called at any time; it ends a child that hangs.
            unsafe { libc::alarm(10) };
            let taken = Stacks::take(3).is_ok_and(|stacks| stacks.0.len() == 3);
            // SAFETY: may be called at any time.
            unsafe { libc::_exit(i32::from(!taken)) }
        }
        let mut status = -1;
        // SAFETY: writes one integer.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!(status, 0, "the child hangs, or has no stacks");
        drop(held);
    }
}
