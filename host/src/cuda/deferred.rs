//! What could not be given back when its owner was dropped: the driver refuses memory while the thread captures a
//! graph, and takes nothing back where the context cannot be made current.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use super::table::{CUevent, CUmodule, CUstream};

/// Something to give back to the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leftover {
    /// A GPU's memory.
    Device(u64),
    /// Page-locked memory of the driver's.
    Pinned(*mut c_void),
    /// Page-locked memory of somebody else's, which is to be as before.
    Registered(*mut c_void),
    Stream(CUstream),
    Event(CUevent),
    Module(CUmodule),
}

// SAFETY: addresses and handles for the driver, which takes them from any thread; nobody reads or writes there.
unsafe impl Send for Leftover {}

/// What waits to be given back.
#[derive(Debug, Default)]
pub(super) struct Deferred(Mutex<Vec<Leftover>>);

impl Deferred {
    /// Gives `what` back by `release`, which says whether that is over, or keeps it for [`Self::retry`].
    pub(super) fn release(&self, what: Leftover, release: impl Fn(Leftover) -> bool) -> bool {
        let is_over = release(what);
        if !is_over {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(what);
        }
        is_over
    }

    /// Gives back what was kept, and keeps what still cannot be.
    pub(super) fn retry(&self, release: impl Fn(Leftover) -> bool) {
        // Taken out first: two threads must not give back the same.
        let kept = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for what in kept {
            self.release(what, &release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::cell::RefCell;

    #[test]
    fn what_is_held_up_is_given_back_later_and_once() {
        let deferred = Deferred::default();
        deferred.release(Leftover::Device(1), |_| false);
        deferred.release(Leftover::Device(2), |_| false);
        deferred.retry(|what| what != Leftover::Device(1));
        let released = RefCell::new(Vec::new());
        let release = |what| {
            released.borrow_mut().push(what);
            true
        };
        deferred.retry(release);
        deferred.retry(release);
        assert_eq!(*released.borrow(), [Leftover::Device(1)]);
    }

    #[test]
    fn what_was_given_back_is_not_given_back_again() {
        let deferred = Deferred::default();
        deferred.release(Leftover::Device(1), |_| true);
        deferred.retry(|what| panic!("{what:?} was given back"));
    }
}
