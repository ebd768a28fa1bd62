//! A context that cannot be made current when something is dropped: it is given back later.

use warplu::{Batch, Device};
use warplu_tests::pretend::{Count, Pretend};

/// The calls that make a context current.
const BINDING: [&str; 2] = ["cuCtxGetCurrent", "cuCtxPushCurrent_v2"];

/// What is made in these tests.
const KINDS: [Count; 4] = [Count::DeviceMemory, Count::Pinned, Count::Streams, Count::Events];

fn counts(pretend: &Pretend) -> [u64; 4] {
    KINDS.map(|kind| pretend.count(kind))
}

#[test]
fn what_a_drop_cannot_give_back_is_given_back_at_the_next_chance() {
    for function in BINDING {
        let pretend = Pretend::open();
        let device = Device::cuda(0).unwrap();
        let before = counts(&pretend);
        let stream = device.stream().unwrap();
        let things =
            (stream.record().unwrap(), stream, device.buffer::<f64>(10).unwrap(), device.pinned::<f64>(10).unwrap());
        let with = counts(&pretend);
        assert_eq!(with, before.map(|count| count + 1));
        pretend.fail_function(function, 999);
        drop(things);
        assert_eq!(counts(&pretend), with, "{function} fails, so all of it is still there");
        pretend.fail_function(function, 0);
        let buffer = device.buffer::<f64>(1).unwrap();
        assert_eq!(counts(&pretend), [before[0] + 1, before[1], before[2], before[3]], "{function}");
        drop((buffer, device));
        pretend.finish();
    }
}

/// Makes what holds a device, and drops it, while the call number `k` of the drop fails. The calls of the drop.
fn end(k: u64) -> Vec<String> {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    drop(device.invert(&Batch::row_major(&[1.0; 9], 1, 3, 3).unwrap()).unwrap());
    let event = device.stream().unwrap().record().unwrap();
    assert!(pretend.count(Count::Modules) > 0);
    drop(device);
    pretend.begin_trace();
    pretend.fail_call(k, 999, false);
    // It holds the device.
    drop(event);
    let trace = pretend.trace();
    pretend.finish();
    trace
}

/// The last chance is the drop of the context itself. Modules, and what a device keeps between calls, go before it.
#[test]
fn each_call_at_the_end_of_a_device_may_fail() {
    let calls = end(0);
    for function in [BINDING[0], BINDING[1], "cuModuleUnload", "cuMemFreeHost", "cuDevicePrimaryCtxRelease_v2"] {
        assert!(calls.iter().any(|call| call == function), "{function} is not among {calls:?}");
    }
    for k in 1..=calls.len() as u64 {
        assert!(end(k)[k as usize - 1].ends_with(": 999"));
    }
}
