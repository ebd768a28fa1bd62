//! Positive definite matrices on the CPU and the emulator: random batches of random shapes in random layouts, against LAPACK's ratios
//! and nalgebra, alone and among others; the unread triangle and the space between matrices are NaN.

use nalgebra::Cholesky as Reference;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use warplu::verify::{Random, definite_ratios, ratios};
use warplu::{
    Batch, Cholesky, Device, Element, Layout, Matrices, Real, Scalar, Structure, Triangle, bf16, c32, c64, f16,
};
use warplu_tests::compare::{alone, assert_same, one};
use warplu_tests::expected::load;
use warplu_tests::matrices::{LAYOUTS, fill, layout, number};
use warplu_tests::some_of;

/// What a case is drawn from.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) n: usize,
    pub(crate) batch: usize,
    pub(crate) rhs: usize,
    pub(crate) layouts: (usize, usize),
    pub(crate) triangle: Triangle,
    pub(crate) seed: u64,
}

fn shape(n: impl Strategy<Value = usize>, batch: usize) -> impl Strategy<Value = Shape> {
    let triangle = prop_oneof![Just(Triangle::Lower), Just(Triangle::Upper)];
    // All matrices are one in the last way to lie, which random ones are not by themselves made definite for.
    (n, 0..=batch, 1..=9_usize, (0..LAYOUTS - 1, 0..LAYOUTS), triangle, any::<u64>())
        .prop_map(|(n, batch, rhs, layouts, triangle, seed)| Shape { n, batch, rhs, layouts, triangle, seed })
}

/// Positive definite matrices, where the other triangle and what is between is NaN.
pub(crate) fn definite<T: Element>(shape: &Shape) -> (Vec<T>, Layout) {
    let Shape { n, batch, layouts, triangle, seed, .. } = *shape;
    let (layout, len) = layout(layouts.0, batch, n, n);
    let mut random = Random::new(seed);
    let mut data = vec![number::<T>(f64::NAN); len];
    for b in 0..batch {
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let (row, column) = if triangle == Triangle::Lower { (i, j) } else { (j, i) };
            let x: T = random.element();
            // The imaginary part of the diagonal is there to be ignored.
            let shift = if i == j { 2.0 * (n as f64).sqrt() + 1.0 } else { 0.0 };
            let at = b * layout.batch_stride + row * layout.row_stride + column * layout.col_stride;
            data[at] = T::narrow(T::Scalar::from_c64(x.widen().to_c64() + shift));
        }
    }
    (data, layout)
}

/// Everything that comes of a batch.
pub(crate) struct Results<T: Element> {
    pub(crate) cholesky: Cholesky<T>,
    pub(crate) solutions: [Matrices<T>; 2],
    pub(crate) inverses: [Matrices<T>; 2],
    pub(crate) log_dets: [Vec<f64>; 2],
}

pub(crate) fn compute<T: Element>(
    device: &Device,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    triangle: Triangle,
) -> Results<T> {
    let cholesky = device.cholesky(a, triangle).unwrap();
    let definite = device.with(Structure::PositiveDefinite(triangle));
    let wide = |logs: Vec<_>| logs.into_iter().map(Real::to_f64).collect();
    Results {
        solutions: [cholesky.solve(b).unwrap().x, definite.solve(a, b).unwrap().x],
        inverses: [cholesky.inverse().unwrap().matrices, definite.invert(a).unwrap().matrices],
        log_dets: [wide(cholesky.det().unwrap().log_abs), wide(definite.det(a).unwrap().log_abs)],
        cholesky,
    }
}

pub(crate) fn check<T: Element>(device: &Device, shape: &Shape) -> TestCaseResult {
    let Shape { n, batch, rhs, triangle, seed, .. } = *shape;
    let (data, a_layout) = definite::<T>(shape);
    let (b_layout, b_len) = layout(shape.layouts.1, batch, n, rhs);
    let sides = fill::<T>(&mut Random::new(seed ^ 1), b_layout, b_len, (batch, n, rhs));
    let a = Batch::strided(&data, batch, n, n, a_layout).unwrap();
    let b = Batch::strided(&sides, batch, n, rhs, b_layout).unwrap();
    let results = compute(device, &a, &b, triangle);
    prop_assert!(results.cholesky.status().all_ok(), "{:?}", results.cholesky.status());
    let whole = a.hermitian(triangle).unwrap();
    let (whole, factors) = (whole.view(), results.cholesky.factors().unwrap().view());
    let (u_factors, _) = ratios::precision::<T::Scalar>();
    for i in 0..batch {
        let ratio = definite_ratios::factors(&a, &factors, triangle, i);
        prop_assert!(ratio.passes(), "factors {i}: {ratio:?}");
        for (row, column) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (row, column) = if triangle == Triangle::Lower { (column, row) } else { (row, column) };
            prop_assert!(factors.get(i, row, column) == T::Scalar::ZERO);
        }
        for x in &results.solutions {
            let ratio = definite_ratios::solve(&a, (&factors, triangle), &b, &x.view(), i);
            prop_assert!(ratio.passes(), "solution {i}: {ratio:?}");
        }
        for x in &results.inverses {
            let ratio = ratios::inverse(&whole, &x.view(), i);
            prop_assert!(ratio.passes() && ratio.right < ratios::LIMIT, "inverse {i}: {ratio:?}");
            let hermitian = (0..n * n).all(|e| {
                let [x, y] = [(e / n, e % n), (e % n, e / n)].map(|(i0, j0)| x.get(i, i0, j0).widen().to_c64());
                x == y.conj()
            });
            prop_assert!(hermitian, "inverse {i} is not Hermitian");
        }
        let l = Reference::new(load(&whole, i)).unwrap().unpack();
        let expected: f64 = (0..n).map(|k| 2.0 * l[(k, k)].re.ln()).sum();
        for log in &results.log_dets {
            let error = (log[i] - expected).abs() / (1.0 + expected.abs());
            prop_assert!(error < 30.0 * (n + 1) as f64 * u_factors, "log det {i}: {} and {expected}", log[i]);
        }
        let ours = |i0: usize, j0: usize| match triangle {
            Triangle::Lower => factors.get(i, i0, j0).to_c64(),
            Triangle::Upper => factors.get(i, j0, i0).to_c64().conj(),
        };
        for (i0, j0) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let error = (ours(i0, j0) - l[(i0, j0)]).norm();
            // These matrices have condition numbers below 10.
            prop_assert!(
                error < 100.0 * (n + 1) as f64 * u_factors * (1.0 + (n as f64).sqrt()),
                "L[{i0}][{j0}]: {error}"
            );
        }
    }
    if batch > 0 {
        let index = seed as usize % batch;
        neighbours_do_not_matter(device, &a, &b, triangle, &results, index);
    }
    Ok(())
}

/// One matrix alone, and elsewhere in memory, has the bits that it has among the others.
fn neighbours_do_not_matter<T: Element>(
    device: &Device,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    triangle: Triangle,
    all: &Results<T>,
    index: usize,
) {
    let (n, rhs) = (a.rows(), b.cols());
    let layout = all.cholesky.factors().unwrap().layout();
    let ((single_a, layout), single_b) = (alone(a, index, layout), one(b, index));
    let single_a = Batch::strided(&single_a, 1, n, n, layout).unwrap();
    let alone = compute(device, &single_a, &Batch::row_major(&single_b, 1, n, rhs).unwrap(), triangle);
    let same = |what: &str, alone: &Matrices<T>, all: &Matrices<T>| {
        assert_same(what, &one(&alone.view(), 0), &one(&all.view(), index));
    };
    assert_same(
        "factors",
        &one(&alone.cholesky.factors().unwrap().view(), 0),
        &one(&all.cholesky.factors().unwrap().view(), index),
    );
    for k in 0..2 {
        same("solutions", &alone.solutions[k], &all.solutions[k]);
        same("inverses", &alone.inverses[k], &all.inverses[k]);
        assert_eq!(alone.log_dets[k][0].to_bits(), all.log_dets[k][index].to_bits());
    }
}

fn check_as(device: &Device, shape: &Shape, kind: usize) -> TestCaseResult {
    match kind {
        0 => check::<f32>(device, shape),
        1 => check::<f64>(device, shape),
        2 => check::<c32>(device, shape),
        3 => check::<c64>(device, shape),
        4 => check::<f16>(device, shape),
        _ => check::<bf16>(device, shape),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: some_of(120), ..ProptestConfig::default() })]
    #[test]
    fn small_orders(shape in shape(1..=40_usize, 40), kind in 0..6_usize) {
        check_as(&Device::cpu(), &shape, kind)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: some_of(24), ..ProptestConfig::default() })]
    #[test]
    fn small_orders_in_the_emulator(shape in shape(1..=40_usize, 4), kind in 0..6_usize) {
        check_as(&Device::sim_with_seed(shape.seed), &shape, kind)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: some_of(24), ..ProptestConfig::default() })]
    #[test]
    fn larger_orders(shape in shape(41..=200_usize, 5), kind in 0..4_usize) {
        check_as(&Device::cpu(), &shape, kind)?;
    }
}
