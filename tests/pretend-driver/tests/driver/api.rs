//! The functions that the tests call, and a turn to call them.

#![allow(non_snake_case)] // the driver's names

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

// Brings the library in.
use pretend_driver as _;

pub(crate) type Handle = usize;

/// What `cuLaunchKernelEx` is given.
#[repr(C)]
pub(crate) struct Config {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) stream: Handle,
    pub(crate) attributes: *const [u64; 9],
    pub(crate) count: u32,
}

// SAFETY: the types are those of the definitions, which take any handle and any address of a device.
unsafe extern "C" {
    pub(crate) safe fn cuCtxPushCurrent_v2(context: Handle) -> u32;
    safe fn cuCtxPopCurrent_v2(context: &mut Handle) -> u32;
    pub(crate) safe fn cuDevicePrimaryCtxRetain(context: &mut Handle, device: i32) -> u32;
    pub(crate) safe fn cuDevicePrimaryCtxRelease_v2(device: i32) -> u32;
    pub(crate) safe fn cuEventCreate(event: &mut Handle, flags: u32) -> u32;
    pub(crate) safe fn cuEventDestroy_v2(event: Handle) -> u32;
    pub(crate) safe fn cuEventQuery(event: Handle) -> u32;
    pub(crate) safe fn cuEventRecord(event: Handle, stream: Handle) -> u32;
    pub(crate) safe fn cuGraphDestroy(graph: Handle) -> u32;
    pub(crate) safe fn cuGraphExecDestroy(graph: Handle) -> u32;
    pub(crate) safe fn cuGraphInstantiateWithFlags(executable: &mut Handle, graph: Handle, flags: u64) -> u32;
    pub(crate) safe fn cuGraphLaunch(graph: Handle, stream: Handle) -> u32;
    pub(crate) fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: Handle,
        parameters: *const *const u8,
        extra: *const *const u8,
    ) -> u32;
    pub(crate) safe fn cuFuncSetAttribute(function: Handle, attribute: u32, value: i32) -> u32;
    pub(crate) fn cuLaunchKernelEx(
        config: *const Config,
        function: Handle,
        parameters: *const *const u8,
        extra: *const *const u8,
    ) -> u32;
    pub(crate) safe fn cuMemAllocHost_v2(memory: &mut usize, len: usize) -> u32;
    pub(crate) safe fn cuMemAlloc_v2(address: &mut u64, len: usize) -> u32;
    pub(crate) safe fn cuMemFreeHost(memory: usize) -> u32;
    pub(crate) safe fn cuMemFree_v2(address: u64) -> u32;
    pub(crate) fn cuMemcpyDtoHAsync_v2(to: usize, from: u64, len: usize, stream: Handle) -> u32;
    pub(crate) fn cuMemcpyHtoDAsync_v2(to: u64, from: usize, len: usize, stream: Handle) -> u32;
    pub(crate) safe fn cuMemsetD8Async(at: u64, byte: u8, len: usize, stream: Handle) -> u32;
    pub(crate) fn cuModuleGetFunction(function: &mut Handle, module: Handle, name: *const c_char) -> u32;
    pub(crate) fn cuModuleLoadData(module: &mut Handle, text: *const c_char) -> u32;
    pub(crate) safe fn cuModuleUnload(module: Handle) -> u32;
    pub(crate) safe fn cuStreamBeginCapture_v2(stream: Handle, mode: u32) -> u32;
    pub(crate) safe fn cuStreamCreate(stream: &mut Handle, flags: u32) -> u32;
    pub(crate) safe fn cuStreamDestroy_v2(stream: Handle) -> u32;
    pub(crate) safe fn cuStreamEndCapture(stream: Handle, graph: &mut Handle) -> u32;
    pub(crate) safe fn cuStreamIsCapturing(stream: Handle, status: &mut u32) -> u32;
    pub(crate) safe fn cuStreamQuery(stream: Handle) -> u32;
    pub(crate) safe fn cuStreamSynchronize(stream: Handle) -> u32;
    pub(crate) safe fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32) -> u32;
    pub(crate) safe fn pretend_body(body: Option<extern "C" fn(*const c_char, *const u8)>);
    pub(crate) safe fn pretend_count(what: u32) -> u64;
    pub(crate) safe fn pretend_fail_call(n: u64, code: u32, sticky: bool);
    pub(crate) safe fn pretend_limit(device: usize, pinned: usize);
    safe fn pretend_reset();
    fn pretend_texts(what: u32, visit: extern "C" fn(*mut c_void, *const c_char), context: *mut c_void);
}

static TURN: Mutex<()> = Mutex::new(());

/// Device 0's context, current on this thread, and a stream of it. One test at a time.
pub(crate) struct Turn {
    pub(crate) stream: Handle,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    pub(crate) fn new() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        pretend_reset();
        let context = made(|context| cuDevicePrimaryCtxRetain(context, 0));
        assert_eq!(cuCtxPushCurrent_v2(context), 0);
        Self { stream: stream(), _turn: turn }
    }

    /// The faults so far.
    pub(crate) fn faults(&self) -> Vec<String> {
        extern "C" fn visit(context: *mut c_void, text: *const c_char) {
            // SAFETY: the vector below, and the driver's string.
            let (texts, text) = unsafe { (&mut *context.cast::<Vec<String>>(), CStr::from_ptr(text)) };
            texts.push(text.to_string_lossy().into_owned());
        }
        let mut texts = Vec::<String>::new();
        // SAFETY: `visit` gets this vector.
        unsafe { pretend_texts(0, visit, (&raw mut texts).cast()) };
        texts
    }

    /// Asserts that there is one fault, with these words.
    pub(crate) fn expect_fault(&self, words: &str) {
        let faults = self.faults();
        assert!(faults.len() == 1 && faults[0].contains(words), "{faults:?}");
    }
}

/// What a function makes.
pub(crate) fn made<T: Default>(make: impl FnOnce(&mut T) -> u32) -> T {
    let mut it = T::default();
    assert_eq!(make(&mut it), 0);
    it
}

/// Makes the context that was current before this one current again.
pub(crate) fn pop() {
    made(|context| cuCtxPopCurrent_v2(context));
}

/// A stream that waits for nobody.
pub(crate) fn stream() -> Handle {
    made(|stream| cuStreamCreate(stream, 1))
}

pub(crate) fn device(len: usize) -> u64 {
    made(|address| cuMemAlloc_v2(address, len))
}

/// Pinned bytes, which live until they are freed or the driver is reset.
pub(crate) fn pinned(len: usize) -> &'static mut [u8] {
    let start = made(|memory| cuMemAllocHost_v2(memory, len));
    // SAFETY: allocated just now, with this length, and initialised; no test uses it after its end.
    unsafe { std::slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut(start), len) }
}

/// Queues a copy of bytes that live until it is done.
pub(crate) fn upload(to: u64, from: &[u8], stream: Handle) -> u32 {
    // SAFETY: the driver reads pageable memory at once, and pinned memory while it is alive.
    unsafe { cuMemcpyHtoDAsync_v2(to, from.as_ptr().expose_provenance(), from.len(), stream) }
}

/// Queues a copy to bytes that live until it is done.
pub(crate) fn download(to: &mut [u8], from: u64, stream: Handle) -> u32 {
    // SAFETY: the driver writes pageable memory at once, and pinned memory while it is alive.
    unsafe { cuMemcpyDtoHAsync_v2(to.as_mut_ptr().expose_provenance(), from, to.len(), stream) }
}
