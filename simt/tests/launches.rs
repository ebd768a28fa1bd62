//! Launches: what is possible, in what order threads run, and how kernels end.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use common::*;
use simt::cpu::{Fault, FaultKind, MAX_BLOCK, MAX_GRID, MAX_SHARED_BYTES, Memory, run};
use simt::{block, sync_threads, thread, warp};

#[test]
fn impossible_launches_are_refused() {
    let refused = |grid, block, shared| {
        let line = line!() + 1;
        let fault: Fault = run(&Memory::new(), &launch(grid, block, shared, 0), || panic!("it runs")).unwrap_err();
        assert_eq!((fault.kind, fault.kernel.as_str(), fault.site.line), (FaultKind::Launch, KERNEL, line));
        assert!(fault.to_string().contains(file!()), "{fault}");
    };
    refused(0, 1, 0);
    refused(MAX_GRID + 1, 1, 0);
    refused(1, 0, 0);
    refused(1, MAX_BLOCK + 1, 0);
    refused(1, 1, MAX_SHARED_BYTES + 1);
    run(&Memory::new(), &launch(1, MAX_BLOCK, MAX_SHARED_BYTES, 0), sync_threads).unwrap();
}

#[test]
fn a_kernel_cannot_launch_another() {
    run_block(1, 0, || assert_eq!(run_block(1, 0, || {}).unwrap_err().kind, FaultKind::Launch)).unwrap();
}

#[test]
fn every_thread_of_every_block_runs_once() {
    let memory = Memory::new();
    let buffer = memory.allocate(4 * 7 * 100);
    let address = buffer.address();
    run(&memory, &launch(7, 100, 0, 5), || {
        assert_eq!((block::dim(), block::grid_dim()), (100, 7));
        assert_eq!((warp::index(), warp::lane()), (thread::index() / 32, thread::index() % 32));
        let i = block::index() * 100 + thread::index();
        global::<u32>(address).store(i.into(), i);
    })
    .unwrap();
    let mut bytes = vec![0; 4 * 700];
    buffer.read(0, &mut bytes).unwrap();
    assert!(bytes.chunks(4).zip(0_u32..).all(|(bytes, i)| bytes == i.to_ne_bytes()));
}

#[test]
fn many_blocks() {
    let sum = AtomicU64::new(0);
    run(&Memory::new(), &launch(100_000, 2, 0, 0), || {
        sync_threads();
        sum.fetch_add(block::index().into(), Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(sum.into_inner(), 100_000 * 99_999);
}

#[test]
fn largest_blocks() {
    run(&Memory::new(), &launch(20, 1024, 4096, 0), || {
        for round in 0..5 {
            shared::<u32>().store(thread::index(), round);
            sync_threads();
            assert_eq!(shared::<u32>().load(1023 - thread::index()), round);
            sync_threads();
        }
    })
    .unwrap();
}

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("launches.rs"), mark)
}

/// The order in which the threads of a block begin, and then leave a barrier.
fn order(seed: u64) -> Vec<u32> {
    let order = Mutex::new(Vec::new());
    run_block(64, seed, || {
        order.lock().unwrap().push(thread::index());
        sync_threads();
        order.lock().unwrap().push(thread::index());
    })
    .unwrap();
    order.into_inner().unwrap()
}

#[test]
fn the_seed_determines_the_order() {
    let orders: Vec<_> = (0..10).map(order).collect();
    for (seed, order_then) in orders.iter().enumerate() {
        assert_eq!(&order(seed as u64), order_then);
        assert_ne!(order_then[..64], order_then[64..], "each round has an order of its own");
        assert!(orders[..seed].iter().all(|earlier| earlier != order_then));
        let mut sorted = order_then[64..].to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..64));
    }
}

#[test]
fn the_lowest_block_is_reported() {
    for seed in 0..50 {
        let fault = run(&Memory::new(), &launch(64, 32, 0, seed), || {
            assert!(block::index() < 5 || thread::index() != block::index() % 32);
        });
        let fault = fault.unwrap_err();
        assert_eq!((fault.kind, fault.site.block, fault.site.thread), (FaultKind::Panic, 5, 5));
    }
}

#[test]
fn panics_of_a_kernel_are_faults() {
    for fault in assert_fault(FaultKind::Panic, 64, || {
        let data = [1, 2, 3];
        let element = data[thread::index() as usize / 21]; // [index]
        assert!(element > 0);
    }) {
        assert_eq!((fault.site.thread, fault.site.line), (63, line_of("index")));
        assert_eq!(fault.detail, "index out of bounds: the len is 3 but the index is 3");
    }
    for fault in assert_fault(FaultKind::Panic, 32, || {
        sync_threads();
        assert!(thread::index() != 9, "lane {} panics", thread::index());
        sync_threads();
    }) {
        assert_eq!((fault.site.thread, fault.detail.as_str()), (9, "lane 9 panics"));
    }
}

#[test]
fn threads_cut_short_drop_what_they_own() {
    let live = AtomicU64::new(0);
    struct Guard<'a>(&'a AtomicU64);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    for seed in SEEDS {
        let fault = run_block(256, seed, || {
            live.fetch_add(1, Ordering::Relaxed);
            let _guard = Guard(&live);
            sync_threads();
            assert_ne!(thread::index(), 100);
            sync_threads();
        });
        assert_eq!(fault.unwrap_err().kind, FaultKind::Panic);
        assert_eq!(live.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn launches_run_side_by_side() {
    std::thread::scope(|scope| {
        for seed in 0..8 {
            scope.spawn(move || {
                for grid in 1..20 {
                    run(&Memory::new(), &launch(grid, 64, 256, seed), || {
                        shared::<u32>().store(thread::index(), 1);
                        sync_threads();
                        assert_eq!(shared::<u32>().load(63 - thread::index()), 1);
                    })
                    .unwrap();
                }
            });
        }
    });
}

#[test]
#[should_panic(expected = "kernel functions work in a kernel only")]
fn kernel_functions_outside_a_kernel() {
    let _ = thread::index();
}
