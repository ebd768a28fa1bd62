//! The driver itself, and what it says of the devices: of two alike, of compute capability 9.0 unless a test wants
//! another one.

use std::ffi::c_char;

use crate::border::{Out, Outcome};
use crate::codes::{INVALID_DEVICE, NO_DEVICE};
use crate::entering::driver;
use crate::function::{MAX_SHARED_BYTES, MAX_THREADS, SHARED_BYTES};
use crate::memory::Kind;
use crate::state::State;

fn known(state: &State, device: i32) -> Outcome {
    if (0..state.contexts.devices).contains(&device) { Ok(()) } else { Err(INVALID_DEVICE.into()) }
}

/// The attributes that are asked for, by the driver's numbers.
fn attribute(number: u32, capability: i32) -> i32 {
    match number {
        1 => MAX_THREADS.cast_signed(),
        8 => SHARED_BYTES.cast_signed(),
        10 => 32,                             // lanes of a warp
        16 => 132,                            // multiprocessors
        75 => capability / 10,                // major number of the compute capability
        76 => capability % 10,                // minor one
        97 => MAX_SHARED_BYTES.cast_signed(), // what a kernel may ask for
        115 => 0,                             // memory pools: their calls are not here
        _ => 1,
    }
}

driver! {
    fn cuInit(_flags: u32) |state| match state.contexts.devices {
        0 => Err(NO_DEVICE.into()),
        _ => Ok(()),
    };

    fn cuDriverGetVersion(version: Out<i32>) |_| version.set(13_000);

    fn cuDeviceGetCount(count: Out<i32>) |state| count.set(state.contexts.devices);

    fn cuDeviceGet(device: Out<i32>, ordinal: i32) |state| {
        known(state, ordinal)?;
        device.set(ordinal)
    };

    fn cuDeviceGetName(name: Out<c_char>, len: i32, device: i32) |state| {
        known(state, device)?;
        name.set_text(&format!("Pretend {device}"), len)
    };

    fn cuDeviceGetAttribute(value: Out<i32>, number: u32, device: i32) |state| {
        known(state, device)?;
        value.set(attribute(number, state.contexts.capabilities.get(&device).copied().unwrap_or(90)))
    };

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) |state| {
        known(state, device)?;
        bytes.set(state.memory.device_limit)
    };

    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) |state| {
        let context = state.contexts.current()?;
        let limit = state.memory.device_limit;
        let used = state.memory.bytes(|block| block.kind == Kind::Device && block.context == context);
        free.set(limit.saturating_sub(used))?;
        total.set(limit)
    };
}
