//! Streams and memory of others, given back while work on them goes on.

use warplu::resident::{DeviceBatch, DeviceBatchMut, DeviceBuffer, InPlace, InversePlan, Size, Stream, of};
use warplu::{Device, Element};
use warplu_tests::pretend::{Count, Pretend};

/// Its memory, as somebody else's.
fn lent<T: Element>(device: &Device, owner: &DeviceBuffer<T>) -> DeviceBuffer<T> {
    // SAFETY: the tests drop owners last.
    unsafe { DeviceBuffer::from_raw(device, owner.address(), owner.len()).unwrap() }
}

fn stream(device: &Device, owner: &Stream) -> Stream {
    // SAFETY: as above.
    unsafe { Stream::from_raw(device, owner.raw().unwrap()).unwrap() }
}

#[test]
fn memory_of_others_is_dropped_without_a_wait_once_the_stream_is_given_back() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let (owner, a, b) = (device.stream().unwrap(), device.upload(&[1.0; 100]), device.upload(&[2.0; 100]));
    let (a, b) = (a.unwrap(), b.unwrap());
    for gives_back in [true, false] {
        let (own, from, mut to) = (stream(&device, &owner), lent(&device, &a), lent(&device, &b));
        own.copy(&from, &mut to).unwrap();
        assert!(pretend.count(Count::Queued) > 0);
        if gives_back {
            // SAFETY: the owners outlive the work.
            unsafe { own.release() };
        }
        drop((from, to));
        assert_eq!(pretend.count(Count::Queued) > 0, gives_back);
        owner.synchronize().unwrap();
    }
    assert_eq!(b.to_vec().unwrap(), [1.0; 100]);
    drop((a, b, owner, device));
    pretend.finish();
}

#[test]
fn a_plan_outlives_the_streams_that_it_worked_in() {
    let pretend = Pretend::open();
    let device = Device::cuda(0).unwrap();
    let n = 600;
    let plan = InversePlan::<f64>::new(&device, Size::order(n)).unwrap();
    assert!(plan.bytes() > 0, "it has memory of its own");
    let (a, status) = (device.upload(&vec![1.0; n * n]).unwrap(), device.upload(&[0]).unwrap());
    let mut last = None;
    for _ in 0..3 {
        let owner = device.stream().unwrap();
        let (own, mut to) = (stream(&device, &owner), lent(&device, &a));
        // SAFETY: as above.
        let mut status = unsafe { DeviceBuffer::<i32>::from_raw(&device, status.address(), 1).unwrap() };
        if let Some(last) = &last {
            own.wait(last).unwrap();
        }
        let operands = of::Inverse {
            a: InPlace,
            inverse: &mut DeviceBatchMut::row_major(&mut to, 1, n, n).unwrap(),
            status: &mut status,
        };
        plan.run(&own, operands).unwrap();
        last = Some(own.record().unwrap());
        // SAFETY: who works with the plan next waits for the mark.
        unsafe { own.release() };
        drop((to, status, owner));
    }
    let stream = device.stream().unwrap();
    last.unwrap().synchronize().unwrap();
    let mut out = device.buffer(n * n).unwrap();
    let mut own_status = device.buffer(1).unwrap();
    let to = &mut DeviceBatchMut::row_major(&mut out, 1, n, n).unwrap();
    let operands =
        of::Inverse { a: &DeviceBatch::row_major(&a, 1, n, n).unwrap(), inverse: to, status: &mut own_status };
    plan.run(&stream, operands).unwrap();
    stream.synchronize().unwrap();
    drop((plan, a, out, own_status, status, stream, device));
    pretend.finish();
}
