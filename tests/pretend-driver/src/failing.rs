//! Calls that fail because a test wants them to.

use std::collections::HashMap;

/// Calls that release something. Where they are told to fail they have done their work all the same: in a real driver
/// they only pass on the error of earlier work.
const RELEASING: [&str; 11] = [
    "cuCtxPopCurrent_v2",
    "cuDevicePrimaryCtxRelease_v2",
    "cuEventDestroy_v2",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostUnregister",
    "cuModuleUnload",
    "cuStreamDestroy_v2",
    "cuStreamEndCapture",
];

/// Calls that wait for work.
const WAITING: [&str; 3] = ["cuCtxSynchronize", "cuEventSynchronize", "cuStreamSynchronize"];

/// Calls that a lost GPU still answers.
const IMMORTAL: [&str; 5] =
    ["cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxPopCurrent_v2", "cuCtxPushCurrent_v2", "cuCtxSetCurrent"];

/// Whether a call does its work even where it fails on demand.
pub(crate) fn releases(function: &str) -> bool {
    RELEASING.contains(&function)
}

/// Whether a call waits for work, which is lost where it fails.
pub(crate) fn waits(function: &str) -> bool {
    WAITING.contains(&function)
}

/// Which calls fail.
#[derive(Default)]
pub(crate) struct Failing {
    /// Calls until one fails, and its code.
    next: Option<(u64, u32)>,
    /// Whether that one takes the GPU with it.
    sticky: bool,
    /// The code of all calls, once the GPU is lost.
    lost: Option<u32>,
    /// By the function and the device, or any device.
    functions: HashMap<(String, Option<i32>), u32>,
    /// The first call that failed on demand.
    pub(crate) first: Option<&'static str>,
}

impl Failing {
    /// Lets the `n`th call from now fail, the next one being 1; 0 lets none. A sticky one takes the GPU with it.
    pub(crate) fn call(&mut self, n: u64, code: u32, sticky: bool) {
        self.next = (n > 0).then_some((n, code));
        self.sticky = sticky;
    }

    /// Lets all calls of a function fail, on one device or on all, or none where the code is 0.
    pub(crate) fn function(&mut self, name: String, device: Option<i32>, code: u32) {
        match code {
            0 => self.functions.remove(&(name, device)),
            code => self.functions.insert((name, device), code),
        };
    }

    /// Whether the GPU is lost.
    pub(crate) fn lost(&self) -> bool {
        self.lost.is_some()
    }

    /// The code that this call fails with, if it does. The device is that of the current context.
    pub(crate) fn code(&mut self, function: &'static str, device: Option<i32>) -> Option<u32> {
        let code = self.chosen(function, device);
        if code.is_some() {
            self.first = self.first.or(Some(function));
        }
        code
    }

    fn chosen(&mut self, function: &'static str, device: Option<i32>) -> Option<u32> {
        if let Some(code) = self.lost {
            let answers = IMMORTAL.contains(&function) || function.starts_with("cuD") || function == "cuInit";
            return (!answers || function == "cuDevicePrimaryCtxRelease_v2").then_some(code);
        }
        if let Some((left, code)) = self.next {
            self.next = (left > 1).then_some((left - 1, code));
            if left == 1 {
                self.lost = self.sticky.then_some(code);
                return Some(code);
            }
        }
        let on = |device| self.functions.get(&(function.to_owned(), device)).copied();
        on(None).or_else(|| device.and_then(|device| on(Some(device))))
    }
}
