//! Launches are such as a GPU takes, and name memory that is there: the pretend driver would note a fault.

use papers::Published;
use warplu::{Algorithm, Batch, Device};
use warplu_tests::pretend::{Count, Pretend};

#[test]
fn launches_are_possible() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap().with(Algorithm::from(Published::LEFT_LOOKING));
    for n in [4, 33, 100] {
        let (numbers, rhs) = (vec![1.0_f32; 3 * n * n], vec![1.0; 3 * n * 2]);
        let a = Batch::row_major(&numbers, 3, n, n).unwrap();
        let _ = device.invert(&a).unwrap();
        let _ = device.det(&a).unwrap();
        let _ = device.solve(&a, &Batch::row_major(&rhs, 3, n, 2).unwrap()).unwrap();
        let _ = device.lu(&a).unwrap().inverse().unwrap();
    }
    assert!(pretend.launches().iter().any(|launch| launch.name.starts_with("left_looking")));
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    drop(device);
    pretend.finish();
}
