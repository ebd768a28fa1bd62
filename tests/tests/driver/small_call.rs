//! The way of a small call is short.

use warplu::{Batch, Device};
use warplu_tests::pretend::Pretend;

use super::bodies::identity;

/// Calls of the driver that it may take.
const MOST: usize = 16;

/// All that it may call: nothing that allocates, or asks for memory.
const ALLOWED: [&str; 9] = [
    "cuCtxGetCurrent",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuLaunchKernel",
    "cuMemcpyDtoHAsync_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuStreamSynchronize",
];

#[test]
fn the_second_call_with_one_matrix_takes_few_driver_calls() {
    const N: usize = 32;
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let device = Device::cuda(0).unwrap();
    let numbers: Vec<f64> = (0..N * N).map(|i| i as f64).collect();
    let a = Batch::row_major(&numbers, 1, N, N).unwrap();
    drop(device.invert(&a).unwrap());
    pretend.begin_trace();
    let inverse = device.invert(&a).unwrap();
    let trace = pretend.trace();
    assert!(trace.len() <= MOST, "{} calls: {trace:#?}", trace.len());
    let others: Vec<_> = trace.iter().filter(|call| !ALLOWED.contains(&call.as_str())).collect();
    assert!(others.is_empty(), "{others:?}");
    assert_eq!(
        trace.iter().filter(|call| call.starts_with("cuMemcpy")).count(),
        2,
        "one there and one back: {trace:#?}"
    );
    assert_eq!(inverse.matrices.as_slice(), numbers);
    drop(device);
    pretend.finish();
}
