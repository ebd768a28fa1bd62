//! A driver that the parent of a fork has used.

use warplu::{CudaError, Device, Error};
use warplu_tests::child::answers;
use warplu_tests::pretend::Pretend;

use super::work::Verb;

fn is_forked<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Cuda(CudaError::Forked)))
}

#[test]
fn children_are_told_what_to_do() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    Verb::ALL[0].call(&device).unwrap();
    assert!(answers(|| is_forked(Verb::ALL[0].call(&device)) && is_forked(Device::cuda(0))));
    assert!(answers(|| Verb::ALL.iter().all(|verb| verb.call(&Device::cpu()).is_ok())));
    Verb::ALL[0].call(&device).unwrap();
    drop(device);
    pretend.finish();
}
