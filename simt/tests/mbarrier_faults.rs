//! Mbarriers and asynchronous stores that are misused.

mod common;

use common::*;
use simt::cpu::{Fault, FaultKind};
use simt::mbarrier::Mbarrier;
use simt::shared::Shared;
use simt::{cluster, sync_threads, thread};

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("mbarrier_faults.rs"), mark)
}

/// The mbarrier at byte 1024, and an array before it.
fn both() -> (Shared<u32>, Mbarrier) {
    (shared::<u32>(), Mbarrier::new(shared::<u64>().offset(128)))
}

/// Begins the use of the mbarrier in every block, for arrivals of one thread, which expects so many bytes.
fn begin(bytes: u32) -> (Shared<u32>, Mbarrier) {
    let (x, full) = both();
    if thread::index() == 0 {
        full.init(1);
        full.arrive_expect(bytes);
    }
    cluster::sync();
    (x, full)
}

fn other_rank() -> u32 {
    cluster::rank() ^ 1
}

fn assert_misuse(blocks: u32, threads: u32, parts: &[&str], body: impl Fn() + Sync) -> Vec<Fault> {
    let faults = assert_cluster_fault(FaultKind::Mbarrier, blocks, threads, body);
    faults.iter().for_each(|fault| assert_mentions(fault, parts));
    faults
}

#[test]
fn use_without_initialisation() {
    let none = "no mbarrier of byte 1024 is initialised";
    assert_misuse(1, 1, &[none], || both().1.wait(0));
    assert_misuse(1, 1, &[none], || both().1.arrive());
    assert_misuse(1, 1, &[none], || both().1.invalidate());
    assert_misuse(2, 1, &[none], || both().1.of(1).arrive());
    assert_misuse(2, 1, &[none], || both().0.of(1).store_async(0, 1, both().1.of(1)));
    assert_misuse(1, 1, &["an mbarrier for 0 arrivals"], || both().1.init(0));
    assert_misuse(1, 1, &["an mbarrier for 1048576 arrivals"], || both().1.init(1 << 20));
    assert_fault(FaultKind::OutOfBounds, 1, || Mbarrier::new(shared::<u64>().offset(512)).init(1));
    assert_fault(FaultKind::Misaligned, 1, || Mbarrier::new(shared::<u32>().offset(1).cast()).init(1));
}

#[test]
fn initialised_twice() {
    let line = line_of("first of two");
    for fault in assert_misuse(1, 1, &["is still in use"], || {
        both().1.init(1); // [first of two]
        both().1.init(1);
    }) {
        assert_eq!(other(&fault).line, line);
    }
    assert_clean(1, || {
        both().1.init(1);
        both().1.invalidate();
        both().1.init(1);
    });
}

#[test]
fn used_before_others_know_of_it() {
    let kernel = |barrier: bool| {
        move || {
            if thread::index() == 0 {
                both().1.init(1);
            }
            if barrier {
                sync_threads();
            }
            if thread::index() == 40 {
                both().1.arrive();
            }
        }
    };
    for seed in SEEDS {
        let fault = run_block(64, seed, kernel(false)).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Race | FaultKind::Mbarrier), "{fault}");
    }
    assert_clean(64, kernel(true));
}

#[test]
fn accessed_as_ordinary_memory() {
    assert_misuse(1, 1, &["where an mbarrier of byte 1024 is in use"], || {
        begin(0);
        ignore(shared::<u32>().load(257));
    });
    assert_misuse(1, 1, &["a write of 4 bytes at byte 1024"], || {
        begin(0);
        shared::<u32>().store(256, 1);
    });
    assert_misuse(2, 1, &["an asynchronous store of 4 bytes at byte 1028"], || {
        let (x, full) = begin(4);
        x.of(1).store_async(257, 1, full.of(1));
    });
}

#[test]
fn more_arrivals_than_it_takes() {
    assert_misuse(1, 2, &["more than the 1 that an mbarrier was initialised for"], || {
        let (_, full) = both();
        if thread::index() == 0 {
            full.init(1);
        }
        sync_threads();
        full.arrive_expect(4);
    });
    assert_misuse(1, 1, &["phase 0 expects 1048576 bytes"], || begin(1 << 20).1.wait(0));
}

/// Of what comes early nobody can say that it is too much, until the phase has all its arrivals.
#[test]
fn more_bytes_than_expected() {
    assert_misuse(2, 1, &["of an asynchronous store of 8 bytes", "4 bytes came in phase 0 that it did not"], || {
        let (x, full) = begin(4);
        x.of(other_rank()).cast::<u64>().store_async(0, 1, full.of(other_rank()));
        full.wait(0);
        cluster::sync();
    });
    // Those that come later still come when the block has ended.
    for seed in SEEDS {
        let fault = run_cluster(2, 1, seed, || {
            let (x, full) = begin(4);
            let to = x.of(other_rank());
            to.store_async(0, 1, full.of(other_rank()));
            to.store_async(1, 1, full.of(other_rank()));
            full.wait(0);
            full.arrive();
            full.wait(1);
            cluster::sync();
        });
        let fault = fault.unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Mbarrier | FaultKind::Ended), "{fault}");
    }
}

#[test]
fn bytes_that_never_come() {
    for fault in assert_cluster_fault(FaultKind::Deadlock, 2, 32, || {
        let (x, full) = begin(12);
        if thread::index() == 3 {
            x.of(other_rank()).store_async(0, 1, full.of(other_rank()));
        }
        full.wait(0); // [for good]
        cluster::sync();
    }) {
        assert_eq!((fault.site.block, fault.site.thread, fault.site.line), (0, 0, line_of("for good")));
        assert_mentions(&fault, &["the mbarrier of byte 1024 lacks 0 of 1 arrivals and 8 bytes in phase 0"]);
        assert_mentions(&fault, &["in block 1, threads 0 to 31 at the mbarrier of byte 1024, at "]);
    }
}

#[test]
fn arrivals_that_never_come() {
    for fault in assert_cluster_fault(FaultKind::Deadlock, 2, 2, || {
        let (_, full) = both();
        if thread::index() == 0 {
            full.init(3);
        }
        cluster::sync();
        if cluster::rank() == 1 {
            full.of(0).arrive();
            cluster::sync();
        } else {
            full.wait(0); // [for a third]
            cluster::sync();
        }
    }) {
        assert_eq!((fault.site.block, fault.site.line), (0, line_of("for a third")));
        assert_mentions(
            &fault,
            &["lacks 1 of 3 arrivals in phase 0", "in block 1, threads 0 to 1 at the cluster barrier"],
        );
    }
}

#[test]
fn a_wait_for_the_wrong_parity() {
    assert_cluster_fault(FaultKind::Deadlock, 1, 1, || {
        let (_, full) = begin(0);
        full.wait(0);
        full.wait(1);
    });
}

/// One of two who wait arms the mbarrier again, and the next phase is over before the other has seen the end of the
/// first.
#[test]
fn a_phase_that_is_over_too_soon() {
    let found = (0..100).filter(|&seed| {
        let outcome = run_cluster(1, 3, seed, || {
            let (_, full) = both();
            if thread::index() == 0 {
                full.init(1);
            }
            sync_threads();
            if thread::index() == 0 {
                full.arrive();
                full.arrive();
            } else {
                full.wait(0);
            }
        });
        match outcome {
            Ok(_) => false,
            Err(fault) => {
                assert!(matches!(fault.kind, FaultKind::Mbarrier | FaultKind::Deadlock), "{fault}");
                true
            }
        }
    });
    assert!(found.count() > 50);
}

#[test]
fn a_store_with_a_barrier_elsewhere() {
    assert_misuse(2, 1, &["to the block of rank 1, with an mbarrier of the block of rank 0"], || {
        let (x, full) = begin(4);
        x.of(1).store_async(0, 1, full.of(0));
    });
    assert_cluster_fault(FaultKind::Misaligned, 2, 1, || {
        let (x, full) = begin(8);
        x.of(1).offset(1).cast::<[u32; 2]>().store_async(0, [1, 2], full.of(1));
    });
}
