//! Several GPUs.

use std::thread;

use warplu::Device;
use warplu_tests::pretend::{Count, Pretend};

use super::work::{FEW_BYTES, Verb};

#[test]
fn two_gpus_work_side_by_side() {
    let pretend = Pretend::open();
    assert_eq!(Device::cuda_count().unwrap(), 2);
    assert!(Device::cuda(2).is_err());
    let devices = [0, 1].map(|ordinal| Device::cuda(ordinal).unwrap().with_memory_limit(FEW_BYTES));
    thread::scope(|scope| {
        for device in &devices {
            scope.spawn(|| Verb::ALL.map(|verb| verb.call(device).unwrap()));
        }
    });
    let launches = pretend.launches();
    let of = |device| launches.iter().filter(move |launch| launch.device == device).map(|launch| &launch.name);
    let (mut first, mut second): (Vec<_>, Vec<_>) = (of(0).collect(), of(1).collect());
    first.sort();
    second.sort();
    assert!(!first.is_empty());
    assert_eq!(first, second);
    drop(devices);
    pretend.finish();
}

#[test]
fn a_gpu_that_is_opened_twice_is_one() {
    let pretend = Pretend::open();
    let devices = [0, 0].map(|ordinal| Device::cuda(ordinal).unwrap());
    assert_eq!(pretend.count(Count::Contexts), 1);
    for device in &devices {
        Verb::Invert.call(device).unwrap();
    }
    assert_eq!(pretend.count(Count::Modules), 1);
    drop(devices);
    pretend.finish();
}

#[test]
fn no_gpu_is_an_error() {
    let pretend = Pretend::open();
    pretend.set_devices(0);
    assert!(Device::cuda_count().is_err());
    assert!(Device::cuda(0).is_err());
    pretend.finish();
}
