//! Factors of several GPUs: each keeps a range of them.

use std::collections::BTreeSet;

use warplu::{Batch, Device, Lu, Op};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::{identity, pivot_of, status_of};
use super::several::launched;

/// Sizes whose arrays need no rounding up, as bytes are counted.
const ORDER: usize = 64;
const SOME: usize = 16;
const LU_BYTES: usize = 8 * SOME * ORDER * ORDER;
const PIVOT_BYTES: usize = 4 * SOME * ORDER;
const SIDES_BYTES: usize = 8 * SOME * ORDER;

/// Solves, and checks what the pretended kernels make of factors, pivots and statuses. The bytes that were copied.
fn solve(pretend: &Pretend, lu: &Lu<f64>, a: &[f64]) -> (usize, usize) {
    let sides: Vec<f64> = (0..SOME * ORDER).map(|i| i as f64).collect();
    pretend.begin_trace();
    let solution = lu.solve(&Batch::row_major(&sides, SOME, ORDER, 1).unwrap(), Op::None).unwrap();
    let copied = pretend.copied();
    for (b, a) in a.chunks(ORDER * ORDER).enumerate() {
        assert_eq!(solution.status[b].code(), status_of(a[0]), "matrix {b}");
        for i in 0..ORDER {
            let x = solution.x.get(b, i, 0);
            let wanted = sides[b * ORDER + i] + f64::from(pivot_of(a[i * ORDER], ORDER)) + a[i * ORDER + i];
            assert!(if status_of(a[0]) == 0 { x == wanted } else { x.is_nan() }, "matrix {b}: {x}, not {wanted}");
        }
    }
    copied
}

/// Each GPU keeps its range: neither has room for all.
#[test]
fn factors_stay_on_the_gpus() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let a: Vec<f64> = (1..=SOME * ORDER * ORDER).map(|i| (i % 1000) as f64 + 0.5).collect();
    let matrices = Batch::row_major(&a, SOME, ORDER, ORDER).unwrap();
    let limit = LU_BYTES;
    for (gpus, copied) in [
        (&[0, 1][..], (SIDES_BYTES, SIDES_BYTES + 4 * SOME)),
        (&[1, 1][..], (SIDES_BYTES, SIDES_BYTES + 4 * SOME)),
        (&[0, 1, 0, 1, 1][..], (SIDES_BYTES, SIDES_BYTES + 4 * SOME)),
        // One alone keeps them on the host.
        (&[0][..], (LU_BYTES + PIVOT_BYTES + 4 * SOME + SIDES_BYTES + 4 * SOME, SIDES_BYTES + 4 * SOME)),
    ] {
        let device = Device::cuda_list(gpus).unwrap().with_memory_limit(limit);
        let mut lu = device.lu(&matrices).unwrap();
        let solved = solve(&pretend, &lu, &a);
        match gpus {
            [_] => assert!(solved.0 >= copied.0 - 4 * SOME, "{solved:?}"),
            _ => assert_eq!(solved, copied, "{device}"),
        }
        assert_eq!(lu.factors().unwrap().as_slice(), a);
        for b in 0..SOME {
            let pivots = (0..ORDER).map(|k| pivot_of(a[(b * ORDER + k) * ORDER], ORDER));
            assert!(lu.pivots(b).unwrap().iter().copied().eq(pivots));
        }
        let other: Vec<f64> = a.iter().rev().copied().collect();
        lu.refactor(&Batch::row_major(&other, SOME, ORDER, ORDER).unwrap()).unwrap();
        solve(&pretend, &lu, &other);
        assert_eq!(lu.factors().unwrap().as_slice(), other);
        if gpus == [0, 1] {
            assert_eq!(launched(&pretend), BTreeSet::from([0, 1]));
        }
    }
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    pretend.finish();
}

/// Factors from elsewhere are divided, too; where one GPU is full, they stay on the host.
#[test]
fn factors_of_the_host_are_divided() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let mut a: Vec<f64> = (1..=SOME * ORDER * ORDER).map(|i| (i % 1000) as f64 + 0.5).collect();
    // Of these, the statuses are found from the diagonal.
    a.chunks_mut(ORDER * ORDER).filter(|a| status_of(a[0]) != 0).for_each(|a| a[0] = 0.5);
    let pivots: Vec<u32> = a.chunks(ORDER).map(|row| pivot_of(row[0], ORDER)).collect();
    let matrices = Batch::row_major(&a, SOME, ORDER, ORDER).unwrap();
    let device = Device::cuda_all().unwrap();
    let lu = Lu::<f64>::from_parts(&device, &matrices, &pivots).unwrap();
    assert_eq!(solve(&pretend, &lu, &a), (SIDES_BYTES, SIDES_BYTES + 4 * SOME));
    pretend.fail_function_on(1, "cuMemAlloc_v2", 2);
    let before = pretend.count(Count::DeviceMemory);
    let full = Lu::<f64>::from_parts(&device, &matrices, &pivots).unwrap();
    assert_eq!(pretend.count(Count::DeviceMemory), before, "what the other had allocated is given back");
    pretend.fail_function_on(1, "cuMemAlloc_v2", 0);
    assert!(solve(&pretend, &full, &a).0 >= LU_BYTES + PIVOT_BYTES + SIDES_BYTES);
    drop((device, lu, full));
    pretend.finish();
}
