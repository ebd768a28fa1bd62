//! A device's primary context: the one that every CUDA user of the process shares.

use std::marker::PhantomData;
use std::ptr;

use simt::cpu::threads;

use super::call::call;
use super::deferred::{Deferred, Leftover};
use super::error::CudaError;
use super::table::{CUcontext, CUdevice};

/// A hold on the primary context of a device. It is made current for each piece of work, and not for good, which would
/// take the caller's GPU from under its feet.
#[derive(Debug)]
pub(super) struct Context {
    raw: CUcontext,
    device: CUdevice,
    deferred: Deferred,
    /// The process that it is of.
    forks: usize,
}

// SAFETY: the driver takes a context from any thread, and from several at once; the list has its lock.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Takes hold of the device's primary context, creating it if nobody else uses it.
    pub(super) fn retain(device: CUdevice) -> Result<Self, CudaError> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one pointer.
        unsafe { call!(cuDevicePrimaryCtxRetain(&mut raw, device)) }?;
        Ok(Self { raw, device, deferred: Deferred::default(), forks: threads::forks() })
    }

    /// The driver's handle.
    #[cfg(feature = "cust")]
    pub(super) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// The device that it is of.
    pub(super) fn device(&self) -> CUdevice {
        self.device
    }

    /// Makes the context current on this thread until the guard drops. Where it is current already, this only looks.
    pub(super) fn bind(&self) -> Result<Bound<'_>, CudaError> {
        if self.forks != threads::forks() {
            return Err(CudaError::Forked);
        }
        let mut current = ptr::null_mut();
        // SAFETY: writes one pointer.
        unsafe { call!(cuCtxGetCurrent(&mut current)) }?;
        let pushed = current != self.raw;
        if pushed {
            // SAFETY: the context is held.
            unsafe { call!(cuCtxPushCurrent_v2(self.raw)) }?;
        }
        Ok(Bound { pushed, context: PhantomData })
    }

    /// Gives something back: now or, where a capture forbids it or the context cannot be made current, at the next
    /// allocation or drop. Whether it was now.
    ///
    /// # Safety
    ///
    /// It is of this context, and is given back by this call only. Nobody uses it any more.
    pub(super) unsafe fn release(&self, what: Leftover) -> bool {
        self.retry();
        self.deferred.release(what, |what| self.give_back(what))
    }

    /// Gives back what an earlier [`Self::release`] could not.
    pub(super) fn retry(&self) {
        self.deferred.retry(|what| self.give_back(what));
    }

    /// Whether it is over: given back, or lost with its context.
    fn give_back(&self, what: Leftover) -> bool {
        // Without the context nothing was tried.
        let Ok(_bound) = self.bind() else { return false };
        // SAFETY: of this context and given back by nobody else, as the caller of `release` promised. Work in flight
        // keeps what it needs of streams and events.
        let outcome = unsafe {
            match what {
                Leftover::Device(address) => call!(cuMemFree_v2(address)),
                Leftover::Pinned(start) => call!(cuMemFreeHost(start)),
                Leftover::Registered(start) => call!(cuMemHostUnregister(start)),
                Leftover::Stream(stream) => call!(cuStreamDestroy_v2(stream)),
                Leftover::Event(event) => call!(cuEventDestroy_v2(event)),
                Leftover::Module(module) => call!(cuModuleUnload(module)),
            }
        };
        outcome.err().is_none_or(|error| !is_held_up(&error))
    }
}

/// Whether a call was refused, and may succeed later: a stream is being captured.
fn is_held_up(error: &CudaError) -> bool {
    matches!(error, CudaError::Driver { code: 900..=908, .. })
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.forks != threads::forks() {
            return; // it is the parent's
        }
        self.retry();
        // SAFETY: retained once. A driver that has already shut down says so, and nothing is left to release.
        let _ = unsafe { call!(cuDevicePrimaryCtxRelease_v2(self.device)) };
    }
}

/// A context that is current on this thread. Dropping it brings the caller's own context back.
///
/// It may be held over several calls, none of which then switches contexts. Guards of two GPUs may drop in any order:
/// each takes one context off the thread's stack, and no call relies on the guards of others.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    pushed: bool,
    /// Also keeps the guard on its thread.
    context: PhantomData<(&'a Context, *const ())>,
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: takes off what `bind` put on this thread's stack, or an equal number of others in its place.
            let _ = unsafe { call!(cuCtxPopCurrent_v2(&mut popped)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_captures_hold_up_what_is_given_back() {
        let error = |code| CudaError::Driver { call: "cuMemFree_v2", code, name: String::new() };
        assert!(is_held_up(&error(900)) && is_held_up(&error(906)));
        assert!(!is_held_up(&error(700)) && !is_held_up(&error(1)));
    }
}
