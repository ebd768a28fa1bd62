//! Random batches of random shapes in random layouts: the CPU, the emulator and nalgebra agree.

use ndarray::{Array3, s};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use reference::{DMatrix, pivots_agree};
use warplu::verify::{Random, ratios};
use warplu::{Batch, Device, Element, Matrices, Status};
use warplu_tests::compare::{assert_neighbours_do_not_matter, assert_same, assert_same_results, one};
use warplu_tests::expected::{Expected, load};
use warplu_tests::judge::judge;
use warplu_tests::matrices::{LAYOUTS, fill, layout, number};
use warplu_tests::results::{Results, compute};
use warplu_tests::some_of;

/// What a case is drawn from.
#[derive(Clone, Debug)]
struct Shape {
    n: usize,
    batch: usize,
    rhs: usize,
    layouts: (usize, usize),
    seed: u64,
}

fn shape(n: impl Strategy<Value = usize>, batch: usize) -> impl Strategy<Value = Shape> {
    (n, 0..=batch, 1..=9_usize, (0..LAYOUTS, 0..LAYOUTS), any::<u64>())
        .prop_map(|(n, batch, rhs, layouts, seed)| Shape { n, batch, rhs, layouts, seed })
}

/// Elements, and where they lie.
fn input<T: Element>(shape: &Shape) -> [(Vec<T>, warplu::Layout); 2] {
    let Shape { n, batch, rhs, layouts, seed } = *shape;
    let mut random = Random::new(seed);
    [(layouts.0, n), (layouts.1, rhs)].map(|(kind, cols)| {
        let (layout, len) = layout(kind, batch, n, cols);
        (fill(&mut random, layout, len, (batch, n, cols)), layout)
    })
}

/// Runs a case on a device and judges it by ratios and against nalgebra.
fn on_device<T: Element>(shape: &Shape, device: &Device) -> Result<Results<T>, TestCaseError> {
    let Shape { n, batch, rhs, .. } = *shape;
    let [(a, a_layout), (b, b_layout)] = input::<T>(shape);
    let a = Batch::strided(&a, batch, n, n, a_layout).unwrap();
    let b = Batch::strided(&b, batch, n, rhs, b_layout).unwrap();
    let results = compute(device, &a, &b);
    judge(&format!("{device} {}", T::NAME), &a, &b, &results);
    if batch > 0 {
        let index = shape.seed as usize % batch;
        assert_neighbours_do_not_matter("property", device, &a, &b, &results, index);
    }
    let (stored, _) = ratios::precision::<T>();
    let (factored, _) = ratios::precision::<T::Scalar>();
    for i in 0..batch {
        let reference = Expected::new(&load(&a, i));
        let checks = [
            reference.check_inverse(&results.inverses[0].matrices, i, stored),
            reference.check_inverse(&results.inverses[1].matrices, i, stored),
            reference.check_solution(&b, &results.solutions[0].x, i, stored),
            reference.check_solution(&b, &results.solutions[3].x, i, stored),
            reference.check_det(&results.dets[0], i, factored),
            reference.check_det(&results.dets[1], i, factored),
        ];
        for check in checks {
            check.map_err(|e| TestCaseError::fail(format!("{device}, matrix {i}: {e}")))?;
        }
    }
    Ok(results)
}

/// The CPU and the emulator on the same case.
fn both<T: Element>(shape: &Shape) -> TestCaseResult {
    let cpu = on_device::<T>(shape, &Device::cpu())?;
    let sim = on_device::<T>(shape, &Device::sim_with_seed(shape.seed))?;
    prop_assert_eq!(cpu.lu.status(), sim.lu.status());
    let [(a, a_layout), _] = input::<T>(shape);
    let a = Batch::strided(&a, shape.batch, shape.n, shape.n, a_layout).unwrap();
    let (u, _) = ratios::precision::<T::Scalar>();
    for i in 0..shape.batch {
        pivots_agree(&load(&a, i), cpu.lu.pivots(i).unwrap(), sim.lu.pivots(i).unwrap(), u)
            .map_err(TestCaseError::fail)?;
    }
    Ok(())
}

/// Views of ndarray: with steps, turned around, axes swapped.
fn views<T: Element>(shape: &Shape, device: &Device) {
    let Shape { n, batch, rhs, seed, .. } = *shape;
    let mut random = Random::new(seed);
    let whole = Array3::from_shape_simple_fn((batch, 2 * n + 1, n + 2), || random.element::<T>());
    let b = Array3::from_shape_simple_fn((batch, n, rhs), || random.element::<T>());
    let a = whole.slice(s![..;-1, ..2 * n;2, 1..=n]);
    let mut turned = a.view();
    turned.swap_axes(1, 2);
    turned.invert_axis(ndarray::Axis(2));
    for view in [a.view(), turned] {
        let compact: Vec<T> = view.iter().copied().collect();
        let compact = Batch::row_major(&compact, batch, n, n).unwrap();
        let b = Batch::try_from(b.view()).unwrap();
        let as_view = Batch::try_from(view).unwrap();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            assert!(batch == 0 || as_view.get(batch - 1, i, j) == compact.get(batch - 1, i, j));
        }
        let (wanted, got) = (compute(device, &compact, &b), compute(device, &as_view, &b));
        let elements = |m: &Matrices<T>| {
            let one = |index| warplu_tests::compare::one(&m.view(), index);
            (0..batch).flat_map(one).map(warplu_tests::compare::bits).collect::<Vec<_>>()
        };
        assert!(elements(&got.solutions[3].x) == elements(&wanted.solutions[3].x));
        assert!(elements(&got.inverses[1].matrices) == elements(&wanted.inverses[1].matrices));
        assert_eq!(got.lu.all_pivots().unwrap(), wanted.lu.all_pivots().unwrap());
    }
}

/// Two thread orders give the same bits.
fn order_does_not_matter<T: Element>(shape: &Shape) {
    let Shape { n, batch, rhs, .. } = *shape;
    let [(a, a_layout), (b, b_layout)] = input::<T>(shape);
    let a = Batch::strided(&a, batch, n, n, a_layout).unwrap();
    let b = Batch::strided(&b, batch, n, rhs, b_layout).unwrap();
    let one = compute(&Device::sim_with_seed(shape.seed), &a, &b);
    let other = compute(&Device::sim_with_seed(!shape.seed), &a, &b);
    assert_same_results("another order of the threads", &other, &one);
}

/// A matrix that becomes bad changes nothing for the others, bit for bit, whatever lanes they have.
fn bad_ones_stay_alone<T: Element>(shape: &Shape, device: &Device) {
    let Shape { n, rhs, seed, .. } = *shape;
    let batch = shape.batch + 2;
    let mut random = Random::new(seed);
    let (mut a, b): (Vec<T>, Vec<T>) = (random.elements(batch * n * n), random.elements(batch * n * rhs));
    let b = Batch::column_major(&b, batch, n, rhs).unwrap();
    let before = compute(device, &Batch::column_major(&a, batch, n, n).unwrap(), &b);
    let bad = seed as usize % batch;
    let (at, kind) = (seed as usize / batch % (n * n), seed >> 60 & 3);
    let status = if kind == 0 {
        // A column of zeros.
        a[bad * n * n..][at / n * n..][..n].fill(number(0.0));
        Status::Singular(at as u32 / n as u32 + 1)
    } else {
        a[bad * n * n..][at] = number([f64::NAN, f64::INFINITY, f64::NEG_INFINITY][kind as usize - 1]);
        Status::NonFinite
    };
    let after = compute(device, &Batch::column_major(&a, batch, n, n).unwrap(), &b);
    assert_eq!(after.lu.status()[bad], status);
    for i in (0..batch).filter(|&i| i != bad) {
        assert_eq!(after.lu.pivots(i).unwrap(), before.lu.pivots(i).unwrap());
        for (after, before) in after.solutions.iter().zip(&before.solutions) {
            assert_eq!(after.status[i], before.status[i]);
            assert_same("solution", &one(&after.x.view(), i), &one(&before.x.view(), i));
        }
        for (after, before) in after.inverses.iter().zip(&before.inverses) {
            assert_same("inverse", &one(&after.matrices.view(), i), &one(&before.matrices.view(), i));
        }
        for (after, before) in after.dets.iter().zip(&before.dets) {
            assert_same("determinant", &after.sign[i..=i], &before.sign[i..=i]);
        }
    }
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
                #![proptest_config(config(16))]
                #[test]
                fn devices_and_nalgebra_agree(shape in shape(prop_oneof![4 => 1..=20_usize, 4 => 1..=40_usize], 12)) {
                    both::<$t>(&shape)?;
                }
            }

            proptest! {
                #![proptest_config(config(2))]
                #[test]
                fn larger_orders_agree(shape in shape(33..=100_usize, 2)) {
                    both::<$t>(&shape)?;
                }

                #[test]
                fn the_order_of_threads_does_not_matter(shape in shape(1..=40_usize, 6)) {
                    order_does_not_matter::<$t>(&shape);
                }

                #[test]
                fn ndarray_views_on_sim(shape in shape(1..=12_usize, 6)) {
                    views::<$t>(&shape, &Device::sim());
                }
            }

            proptest! {
                #![proptest_config(config(40))]
                #[test]
                fn cpu_and_nalgebra_agree(shape in shape(1..=100_usize, 40)) {
                    on_device::<$t>(&shape, &Device::cpu())?;
                }

                #[test]
                fn bad_ones_stay_alone_on_cpu(shape in shape(1..=140_usize, 40)) {
                    bad_ones_stay_alone::<$t>(&shape, &Device::cpu());
                }

                #[test]
                fn ndarray_views_on_cpu(shape in shape(1..=40_usize, 10)) {
                    views::<$t>(&shape, &Device::cpu());
                }
            }
        }
    )*};
}
properties!(f32 f64 c32 c64 f16 bf16);

/// The check of pivots itself tells a tie from a mistake.
#[test]
fn pivots_that_differ_are_told() {
    let a = DMatrix::from_fn(2, 2, |i, j| warplu::c64::new([[1.0, 2.0], [1.5, 4.0]][i][j], 0.0));
    assert!(pivots_agree(&a, &[1, 1], &[0, 1], 1e-16).is_err());
    let tie = DMatrix::from_fn(2, 2, |i, j| warplu::c64::new([[1.0, 2.0], [1.0, 4.0]][i][j], 0.0));
    assert!(pivots_agree(&tie, &[1, 1], &[0, 1], 1e-16).is_ok());
    let data = [0.0, 1.0, 1.0, 0.0];
    let lu = Device::cpu().lu(&Batch::row_major(&data, 1, 2, 2).unwrap()).unwrap();
    assert_eq!((lu.pivots(0).unwrap(), lu.status()[0]), (&[1, 1][..], Status::Ok));
}
