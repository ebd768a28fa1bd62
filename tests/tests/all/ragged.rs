//! Batches of matrices of many orders: each has what it has alone, bit for bit, wherever the matrices lie.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use warplu::verify::{Random, ratios};
use warplu::{Batch, Device, Element, Matrices, Op, RaggedLu, RaggedMatrices, Status};
use warplu_tests::compare::{assert_same, bits, factors};
use warplu_tests::expected::{Expected, load};
use warplu_tests::judge::judge;
use warplu_tests::ragged::{Many, Memory, WAYS, beside};
use warplu_tests::results::{OPS, Results, compute};
use warplu_tests::some_of;

/// What a case is drawn from.
#[derive(Clone, Debug)]
struct Case {
    orders: Vec<usize>,
    sides: Vec<usize>,
    ways: [usize; 3],
    good: bool,
    seed: u64,
}

/// Matrices and right-hand sides of a case, and what becomes of each matrix alone.
struct Drawn<T: Element> {
    a: Many<T>,
    b: Many<T>,
    placed: [Memory<T>; 2],
    random: Random,
    alone: Vec<Results<T>>,
}

fn cases(orders: impl Strategy<Value = usize>, most: usize) -> impl Strategy<Value = Case> {
    let matrices = proptest::collection::vec((orders, prop_oneof![4 => 1..=2_usize, 1 => 0..=9_usize]), 0..=most);
    (matrices, [0..WAYS, 0..WAYS, 0..WAYS], any::<bool>(), any::<u64>()).prop_map(|(matrices, ways, good, seed)| {
        let (orders, sides) = matrices.into_iter().unzip();
        Case { orders, sides, ways, good, seed }
    })
}

impl<T: Element> Drawn<T> {
    fn new(case: &Case, device: &Device) -> Self {
        let mut random = Random::new(case.seed);
        let a = Many::squares(&mut random, &case.orders, case.good);
        let b = Many::sides(&mut random, &case.orders, &case.sides);
        let placed = [a.placed(&mut random, case.ways[0], beside()), b.placed(&mut random, case.ways[1], beside())];
        let alone = (0..case.orders.len()).map(|i| compute(device, &placed[0].one(i), &b.one(i))).collect();
        Self { a, b, placed, random, alone }
    }
}

#[track_caller]
fn assert_each<'a, T: Element>(
    what: &str,
    got: impl Fn(usize, usize, usize) -> T,
    alone: impl Iterator<Item = Batch<'a, T>>,
) {
    for (b, alone) in alone.enumerate() {
        for (i, j) in (0..alone.rows()).flat_map(|i| (0..alone.cols()).map(move |j| (i, j))) {
            let (got, alone) = (got(b, i, j), alone.get(0, i, j));
            assert!(bits(got) == bits(alone), "{what}: matrix {b}: ({i}, {j}) is {got:?}, not {alone:?}");
        }
    }
}

#[track_caller]
fn assert_all<'a, T: Element>(what: &str, got: &RaggedMatrices<T>, alone: impl Iterator<Item = &'a Matrices<T>>) {
    assert_each(what, |b, i, j| got[(b, i, j)], alone.map(Matrices::view));
}

#[track_caller]
fn assert_statuses(what: &str, got: &[Status], alone: impl Iterator<Item = Status>) {
    assert_eq!(got, alone.collect::<Vec<_>>(), "{what}: statuses");
}

/// Calls that return fresh memory.
fn results<T: Element>(case: &Case, device: &Device) -> TestCaseResult {
    let drawn = Drawn::<T>::new(case, device);
    let ([a, b], alone) = (&drawn.placed, &drawn.alone);
    let (a, b) = (a.view(), b.view());
    let lu = device.lu(&a).unwrap();
    assert_factors(&lu, alone);
    for (at, op) in OPS.into_iter().enumerate() {
        let solution = lu.solve(&b, op).unwrap();
        assert_all("a solution from factors", &solution.x, alone.iter().map(|own| &own.solutions[at].x));
        assert_statuses("from factors", &solution.status, alone.iter().map(|own| own.solutions[at].status[0]));
    }
    let solution = device.solve(&a, &b).unwrap();
    assert_all("a solution", &solution.x, alone.iter().map(|own| &own.solutions[3].x));
    assert_statuses("solutions", &solution.status, alone.iter().map(|own| own.solutions[3].status[0]));
    for (at, inverse) in [lu.inverse(), device.invert(&a)].into_iter().enumerate() {
        let inverse = inverse.unwrap();
        assert_all("an inverse", &inverse.matrices, alone.iter().map(|own| &own.inverses[at].matrices));
        assert_statuses("inverses", &inverse.status, alone.iter().map(|own| own.inverses[at].status[0]));
    }
    for (at, det) in [lu.det(), device.det(&a)].into_iter().enumerate() {
        let det = det.unwrap();
        let phases: Vec<_> = alone.iter().map(|own| own.dets[at].sign[0]).collect();
        assert_same("phases", &det.sign, &phases);
        let logs = alone.iter().map(|own| format!("{:?}", own.dets[at].log_abs[0]));
        assert!(det.log_abs.iter().map(|log| format!("{log:?}")).eq(logs), "logarithms");
        assert_statuses("determinants", &det.status, alone.iter().map(|own| own.dets[at].status[0]));
    }
    // What each matrix has alone is right, so that all are.
    let (stored, _) = ratios::precision::<T>();
    let is_judged = |i: usize| case.good && case.orders[i] > 0 && case.sides[i] > 0;
    for (i, own) in alone.iter().enumerate().filter(|&(i, _)| is_judged(i)) {
        judge(&format!("{device} {}", T::NAME), &drawn.a.one(i), &drawn.b.one(i), own);
        let reference = Expected::new(&load(&drawn.a.one(i), 0));
        reference.check_inverse(&own.inverses[1].matrices, 0, stored).map_err(TestCaseError::fail)?;
        reference.check_solution(&drawn.b.one(i), &own.solutions[3].x, 0, stored).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

fn assert_factors<T: Element>(lu: &RaggedLu<T>, alone: &[Results<T>]) {
    assert_statuses("factors", lu.status(), alone.iter().map(|own| own.lu.status()[0]));
    let own = |b: usize, i: usize, j: usize| lu.factors(b).unwrap().get(0, i, j);
    assert_each("factors", own, alone.iter().map(|own| factors(&own.lu).view()));
    for (b, own) in alone.iter().enumerate() {
        assert_eq!((lu.n(b), lu.pivots(b).unwrap()), (own.lu.n(), own.lu.pivots(0).unwrap()));
        assert_eq!(lu.permutation(b).unwrap(), own.lu.permutation(0).unwrap());
    }
}

/// Calls that write to the caller's memory, and nothing beside the matrices.
fn into_and_in_place<T: Element>(case: &Case, device: &Device) {
    let Drawn { a: matrices, b: sides, placed, mut random, alone } = Drawn::<T>::new(case, device);
    let [mut a, mut b] = placed;
    let (n, number) = (|i: usize| case.orders[i], case.orders.len());
    let fresh = |shapes: &Many<T>, random: &mut Random| {
        let unset =
            Many { matrices: shapes.matrices.iter().map(|own| vec![beside(); own.len()]).collect(), ..shapes.clone() };
        unset.placed(random, case.ways[2], beside())
    };
    let (mut inverse, mut x) = (fresh(&matrices, &mut random), fresh(&sides, &mut random));
    let inverted = device.invert_into(&a.view(), &mut inverse.view_mut()).unwrap();
    assert_each(
        "invert_into",
        |b, i, j| inverse.view().get(b, i, j),
        alone.iter().map(|own| own.inverses[1].matrices.view()),
    );
    let solved = device.solve_into(&a.view(), &b.view(), &mut x.view_mut()).unwrap();
    assert_each("solve_into", |b, i, j| x.view().get(b, i, j), alone.iter().map(|own| own.solutions[3].x.view()));
    let lu = device.lu(&a.view()).unwrap();
    let from_factors = lu.solve_into(&b.view(), &mut x.view_mut(), Op::Transpose).unwrap();
    assert_each("solve_into", |b, i, j| x.view().get(b, i, j), alone.iter().map(|own| own.solutions[1].x.view()));
    assert_statuses("invert_into", &inverted, alone.iter().map(|own| own.inverses[1].status[0]));
    assert_statuses("solve_into", &solved, alone.iter().map(|own| own.solutions[3].status[0]));
    assert_statuses("solve_into", &from_factors, alone.iter().map(|own| own.solutions[1].status[0]));

    let compact = |of: &Many<T>| of.matrices.iter().map(|own| vec![beside::<T>().widen(); own.len()]).collect();
    let unset = Many { matrices: compact(&matrices), shapes: matrices.shapes.clone() };
    let (mut wide, mut pivots) = (unset.placed(&mut random, case.ways[2], beside()), vec![0; case.orders.iter().sum()]);
    let factored = device.lu_into(&a.view(), &mut wide.view_mut(), &mut pivots).unwrap();
    assert_each("lu_into", |b, i, j| wide.view().get(b, i, j), alone.iter().map(|own| factors(&own.lu).view()));
    assert!(pivots.iter().eq((0..number).flat_map(|i| alone[i].lu.pivots(0).unwrap().iter().take(n(i)))));
    assert_statuses("lu_into", &factored, alone.iter().map(|own| own.lu.status()[0]));

    let mut kept = b.clone();
    let _ = device.solve_in_place(&a.view(), &mut b.view_mut()).unwrap();
    assert_each("solve in place", |b_, i, j| b.view().get(b_, i, j), alone.iter().map(|own| own.solutions[3].x.view()));
    let _ = lu.solve_in_place(&mut kept.view_mut(), Op::Adjoint).unwrap();
    assert_each("from factors", |b, i, j| kept.view().get(b, i, j), alone.iter().map(|own| own.solutions[2].x.view()));
    let _ = device.invert_in_place(&mut a.view_mut()).unwrap();
    assert_each(
        "invert in place",
        |b, i, j| a.view().get(b, i, j),
        alone.iter().map(|own| own.inverses[1].matrices.view()),
    );
    // Whatever is beside the matrices is as it was.
    for (memory, of) in [(&a, &matrices), (&inverse, &matrices), (&b, &sides), (&x, &sides)] {
        let elements: usize = of.matrices.iter().map(Vec::len).sum();
        let untouched = memory.data.iter().filter(|&&x| bits(x) == bits::<T>(beside())).count();
        assert_eq!(untouched, memory.data.len() - elements);
    }
}

/// A limit to the memory, and somebody who counts, change nothing; each matrix is counted once.
fn memory_and_progress<T: Element>(case: &Case) {
    let (count, device) = (Arc::new(AtomicUsize::new(0)), Device::sim());
    let counted = Arc::clone(&count);
    let largest = case.orders.iter().copied().max().unwrap_or(0);
    let limit = 16 * (largest * largest + 64) * size_of::<T::Scalar>() + 8192;
    let limited = device.clone().with_memory_limit(limit).with_progress(move |matrices| {
        counted.fetch_add(matrices, Ordering::Relaxed);
    });
    let drawn = Drawn::<T>::new(case, &device);
    let [a, b] = &drawn.placed;
    let not_empty = case.orders.iter().filter(|&&n| n > 0).count();
    let lu = limited.lu(&a.view()).unwrap();
    assert_eq!(count.swap(0, Ordering::Relaxed), not_empty);
    assert_factors(&lu, &drawn.alone);
    let x = lu.solve(&b.view(), Op::None).unwrap().x;
    assert_all("limited", &x, drawn.alone.iter().map(|own| &own.solutions[0].x));
    count.store(0, Ordering::Relaxed);
    let inverse = limited.invert(&a.view()).unwrap().matrices;
    assert_eq!(count.swap(0, Ordering::Relaxed), not_empty);
    assert_all("limited", &inverse, drawn.alone.iter().map(|own| &own.inverses[1].matrices));
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: some_of(cases),
        failure_persistence: None,
        max_shrink_iters: 50,
        ..ProptestConfig::default()
    }
}

macro_rules! properties {
    ($($t:ident)*) => {$(
        mod $t {
            use super::*;
            #[allow(unused_imports)]
            use warplu::{bf16, c32, c64, f16};

            proptest! {
                #![proptest_config(config(24))]
                #[test]
                fn on_cpu(case in cases(prop_oneof![2 => 0..=9_usize, 3 => 0..=130_usize], 24)) {
                    results::<$t>(&case, &Device::cpu())?;
                }

                #[test]
                fn in_place_on_cpu(case in cases(prop_oneof![2 => 0..=9_usize, 1 => 0..=130_usize], 16)) {
                    into_and_in_place::<$t>(&case, &Device::cpu());
                }
            }

            proptest! {
                #![proptest_config(config(6))]
                #[test]
                fn on_sim(case in cases(0..=20_usize, 10)) {
                    results::<$t>(&case, &Device::sim_with_seed(case.seed))?;
                }

                #[test]
                fn in_place_on_sim(case in cases(0..=12_usize, 8)) {
                    into_and_in_place::<$t>(&case, &Device::sim());
                }

                #[test]
                fn with_little_memory(case in cases(0..=12_usize, 10)) {
                    memory_and_progress::<$t>(&case);
                }
            }

            proptest! {
                #![proptest_config(config(1))]
                #[test]
                fn larger_on_sim(case in cases(33..=130_usize, 3)) {
                    results::<$t>(&case, &Device::sim_with_seed(case.seed))?;
                }
            }
        }
    )*};
}
properties!(f32 f64 c32 c64 f16 bf16);
