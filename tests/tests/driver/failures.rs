//! Each call of the driver fails once, in turn: warplu says so or has finished all the same, and cleans up.

use warplu::{Batch, Device, Error};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::identity;
use super::work::{BATCH, FEW_BYTES, N, Verb, numbers};

/// Memory is short; an address was wrong; nobody knows.
const CODES: [(u32, bool); 4] = [(2, false), (700, false), (700, true), (999, false)];

/// What gets no memory of the GPU frees what is kept between calls; a call on host memory then does with what there is.
const WITH_LESS: [(&str, u32); 2] = [("cuMemAlloc_v2", 2), ("cuStreamCreateWithPriority", 2)];

/// Parts of the names of calls that only clean up, or may be made for that: their failure may pass unsaid.
const CLEAN_UP: [&str; 9] =
    ["Destroy", "Free", "Unregister", "Unload", "Release", "Pop", "Synchronize", "GetCurrent", "Push"];

/// Work on a GPU, or several.
type Work = fn(&Device) -> Result<(), Error>;

fn on_gpus(gpus: &[u32], limit: usize, work: Work) -> Result<(), Error> {
    work(&Device::cuda_list(gpus)?.with_memory_limit(limit))
}

/// How many calls of the driver the work takes where none fails.
fn calls(gpus: &[u32], limit: usize, work: Work) -> u64 {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    on_gpus(gpus, limit, work).unwrap();
    let calls = pretend.count(Count::Calls);
    pretend.finish();
    calls
}

/// Fails each call of work within a memory limit in turn. The work may succeed all the same where only cleaning up
/// failed, or where it does with less memory.
pub(crate) fn fail_each(limit: usize, work: Work) {
    fail_each_on(&[0], limit, work);
}

/// The same on several GPUs, where a run may take fewer calls than another.
pub(crate) fn fail_each_on(gpus: &[u32], limit: usize, work: Work) {
    for k in 1..=calls(gpus, limit, work) {
        for (code, sticky) in CODES {
            let pretend = Pretend::open();
            pretend.set_body(Some(identity));
            pretend.fail_call(k, code, sticky);
            let outcome = on_gpus(gpus, limit, work);
            let failed = match pretend.failed() {
                None if gpus.len() > 1 => "none".to_owned(),
                failed => failed.expect("so many calls are made"),
            };
            let what = format!("call {k} ({failed}) fails with {code}, sticky: {sticky}");
            if outcome.is_ok() {
                let with_less = WITH_LESS.contains(&(failed.as_str(), code));
                let cleans_up = CLEAN_UP.iter().any(|word| failed.contains(word));
                assert!(with_less || cleans_up || failed == "none", "{what}: success");
            }
            assert_eq!(pretend.faults(), [""; 0], "{what}");
            assert!(pretend.live().is_empty(), "{what}: {:?}", pretend.live());
        }
    }
}

/// Where the call says that all is well, so are the results.
#[test]
fn every_call_of_an_inversion_may_fail() {
    fail_each(FEW_BYTES, |device| {
        let numbers = numbers();
        let inverse = device.invert(&Batch::row_major(&numbers, BATCH, N, N)?)?;
        assert_eq!(inverse.matrices.as_slice(), numbers);
        Ok(())
    });
}

#[test]
fn every_call_of_a_factorization_may_fail() {
    fail_each(FEW_BYTES, |device| Verb::Lu.call(device));
}

#[test]
fn every_call_of_a_solve_may_fail() {
    fail_each(FEW_BYTES, |device| Verb::Solve.call(device));
}

#[test]
fn every_call_of_a_determinant_may_fail() {
    fail_each(FEW_BYTES, |device| Verb::Det.call(device));
}
