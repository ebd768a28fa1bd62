//! Barriers and collectives that not all reach, or not in the same place.

mod common;

use common::*;
use simt::cpu::{Fault, FaultKind};
use simt::{Pod, sync_threads, thread, warp};

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("divergence.rs"), mark)
}

fn assert_divergence(threads: u32, body: impl Fn() + Sync) -> Vec<Fault> {
    assert_fault(FaultKind::Divergence, threads, body)
}

#[test]
fn a_thread_that_returned_reaches_no_barrier() {
    let kernel = |last: u32| {
        move || {
            if thread::index() > last {
                return;
            }
            sync_threads(); // [not reached]
        }
    };
    let line = line_of("not reached");
    for fault in assert_divergence(64, kernel(59)) {
        assert_eq!((fault.site.thread, fault.site.line), (0, line));
        let waiting = format!("threads 0 to 59 at the block barrier of {}:{line}", file!());
        assert_mentions(&fault, &[&waiting, "threads 60 to 63 returned"]);
    }
    assert_clean(64, kernel(63));
}

#[test]
fn a_barrier_in_one_branch_only() {
    let kernel = |both: bool| {
        move || {
            if thread::index() < 32 || both {
                sync_threads(); // [one branch]
            }
        }
    };
    for fault in assert_divergence(64, kernel(false)) {
        assert_eq!((fault.site.thread, fault.site.line), (0, line_of("one branch")));
        assert_mentions(&fault, &["threads 0 to 31 at the block barrier", "threads 32 to 63 returned"]);
    }
    assert_clean(64, kernel(true));
}

#[test]
fn barriers_in_different_places() {
    for fault in assert_divergence(64, || {
        if thread::index().is_multiple_of(2) {
            sync_threads(); // [even]
        } else {
            sync_threads(); // [odd]
        }
    }) {
        assert_ne!(fault.site.thread % 2, other(&fault).thread % 2);
        let mut lines = [fault.site.line, other(&fault).line];
        lines.sort_unstable();
        assert_eq!(lines, [line_of("even"), line_of("odd")]);
    }
}

#[test]
fn a_barrier_is_not_a_collective() {
    for fault in assert_divergence(64, || {
        if thread::index() == 40 {
            warp::sync(warp::ALL); // [warp barrier]
        }
        sync_threads(); // [block barrier]
    }) {
        assert_eq!((fault.site.thread, fault.site.line), (0, line_of("block barrier")));
        assert_eq!((other(&fault).thread, other(&fault).line), (40, line_of("warp barrier")));
        assert_mentions(
            &fault,
            &["threads 41 to 63 at the block barrier", "thread 40 in a warp sync of the lanes 0xffffffff"],
        );
    }
    assert_clean(64, || {
        warp::sync(warp::ALL);
        sync_threads();
    });
}

#[test]
fn collectives_in_different_places() {
    for fault in assert_divergence(32, || {
        if warp::lane() < 16 {
            warp::sync(warp::ALL); // [low lanes]
        } else {
            warp::sync(warp::ALL); // [high lanes]
        }
    }) {
        let [(low, low_line), (high, high_line)] = pair(&fault);
        assert!(low < 16 && high >= 16);
        assert_eq!((low_line, high_line), (line_of("low lanes"), line_of("high lanes")));
    }
    assert_clean(32, || {
        if warp::lane() < 16 {
            warp::sync(0x0000_FFFF);
        } else {
            warp::sync(0xFFFF_0000);
        }
    });
}

#[test]
fn collectives_of_different_kinds() {
    #[rustfmt::skip]
    let fault = assert_divergence(32, || {
        if warp::lane() < 16 { warp::sync(warp::ALL) } else { ignore(warp::ballot(warp::ALL, true)) }
    });
    for fault in fault {
        let text = fault.to_string();
        assert!(text.contains("a warp sync") && text.contains("a ballot"), "{text}");
    }
}

#[test]
fn shuffles_of_different_sizes_at_one_line() {
    fn pass<T: Pod>(value: T) {
        let _ = warp::shuffle(warp::ALL, value, 0);
    }
    for fault in assert_divergence(32, || if warp::lane() < 16 { pass(1_u32) } else { pass(1_u64) }) {
        assert_eq!(fault.site.line, other(&fault).line);
        let text = fault.to_string();
        assert!(text.contains("4 bytes") && text.contains("8 bytes"), "{text}");
    }
    assert_clean(32, || pass(1_u64));
}

#[test]
fn collectives_with_masks_that_disagree() {
    let kernel = |zero: u32| move || warp::sync(if warp::lane() == 0 { zero } else { warp::ALL });
    for fault in assert_divergence(32, kernel(0x0000_FFFF)) {
        let text = fault.to_string();
        assert!(text.contains("0x0000ffff") && text.contains("0xffffffff"), "{text}");
        let threads = pair(&fault).map(|(thread, _)| thread);
        assert!(threads[0] == 0 && (1..16).contains(&threads[1]), "{fault}");
    }
    assert_clean(32, kernel(warp::ALL));
}

#[test]
fn a_lane_that_waits_for_one_in_another_collective() {
    // Lane 0 waits for lane 1, which waits for lane 2, which waits for lane 0.
    let mask = |lane: u32| 1 << lane | 1 << ((lane + 1) % 3);
    for fault in assert_divergence(3, || warp::sync(mask(warp::lane()))) {
        assert_mentions(&fault, &["0x0000000"]);
    }
    // In turn, they may.
    assert_clean(3, || {
        for first in 0..3 {
            if mask(first) >> warp::lane() & 1 == 1 {
                warp::sync(mask(first));
            }
        }
    });
}

#[test]
fn a_mask_without_the_lane_itself() {
    let kernel = |mask: u32| {
        move || {
            if warp::lane() < 5 {
                warp::sync(mask); // [own lane]
            }
        }
    };
    for fault in assert_divergence(32, kernel(0b01111)) {
        assert_eq!(fault.site.line, line_of("own lane"));
        assert_mentions(&fault, &["lane 4", "not one of them"]);
    }
    assert_clean(32, kernel(0b11111));
}

#[test]
fn a_mask_with_lanes_that_returned() {
    let kernel = |late: bool| {
        move || {
            if warp::lane() == 31 {
                return;
            }
            // One lane more to wait for, so that lane 31 has returned by then.
            if late {
                warp::sync(0x7FFF_FFFF);
            }
            warp::sync(warp::ALL);
        }
    };
    for fault in assert_divergence(32, kernel(true)) {
        assert_mentions(&fault, &["of which 0x80000000 have returned"]);
    }
    // Whichever comes first, the return or the calls.
    for fault in assert_divergence(32, kernel(false)) {
        assert_mentions(&fault, &["returned"]);
    }
    assert_clean(32, || {
        if warp::lane() < 31 {
            warp::sync(0x7FFF_FFFF);
        }
    });
}

#[test]
fn a_shuffle_from_a_lane_outside_the_mask() {
    let kernel = |source: u32| {
        move || {
            if warp::lane() < 8 {
                let _ = warp::shuffle(0xFF, warp::lane(), source);
            }
        }
    };
    for fault in assert_divergence(32, kernel(8)) {
        assert_mentions(&fault, &["from lane 8, which is not one of them"]);
    }
    assert_clean(32, kernel(7));
    assert_clean(32, kernel(32 + 7));
}

#[test]
fn a_lane_that_skips_a_round() {
    let kernel = |skip: u32| {
        move || {
            for round in 0..4 {
                if round != skip || warp::lane() != 5 {
                    warp::sync(warp::ALL);
                }
            }
        }
    };
    // Lane 5 is a round ahead until it returns, and the others wait for it.
    assert_divergence(32, kernel(2));
    assert_clean(32, kernel(99));
}
