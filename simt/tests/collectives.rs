//! What the lanes of a warp get from each other.

mod common;

use common::*;
use num_complex::Complex;
use simt::cpu::FaultKind;
use simt::{Pod, sync_threads, thread, warp};

const LOW: u32 = 0x0000_FFFF;
const HIGH: u32 = 0xFFFF_0000;

/// Rotations and broadcasts of `value(thread)`, in all of a warp and in halves.
fn assert_shuffles<T: Pod + PartialEq + std::fmt::Debug>(value: impl Fn(u32) -> T + Sync) {
    assert_clean(64, || {
        let (lane, base) = (warp::lane(), 32 * warp::index());
        let mine = value(thread::index());
        for source in 0..32 {
            assert_eq!(warp::shuffle(warp::ALL, mine, source), value(base + source));
            assert_eq!(warp::shuffle(warp::ALL, mine, lane + source), value(base + (lane + source) % 32));
            assert_eq!(warp::shuffle_xor(warp::ALL, mine, source), value(base + (lane ^ source)));
        }
        // The halves run different numbers of shuffles.
        let (half, rounds) = if lane < 16 { (LOW, 5) } else { (HIGH, 9) };
        for source in 0..rounds {
            let partner = lane & 16 | (lane + source) & 15;
            assert_eq!(warp::shuffle(half, mine, partner), value(base + partner));
            assert_eq!(warp::shuffle_xor(half, mine, source), value(base + (lane ^ source)));
        }
        // Modulo 32.
        assert_eq!(warp::shuffle(warp::ALL, mine, 32 + 7), value(base + 7));
    });
}

#[test]
fn shuffles_move_4_bytes() {
    assert_shuffles(|thread| thread.wrapping_mul(0x9E37_79B9));
    assert_shuffles(|thread| thread as f32 - 0.5);
}

#[test]
fn shuffles_move_8_bytes() {
    assert_shuffles(|thread| u64::from(thread).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    assert_shuffles(|thread| Complex::new(thread as f32, -0.25 * thread as f32));
}

#[test]
fn shuffles_move_16_bytes() {
    assert_shuffles(|thread| Complex::new(f64::from(thread) + 0.1, -1.0 / f64::from(thread + 1)));
    assert_shuffles(|thread| [thread, !thread, thread << 7, thread ^ 0x5555]);
}

#[test]
fn products_of_matrices_spread_over_a_warp() {
    let a = |i: u32, k: u32| f64::from(i * 8 + k) - 50.0;
    let b = |k: u32, j: u32| f64::from(3 * k) - f64::from(j * j);
    let c = |i: u32, j: u32| f64::from(i) / 4.0 + f64::from(j);
    assert_clean(64, || {
        let (i, j) = (warp::lane() / 4, warp::lane() % 4);
        let own_a = [a(i, j), a(i + 8, j), a(i, j + 4), a(i + 8, j + 4)];
        let own_b = [b(j, i), b(j + 4, i)];
        let places = [(i, 2 * j), (i, 2 * j + 1), (i + 8, 2 * j), (i + 8, 2 * j + 1)];
        let product = warp::multiply_f64(places.map(|(i, j)| c(i, j)), own_a, own_b);
        // Small integers and quarters: no sum is rounded.
        let expected = places.map(|(i, j)| (0..8).fold(c(i, j), |sum, k| sum + a(i, k) * b(k, j)));
        assert_eq!(product, expected);
    });
}

#[test]
fn products_of_f32_look_at_upper_bits() {
    let a = |i: u32, k: u32| (i * 8 + k) as f32 - 50.0;
    let b = |k: u32, j: u32| (3 * k) as f32 - (j * j) as f32;
    assert_clean(64, || {
        let (i, j) = (warp::lane() / 4, warp::lane() % 4);
        let own_a = [a(i, j), a(i + 8, j), a(i, j + 4), a(i + 8, j + 4)];
        let own_b = [b(j, i), b(j + 4, i)];
        let places = [(i, 2 * j), (i, 2 * j + 1), (i + 8, 2 * j), (i + 8, 2 * j + 1)];
        let expected = places.map(|(i, j)| (0..8).fold(0.5, |sum, k| sum + a(i, k) * b(k, j)));
        assert_eq!(warp::multiply_tf32([0.5; 4], own_a, &own_b), expected);
        let with_more = |x: f32| f32::from_bits(x.to_bits() | 0x1fff);
        let longer = (own_a.map(with_more), own_b.map(with_more));
        assert_eq!(warp::multiply_tf32([0.5; 4], longer.0, &longer.1), expected);
    });
}

#[test]
fn a_fast_lane_does_not_overwrite_what_others_have_yet_to_take() {
    assert_clean(32, || {
        for round in 0..100 {
            let got = warp::shuffle(warp::ALL, round * 32 + warp::lane(), warp::lane() + 1);
            assert_eq!(got, round * 32 + (warp::lane() + 1) % 32);
        }
    });
}

#[test]
fn ballots_hold_the_bits_of_their_lanes() {
    assert_clean(64, || {
        let lane = warp::lane();
        assert_eq!(warp::ballot(warp::ALL, lane.is_multiple_of(3)), 0x4924_9249);
        assert_eq!(warp::ballot(warp::ALL, thread::index() >= 32), if warp::index() == 0 { 0 } else { u32::MAX });
        if lane < 16 {
            assert_eq!(warp::ballot(LOW, lane > 13), 0xC000);
        } else {
            assert_eq!(warp::ballot(HIGH, true), HIGH);
        }
    });
}

#[test]
fn any_and_all() {
    assert_clean(32, || {
        let lane = warp::lane();
        assert!(warp::any(warp::ALL, lane == 31) && !warp::any(warp::ALL, lane == 32));
        assert!(warp::all(warp::ALL, lane < 32) && !warp::all(warp::ALL, lane < 31));
        if lane < 16 {
            assert!(warp::all(LOW, lane < 16) && !warp::any(LOW, lane >= 16));
        }
    });
}

#[test]
fn maxima_are_unsigned_and_of_the_mask() {
    assert_clean(64, || {
        let lane = warp::lane();
        assert_eq!(warp::max_u32(warp::ALL, (lane * 7 + 3) % 32), 31);
        assert_eq!(warp::max_u32(warp::ALL, if lane == 9 { u32::MAX } else { 1 }), u32::MAX);
        assert_eq!(warp::max_u32(warp::ALL, 0), 0);
        if lane < 16 {
            assert_eq!(warp::max_u32(LOW, lane), 15);
        }
    });
}

#[test]
fn the_last_warp_may_have_fewer_lanes() {
    assert_clean(40, || {
        let mask = if warp::index() == 0 { warp::ALL } else { 0xFF };
        warp::sync(mask);
        assert_eq!(warp::ballot(mask, true), mask);
        assert_eq!(warp::max_u32(mask, thread::index()), if warp::index() == 0 { 31 } else { 39 });
        shared::<u32>().store(thread::index(), 1);
        warp::sync(mask);
        assert_eq!(shared::<u32>().load(thread::index() ^ 1), 1);
        sync_threads();
        assert_eq!(shared::<u32>().load(39 - thread::index()), 1);
    });
    for fault in assert_fault(FaultKind::Divergence, 40, || warp::sync(warp::ALL)) {
        assert!(fault.site.thread >= 32 && fault.detail.contains("0x000000ff"), "{fault}");
    }
}

/// As tensor cores do, which is why sums of many products are added up elsewhere.
#[test]
fn products_of_f32_are_cut_off() {
    assert_clean(32, || {
        let next = 1.0 + f32::EPSILON;
        for (c, product, expected) in
            [(1.0, 0.99 * f32::EPSILON, 1.0), (-1.0, -0.99 * f32::EPSILON, -1.0), (1.0, f32::EPSILON, next)]
        {
            // The only product of a row and a column.
            let holds = warp::lane().is_multiple_of(4);
            let a = if holds { [product, product, 0.0, 0.0] } else { [0.0; 4] };
            assert_eq!(warp::multiply_tf32([c; 4], a, &[1.0, 0.0]), [expected; 4]);
        }
    });
}
