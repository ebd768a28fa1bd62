//! Clusters: blocks that run together, their barrier, and each other's shared memory.

mod common;

use common::*;
use simt::cpu::{FaultKind, Launch, Memory, run};
use simt::shared::Vector;
use simt::{block, cluster, sync_threads, thread, warp};

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("clusters.rs"), mark)
}

#[test]
fn impossible_clusters_are_refused() {
    for (grid, cluster) in [(4, 0), (34, 17), (6, 4), (1, 2)] {
        let fault = run(&Memory::new(), &Launch { cluster, ..launch(grid, 1, 0, 0) }, || panic!("it runs"));
        assert_eq!(fault.unwrap_err().kind, FaultKind::Launch);
    }
}

#[test]
fn every_block_has_its_rank() {
    let memory = Memory::new();
    let buffer = memory.allocate(4 * 24);
    let address = buffer.address();
    for blocks in [1, 2, 3, 4, 8] {
        run(&memory, &Launch { cluster: blocks, ..launch(24, 5, 0, 3) }, || {
            assert_eq!((cluster::size(), cluster::rank()), (blocks, block::index() % blocks));
            cluster::sync();
            if thread::index() == 0 {
                global::<u32>(address).store(block::index().into(), cluster::rank());
            }
        })
        .unwrap();
        let mut ranks = [0; 96];
        buffer.read(0, &mut ranks).unwrap();
        let expected = (0..24).flat_map(|block: u32| (block % blocks).to_ne_bytes());
        assert!(ranks.into_iter().eq(expected));
    }
}

#[test]
fn without_clusters_a_block_is_one() {
    assert_clean(64, || {
        assert_eq!((cluster::rank(), cluster::size()), (0, 1));
        shared::<u32>().store(thread::index(), 7);
        cluster::sync();
        assert_eq!(shared::<u32>().load(63 - thread::index()), 7);
        cluster::arrive();
        cluster::wait();
    });
    // Hardware crashes there.
    let faults = assert_fault(FaultKind::OutOfBounds, 1, || shared::<u32>().of(0).store(0, 7));
    assert!(faults.iter().all(|fault| fault.detail.contains("without clusters")), "{faults:?}");
}

#[test]
fn the_largest_cluster() {
    let launch = Launch { cluster: 16, ..launch(32, 1024, 4096, 0) };
    run(&Memory::new(), &launch, || {
        shared::<u32>().store(thread::index(), cluster::rank());
        cluster::sync();
        let next = (cluster::rank() + 1) % 16;
        assert_eq!(shared::<u32>().of(next).load(1023 - thread::index()), next);
        cluster::sync();
    })
    .unwrap();
}

#[test]
fn a_broadcast_by_remote_stores() {
    for blocks in [2, 4, 8, 16] {
        assert_cluster_clean(blocks, 40, || {
            cluster::sync();
            if cluster::rank() == blocks / 2 && thread::index() < blocks {
                let to = shared::<u32>().of(thread::index());
                to.store(0, 10);
                to.offset(2).cast::<u64>().store(0, 11);
                to.vectors::<4>().store(1, Vector([1, 2, 3, 4]));
            }
            cluster::sync();
            let x = shared::<u32>();
            assert_eq!((x.load(0), x.load(2), x.vectors::<4>().load(1)), (10, 11, Vector([1, 2, 3, 4])));
        });
    }
}

#[test]
fn a_ring_of_remote_loads() {
    for blocks in [2, 3, 16] {
        assert_cluster_clean(blocks, 33, || {
            let x = shared::<f64>();
            for round in 0..3 {
                x.store(thread::index(), f64::from(cluster::rank() + 100 * round));
                cluster::sync();
                let next = (cluster::rank() + 1) % cluster::size();
                assert_eq!(x.of(next).load(32 - thread::index()), f64::from(next + 100 * round));
                cluster::sync();
            }
        });
    }
}

#[test]
fn neighbours_in_a_cluster_need_its_barrier() {
    let kernel = |with: fn()| {
        move || {
            cluster::sync();
            if block::index() == 0 {
                shared::<u32>().of(1).store(thread::index(), 1); // [remote store]
            }
            with();
            if block::index() == 1 {
                let x = shared::<u32>();
                x.store(thread::index(), 2); // [local store]
            }
            cluster::sync();
        }
    };
    for with in [sync_threads, || warp::sync(warp::ALL)] {
        for fault in assert_cluster_fault(FaultKind::Race, 2, 32, kernel(with)) {
            let mut lines = [fault.site.line, other(&fault).line];
            lines.sort_unstable();
            assert_eq!(lines, [line_of("remote store"), line_of("local store")]);
            assert_eq!(fault.site.block ^ 1, other(&fault).block);
            assert_mentions(&fault, &["of the shared memory of block 1"]);
        }
    }
    assert_cluster_clean(2, 32, kernel(cluster::sync));
}

#[test]
fn between_arrival_and_wait_nothing_is_ordered() {
    let kernel = |late: bool| {
        move || {
            let x = shared::<u32>();
            if !late {
                x.store(thread::index(), 1);
            }
            cluster::arrive();
            if late {
                x.store(thread::index(), 1);
            }
            cluster::wait();
            assert_eq!(x.of(cluster::rank() ^ 1).load(thread::index()), 1);
            cluster::sync();
        }
    };
    assert_cluster_clean(2, 32, kernel(false));
    assert_cluster_fault(FaultKind::Race, 2, 32, kernel(true));
}

#[test]
fn device_memory_is_ordered_by_the_cluster() {
    let memory = Memory::new();
    let kernel = |barrier: bool, address: u64| {
        move || {
            let i = i64::from(block::index());
            global::<u32>(address).store(i, 1);
            if barrier {
                cluster::sync();
            }
            ignore(global::<u32>(address).load(i ^ 1));
        }
    };
    for seed in SEEDS {
        let buffer = memory.allocate(16);
        buffer.write(0, &[0; 16]).unwrap();
        let launch = Launch { cluster: 2, ..launch(4, 1, 0, seed) };
        run(&memory, &launch, kernel(true, buffer.address())).unwrap();
        let fault = run(&memory, &launch, kernel(false, buffer.address())).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Race);
    }
}

#[test]
fn a_barrier_that_a_block_does_not_reach() {
    for fault in assert_cluster_fault(FaultKind::Divergence, 4, 32, || {
        if cluster::rank() == 2 {
            sync_threads(); // all of that block: then it returns
            return;
        }
        cluster::sync(); // [three blocks]
    }) {
        assert_eq!((fault.site.block, fault.site.line), (0, line_of("three blocks")));
        let waiting = format!("in block 3, threads 0 to 31 at the cluster barrier of {}:{}", file!(), fault.site.line);
        assert_mentions(&fault, &["in block 2, threads 0 to 31 returned", &waiting]);
    }
    for fault in assert_cluster_fault(FaultKind::Divergence, 2, 32, || {
        if (cluster::rank(), thread::index()) == (1, 7) { sync_threads() } else { cluster::sync() }
    }) {
        assert_mentions(
            &fault,
            &["in block 1, threads 0 to 6 at the cluster barrier", "thread 7 at the block barrier"],
        );
    }
}

#[test]
#[allow(clippy::if_same_then_else, reason = "two places are what it is about")]
fn misuse_of_the_barrier() {
    for fault in assert_cluster_fault(FaultKind::Divergence, 2, 1, || {
        cluster::arrive();
        cluster::arrive();
    }) {
        assert_mentions(&fault, &["arrives at the cluster barrier again"]);
    }
    for fault in assert_cluster_fault(FaultKind::Divergence, 2, 1, cluster::wait) {
        assert_mentions(&fault, &["without having arrived"]);
    }
    for fault in assert_cluster_fault(FaultKind::Divergence, 2, 32, || {
        if thread::index() < 16 {
            cluster::sync();
        } else {
            cluster::sync();
        }
    }) {
        assert_mentions(&fault, &["of the same warp is at another"]);
    }
    // Other warps, and other blocks, may be elsewhere.
    assert_cluster_clean(2, 64, || {
        if warp::index() == cluster::rank() {
            cluster::sync();
        } else {
            cluster::sync();
        }
    });
}

#[test]
fn memory_of_a_rank_that_is_not_there() {
    for fault in assert_cluster_fault(FaultKind::OutOfBounds, 2, 1, || shared::<u32>().of(2).store(0, 1)) {
        assert_mentions(&fault, &["rank 2, in a cluster of 2 blocks"]);
    }
    assert_cluster_fault(FaultKind::OutOfBounds, 2, 1, || shared::<u32>().of(1).store(1024, 1));
    assert_cluster_fault(FaultKind::Unwritten, 2, 1, || ignore(shared::<u32>().of(1).load(0)));
    assert_cluster_fault(FaultKind::Misaligned, 2, 1, || {
        shared::<u32>().of(1).offset(1).vectors::<4>().store(0, Vector([0; 4]));
    });
}

/// Whichever comes first, the access or the end of the block.
#[test]
fn memory_of_a_block_that_may_have_ended() {
    let kernel = |stays: bool| {
        move || {
            cluster::sync();
            if cluster::rank() == 0 && thread::index() == 3 {
                shared::<u32>().of(1).store(0, 1); // [too late]
            }
            if stays {
                cluster::sync();
            }
        }
    };
    for fault in assert_cluster_fault(FaultKind::Ended, 2, 32, kernel(false)) {
        assert_eq!((fault.site.block, fault.site.thread, fault.site.line), (0, 3, line_of("too late")));
        assert_mentions(&fault, &["block 1"]);
    }
    assert_cluster_clean(2, 32, kernel(true));
}
