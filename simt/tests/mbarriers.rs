//! Mbarriers and asynchronous stores: programs that are right, in any order of the threads and of what arrives.

mod common;

use common::*;
use simt::layout::Layout;
use simt::mbarrier::Mbarrier;
use simt::shared::{Shared, Vector};
use simt::{cluster, sync_threads, thread, warp};

const BLOCKS: [u32; 4] = [2, 4, 8, 16];

/// What a block keeps: slots of a row from each block of the cluster, and an mbarrier for each slot.
struct Storage {
    rows: Shared<u32>,    // shape (slots, blocks, 4)
    arrived: Shared<u64>, // shape (slots)
    winners: Shared<u32>, // shape (slots, 4)
}

fn storage(slots: u32, blocks: u32) -> Storage {
    let layout = |layout: &mut Layout| Storage {
        rows: layout.array(slots * blocks * 4),
        arrived: layout.array(slots),
        winners: layout.array(4 * slots),
    };
    assert!(Layout::bytes(layout) <= 4096);
    // SAFETY: the emulator checks what is done with it.
    unsafe { Layout::place(layout) }
}

fn mbarrier(words: Shared<u64>, slot: u32) -> Mbarrier {
    Mbarrier::new(words.offset(slot))
}

/// Every block sends a row to every block, for many steps, through a few slots: the exchange of an LU panel.
fn all_to_all(slots: u32, steps: u32) {
    let (rank, blocks) = (cluster::rank(), cluster::size());
    let Storage { rows, arrived, .. } = storage(slots, blocks);
    let bytes = 16 * blocks;
    if thread::index() < slots {
        mbarrier(arrived, thread::index()).init(1);
        mbarrier(arrived, thread::index()).arrive_expect(bytes);
    }
    cluster::sync();
    let mut value = rank;
    for step in 0..steps {
        let (slot, parity) = (step % slots, step / slots % 2);
        let full = mbarrier(arrived, slot);
        if thread::index() < blocks {
            let row = rows.offset(4 * (slot * blocks + rank)).of(thread::index()).vectors::<4>();
            row.store_async(0, Vector([value, rank, step, 0]), full.of(thread::index()));
        }
        full.wait(parity);
        // Before this thread sends anything that lets others go on to the step that needs it.
        if thread::index() == 0 && step + slots < steps {
            full.arrive_expect(bytes);
        }
        let of = |source: u32| rows.offset(4 * (slot * blocks + source)).vectors::<4>().load(0).0;
        value = (0..blocks).map(|source| of(source)[0]).sum::<u32>() % 1001 + rank;
        assert!((0..blocks).all(|source| of(source)[1..3] == [source, step]));
        // All of the block have read the slot before any of it sends again.
        sync_threads();
    }
    cluster::sync();
}

#[test]
fn an_exchange_of_all_with_all() {
    for blocks in BLOCKS {
        assert_cluster_clean(blocks, 32, || all_to_all(2, 9));
    }
    assert_cluster_clean(4, 64, || all_to_all(4, 17));
}

#[test]
fn a_broadcast_in_pieces_of_all_sizes() {
    for blocks in BLOCKS {
        assert_cluster_clean(blocks, 32, || {
            let Storage { rows, arrived, .. } = storage(1, 8);
            let full = mbarrier(arrived, 0);
            if thread::index() == 0 {
                full.init(1);
                full.arrive_expect(4 + 8 + 16);
            }
            cluster::sync();
            if cluster::rank() == 0 && thread::index() < blocks {
                let (to, full) = (rows.of(thread::index()), full.of(thread::index()));
                to.store_async(0, 3, full);
                to.cast::<u64>().store_async(1, 1 << 40 | 5, full);
                to.vectors::<4>().store_async(1, Vector([6, 7, 8, 9]), full);
            }
            full.wait(0);
            assert_eq!((rows.load(0), rows.load(2), rows.load(3)), (3, 5, 1 << 8));
            assert_eq!(rows.vectors::<4>().load(1), Vector([6, 7, 8, 9]));
            cluster::sync();
        });
    }
}

/// Threads of one block: some fill a buffer, others empty it, with one mbarrier for each direction.
#[test]
fn a_buffer_is_filled_and_emptied() {
    assert_clean(64, || {
        let Storage { rows, arrived, .. } = storage(2, 8);
        let (full, empty) = (mbarrier(arrived, 0), mbarrier(arrived, 1));
        if thread::index() == 0 {
            full.init(32);
            empty.init(32);
        }
        sync_threads();
        for step in 0..6 {
            if warp::index() == 0 {
                empty.wait((step + 1) % 2); // of the phase before the first, at first: complete
                rows.store(thread::index(), step + thread::index());
                full.arrive();
            } else {
                full.wait(step % 2);
                assert_eq!(rows.load(31 - warp::lane()), step + 31 - warp::lane());
                empty.arrive();
            }
        }
    });
}

/// The same from block to block: the receiver tells the sender by a remote arrival.
#[test]
fn a_remote_buffer_is_filled_and_emptied() {
    for steps in [1, 2, 7] {
        assert_cluster_clean(2, 32, || {
            let Storage { rows, arrived, .. } = storage(2, 8);
            let (full, empty) = (mbarrier(arrived, 0), mbarrier(arrived, 1));
            if thread::index() == 0 {
                full.init(1);
                empty.init(32);
            }
            cluster::sync();
            for step in 0..steps {
                if cluster::rank() == 0 {
                    empty.wait((step + 1) % 2);
                    rows.of(1).store_async(thread::index(), step + thread::index(), full.of(1));
                } else {
                    if thread::index() == 0 {
                        full.arrive_expect(128);
                    }
                    full.wait(step % 2);
                    assert_eq!(rows.load(31 - thread::index()), step + 31 - thread::index());
                    empty.of(0).arrive();
                }
            }
            cluster::sync();
        });
    }
}

/// An arrival makes all writes of its thread visible, plain ones, too: the winner's row is fetched from where it is.
#[test]
fn rows_are_pulled_after_an_arrival() {
    assert_cluster_clean(4, 32, || {
        let Storage { arrived, winners, .. } = storage(1, 4);
        let told = mbarrier(arrived, 0);
        if thread::index() == 0 {
            told.init(cluster::size());
        }
        cluster::sync();
        if thread::index() == 5 {
            winners.vectors::<4>().store(0, Vector([cluster::rank(); 4]));
            (0..cluster::size()).for_each(|rank| told.of(rank).arrive());
        }
        told.wait(0);
        let next = (cluster::rank() + 1) % cluster::size();
        assert_eq!(winners.of(next).vectors::<4>().load(0), Vector([next; 4]));
        cluster::sync();
    });
}

#[test]
fn one_thread_waits_for_all_of_its_block() {
    assert_cluster_clean(2, 96, || {
        let Storage { rows, arrived, .. } = storage(1, 8);
        let full = mbarrier(arrived, 0);
        if thread::index() == 0 {
            full.init(1);
            full.arrive_expect(4);
        }
        cluster::sync();
        if thread::index() == 64 {
            rows.of(cluster::rank() ^ 1).store_async(0, cluster::rank(), full.of(cluster::rank() ^ 1));
        }
        if thread::index() == 31 {
            full.wait(0);
        }
        sync_threads();
        assert_eq!(rows.load(0), cluster::rank() ^ 1);
        cluster::sync();
    });
}

/// The end of an mbarrier's use makes its word an ordinary one.
#[test]
fn a_word_is_an_mbarrier_for_a_while() {
    assert_clean(32, || {
        let Storage { arrived, .. } = storage(1, 1);
        for round in 0..3 {
            if thread::index() == 0 {
                mbarrier(arrived, 0).init(32);
            }
            sync_threads();
            mbarrier(arrived, 0).arrive();
            mbarrier(arrived, 0).wait(0);
            sync_threads();
            if thread::index() == 0 {
                mbarrier(arrived, 0).invalidate();
                arrived.store(0, round);
            }
            sync_threads();
            assert_eq!(arrived.load(0), round);
            sync_threads();
        }
    });
}
