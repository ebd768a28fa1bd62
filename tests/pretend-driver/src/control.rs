//! What tests steer the driver with: `pretend_*`, all of which may be called from any thread at any time, but not from
//! a body.

use std::ffi::{CString, c_char, c_void};

use crate::border::Text;
use crate::launch::Body;
use crate::memory::Kind;
use crate::notes::HostCopy;
use crate::state::{State, lock};

/// A launch, as tests see it.
#[repr(C)]
struct View {
    name: *const c_char,
    parameters: *const u8,
    parameter_bytes: usize,
    grid: [u32; 3],
    cluster: u32,
    block: [u32; 3],
    shared_bytes: u32,
    device: i32,
}

/// Forgets everything, also what is alive, and is as at the start. Whoever still has an object of before must not use
/// it.
#[unsafe(no_mangle)]
extern "C" fn pretend_reset() {
    let mut state = lock();
    state.memory.clear();
    *state = State::default();
}

/// The number of something, by the names of `Count` in the tests' package.
#[unsafe(no_mangle)]
extern "C" fn pretend_count(what: u32) -> u64 {
    let state = lock();
    let count = match what {
        0 => return state.notes.calls,
        1 => state.memory.count(Kind::Device),
        2 => state.memory.bytes(|block| block.kind == Kind::Device),
        3 => state.memory.count(Kind::Pinned),
        4 => state.memory.count(Kind::Registered),
        5 => state.streams.iter().filter(|(_, stream)| stream.is_alive() && !stream.is_default()).count(),
        6 => state.events.len(),
        7 => state.modules.len(),
        8 => return state.contexts.holds(),
        9 => state.contexts.bound_threads(),
        10 => state.graphs.len() + state.executables.len(),
        11 => state.captures.len(),
        12 => state.launches.len(),
        13 => return state.notes.pageable_copies,
        14 => state.queued(),
        15 => state.memory.bytes(|block| block.kind == Kind::Pinned),
        16 => state.memory.most_device,
        17 => state.memory.most_pinned,
        _ => return u64::MAX,
    };
    count as u64
}

/// Lets the `n`th call from now fail with a code, the next call being 1; 0 lets none. A sticky one takes the GPU with
/// it: all later calls fail too, but those about devices and about which context is current.
#[unsafe(no_mangle)]
extern "C" fn pretend_fail_call(n: u64, code: u32, sticky: bool) {
    lock().failing.call(n, code, sticky);
}

/// Lets every call of a function fail with a code, or none if that is 0.
#[unsafe(no_mangle)]
extern "C" fn pretend_fail_function(name: Text, code: u32) {
    if let Ok(name) = name.read() {
        lock().failing.function(name, None, code);
    }
}

/// As [`pretend_fail_function`], of calls in the context of one device.
#[unsafe(no_mangle)]
extern "C" fn pretend_fail_function_on(device: i32, name: Text, code: u32) {
    if let Ok(name) = name.read() {
        lock().failing.function(name, Some(device), code);
    }
}

/// The compute capability of a device, times 10.
#[unsafe(no_mangle)]
extern "C" fn pretend_capability(device: i32, capability: i32) {
    lock().contexts.capabilities.insert(device, capability);
}

/// The bytes of each device, and those that may be pinned.
#[unsafe(no_mangle)]
extern "C" fn pretend_limit(device: usize, pinned: usize) {
    let mut state = lock();
    (state.memory.device_limit, state.memory.pinned_limit) = (device, pinned);
}

/// How many devices there are.
#[unsafe(no_mangle)]
extern "C" fn pretend_devices(count: i32) {
    lock().contexts.devices = count;
}

/// How often a query says that work is not ready before it does the work itself.
#[unsafe(no_mangle)]
extern "C" fn pretend_patience(queries: u32) {
    lock().patience = queries;
}

/// What runs in the place of kernels, or nothing.
#[unsafe(no_mangle)]
extern "C" fn pretend_body(body: Option<Body>) {
    lock().body = body;
}

/// Begins a new trace of calls and of copies, and a new search for the most bytes; or ends the trace.
#[unsafe(no_mangle)]
extern "C" fn pretend_trace(on: bool) {
    let mut state = lock();
    state.notes.set_trace(on);
    state.memory.forget_most();
}

/// Visits the copies between host and devices since the trace began, in the order of the calls.
#[unsafe(no_mangle)]
extern "C" fn pretend_copies(visit: extern "C" fn(*mut c_void, *const HostCopy), context: *mut c_void) {
    let copies = lock().notes.copies.clone();
    for copy in copies {
        visit(context, &raw const copy);
    }
}

/// Visits texts: the faults (0), the traced calls (1), or the first function that failed on demand (2).
#[unsafe(no_mangle)]
extern "C" fn pretend_texts(what: u32, visit: extern "C" fn(*mut c_void, *const c_char), context: *mut c_void) {
    let texts = {
        let state = lock();
        match what {
            0 => state.notes.faults.clone(),
            1 => state.notes.trace().to_vec(),
            _ => state.failing.first.iter().map(|&name| name.to_owned()).collect(),
        }
    };
    for text in texts {
        let text = CString::new(text).unwrap_or_default();
        visit(context, text.as_ptr());
    }
}

/// Visits all launches, in the order of their calls.
#[unsafe(no_mangle)]
extern "C" fn pretend_launches(visit: extern "C" fn(*mut c_void, *const View), context: *mut c_void) {
    let launches = lock().launches.clone();
    for launch in launches {
        let view = View {
            name: launch.name.as_ptr(),
            parameters: launch.parameters.as_ptr().cast(),
            parameter_bytes: size_of_val(launch.parameters.as_slice()),
            grid: launch.grid,
            cluster: launch.cluster,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            device: launch.device,
        };
        visit(context, &raw const view);
    }
}
