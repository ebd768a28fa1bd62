//! What calls take, and what a device keeps for the next: bounded, enough for it, and given back in the end.

use std::sync::{Arc, Barrier};
use std::thread;

use warplu::{Batch, BatchMut, Device};
use warplu_tests::pretend::{Count, Pretend};

/// What is kept at most between calls (`host/src/call/pool.rs`).
const KEPT_DEVICE: u64 = 256 << 20;
const KEPT_PINNED: u64 = 66 << 20;

/// Parts of the names of calls that make something, or ask how much memory there is.
const MAKING: [&str; 9] = ["Alloc", "Create", "Module", "Register", "Retain", "Free", "Destroy", "GetInfo", "cuFunc"];

fn invert(device: &Device, n: usize, batch: usize) {
    let numbers = vec![1.0; batch * n * n];
    drop(device.invert(&Batch::row_major(&numbers, batch, n, n).unwrap()).unwrap());
}

/// The names among the traced calls that should not be there.
fn makes(pretend: &Pretend) -> Vec<String> {
    let trace = pretend.trace();
    trace.into_iter().filter(|call| MAKING.iter().any(|part| call.contains(part))).collect()
}

#[test]
fn the_second_call_of_a_shape_makes_nothing() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    for (n, batch) in [(32, 1), (3, 10), (32, 1000), (600, 4), (200, 50)] {
        invert(&device, n, batch);
        pretend.begin_trace();
        invert(&device, n, batch);
        assert_eq!(makes(&pretend), [""; 0], "{batch} of order {n}");
    }
    // Now all of them, as each has what the largest needs.
    pretend.begin_trace();
    invert(&device, 32, 1);
    assert_eq!(makes(&pretend), [""; 0]);
    drop(device);
    pretend.finish();
}

#[test]
fn the_second_call_on_pinned_memory_makes_nothing() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let (n, batch) = (32, 5000);
    let mut a = device.pinned::<f64>(batch * n * n).unwrap();
    let mut call = || {
        let mut a = BatchMut::row_major(&mut a, batch, n, n).unwrap();
        let _ = device.invert_in_place(&mut a).unwrap();
    };
    call();
    pretend.begin_trace();
    call();
    assert_eq!(makes(&pretend), [""; 0]);
    drop(a);
    drop(device);
    pretend.finish();
}

/// Alone, but for what rounds arrays up: 256 bytes for each of a lane.
#[test]
fn a_limit_bounds_device_memory_in_and_between_calls() {
    let pretend = Pretend::open();
    for limit in [1_u64 << 20, 3 << 20, 50 << 20] {
        let device = Device::cuda(0).unwrap().with_memory_limit(limit as usize);
        for (n, batch) in [(32, 1000), (100, 200), (200, 30)] {
            pretend.begin_trace();
            invert(&device, n, batch);
            assert!(pretend.count(Count::MostDeviceBytes) <= limit + (64 << 10), "{batch} of order {n}");
            assert!(pretend.count(Count::DeviceBytes) <= limit);
        }
        // Factors stay on the device: within the same limit.
        let numbers = vec![1.0; 200 * 32 * 32];
        pretend.begin_trace();
        let lu = device.lu(&Batch::row_major(&numbers, 200, 32, 32).unwrap()).unwrap();
        drop(lu);
        assert!(pretend.count(Count::MostDeviceBytes) <= limit + (64 << 10), "factors");
    }
    pretend.finish();
}

/// What calls keep is given up for a buffer, and calls do with what others leave.
#[test]
fn memory_that_is_kept_is_nobody_elses_want() {
    const ALL: usize = 8 << 20;
    let pretend = Pretend::open();
    pretend.set_limits(ALL, 64 << 20);
    let device = Device::cuda(0).unwrap();
    invert(&device, 100, 50);
    assert!(pretend.count(Count::DeviceBytes) > 0, "something is kept");
    let buffer = device.buffer::<u8>(ALL).unwrap();
    drop(buffer);
    for left in [1 << 20, 256 << 10] {
        invert(&device, 100, 50);
        let buffer = device.buffer::<u8>(ALL - left).unwrap();
        invert(&device, 100, 50);
        drop(buffer);
    }
    drop(device);
    pretend.finish();
}

/// Many threads at once, each with a worker that has all it needs: only so much of it stays.
#[test]
fn what_is_kept_is_bounded() {
    const CALLS: usize = 30;
    let pretend = Pretend::open();
    pretend.set_limits(2 << 30, 1 << 30);
    let device = Device::cuda(0).unwrap();
    let all = Arc::new(Barrier::new(CALLS));
    let barrier = Arc::clone(&all);
    // A single chunk each, after which all wait for all.
    let waiting = device.clone().with_progress(move |_| {
        barrier.wait();
    });
    pretend.begin_trace();
    thread::scope(|scope| {
        for _ in 0..CALLS {
            scope.spawn(|| invert(&waiting, 1000, 1));
        }
    });
    assert!(pretend.count(Count::MostPinnedBytes) > KEPT_PINNED, "they worked at the same time");
    assert!(pretend.count(Count::MostDeviceBytes) > KEPT_DEVICE, "and had much to do");
    assert!(pretend.count(Count::PinnedBytes) <= KEPT_PINNED);
    assert!(pretend.count(Count::DeviceBytes) <= KEPT_DEVICE);
    assert!(pretend.count(Count::PinnedBytes) > 0 && pretend.count(Count::DeviceBytes) > 0, "some is kept");
    drop((device, waiting));
    pretend.finish();
}
