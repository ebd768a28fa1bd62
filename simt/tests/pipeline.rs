//! Copies from device to shared memory that are not waited for.

use simt::cpu::{FaultKind, Launch, Memory, run};
use simt::global::Global;
use simt::{pipeline, shared, thread};

/// Copies of elements of 0.5, 1.5, .. into shared memory by 32 threads, each its own, and what `check` finds then.
fn copies(check: impl Fn(shared::Shared<f64>, Global<f64>) + Sync) -> Result<(), simt::cpu::Fault> {
    let memory = Memory::new();
    let buffer = memory.allocate(8 * 128);
    for i in 0..128 {
        buffer.write(8 * i, &(i as f64 + 0.5).to_le_bytes()).unwrap();
    }
    let address = buffer.address();
    let launch = Launch { kernel: "copies", grid: 1, cluster: 1, block: 32, shared_bytes: 8 * 128, seed: 3 };
    run(&memory, &launch, || {
        // SAFETY: each thread has its own elements.
        let (to, from) = unsafe { (shared::array::<f64>(0), Global::<f64>::new(address)) };
        check(to.offset(4 * thread::index()), from.offset(4 * i64::from(thread::index())));
    })
    .map(|_| ())
}

#[test]
fn groups_arrive_in_order() {
    copies(|to, from| {
        let first = f64::from(4 * thread::index()) + 0.5;
        for i in 0..3 {
            pipeline::copy(to, i, from.offset(i64::from(i)), i != 1);
            pipeline::commit();
        }
        pipeline::wait_prior::<1>();
        assert_eq!((to.load(0), to.load(1)), (first, 0.0));
        pipeline::wait_prior::<0>();
        assert_eq!(to.load(2), first + 2.0);
    })
    .unwrap();
}

#[test]
fn what_is_not_wanted_is_not_read() {
    copies(|to, from| {
        pipeline::copy(to, 0, from.offset(1 << 20), false);
        pipeline::commit();
        pipeline::wait_prior::<0>();
        assert_eq!(to.load(0), 0.0);
    })
    .unwrap();
}

#[test]
fn a_copy_that_is_not_waited_for_is_not_there() {
    let fault = copies(|to, from| {
        pipeline::copy(to, 0, from, true);
        pipeline::commit();
        pipeline::wait_prior::<1>();
        assert_eq!(to.load(0), 0.5);
    });
    assert_eq!(fault.unwrap_err().kind, FaultKind::Unwritten);
}

#[test]
fn a_copy_from_elsewhere_is_a_fault() {
    let fault = copies(|to, from| pipeline::copy(to, 0, from.offset(1 << 20), true));
    assert_eq!(fault.unwrap_err().kind, FaultKind::OutOfBounds);
}
