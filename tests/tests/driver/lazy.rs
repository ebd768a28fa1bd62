//! Nothing is asked of the driver before somebody asks for a GPU.

use warplu::Device;
use warplu_tests::pretend::{Count, Pretend};

use super::work::Verb;

#[test]
fn the_cpu_needs_no_driver() {
    let pretend = Pretend::open();
    for verb in Verb::ALL {
        verb.call(&Device::cpu()).unwrap();
    }
    assert_eq!(pretend.count(Count::Calls), 0);
    assert_eq!(Device::cuda_count().unwrap(), 2);
    assert!(pretend.count(Count::Calls) > 0);
    assert_eq!(pretend.count(Count::Contexts), 0);
    pretend.finish();
}
