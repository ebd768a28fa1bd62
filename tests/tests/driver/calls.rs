//! Calls on host slices: they wait for what they read, and leave nothing behind.

use warplu::{Batch, Device};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::identity;
use super::work::{BATCH, FEW_BYTES, N, Verb, numbers};

#[test]
fn results_are_what_the_kernels_write() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    for limit in [FEW_BYTES, 1 << 20] {
        let device = Device::cuda(0).unwrap().with_memory_limit(limit);
        let numbers = numbers();
        let inverse = device.invert(&Batch::row_major(&numbers, BATCH, N, N).unwrap()).unwrap();
        assert_eq!(inverse.matrices.as_slice(), numbers);
        assert!(inverse.status.iter().all(|status| status.is_ok()));
    }
    pretend.finish();
}

#[test]
fn nothing_is_left_alive_and_copies_are_pinned() {
    let pretend = Pretend::open();
    for verb in Verb::ALL {
        for limit in [FEW_BYTES, 1 << 20] {
            let device = Device::cuda(0).unwrap().with_memory_limit(limit);
            verb.call(&device).unwrap();
        }
    }
    assert!(pretend.count(Count::Launches) > 0);
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    pretend.finish();
}

#[test]
fn a_small_limit_makes_chunks() {
    let pretend = Pretend::open();
    let launches = |limit| {
        let before = pretend.count(Count::Launches);
        Verb::Invert.call(&Device::cuda(0).unwrap().with_memory_limit(limit)).unwrap();
        pretend.count(Count::Launches) - before
    };
    assert_eq!(launches(1 << 20), 1);
    assert!(launches(FEW_BYTES) > 2, "several chunks, more than two in flight at a time");
    pretend.finish();
}

#[test]
fn a_gpu_that_is_full_is_said_to_be() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap().with_memory_limit(1 << 20);
    for (gpu, pinned) in [(64, 1 << 20), (1 << 20, 64)] {
        pretend.set_limits(gpu, pinned);
        let error = Verb::Invert.call(&device).unwrap_err().to_string();
        assert!(error.contains("memory"), "{error}");
    }
    drop(device);
    pretend.finish();
}

#[test]
fn a_driver_that_is_too_old_is_said_to_be() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    pretend.fail_function("cuModuleLoadDataEx", 222);
    let error = Verb::Lu.call(&device).unwrap_err().to_string();
    assert!(error.contains("driver"), "{error}");
    pretend.fail_function("cuModuleLoadDataEx", 0);
    Verb::Lu.call(&device).unwrap();
    drop(device);
    pretend.finish();
}
