//! Ragged batches that are odd or wrong, and calls from many threads at once.

use std::thread;

use rayon::ThreadPoolBuilder;
use warplu::verify::Random;
use warplu::{Batch, Device, Error, Layout, Op, Ragged, RaggedMut, Shape, Status, Structure, Triangle};
use warplu_tests::compare::assert_same;
use warplu_tests::devices;
use warplu_tests::ragged::{Many, beside};

#[track_caller]
fn says<T>(result: Result<T, Error>, words: &[&str]) {
    let Err(Error::Shape(message)) = result else { panic!("no error of shapes") };
    words.iter().for_each(|word| assert!(message.contains(word), "no {word:?} in {message:?}"));
}

#[test]
fn empty_ones() {
    for device in devices(1) {
        for orders in [&[][..], &[0], &[0, 0, 0]] {
            let (a, b) = (Ragged::<f64>::row_major(&[], orders).unwrap(), vec![(0, 3); orders.len()]);
            let b = Ragged::row_major(&[], &b).unwrap();
            let lu = device.lu(&a).unwrap();
            assert_eq!((lu.batch(), lu.status().len()), (orders.len(), orders.len()));
            assert_eq!(lu.solve(&b, Op::None).unwrap().x.batch(), orders.len());
            assert_eq!(lu.inverse().unwrap().check().unwrap().as_slice(), [0.0; 0]);
            assert_eq!(device.solve(&a, &b).unwrap().x.batch(), orders.len());
            assert_eq!(device.invert(&a).unwrap().status.len(), orders.len());
            for det in [lu.det(), device.det(&a)] {
                assert_eq!(det.unwrap().values, vec![1.0; orders.len()]);
            }
        }
        // No right-hand sides: the matrices' statuses.
        let a = Ragged::row_major(&[0.0, f64::NAN, 0.0, 0.0, 1.0, 2.0], &[1, 2, 1]).unwrap();
        let none = Ragged::row_major(&[], &[(1, 0), (2, 0), (1, 0)]).unwrap();
        let wanted = [Status::Singular(1), Status::NonFinite, Status::Ok];
        assert_eq!(device.solve(&a, &none).unwrap().status, wanted);
        assert_eq!(device.lu(&a).unwrap().solve(&none, Op::None).unwrap().status, wanted);
    }
}

#[test]
fn wrong_sizes() {
    let data = [1.0_f64; 10];
    says(Ragged::row_major(&data, &[3, 2]), &["13 elements", "holds 10"]);
    says(Ragged::column_major(&data, &[(3, 3), (1, 2)]), &["11 elements"]);
    says(Ragged::row_major(&data, &[1 << 21]), &["too many"]);
    says(Ragged::row_major(&data, &vec![1 << 20; 1 << 20]), &["more than any memory"]);
    says(Ragged::strided(&data, &[1, 2], &[0], |_| Layout::row_major(2, 2)), &["2 sizes", "1 offsets"]);
    says(Ragged::strided(&data, &[1, 2], &[0, 7], |_| Layout::row_major(2, 2)), &["matrix 1", "2 x 2", "10 elements"]);
    says(Ragged::strided(&data, &[1], &[usize::MAX], |_| Layout::row_major(1, 1)), &["leads beyond"]);
    let far = Layout { batch_stride: 0, row_stride: usize::MAX, col_stride: 1 };
    says(Ragged::strided(&data, &[2], &[5], |_| far), &["leads beyond"]);
    says(Ragged::row_major_slices(&[&data[..4], &data[..3]], &[2, 2]), &["matrix 1", "4 elements", "holds 3"]);
    says(Ragged::row_major_slices(&[&data[..4]], &[2, 2]), &["2 sizes", "1 slices"]);

    let device = Device::cpu();
    let a = Ragged::row_major(&data[..5], &[2, 1]).unwrap();
    let oblong = Ragged::row_major(&data[..5], &[(2, 2), (1, 1)]).unwrap();
    assert_eq!(oblong.shape(0), Shape::from(2));
    let oblong = Ragged::row_major(&data[..6], &[(2, 2), (1, 2)]).unwrap();
    says(device.invert(&oblong), &["matrix 1", "1 x 2", "square"]);
    says(device.lu(&oblong), &["matrix 1", "square"]);
    says(device.det(&oblong), &["square"]);
    says(device.solve(&a, &oblong.clone()).and(device.solve(&oblong, &a)), &["square"]);
    let sides = Ragged::row_major(&data[..3], &[(1, 1), (2, 1)]).unwrap();
    says(device.solve(&a, &sides), &["for matrix 0, `b` must be 2 x 1, but it is 1 x 1"]);
    says(device.lu(&a).unwrap().solve(&sides, Op::None), &["for matrix 0, `b` must be 2 x 1"]);
    let fewer = Ragged::row_major(&data[..2], &[(2, 1)]).unwrap();
    says(device.solve(&a, &fewer), &["`b` must hold 2 matrices, but it holds 1"]);
    let mut out = [0.0; 5];
    let mut swapped = RaggedMut::row_major(&mut out, &[1, 2]).unwrap();
    says(device.invert_into(&a, &mut swapped), &["matrix 0", "must be 2 x 2, but it is 1 x 1"]);
    let mut one = RaggedMut::row_major(&mut out[..4], &[2]).unwrap();
    says(device.invert_into(&a, &mut one), &["2 matrices", "holds 1"]);
    let mut right = RaggedMut::row_major(&mut out, &[2, 1]).unwrap();
    says(device.lu_into(&a, &mut right, &mut [0; 2]), &["pivots", "3 elements"]);
    assert_eq!(out, [0.0; 5]);
}

#[test]
fn outputs_that_overlap() {
    let mut data = [0.0_f64; 30];
    let mut at = |shapes: &[usize], offsets: &[usize], layout: Layout| {
        RaggedMut::strided(&mut data, shapes, offsets, |_| layout).map(drop)
    };
    let twice = Layout { batch_stride: 0, row_stride: 1, col_stride: 1 };
    says(at(&[2], &[0], twice), &["matrix 0", "overlap"]);
    says(at(&[2, 1], &[0, 3], Layout::row_major(2, 2)), &["matrices 0 and 1 overlap"]);
    says(at(&[1, 2], &[3, 0], Layout::row_major(2, 2)), &["matrices 0 and 1 overlap"]);
    says(at(&[1, 1], &[3, 3], Layout::row_major(1, 1)), &["overlap"]);
    says(at(&[2, 2], &[0, 2], Layout::row_major(4, 4)), &["between each other's rows"]);
    // Empty ones are nowhere.
    assert!(at(&[2, 0, 1], &[0, 1, 4], Layout::row_major(2, 2)).is_ok());
    assert!(at(&[2, 3], &[0, 12], Layout::row_major(5, 5)).is_ok());
}

/// What each matrix of `a`, with two right-hand sides each, has alone.
fn alone<'a>(a: &'a Many<f64>, b: &'a Many<f64>) -> impl Iterator<Item = (Batch<'a, f64>, Batch<'a, f64>)> {
    a.matrices
        .iter()
        .zip(&b.matrices)
        .zip(&a.shapes)
        .map(|((a, b), &(n, _))| (Batch::row_major(a, 1, n, n).unwrap(), Batch::row_major(b, 1, n, 2).unwrap()))
}

/// Refined solutions and Cholesky factors are those that each matrix has alone.
#[test]
fn refined_and_definite_ones() {
    let orders = [3, 1, 0, 9, 3, 33];
    let mut random = Random::new(7);
    let (mut a, mut data) = (Many { matrices: Vec::new(), shapes: Vec::new() }, Vec::new());
    let mut b = a.clone();
    for &n in &orders {
        let sample: Vec<f64> = random.elements(n * n);
        // A A^T + n I is positive definite.
        let product = |i: usize, j: usize| (0..n).map(|k| sample[i * n + k] * sample[j * n + k]).sum::<f64>();
        let element = |at: usize| product(at / n, at % n) + if at / n == at % n { n as f64 } else { 0.0 };
        a.matrices.push((0..n * n).map(element).collect());
        b.matrices.push(random.elements(2 * n));
        a.shapes.push((n, n));
        b.shapes.push((n, 2));
        data.extend_from_slice(a.matrices.last().unwrap());
    }
    // One that is singular in single precision, and one that is not positive definite.
    a.matrices[4] = vec![1.0, 0.0, 0.0, 0.0, 1e-300, 0.0, 0.0, 0.0, -1.0];
    data[1 + 9 + 81..][..9].copy_from_slice(&a.matrices[4]);
    let sides: Vec<f64> = b.matrices.concat();
    for device in devices(1) {
        let (of_a, of_b) = (Ragged::row_major(&data, &orders).unwrap(), Ragged::row_major(&sides, &b.shapes).unwrap());
        let refined = device.solve_refined(&of_a, &of_b).unwrap();
        let mut factors = vec![7.0; data.len()];
        let mut to = RaggedMut::row_major(&mut factors, &orders).unwrap();
        let status = device.cholesky_into(&of_a, Triangle::Lower, &mut to).unwrap();
        let mut in_place = data.clone();
        let mut to = RaggedMut::row_major(&mut in_place, &orders).unwrap();
        assert_eq!(device.cholesky_in_place(&mut to, Triangle::Lower).unwrap(), status);
        let mut in_triangle = data.clone();
        let mut to = RaggedMut::row_major(&mut in_triangle, &orders).unwrap();
        assert_eq!(device.cholesky_in_triangle(&mut to, Triangle::Lower).unwrap(), status);
        let definite = device.with(Structure::PositiveDefinite(Triangle::Lower));
        let (inverse, det) = (definite.invert(&of_a).unwrap(), definite.det(&of_a).unwrap());
        let mut first = 0;
        for (i, (a, b)) in alone(&a, &b).enumerate() {
            let wanted = device.solve_refined(&a, &b).unwrap();
            assert_eq!((refined.status[i], refined.refinement[i]), (wanted.status[0], wanted.refinement[0]), "{i}");
            assert_same("refined", refined.x.matrix(i), wanted.x.as_slice());
            let wanted = device.cholesky(&a, Triangle::Lower).unwrap();
            assert_eq!((status[i], det.status[i]), (wanted.status()[0], wanted.status()[0]), "{i}");
            let own = first..first + orders[i] * orders[i];
            first = own.end;
            assert_same("factors", &factors[own.clone()], wanted.factors().unwrap().as_slice());
            for (at, x) in in_triangle[own.clone()].iter().enumerate() {
                let is_lower = at % orders[i] <= at / orders[i];
                let wanted = if is_lower {
                    wanted.factors().unwrap().as_slice()[at]
                } else {
                    a.get(0, at / orders[i], at % orders[i])
                };
                assert!(x.to_bits() == wanted.to_bits(), "matrix {i}, element {at}");
            }
            assert_same("factors in place", &in_place[own], wanted.factors().unwrap().as_slice());
            assert_same("inverse", inverse.matrices.matrix(i), definite.invert(&a).unwrap().matrices.as_slice());
            assert_same("determinant", &det.values[i..=i], &definite.det(&a).unwrap().values);
        }
        assert_eq!(status[4], Status::NotPositiveDefinite(3), "{device}");
        assert!(!refined.refinement[4].is_converged() && refined.status[4].is_ok(), "{device}");
    }
}

/// Several groups, each of several workers' worth, do not wait for each other's threads.
#[test]
fn large_groups_are_refined() {
    let groups = rayon::current_num_threads().max(4);
    let orders: Vec<usize> = (0..24 * groups).map(|i| 150 + i / 24).collect();
    let mut random = Random::new(11);
    let a: Vec<Vec<f64>> = orders.iter().map(|&n| random.elements(n * n)).collect();
    let b: Vec<Vec<f64>> = orders.iter().map(|&n| random.elements(n)).collect();
    let sides: Vec<(usize, usize)> = orders.iter().map(|&n| (n, 1)).collect();
    let (all_a, all_b) = (a.concat(), b.concat());
    let device = Device::cpu();
    let of_a = Ragged::row_major(&all_a, &orders).unwrap();
    let of_b = Ragged::row_major(&all_b, &sides).unwrap();
    let [.., refined] = [(); 10].map(|()| device.solve_refined(&of_a, &of_b).unwrap());
    for (i, &n) in orders.iter().enumerate().step_by(17) {
        let (a, b) = (Batch::row_major(&a[i], 1, n, n).unwrap(), Batch::row_major(&b[i], 1, n, 1).unwrap());
        let wanted = device.solve_refined(&a, &b).unwrap();
        assert_eq!((refined.status[i], refined.refinement[i]), (wanted.status[0], wanted.refinement[0]));
        assert_same("refined", refined.x.matrix(i), wanted.x.as_slice());
    }
}

/// Batches of batches, and results as inputs.
#[test]
fn from_batches() {
    let (one, other) = ([2.0, 4.0], [1.0, 2.0, 3.0, 5.0]);
    let batches = [Batch::row_major(&one, 2, 1, 1).unwrap(), Batch::column_major(&other, 1, 2, 2).unwrap()];
    let a: Ragged<'_, f64> = batches.iter().collect();
    assert_eq!((a.batch(), a.shape(2), a.get(2, 0, 1)), (3, Shape::from(2), 3.0));
    let mut inverse = Device::cpu().invert(&a).unwrap().matrices;
    assert_eq!((inverse.matrix(1), inverse.layout(2)), (&[0.25][..], Layout::column_major(2, 2)));
    inverse.matrix_mut(0)[0] = 8.0;
    assert!(Device::cpu().invert_in_place(&mut inverse.view_mut()).unwrap().all_ok());
    assert_eq!((inverse[(0, 0, 0)], inverse.one(1).get(0, 0, 0)), (0.125, 4.0));
}

/// The same bits from many threads, in pools of any size, and while others use the device.
#[test]
fn many_threads() {
    let mut random = Random::new(9);
    let orders: Vec<usize> = (0..300).map(|_| random.below(70)).collect();
    let a = Many::<f32>::squares(&mut random, &orders, true).placed(&mut random, 2, beside());
    let inverse = |device: &Device| device.invert(&a.view()).unwrap();
    let wanted = inverse(&Device::cpu());
    for threads in [1, 3] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| inverse(&Device::cpu())) == wanted);
    }
    thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| inverse(&Device::cpu()))).collect();
        assert!(all.into_iter().all(|one| one.join().unwrap() == wanted));
    });
    let few = Many::<f32>::squares(&mut random, &[3, 9, 17, 9, 3, 5], true).placed(&mut random, 1, beside());
    let device = Device::sim();
    let wanted = device.invert(&few.view()).unwrap();
    thread::scope(|scope| {
        let all: Vec<_> = (0..3).map(|_| scope.spawn(|| device.invert(&few.view()).unwrap())).collect();
        assert!(all.into_iter().all(|one| one.join().unwrap() == wanted));
    });
}

#[test]
fn too_little_memory_is_an_error() {
    let a = Many::<f64>::squares(&mut Random::new(2), &[30, 2], true);
    let a = a.placed(&mut Random::new(2), 0, 0.0);
    let device = Device::sim().with_memory_limit(5000);
    assert!(matches!(device.invert(&a.view()), Err(Error::Memory { .. })));
    assert!(matches!(device.lu(&a.view()).map(drop), Err(Error::Memory { .. })));
}
