//! Launches of kernels, which the driver knows from their PTX.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::api::*;

const PTX: &CStr = c".version 8.0
.visible .entry double(
	.param .align 8 .b8 double_param_0[16],
	.param .u32 double_param_1
)
{ ret; }
";

static SEEN: AtomicU64 = AtomicU64::new(0);

/// Adds the second word and the number behind it to what was seen.
extern "C" fn body(name: *const c_char, parameters: *const u8) {
    // SAFETY: the driver's string, and the three words of the parameters.
    let (name, words) = unsafe { (CStr::from_ptr(name), std::slice::from_raw_parts(parameters.cast::<u64>(), 3)) };
    assert_eq!(name, c"double");
    SEEN.fetch_add(words[1] + words[2], Ordering::Relaxed);
}

/// Launches with the address of some memory as the first word.
fn launch(function: Handle, memory: u64, threads: u32, shared_bytes: u32, stream: Handle) -> u32 {
    let (words, number) = ([memory, 40], 2_u32);
    let pointers = [words.as_ptr().cast::<u8>(), (&raw const number).cast()];
    // SAFETY: two parameters, of 16 and 4 bytes.
    unsafe {
        cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, shared_bytes, stream, pointers.as_ptr(), std::ptr::null())
    }
}

fn function() -> (Handle, Handle) {
    // SAFETY: strings.
    let module = made(|module| unsafe { cuModuleLoadData(module, PTX.as_ptr()) });
    // SAFETY: as above.
    let get = |function: &mut Handle, name: &CStr| unsafe { cuModuleGetFunction(function, module, name.as_ptr()) };
    assert_eq!(get(&mut 0, c"other"), 500);
    (module, made(|function| get(function, c"double")))
}

#[test]
fn a_body_runs_in_its_turn() {
    let turn = Turn::new();
    pretend_body(Some(body));
    SEEN.store(0, Ordering::Relaxed);
    let (module, function) = function();
    assert_eq!(launch(function, 0, 32, 0, turn.stream), 0);
    assert_eq!(SEEN.load(Ordering::Relaxed), 0);
    cuStreamSynchronize(turn.stream);
    assert_eq!(SEEN.load(Ordering::Relaxed), 42);
    assert_eq!((cuModuleUnload(module), pretend_count(12)), (0, 1));
    assert_eq!(turn.faults(), [""; 0]);
}

#[test]
fn memory_that_a_launch_names_is_freed_before_it_runs() {
    let turn = Turn::new();
    let memory = device(64);
    let (module, function) = function();
    launch(function, memory + 8, 32, 0, turn.stream);
    cuMemFree_v2(memory);
    turn.expect_fault("Device memory is let go while double that uses it is queued");
    launch(function, 0, 32, 0, turn.stream);
    cuModuleUnload(module);
    assert!(turn.faults()[1].contains("a module is unloaded while double of it is queued"));
}

/// Launches in clusters of so many blocks.
fn launch_clusters(function: Handle, grid: u32, cluster: u32, stream: Handle) -> u32 {
    let (words, number) = ([0_u64, 40], 2_u32);
    let pointers = [words.as_ptr().cast::<u8>(), (&raw const number).cast()];
    // The attribute of clusters, and their dimensions: two words each.
    let attribute = [4, u64::from(cluster) | 1 << 32, 1, 0, 0, 0, 0, 0, 0];
    let config = Config {
        grid: [grid, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
        stream,
        attributes: &raw const attribute,
        count: 1,
    };
    // SAFETY: two parameters, of 16 and 4 bytes, and one attribute.
    unsafe { cuLaunchKernelEx(&raw const config, function, pointers.as_ptr(), std::ptr::null()) }
}

#[test]
fn clusters_divide_the_grid() {
    let turn = Turn::new();
    let (module, function) = function();
    assert_eq!([1, 2, 8].map(|cluster| launch_clusters(function, 16, cluster, turn.stream)), [0; 3]);
    assert_eq!(turn.faults(), [""; 0]);
    assert_eq!([0, 3, 16].map(|cluster| launch_clusters(function, 16, cluster, turn.stream)), [1; 3]);
    assert!(turn.faults()[2].contains("clusters of 16 in a grid of 16 blocks"));
    // Larger ones are there for those who ask.
    assert_eq!(cuFuncSetAttribute(function, 14, 1), 0);
    assert_eq!(launch_clusters(function, 16, 16, turn.stream), 0);
    cuStreamSynchronize(turn.stream);
    cuModuleUnload(module);
}

#[test]
fn a_launch_is_too_large() {
    let turn = Turn::new();
    let (_, function) = function();
    assert_eq!(launch(function, 0, 2048, 0, turn.stream), 1);
    assert_eq!(launch(function, 0, 32, 64 << 10, turn.stream), 1);
    assert_eq!(launch(function, 0, 0, 0, turn.stream), 1);
    assert_eq!(turn.faults().len(), 3);
}
