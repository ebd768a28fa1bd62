//! Kernels that are to run, and what runs in their place.

use std::ffi::{CString, c_char};
use std::ops::Range;

use crate::table::Handle;

/// What runs in the place of a kernel: it gets the entry's name and the parameters, one after the other, each at a
/// multiple of 8 bytes. It must not call the driver.
pub(crate) type Body = extern "C" fn(name: *const c_char, parameters: *const u8);

/// A kernel that is to run.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) name: CString,
    pub(crate) module: Handle,
    pub(crate) device: i32,
    pub(crate) grid: [u32; 3],
    /// Blocks of a cluster.
    pub(crate) cluster: u32,
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    /// The parameters, as words so that they are aligned.
    pub(crate) parameters: Vec<u64>,
    /// The allocations that a word of the parameters is an address of.
    pub(crate) memory: Vec<Range<usize>>,
}

impl Launch {
    /// Runs a body in the kernel's place.
    pub(crate) fn run(&self, body: Body) {
        body(self.name.as_ptr(), self.parameters.as_ptr().cast());
    }
}
