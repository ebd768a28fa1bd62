//! Plans for matrices of many orders: the bits of the calls on host memory, wherever the matrices lie.

use warplu::resident::{
    DeviceRagged, DeviceRaggedMut, RaggedInversePlan, RaggedLuPlan, RaggedLuSolvePlan, RaggedSizes, RaggedSolvePlan,
};
use warplu::verify::Random;
use warplu::{Device, Element, Error, Layout, Op, Ragged, RaggedMatrices};
use warplu_tests::compare::{assert_same, bits};
use warplu_tests::ragged::{Many, beside};
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

const ORDERS: [usize; 9] = [3, 17, 0, 3, 1, 33, 17, 8, 3];
/// Right-hand sides, one number for each order.
const SIDES: [usize; 9] = [2, 1, 3, 2, 5, 1, 1, 0, 2];
/// Others.
const OTHER_SIDES: [usize; 9] = [2, 1, 3, 4, 5, 6, 2, 0, 1];

fn shapes(counts: &[usize]) -> Vec<(usize, usize)> {
    ORDERS.iter().copied().zip(counts.iter().copied()).collect()
}

/// Matrices and right-hand sides, one after the other, row by row.
fn inputs<T: Element>(seed: u64, counts: &[usize]) -> (Many<T>, Vec<T>, Vec<T>) {
    let mut random = Random::new(seed);
    let a = Many::<T>::squares(&mut random, &ORDERS, false);
    let b = Many::<T>::sides(&mut random, &ORDERS, counts).matrices.concat();
    let all = a.matrices.concat();
    (a, all, b)
}

#[track_caller]
fn assert_statuses(sizes: &RaggedSizes, codes: &[i32], wanted: &[warplu::Status]) {
    assert_eq!(&*sizes.statuses(codes).unwrap(), wanted);
}

fn as_host_calls<T: Element>() {
    for device in devices(5) {
        let stream = device.stream().unwrap();
        for counts in [SIDES, OTHER_SIDES] {
            let (_, a, b) = inputs::<T>(1, &counts);
            let (host_a, host_b) =
                (Ragged::row_major(&a, &ORDERS).unwrap(), Ragged::row_major(&b, &shapes(&counts)).unwrap());
            let (on_a, on_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let mut status = device.buffer(ORDERS.len()).unwrap();

            let plan = RaggedInversePlan::<T>::new(&device, &ORDERS).unwrap();
            let wanted = device.invert(&host_a).unwrap();
            let mut inverse = device.upload(&vec![beside::<T>(); a.len()]).unwrap();
            let from = DeviceRagged::row_major(&on_a, plan.matrices()).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut inverse, plan.matrices()).unwrap();
            for _ in 0..2 {
                plan.run(&stream, &from, &mut to, &mut status).unwrap();
            }
            stream.synchronize().unwrap();
            assert_same("inverse", &to.as_slice().to_vec().unwrap(), wanted.matrices.as_slice());
            assert_statuses(plan.matrices(), &status.to_vec().unwrap(), &wanted.status);
            to.as_mut_slice().copy_from(&a).unwrap();
            plan.run_in_place(&stream, &mut to, &mut status).unwrap();
            stream.synchronize().unwrap();
            assert_same("inverse in place", &inverse.to_vec().unwrap(), wanted.matrices.as_slice());

            let plan = RaggedSolvePlan::<T>::new(&device, &shapes(&counts)).unwrap();
            let wanted = device.solve(&host_a, &host_b).unwrap();
            let mut x = device.upload(&vec![beside::<T>(); b.len()]).unwrap();
            let from = DeviceRagged::row_major(&on_a, plan.matrices()).unwrap();
            let sides = DeviceRagged::row_major(&on_b, plan.sides()).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut x, plan.sides()).unwrap();
            plan.run(&stream, &from, &sides, &mut to, &mut status).unwrap();
            stream.synchronize().unwrap();
            assert_same("solution", &to.as_slice().to_vec().unwrap(), wanted.x.as_slice());
            assert_statuses(plan.matrices(), &status.to_vec().unwrap(), &wanted.status);
            to.as_mut_slice().copy_from(&b).unwrap();
            plan.run_in_place(&stream, &from, &mut to, &mut status).unwrap();
            stream.synchronize().unwrap();
            assert_same("solution in place", &x.to_vec().unwrap(), wanted.x.as_slice());
        }
    }
}
for_types!(as_host_calls);

fn from_factors<T: Element>() {
    for device in devices(5) {
        let stream = device.stream().unwrap();
        let (_, a, b) = inputs::<T>(2, &SIDES);
        let (host_a, host_b) =
            (Ragged::row_major(&a, &ORDERS).unwrap(), Ragged::row_major(&b, &shapes(&SIDES)).unwrap());
        let wanted = device.lu(&host_a).unwrap();
        let plan = RaggedLuPlan::<T>::new(&device, &ORDERS).unwrap();
        let (on_a, on_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut lu = device.upload(&vec![beside::<T>().widen(); a.len()]).unwrap();
        let (mut status, mut pivots) =
            (device.buffer(ORDERS.len()).unwrap(), device.ragged_pivots(plan.matrices()).unwrap());
        let from = DeviceRagged::row_major(&on_a, plan.matrices()).unwrap();
        let mut to = DeviceRaggedMut::row_major(&mut lu, plan.matrices()).unwrap();
        plan.run(&stream, &from, &mut to, &mut pivots, &mut status).unwrap();
        stream.synchronize().unwrap();
        assert_statuses(plan.matrices(), &status.to_vec().unwrap(), wanted.status());
        let factors = lu.to_vec().unwrap();
        let view = Ragged::row_major(&factors, &ORDERS).unwrap();
        for (i, pivots) in pivots.to_vecs().unwrap().into_iter().enumerate() {
            assert_eq!(pivots, wanted.pivots(i).unwrap());
            let own = wanted.factors(i).unwrap();
            for (row, column) in (0..ORDERS[i]).flat_map(|row| (0..ORDERS[i]).map(move |column| (row, column))) {
                assert_eq!(bits(view.get(i, row, column)), bits(own.get(0, row, column)));
            }
        }
        let plan = RaggedLuSolvePlan::<T>::new(&device, &shapes(&SIDES)).unwrap();
        let lu = DeviceRagged::row_major(&lu, plan.matrices()).unwrap();
        let sides = DeviceRagged::row_major(&on_b, plan.sides()).unwrap();
        let (mut x, mut solved) = (device.upload(&b).unwrap(), device.buffer(ORDERS.len()).unwrap());
        let mut to = DeviceRaggedMut::row_major(&mut x, plan.sides()).unwrap();
        for op in OPS {
            let wanted = wanted.solve(&host_b, op).unwrap();
            plan.run(&stream, &lu, &pivots, &status, op, &sides, &mut to, &mut solved).unwrap();
            stream.synchronize().unwrap();
            assert_same("from factors", &to.as_slice().to_vec().unwrap(), wanted.x.as_slice());
            assert_statuses(plan.matrices(), &solved.to_vec().unwrap(), &wanted.status);
        }
        to.as_mut_slice().copy_from(&b).unwrap();
        plan.run_in_place(&stream, &lu, &pivots, &status, Op::None, &mut to, &mut solved).unwrap();
        stream.synchronize().unwrap();
        assert_same("in place", &x.to_vec().unwrap(), wanted.solve(&host_b, Op::None).unwrap().x.as_slice());
    }
}
for_types!(from_factors);

/// Padded matrices in another order than their numbers; what is between them stays.
#[test]
fn strides() {
    for device in devices(6) {
        let stream = device.stream().unwrap();
        let a = inputs::<f64>(3, &SIDES).0;
        let wanted: RaggedMatrices<f64> =
            device.invert(&Ragged::row_major(&a.matrices.concat(), &ORDERS).unwrap()).unwrap().matrices;
        let layout = |b: usize| Layout { batch_stride: 0, row_stride: 1, col_stride: ORDERS[b] + 2 };
        let offset = |b: usize| 5 + (ORDERS.len() - 1 - b) * 40 * 40;
        let offsets: Vec<usize> = (0..ORDERS.len()).map(offset).collect();
        let (mut data, mut whole) = (vec![beside::<f64>(); 9 * 1600 + 9], vec![beside::<f64>(); 9 * 1600 + 9]);
        for (b, &n) in ORDERS.iter().enumerate() {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let at = offsets[b] + i + j * (n + 2);
                (data[at], whole[at]) = (a.matrices[b][i * n + j], wanted[(b, i, j)]);
            }
        }
        let mut buffer = device.upload(&data).unwrap();
        let mut status = device.buffer(2 * ORDERS.len()).unwrap();
        let plan = RaggedInversePlan::<f64>::new(&device, &ORDERS).unwrap();
        let range = buffer.slice_mut(..data.len()).unwrap();
        let mut out = DeviceRaggedMut::strided(range, plan.matrices(), &offsets, layout).unwrap();
        plan.run_in_place(&stream, &mut out, status.slice_mut(ORDERS.len()..).unwrap()).unwrap();
        stream.synchronize().unwrap();
        assert_same("strided", &buffer.to_vec().unwrap(), &whole);
    }
}

#[track_caller]
fn says<T>(result: Result<T, Error>, words: &[&str]) {
    let Err(Error::Shape(message)) = result else { panic!("no error of shapes") };
    words.iter().for_each(|word| assert!(message.contains(word), "no {word:?} in {message:?}"));
}

#[test]
fn what_does_not_fit() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let plan = RaggedInversePlan::<f64>::new(&device, &[2, 1, 2]).unwrap();
    let (mut a, mut status) = (device.buffer(9).unwrap(), device.buffer(3).unwrap());
    says(DeviceRagged::row_major(&device.buffer::<f64>(8).unwrap(), plan.matrices()), &["9 elements", "holds 8"]);
    let layout = |b: usize| if b == 0 { Layout::row_major(2, 2) } else { Layout::column_major(2, 2) };
    says(DeviceRagged::strided(&a, plan.matrices(), &[0, 4, 5], layout), &["matrices 0 and 2", "other strides"]);
    says(DeviceRagged::strided(&a, plan.matrices(), &[0, 4, 6], |_| Layout::row_major(2, 2)), &["matrix 2", "beyond"]);
    let both = DeviceRaggedMut::strided(&mut a, plan.matrices(), &[0, 3, 4], |_| Layout::row_major(2, 2));
    says(both, &["matrices 0 and 1 overlap"]);
    let other = RaggedInversePlan::<f64>::new(&device, &[2, 2, 1]).unwrap();
    let mut swapped = DeviceRaggedMut::row_major(&mut a, other.matrices()).unwrap();
    says(plan.run_in_place(&stream, &mut swapped, &mut status), &["sizes of the plan"]);
    let mut right = DeviceRaggedMut::row_major(&mut a, plan.matrices()).unwrap();
    says(plan.run_in_place(&stream, &mut right, status.slice_mut(1..).unwrap()), &["status", "3 elements"]);
    says(plan.run_in_place(&Device::sim().stream().unwrap(), &mut right, &mut status), &["different ones"]);
    says(plan.matrices().statuses(&[0; 2]), &["2 codes", "3 matrices"]);
    says(RaggedLuSolvePlan::<f64>::new(&device, &[(2, 1), (2, 3)]), &["different numbers of right-hand sides"]);
    says(RaggedSolvePlan::<f64>::new(&device, &[(2, 1), (1 << 21, 3)]), &["too many"]);
    // Nothing at all.
    let none = RaggedLuPlan::<f64>::new(&device, &[]).unwrap();
    let mut pivots = device.ragged_pivots(none.matrices()).unwrap();
    let (mut nothing, mut codes) = (device.buffer(0).unwrap(), device.buffer(0).unwrap());
    let mut nothing = DeviceRaggedMut::row_major(&mut nothing, none.matrices()).unwrap();
    none.run_in_place(&stream, &mut nothing, &mut pivots, &mut codes).unwrap();
    says(none.run_in_place(&stream, &mut right, &mut pivots, &mut codes), &["sizes of the plan"]);
}
