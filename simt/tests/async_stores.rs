//! Asynchronous stores that are read too early, overwrite too early, or come too late.

mod common;

use common::*;
use simt::cpu::FaultKind;
use simt::mbarrier::Mbarrier;
use simt::shared::Shared;
use simt::{cluster, sync_threads, thread, warp};

const RACE: FaultKind = FaultKind::Race;

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("async_stores.rs"), mark)
}

/// An array, and mbarriers of one arrival a phase in every block, the first of which expects so many bytes.
fn begin(bytes: u32) -> (Shared<u32>, [Mbarrier; 2]) {
    let words = shared::<u64>().offset(256);
    let full = [Mbarrier::new(words), Mbarrier::new(words.offset(1))];
    if thread::index() == 0 {
        full[0].init(1);
        full[1].init(1);
        full[0].arrive_expect(bytes);
    }
    cluster::sync();
    (shared(), full)
}

/// Whenever it looks: for a while it finds what was there before, or nothing.
#[test]
fn read_without_having_waited() {
    let kernel = |written: bool| {
        move || {
            if written {
                shared::<u32>().store(thread::index(), 0);
            }
            let (x, [full, _]) = begin(128);
            if cluster::rank() == 0 {
                x.of(1).store_async(thread::index(), 1, full.of(1)); // [the store]
                cluster::sync();
            } else {
                cluster::sync();
                if thread::index() == 5 {
                    ignore(x.load(5)); // [too early]
                }
                full.wait(0);
            }
            cluster::sync();
        }
    };
    for fault in [false, true].into_iter().flat_map(|written| assert_cluster_fault(RACE, 2, 32, kernel(written))) {
        let mut lines = [fault.site.line, other(&fault).line];
        lines.sort_unstable();
        assert_eq!(lines, [line_of("the store"), line_of("too early")]);
        assert_mentions(&fault, &["asynchronous"]);
    }
}

#[test]
fn a_barrier_does_not_bring_it() {
    for with in [sync_threads, || warp::sync(warp::ALL), cluster::sync] {
        let seeds = 0..30;
        for seed in seeds {
            let fault = run_cluster(2, 32, seed, || {
                let (x, [full, _]) = begin(4);
                if thread::index() == 0 {
                    x.of(cluster::rank() ^ 1).store_async(0, 1, full.of(cluster::rank() ^ 1));
                }
                cluster::sync();
                with();
                ignore(x.load(0));
                cluster::sync();
            });
            assert_eq!(fault.unwrap_err().kind, RACE, "seed {seed}");
        }
    }
}

#[test]
fn another_mbarrier_does_not_bring_it() {
    assert_cluster_fault(RACE, 2, 1, || {
        let (x, [one, two]) = begin(4);
        two.arrive_expect(4);
        cluster::sync();
        let to = cluster::rank() ^ 1;
        x.of(to).store_async(0, 1, one.of(to));
        x.of(to).store_async(1, 1, two.of(to));
        two.wait(0);
        ignore(x.load(0));
        one.wait(0);
        cluster::sync();
    });
}

/// What a thread stored otherwise is not seen by those who wait for its asynchronous stores.
#[test]
fn a_row_is_pulled_without_an_arrival() {
    for fault in assert_cluster_fault(RACE, 2, 1, || {
        let (x, [full, _]) = begin(4);
        x.store(8, cluster::rank()); // [staged]
        let to = cluster::rank() ^ 1;
        x.of(to).store_async(0, 1, full.of(to));
        full.wait(0);
        ignore(x.of(to).load(8)); // [pulled]
        cluster::sync();
    }) {
        assert_eq!((fault.site.line, other(&fault).line), (line_of("pulled"), line_of("staged")));
    }
}

/// Reuse of a slot: its reader must have told, by whatever it sends, that it is done.
#[test]
fn a_slot_is_overwritten_while_some_still_read() {
    let kernel = |all_have_read: bool| {
        move || {
            let (x, [full, told]) = begin(4);
            if thread::index() == 0 && cluster::rank() == 0 {
                told.arrive_expect(4);
                x.of(1).store_async(0, 1, full.of(1)); // [first]
                told.wait(0);
                x.of(1).store_async(0, 2, full.of(1)); // [second]
            }
            if cluster::rank() == 1 {
                full.wait(0);
                ignore(x.load(0)); // [read]
                if all_have_read {
                    sync_threads();
                }
                if thread::index() == 0 {
                    full.arrive_expect(4);
                    x.of(0).store_async(4, 7, told.of(0));
                }
                full.wait(1);
                assert_eq!(x.load(0), 2);
            }
            cluster::sync();
        }
    };
    assert_cluster_clean(2, 256, kernel(true));
    for fault in assert_cluster_fault(RACE, 2, 256, kernel(false)) {
        let mut lines = [fault.site.line, other(&fault).line];
        lines.sort_unstable();
        assert_eq!(lines, [line_of("second"), line_of("read")]);
    }
}

#[test]
fn two_stores_to_one_place() {
    let kernel = |apart: bool| {
        move || {
            let (x, [full, _]) = begin(8);
            if cluster::rank() == 0 {
                x.of(1).store_async(0, 1, full.of(1));
                x.of(1).store_async(u32::from(apart), 1, full.of(1));
            } else {
                full.wait(0);
            }
            cluster::sync();
        }
    };
    for fault in assert_cluster_fault(RACE, 2, 1, kernel(false)) {
        assert_mentions(&fault, &["the arrival of byte 0 of the shared memory of block 1", "wrote asynchronously"]);
        assert_eq!((fault.site.block, other(&fault).block), (0, 0));
    }
    assert_cluster_clean(2, 1, kernel(true));
}

/// What the thread itself does after it has begun a store is not ordered after that.
#[test]
fn a_store_to_the_own_block_that_the_thread_goes_on_using() {
    let kernel = |waits: bool| {
        move || {
            let (x, [full, _]) = begin(4);
            x.store(0, 1);
            x.of(cluster::rank()).store_async(0, 2, full.of(cluster::rank()));
            if waits {
                full.wait(0);
            }
            x.store(0, 3);
            full.wait(0);
            cluster::sync();
        }
    };
    assert_cluster_clean(2, 1, kernel(true));
    assert_cluster_fault(RACE, 2, 1, kernel(false));
}

/// Its block must stay until all has come that others send it.
#[test]
fn it_arrives_after_the_end() {
    let kernel = |waits: bool| {
        move || {
            let (x, [full, _]) = begin(4);
            if cluster::rank() == 0 && thread::index() == 9 {
                x.of(1).store_async(0, 1, full.of(1));
            }
            if cluster::rank() == 1 && waits {
                full.wait(0);
            }
            cluster::sync();
        }
    };
    for fault in assert_cluster_fault(FaultKind::Ended, 2, 32, kernel(false)) {
        assert_mentions(&fault, &["block 1"]);
    }
    assert_cluster_clean(2, 32, kernel(true));
}
