//! Races, and what orders accesses.

mod common;

use common::*;
use num_complex::Complex;
use simt::cpu::{FaultKind, Memory, run};
use simt::{block, sync_threads, thread, warp};

const RACE: FaultKind = FaultKind::Race;

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("races.rs"), mark)
}

#[test]
fn neighbours_in_shared_memory_need_a_barrier() {
    let exchange = |barrier: bool| {
        move || {
            shared::<u32>().store(thread::index(), 1); // [exchange: store]
            if barrier {
                sync_threads();
            }
            let _ = shared::<u32>().load(thread::index() ^ 32); // [exchange: load]
        }
    };
    let (store, load) = (line_of("exchange: store"), line_of("exchange: load"));
    // Whoever reads first reads what nobody wrote; whoever reads second races.
    for seed in SEEDS {
        let fault = run_block(64, seed, exchange(false)).unwrap_err();
        match fault.kind {
            FaultKind::Unwritten => assert_eq!(fault.site.line, load),
            kind => {
                assert_eq!(kind, RACE);
                assert_eq!(other(&fault).thread, fault.site.thread ^ 32);
                assert_eq!((fault.site.line, other(&fault).line), (load, store));
            }
        }
    }
    assert_clean(64, exchange(true));
}

#[test]
fn all_of_a_wide_access_races() {
    // 16 bytes from byte 248 on, on both sides of byte 256.
    let beside = |word: u32| {
        move || match thread::index() {
            0 => shared::<f64>().offset(31).cast::<Complex<f64>>().store(0, Complex::new(1.0, 2.0)),
            32 => shared::<u32>().store(word, 7),
            _ => {}
        }
    };
    for word in 62..66 {
        for fault in assert_fault(RACE, 33, beside(word)) {
            assert_eq!(fault.site.thread ^ 32, other(&fault).thread);
        }
    }
    assert_clean(33, beside(61));
    assert_clean(33, beside(66));
}

#[test]
fn writes_of_one_value_race_too() {
    let line = line!() + 1;
    for fault in assert_fault(RACE, 33, || shared::<u32>().store(0, 7)) {
        assert_eq!((fault.site.line, other(&fault).line), (line, line));
        assert_ne!(fault.site.thread, other(&fault).thread);
        assert!(fault.detail.contains("wrote"), "{fault}");
    }
    assert_clean(33, || {
        if thread::index() == 0 {
            shared::<u32>().store(0, 7);
        }
    });
}

#[test]
fn a_read_races_with_a_write_in_either_order() {
    let mut orders = [false; 2];
    for seed in 0..50 {
        let fault = run_block(64, seed, || {
            if thread::index() == 0 {
                shared::<u32>().store(0, 1);
            }
            sync_threads();
            match thread::index() {
                40 => shared::<u32>().store(0, 2),    // [one write]
                5 => ignore(shared::<u32>().load(0)), // [one read]
                _ => {}
            }
        })
        .unwrap_err();
        assert_eq!(fault.kind, RACE);
        assert_eq!(pair(&fault), [(5, line_of("one read")), (40, line_of("one write"))]);
        orders[usize::from(fault.site.thread == 40)] = true;
    }
    assert_eq!(orders, [true; 2], "reader first and writer first");
}

#[test]
fn a_write_after_reads_of_a_whole_block_needs_a_barrier() {
    let kernel = |barrier: bool| {
        move || {
            let x = shared::<f64>();
            if thread::index() == 0 {
                x.store(0, 1.0);
            }
            sync_threads();
            let value = x.load(0);
            if barrier {
                sync_threads();
            }
            if thread::index() == 70 {
                x.store(0, value + x.load(0));
            }
        }
    };
    for fault in assert_fault(RACE, 96, kernel(false)) {
        assert!(fault.site.thread == 70 || other(&fault).thread == 70, "{fault}");
        assert_ne!(fault.site.thread, other(&fault).thread);
    }
    assert_clean(96, kernel(true));
}

#[test]
fn one_thread_may_do_as_it_likes() {
    assert_clean(64, || {
        let x = shared::<u32>();
        for round in 0..3 {
            x.store(thread::index(), round);
            assert_eq!(x.load(thread::index()), round);
        }
    });
}

#[test]
fn reads_in_different_segments_are_all_remembered() {
    // Lanes 0 and 1 read with different histories; the writer is ordered after one of them only.
    let kernel = |ordered: u32| {
        move || {
            let x = shared::<u32>();
            let lane = warp::lane();
            if lane == 0 {
                x.store(0, 1);
            }
            sync_threads();
            if lane == 0 {
                warp::sync(0b1);
            }
            if lane < 2 {
                let _ = x.load(0);
            }
            let writers = 0b100 | ordered;
            if writers >> lane & 1 == 1 {
                warp::sync(writers);
            }
            if lane == 2 {
                x.store(0, 2);
            }
        }
    };
    assert_clean(32, kernel(0b11));
    for (ordered, racing) in [(0b01, 1), (0b10, 0)] {
        for fault in assert_fault(RACE, 32, kernel(ordered)) {
            assert_eq!(pair(&fault).map(|(thread, _)| thread), [racing, 2]);
        }
    }
}

#[test]
fn reads_of_other_warps_are_remembered_too() {
    // Lanes 0 and 1 of warp 0 read with different histories, then warp 1 does, which the writer does not wait for.
    let kernel = |other_warp_reads: bool| {
        move || {
            let x = shared::<u32>();
            let thread = thread::index();
            if thread == 0 {
                x.store(0, 1);
            }
            sync_threads();
            let delay = match thread {
                0 => 1,
                32 => 4,
                2 => 8,
                _ => 0,
            };
            for _ in 0..delay {
                warp::sync(1 << warp::lane());
            }
            if thread < 2 || thread == 32 && other_warp_reads {
                let _ = x.load(0);
            }
            if thread < 3 {
                warp::sync(0b111);
            }
            if thread == 2 {
                x.store(0, 2);
            }
        }
    };
    assert_clean(64, kernel(false));
    for fault in assert_fault(RACE, 64, kernel(true)) {
        assert_eq!(pair(&fault).map(|(thread, _)| thread), [2, 32]);
    }
}

#[test]
fn reads_that_are_ordered_make_room_for_later_ones() {
    let kernel = |last_sync: bool| {
        move || {
            let x = shared::<u32>();
            if warp::lane() == 0 {
                x.store(0, 1);
            }
            for reader in 0..4 {
                warp::sync(warp::ALL);
                if warp::lane() == reader {
                    let _ = x.load(0);
                }
            }
            if last_sync {
                warp::sync(warp::ALL);
            }
            if warp::lane() == 9 {
                x.store(0, 2);
            }
        }
    };
    assert_clean(32, kernel(true));
    for fault in assert_fault(RACE, 32, kernel(false)) {
        assert_eq!(pair(&fault).map(|(thread, _)| thread), [3, 9]);
    }
}

#[test]
fn a_wide_access_meets_a_narrow_one_within() {
    let kernel = |narrow: u32| {
        move || match thread::index() {
            0 => shared::<f64>().vectors::<2>().store(1, simt::shared::Vector([1.0, 2.0])),
            33 => shared::<u32>().store(narrow, 1),
            _ => {}
        }
    };
    for narrow in 4..8 {
        assert_fault(RACE, 64, kernel(narrow));
    }
    assert_clean(64, kernel(3));
    assert_clean(64, kernel(8));
}

#[test]
fn blocks_have_shared_memory_of_their_own() {
    run(&Memory::new(), &launch(64, 32, 128, 0), || {
        shared::<u32>().store(thread::index(), block::index());
        assert_eq!(shared::<u32>().load(thread::index()), block::index());
    })
    .unwrap();
}
