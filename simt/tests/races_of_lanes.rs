//! Races between lanes of a warp, and what orders their accesses.

mod common;

use common::*;
use simt::cpu::FaultKind;
use simt::{sync_threads, thread, warp};

const RACE: FaultKind = FaultKind::Race;

#[test]
fn lanes_of_a_warp_are_not_ordered_by_themselves() {
    #[derive(Clone, Copy, PartialEq)]
    enum By {
        Nothing,
        Sync,
        Shuffle,
        Ballot,
        Max,
    }
    let kernel = |by: By| {
        move || {
            let x = shared::<u32>();
            let lane = warp::lane();
            x.store(lane, lane);
            sync_threads();
            x.store(lane, lane + 1);
            match by {
                By::Nothing => {}
                By::Sync => warp::sync(warp::ALL),
                By::Shuffle => ignore(warp::shuffle(warp::ALL, lane, 0)),
                By::Ballot => ignore(warp::ballot(warp::ALL, true)),
                By::Max => ignore(warp::max_u32(warp::ALL, lane)),
            }
            let neighbour = x.load(lane ^ 1);
            assert!(neighbour == (lane ^ 1) + 1 || by != By::Sync);
        }
    };
    // Votes and shuffles exchange values but order no memory.
    for by in [By::Nothing, By::Shuffle, By::Ballot, By::Max] {
        for fault in assert_fault(RACE, 32, kernel(by)) {
            assert_eq!(other(&fault).thread, fault.site.thread ^ 1);
        }
    }
    assert_clean(32, kernel(By::Sync));
}

#[test]
fn a_collective_orders_no_other_warp() {
    let kernel = || {
        let x = shared::<u32>();
        if thread::index() == 3 {
            x.store(0, 1);
        }
        warp::sync(warp::ALL);
        warp::sync(warp::ALL);
        if thread::index() == 35 {
            x.store(0, 2);
        }
    };
    for fault in assert_fault(RACE, 64, kernel) {
        assert_eq!(pair(&fault).map(|(thread, _)| thread), [3, 35]);
    }
}

#[test]
fn part_of_a_warp_orders_its_lanes_only() {
    // Lane 0 writes, then syncs with lanes 1 to 15; `reader` reads.
    let kernel = |reader: u32| {
        move || {
            let x = shared::<u32>();
            if warp::lane() == 0 {
                x.store(0, 1);
            }
            sync_threads();
            if warp::lane() == 0 {
                x.store(0, 2);
            }
            let half = if warp::lane() < 16 { 0xFFFF } else { 0xFFFF_0000 };
            warp::sync(half);
            if warp::lane() == reader {
                let _ = x.load(0);
            }
        }
    };
    assert_clean(32, kernel(15));
    for fault in assert_fault(RACE, 32, kernel(16)) {
        assert_eq!(pair(&fault).map(|(thread, _)| thread), [0, 16]);
    }
}

#[test]
fn order_passes_from_lane_to_lane() {
    // Lane 0 writes and syncs with 1; 1 syncs with 2, which reads. Before the first sync, lane 1's is no help.
    let kernel = |write_early: bool| {
        move || {
            let x = shared::<u32>();
            let lane = warp::lane();
            if lane == 0 {
                x.store(0, 1);
            }
            sync_threads();
            if lane == 0 && write_early {
                x.store(0, 2);
            }
            if lane < 2 {
                warp::sync(0b011);
            }
            if lane == 0 && !write_early {
                x.store(0, 2);
            }
            if lane == 1 || lane == 2 {
                warp::sync(0b110);
            }
            if lane == 2 {
                let _ = x.load(0);
            }
        }
    };
    assert_clean(32, kernel(true));
    for fault in assert_fault(RACE, 32, kernel(false)) {
        assert_eq!(pair(&fault).map(|(thread, _)| thread), [0, 2]);
    }
}

#[test]
fn part_and_whole_of_a_warp_mix() {
    // Halves that read at different times, then all of the warp, then one lane writes.
    let kernel = |sync_all: bool| {
        move || {
            let x = shared::<u32>();
            let lane = warp::lane();
            if thread::index() == 0 {
                x.store(0, 1);
            }
            sync_threads();
            if lane < 16 {
                warp::sync(0xFFFF);
                let _ = x.load(0);
                warp::sync(0xFFFF);
            } else {
                let _ = x.load(0);
            }
            if sync_all {
                warp::sync(warp::ALL);
            }
            let _ = (lane < 16).then(|| x.load(0));
            if lane == 0 {
                warp::sync(1);
            }
            if sync_all {
                warp::sync(warp::ALL);
            }
            if lane == 7 {
                x.store(0, 2);
            }
        }
    };
    assert_clean(32, kernel(true));
    assert_fault(RACE, 32, kernel(false));
}
