//! Plans for matrices of many orders: the bits of the calls on host memory, wherever the matrices lie.

use warplu::resident::{
    CholeskyInversePlan, CholeskyPlan, CholeskySolvePlan, DetPlan, DeviceBatchMut, DeviceRagged, DeviceRaggedMut,
    DeviceSliceMut, InPlace, InversePlan, LuPlan, LuSolvePlan, RaggedSizes, Size, SolvePlan, Stream, SystemSizes, of,
};
use warplu::verify::{Random, make_definite};
use warplu::{Batch, Device, Element, Error, Layout, Op, Ragged, RaggedMatrices, RaggedMut, Triangle};
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

            let systems = SystemSizes::new(&shapes(&counts)).unwrap();
            let (sizes, sides) = (&RaggedSizes::orders(&ORDERS).unwrap(), systems.sides());
            let plan = InversePlan::<T>::new(&device, sizes).unwrap();
            let wanted = device.invert(&host_a).unwrap();
            let mut inverse = device.upload(&vec![beside::<T>(); a.len()]).unwrap();
            let a_there = DeviceRagged::row_major(&on_a, sizes).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut inverse, sizes).unwrap();
            for _ in 0..2 {
                plan.run(&stream, of::Inverse { a: &a_there, inverse: &mut to, status: &mut status }).unwrap();
            }
            stream.synchronize().unwrap();
            assert_same("inverse", &to.as_slice().to_vec().unwrap(), wanted.matrices.as_slice());
            assert_statuses(sizes, &status.to_vec().unwrap(), &wanted.status);
            to.as_mut_slice().copy_from(&a).unwrap();
            plan.run(&stream, of::Inverse { a: InPlace, inverse: &mut to, status: &mut status }).unwrap();
            stream.synchronize().unwrap();
            assert_same("inverse in place", &inverse.to_vec().unwrap(), wanted.matrices.as_slice());

            let plan = SolvePlan::<T>::new(&device, &systems).unwrap();
            let wanted = device.solve(&host_a, &host_b).unwrap();
            let mut x = device.upload(&vec![beside::<T>(); b.len()]).unwrap();
            let a_there = DeviceRagged::row_major(&on_a, systems.matrices()).unwrap();
            let b_there = DeviceRagged::row_major(&on_b, sides).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut x, sides).unwrap();
            plan.run(&stream, of::Solve { a: &a_there, b: &b_there, x: &mut to, status: &mut status }).unwrap();
            stream.synchronize().unwrap();
            assert_same("solution", &to.as_slice().to_vec().unwrap(), wanted.x.as_slice());
            assert_statuses(systems.matrices(), &status.to_vec().unwrap(), &wanted.status);
            to.as_mut_slice().copy_from(&b).unwrap();
            plan.run(&stream, of::Solve { a: &a_there, b: InPlace, x: &mut to, status: &mut status }).unwrap();
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
        // The sizes of the systems: those of the matrices would do where right-hand sides are as many for each order.
        let systems = SystemSizes::new(&shapes(&SIDES)).unwrap();
        let sizes = systems.matrices();
        let plan = LuPlan::<T>::new(&device, &systems).unwrap();
        let (on_a, on_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut lu = device.upload(&vec![beside::<T>().widen(); a.len()]).unwrap();
        let (mut status, mut pivots) = (device.buffer(ORDERS.len()).unwrap(), device.ragged_pivots(sizes).unwrap());
        let from = DeviceRagged::row_major(&on_a, sizes).unwrap();
        let mut to = DeviceRaggedMut::row_major(&mut lu, sizes).unwrap();
        plan.run(&stream, of::Lu { a: &from, lu: &mut to, pivots: &mut pivots, status: &mut status }).unwrap();
        stream.synchronize().unwrap();
        assert_statuses(sizes, &status.to_vec().unwrap(), wanted.status());
        let factors = lu.to_vec().unwrap();
        let view = Ragged::row_major(&factors, &ORDERS).unwrap();
        for (i, pivots) in pivots.to_vecs().unwrap().into_iter().enumerate() {
            assert_eq!(pivots, wanted.pivots(i).unwrap());
            let own = wanted.factors(i).unwrap();
            for (row, column) in (0..ORDERS[i]).flat_map(|row| (0..ORDERS[i]).map(move |column| (row, column))) {
                assert_eq!(bits(view.get(i, row, column)), bits(own.get(0, row, column)));
            }
        }
        let plan = LuSolvePlan::<T>::new(&device, &systems).unwrap();
        let lu = DeviceRagged::row_major(&lu, sizes).unwrap();
        let sides = DeviceRagged::row_major(&on_b, systems.sides()).unwrap();
        let (mut x, mut solved) = (device.upload(&b).unwrap(), device.buffer(ORDERS.len()).unwrap());
        let mut to = DeviceRaggedMut::row_major(&mut x, systems.sides()).unwrap();
        let (lu, pivots, lu_status) = (&lu, &pivots, &status);
        for op in OPS {
            let wanted = wanted.solve(&host_b, op).unwrap();
            let (x, status) = (&mut to, &mut solved);
            plan.run(&stream, of::LuSolve { lu, pivots, lu_status, op, b: &sides, x, status }).unwrap();
            stream.synchronize().unwrap();
            assert_same("from factors", &to.as_slice().to_vec().unwrap(), wanted.x.as_slice());
            assert_statuses(sizes, &solved.to_vec().unwrap(), &wanted.status);
        }
        to.as_mut_slice().copy_from(&b).unwrap();
        let (op, status) = (Op::None, &mut solved);
        plan.run(&stream, of::LuSolve { lu, pivots, lu_status, op, b: InPlace, x: &mut to, status }).unwrap();
        stream.synchronize().unwrap();
        assert_same("in place", &x.to_vec().unwrap(), wanted.solve(&host_b, Op::None).unwrap().x.as_slice());
    }
}
for_types!(from_factors);

/// What was not there for matrices of many sizes before: determinants, and all of positive definite ones.
fn definite<T: Element>() {
    for device in devices(5) {
        let stream = device.stream().unwrap();
        let mut random = Random::new(4);
        let b = Many::<T>::sides(&mut random, &ORDERS, &SIDES).matrices.concat();
        let mut squares = Many::<T>::squares(&mut random, &ORDERS, false).matrices;
        squares.iter_mut().zip(ORDERS).for_each(|(a, n)| make_definite(a, n));
        let a = squares.concat();
        let host_a = Ragged::row_major(&a, &ORDERS).unwrap();
        let host_b = Ragged::row_major(&b, &shapes(&SIDES)).unwrap();
        let systems = SystemSizes::new(&shapes(&SIDES)).unwrap();
        let sizes = systems.matrices();
        let (on_a, mut x) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let there = DeviceRagged::row_major(&on_a, sizes).unwrap();
        let buffers = || [0; 2].map(|_| device.buffer::<i32>(ORDERS.len()).unwrap());
        let [mut factor_status, mut status] = buffers();

        let wanted = device.det(&host_a).unwrap();
        let [mut values, mut sign] = [0; 2].map(|_| device.buffer::<T::Scalar>(ORDERS.len()).unwrap());
        let mut log_abs = device.buffer(ORDERS.len()).unwrap();
        let det =
            of::Det { a: &there, values: &mut values, sign: &mut sign, log_abs: &mut log_abs, status: &mut status };
        DetPlan::<T>::new(&device, sizes).unwrap().run(&stream, det).unwrap();
        stream.synchronize().unwrap();
        let values = values.to_vec().unwrap();
        let in_order = |values: &[T::Scalar]| {
            let mut all = values.to_vec();
            sizes.order().iter().zip(values).for_each(|(&b, &value)| all[b] = value);
            all
        };
        assert_same("determinants", &in_order(&values), &wanted.values);
        assert_same("signs", &in_order(&sign.to_vec().unwrap()), &wanted.sign);
        assert_statuses(sizes, &status.to_vec().unwrap(), &wanted.status);

        for triangle in [Triangle::Lower, Triangle::Upper] {
            // Each of them alone.
            let (mut wanted_x, mut wanted_inverse) = (Vec::new(), Vec::new());
            let (mut wanted_status, mut wanted_det) = (Vec::new(), Vec::new());
            for (i, &n) in ORDERS.iter().enumerate() {
                let alone = Batch::row_major(&squares[i], 1, n, n).unwrap();
                let alone = device.cholesky(&alone, triangle).unwrap();
                let sides = Batch::row_major(&b[wanted_x.len()..][..n * SIDES[i]], 1, n, SIDES[i]).unwrap();
                wanted_status.push(alone.status()[0]);
                wanted_det.push(alone.det().unwrap().values[0]);
                wanted_x.extend_from_slice(alone.solve(&sides).unwrap().x.as_slice());
                wanted_inverse.extend_from_slice(alone.inverse().unwrap().matrices.as_slice());
            }
            let host = device.cholesky(&host_a, triangle).unwrap();
            let (host_x, host_inverse) = (host.solve(&host_b).unwrap(), host.inverse().unwrap());
            assert_same("solutions of many sizes", host_x.x.as_slice(), &wanted_x);
            assert_same("inverses of many sizes", host_inverse.matrices.as_slice(), &wanted_inverse);
            assert!(**host.status() == *wanted_status && *host_inverse.status == *wanted_status);
            assert_same("determinants of many sizes", &host.det().unwrap().values, &wanted_det);

            let mut factors = device.upload(&vec![beside::<T>().widen(); a.len()]).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut factors, sizes).unwrap();
            let factor = of::Cholesky { a: &there, factors: &mut to, triangle, status: &mut factor_status };
            CholeskyPlan::<T>::new(&device, sizes).unwrap().run(&stream, factor).unwrap();
            let kept = DeviceRagged::row_major(&factors, sizes).unwrap();
            x.copy_from(&b).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut x, systems.sides()).unwrap();
            let (factors, factor_status) = (&kept, &factor_status);
            let (x_to, b, status_to) = (&mut to, InPlace, &mut status);
            let solve = of::CholeskySolve { factors, triangle, factor_status, b, x: x_to, status: status_to };
            CholeskySolvePlan::<T>::new(&device, &systems).unwrap().run(&stream, solve).unwrap();
            stream.synchronize().unwrap();
            assert_same("definite solution", &x.to_vec().unwrap(), &wanted_x);
            assert_statuses(sizes, &status.to_vec().unwrap(), &wanted_status);

            let mut inverse = device.upload(&vec![beside::<T>(); a.len()]).unwrap();
            let mut to = DeviceRaggedMut::row_major(&mut inverse, sizes).unwrap();
            let status_to = &mut status;
            let invert = of::CholeskyInverse { factors, triangle, factor_status, inverse: &mut to, status: status_to };
            CholeskyInversePlan::<T>::new(&device, sizes).unwrap().run(&stream, invert).unwrap();
            stream.synchronize().unwrap();
            assert_same("definite inverse", &inverse.to_vec().unwrap(), &wanted_inverse);
            assert_statuses(sizes, &status.to_vec().unwrap(), &wanted_status);
        }
    }
}
for_types!(definite);

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
        let sizes = RaggedSizes::orders(&ORDERS).unwrap();
        let plan = InversePlan::<f64>::new(&device, &sizes).unwrap();
        let range = buffer.slice_mut(..data.len()).unwrap();
        let mut out = DeviceRaggedMut::strided(range, &sizes, &offsets, layout).unwrap();
        let status = status.slice_mut(ORDERS.len()..).unwrap();
        plan.run(&stream, of::Inverse { a: InPlace, inverse: &mut out, status }).unwrap();
        stream.synchronize().unwrap();
        assert_same("strided", &buffer.to_vec().unwrap(), &whole);
    }
}

/// Inverses from factors, in memory in which those of one order lie differently from each other.
#[test]
fn inverses_of_other_strides() {
    let a = [2.0, 1.0, 1.0, 1.0, 4.0, 0.0, 0.0, 8.0];
    let layout = |b: usize| Layout { batch_stride: 0, row_stride: [10, 1][b], col_stride: [1, 2][b] };
    for device in devices(7) {
        let a = Ragged::row_major(&a, &[2, 2]).unwrap();
        let (lu, cholesky) = (device.lu(&a).unwrap(), device.cholesky(&a, Triangle::Lower).unwrap());
        let (mut by_lu, mut by_cholesky) = ([7.0; 17], [7.0; 17]);
        let mut to = RaggedMut::strided(&mut by_lu, &[2, 2], &[0, 12], layout).unwrap();
        lu.inverse_into(&mut to).unwrap().check().unwrap();
        let mut to = RaggedMut::strided(&mut by_cholesky, &[2, 2], &[0, 12], layout).unwrap();
        cholesky.inverse_into(&mut to).unwrap().check().unwrap();
        let mut wanted = [7.0; 17];
        (wanted[0], wanted[1], wanted[10], wanted[11]) = (1.0, -1.0, -1.0, 2.0);
        wanted[12..16].copy_from_slice(&[0.25, 0.0, 0.0, 0.125]);
        assert!(by_lu == wanted, "{device}: {by_lu:?}");
        let is_near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-14;
        assert!(by_cholesky.iter().zip(&wanted).all(is_near), "{device}: {by_cholesky:?}");
    }
}

#[track_caller]
fn says<T>(result: Result<T, Error>, words: &[&str]) {
    let Err(Error::Shape(message)) = result else { panic!("no error of shapes") };
    words.iter().for_each(|word| assert!(message.contains(word), "no {word:?} in {message:?}"));
}

fn inverts(
    plan: &InversePlan<f64>,
    stream: &Stream,
    inverse: &mut DeviceRaggedMut<'_, f64>,
    status: DeviceSliceMut<'_, i32>,
) -> Result<(), Error> {
    plan.run(stream, of::Inverse { a: InPlace, inverse, status })
}

#[test]
fn what_does_not_fit() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let sizes = RaggedSizes::orders(&[2, 1, 2]).unwrap();
    let plan = InversePlan::<f64>::new(&device, &sizes).unwrap();
    let (mut a, mut status) = (device.buffer(9).unwrap(), device.buffer(3).unwrap());
    says(DeviceRagged::row_major(&device.buffer::<f64>(8).unwrap(), &sizes), &["9 elements", "holds 8"]);
    let layout = |b: usize| if b == 0 { Layout::row_major(2, 2) } else { Layout::column_major(2, 2) };
    says(DeviceRagged::strided(&a, &sizes, &[0, 4, 5], layout), &["matrices 0 and 2", "other strides"]);
    says(DeviceRagged::strided(&a, &sizes, &[0, 4, 6], |_| Layout::row_major(2, 2)), &["matrix 2", "beyond"]);
    let both = DeviceRaggedMut::strided(&mut a, &sizes, &[0, 3, 4], |_| Layout::row_major(2, 2));
    says(both, &["matrices 0 and 1 overlap"]);
    let other = RaggedSizes::orders(&[2, 2, 1]).unwrap();
    let mut swapped = DeviceRaggedMut::row_major(&mut a, &other).unwrap();
    says(inverts(&plan, &stream, &mut swapped, (&mut status).into()), &["sizes of the plan"]);
    let mut right = DeviceRaggedMut::row_major(&mut a, &sizes).unwrap();
    says(inverts(&plan, &stream, &mut right, status.slice_mut(1..).unwrap()), &["status", "3 elements"]);
    let elsewhere = Device::sim().stream().unwrap();
    says(inverts(&plan, &elsewhere, &mut right, (&mut status).into()), &["different ones"]);
    for size in [Size::order(2), Size::order(2).batch(3)] {
        let of_one_size = InversePlan::<f64>::new(&device, size).unwrap();
        says(inverts(&of_one_size, &stream, &mut right, (&mut status).into()), &["of many sizes", "plan is for one"]);
    }
    says(SolvePlan::<f64>::new(&device, &sizes), &["how many right-hand sides", "`SystemSizes`"]);
    says(sizes.statuses(&[0; 2]), &["2 codes", "3 matrices"]);
    says(SystemSizes::new(&[(2, 1), (1 << 21, 3)]), &["too many"]);
    let systems = SystemSizes::new(&[(2, 1), (2, 3)]).unwrap();
    says(InversePlan::<f64>::new(&device, systems.sides()), &["must be square", "2 x 3"]);
    let mut one_size = device.buffer(12).unwrap();
    let mut matrices = DeviceBatchMut::row_major(&mut one_size, 3, 2, 2).unwrap();
    let batch = of::Inverse { a: InPlace, inverse: &mut matrices, status: &mut status };
    says(plan.run(&stream, batch), &["of one size", "plan is for many"]);
    // Nothing at all.
    let sizes = RaggedSizes::orders(&[]).unwrap();
    let none = LuPlan::<f64>::new(&device, &sizes).unwrap();
    let mut pivots = device.ragged_pivots(&sizes).unwrap();
    let (mut nothing, mut codes) = (device.buffer(0).unwrap(), device.buffer(0).unwrap());
    let mut nothing = DeviceRaggedMut::row_major(&mut nothing, &sizes).unwrap();
    let mut factors = |lu| none.run(&stream, of::Lu { a: InPlace, lu, pivots: &mut pivots, status: &mut codes });
    factors(&mut nothing).unwrap();
    says(factors(&mut right), &["sizes of the plan"]);
}
