//! Factors stay on the device, where they fit.

use warplu::{Batch, Device, Lu, Op, Solution};
use warplu_tests::pretend::{Count, Pretend};

use super::bodies::{identity, pivot_of, status_of};

/// Sizes whose arrays need no rounding up: bytes are counted.
const N: usize = 64;
const BATCH: usize = 16;
const RHS: usize = 2;
/// Bytes of the factors, of their pivots, of right-hand sides, and of solutions with their statuses.
const LU_BYTES: usize = 8 * BATCH * N * N;
const PIVOT_BYTES: usize = 4 * BATCH * N;
const SIDES_BYTES: usize = 8 * BATCH * N * RHS;
const SOLVED_BYTES: usize = SIDES_BYTES + 4 * BATCH;

fn numbers(len: usize) -> Vec<f64> {
    (1..=len).map(|i| (i % 1000) as f64 + 0.5).collect()
}

fn factor(device: &Device, numbers: &[f64]) -> Lu<f64> {
    device.lu(&Batch::row_major(numbers, BATCH, N, N).unwrap()).unwrap()
}

/// Solves, and checks what the pretended kernels make of factors, pivots and statuses. The bytes that were copied,
/// there and back.
fn solve(pretend: &Pretend, lu: &Lu<f64>, a: &[f64]) -> (usize, usize) {
    let sides = numbers(BATCH * N * RHS);
    pretend.begin_trace();
    let Solution { x, status } = lu.solve(&Batch::row_major(&sides, BATCH, N, RHS).unwrap(), Op::None).unwrap();
    let copied = pretend.copied();
    for (b, a) in a.chunks(N * N).enumerate() {
        assert_eq!(status[b].code(), status_of(a[0]), "matrix {b}");
        for (i, j) in (0..N).flat_map(|i| (0..RHS).map(move |j| (i, j))) {
            let x = x.get(b, i, j);
            let wanted = sides[(b * N + i) * RHS + j] + f64::from(pivot_of(a[i * N], N)) + a[i * N + i];
            assert!(if status_of(a[0]) == 0 { x == wanted } else { x.is_nan() }, "matrix {b}: {x}, not {wanted}");
        }
    }
    copied
}

/// Whether it keeps its factors on the host: they cross the bus for each solution.
fn is_on_host(pretend: &Pretend, lu: &Lu<f64>, a: &[f64]) -> bool {
    match solve(pretend, lu, a) {
        (SIDES_BYTES, SOLVED_BYTES) => false,
        (up, _) if up >= LU_BYTES + PIVOT_BYTES + SIDES_BYTES => true,
        other => panic!("{other:?} bytes are copied"),
    }
}

#[test]
fn only_right_hand_sides_and_solutions_are_copied() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let a = numbers(BATCH * N * N);
    let device = Device::cuda(0).unwrap();
    pretend.begin_trace();
    let lu = factor(&device, &a);
    assert_eq!(pretend.copied(), (LU_BYTES, 4 * BATCH), "the matrices there, and the statuses back");
    assert_eq!(solve(&pretend, &lu, &a), (SIDES_BYTES, SOLVED_BYTES));
    assert_eq!(solve(&pretend, &lu.clone(), &a), (SIDES_BYTES, SOLVED_BYTES));
    assert!((0..BATCH).all(|b| lu.status()[b].code() == status_of(a[b * N * N])));
    assert_eq!(pretend.count(Count::PageableCopies), 0);
    drop((device, lu));
    pretend.finish();
}

#[test]
fn factors_come_over_once() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let a = numbers(BATCH * N * N);
    let lu = factor(&Device::cuda(0).unwrap(), &a);
    pretend.begin_trace();
    assert_eq!(lu.factors().unwrap().as_slice(), a);
    assert_eq!(pretend.copied(), (0, LU_BYTES + PIVOT_BYTES));
    let calls = pretend.trace().len();
    assert_eq!(lu.clone().factors().unwrap().as_slice(), a);
    for b in 0..BATCH {
        let pivots = (0..N).map(|k| pivot_of(a[(b * N + k) * N], N));
        assert!(lu.pivots(b).unwrap().iter().copied().eq(pivots));
    }
    assert_eq!(pretend.trace().len(), calls, "nothing more is asked of the driver");
    drop(lu);
    pretend.finish();
}

/// Factors from elsewhere are brought over once, with their statuses.
#[test]
fn factors_of_the_host_stay_on_the_device() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let mut a = numbers(BATCH * N * N);
    // Of these, the statuses are found from the diagonal.
    a.chunks_mut(N * N).filter(|a| status_of(a[0]) != 0).for_each(|a| a[0] = 0.5);
    let pivots: Vec<u32> = a.chunks(N).map(|row| pivot_of(row[0], N)).collect();
    let device = Device::cuda(0).unwrap();
    pretend.begin_trace();
    let lu = Lu::<f64>::from_parts(&device, &Batch::row_major(&a, BATCH, N, N).unwrap(), &pivots).unwrap();
    assert_eq!(pretend.copied(), (LU_BYTES + PIVOT_BYTES + 4 * BATCH, 0));
    assert_eq!(solve(&pretend, &lu, &a), (SIDES_BYTES, SOLVED_BYTES));
    drop((device, lu));
    pretend.finish();
}

#[test]
fn factors_that_do_not_fit_are_kept_on_the_host() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let a = numbers(BATCH * N * N);
    for (limit, on_host) in [(1 << 20, false), (LU_BYTES + PIVOT_BYTES, true), (100 << 10, true)] {
        let device = Device::cuda(0).unwrap().with_memory_limit(limit);
        let lu = factor(&device, &a);
        assert_eq!(is_on_host(&pretend, &lu, &a), on_host, "a limit of {limit} bytes");
        assert_eq!(lu.factors().unwrap().as_slice(), a);
    }
    for (bytes, on_host) in [(2 << 20, false), (3 * LU_BYTES / 2, true)] {
        pretend.set_limits(bytes, 64 << 20);
        let device = Device::cuda(0).unwrap();
        let lu = factor(&device, &a);
        assert_eq!(is_on_host(&pretend, &lu, &a), on_host, "a GPU with {bytes} bytes");
    }
    pretend.finish();
}

/// Each allocation of the factors' own may fail: others have taken the memory meanwhile.
#[test]
fn an_allocation_that_fails_keeps_factors_on_the_host() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let a = numbers(BATCH * N * N);
    let device = Device::cuda(0).unwrap();
    // What the calls themselves need is there from now on.
    drop(factor(&device, &a));
    pretend.begin_trace();
    drop(factor(&device, &a));
    let trace = pretend.trace();
    let allocations: Vec<_> = (1..).zip(&trace).filter(|(_, call)| *call == "cuMemAlloc_v2").map(|(k, _)| k).collect();
    assert_eq!(allocations.len(), 3, "factors, pivots, statuses: {trace:#?}");
    for k in allocations {
        let before = pretend.count(Count::DeviceMemory);
        pretend.fail_call(k, 2, false);
        let lu = factor(&device, &a);
        assert_eq!(pretend.count(Count::DeviceMemory), before, "what was allocated is given back");
        assert!(is_on_host(&pretend, &lu, &a));
        assert_eq!(lu.factors().unwrap().as_slice(), a);
    }
    drop(device);
    pretend.finish();
}

#[test]
fn factoring_anew_allocates_nothing() {
    let pretend = Pretend::open();
    pretend.set_body(Some(identity));
    let a = numbers(BATCH * N * N);
    let mut lu = factor(&Device::cuda(0).unwrap(), &a);
    let other: Vec<f64> = a.iter().rev().copied().collect();
    assert_eq!(lu.factors().unwrap().as_slice(), a);
    pretend.begin_trace();
    lu.refactor(&Batch::row_major(&other, BATCH, N, N).unwrap()).unwrap();
    let trace = pretend.trace();
    assert!(!trace.iter().any(|call| call.contains("Alloc") || call.contains("Create")), "{trace:#?}");
    assert_eq!(solve(&pretend, &lu, &other), (SIDES_BYTES, SOLVED_BYTES));
    assert_eq!(lu.factors().unwrap().as_slice(), other, "not those that had come over before");
    // Who shares them keeps them.
    let shared = lu.clone();
    lu.refactor(&Batch::row_major(&a, BATCH, N, N).unwrap()).unwrap();
    assert_eq!(solve(&pretend, &shared, &other), (SIDES_BYTES, SOLVED_BYTES));
    assert_eq!(solve(&pretend, &lu, &a), (SIDES_BYTES, SOLVED_BYTES));
    drop((lu, shared));
    pretend.finish();
}
