//! Inversions by factors, whose right residual is as small as LAPACK's, too.

use warplu::resident::{DeviceBatchMut, InPlace, InversePlan, Size, of};
use warplu::verify::Random;
use warplu::verify::ratios::{self, Ratio};
use warplu::{Algorithm, Batch, BatchMut, Device, Element, Error, Residual, Status};
use warplu_tests::compare::assert_same;
use warplu_tests::matrices::{from_fn, mixed, number};
use warplu_tests::{devices, for_types};

/// Where in [`ill_conditioned`] the kind is whose right residual is lost first.
const HILBERT: usize = 1;

/// Ill-conditioned matrices, in C order: random ones with falling singular values; Hilbert's, with something added to
/// the diagonal; and random ones with rows of very different sizes.
pub(super) fn ill_conditioned<T: Element>(n: usize) -> Vec<T> {
    let mut random = Random::new(n as u64);
    let digits = if T::NAME.ends_with("64") { 12.0 } else { 5.0 };
    let scale = |k: usize| 10_f64.powf(-digits * k as f64 / n as f64);
    let [left, right] = [(); 2].map(|()| random.elements::<f64>(n * n));
    let falling = |i: usize, j: usize| (0..n).map(|k| left[i * n + k] * scale(k) * right[k * n + j]).sum::<f64>();
    let hilbert = |i: usize, j: usize| 1.0 / (i + j + 1) as f64 + if i == j { scale(n) } else { 0.0 };
    let graded: Vec<T> = (0..n * n).map(|e| number(left[e] * scale(e / n))).collect();
    [from_fn(n, falling), from_fn(n, hilbert), graded].concat()
}

fn invert<T: Element>(device: &Device, a: &Batch<'_, T>) -> Vec<Ratio> {
    let inverse = device.invert(a).unwrap();
    assert_eq!(inverse.status, [Status::Ok; 3], "{device} {} n = {}", T::NAME, a.rows());
    (0..a.batch()).map(|i| ratios::inverse(a, &inverse.matrices.view(), i)).collect()
}

fn right_residuals<T: Element>() {
    for n in [2, 4, 8, 17, 32, 48, 100, 181] {
        let data = ill_conditioned::<T>(n);
        let a = Batch::row_major(&data, 3, n, n).unwrap();
        let sim = Device::sim_with_seed(n as u64);
        let (fused, lapack) = (invert(&sim, &a), invert(&Device::cpu(), &a));
        let both = invert(&sim.with(Residual::Both), &a);
        for i in 0..3 {
            let what = format!("{} n = {n}, matrix {i}: {:?}, LAPACK's {:?}", T::NAME, both[i], lapack[i]);
            assert!(both[i].norm < 1.0 && fused[i].norm < 1.0, "{what}");
            assert!(both[i].right < 10.0 * lapack[i].right + 1.0, "{what}");
            if n == 48 && i == HILBERT {
                assert!(both[i].right < 0.1 * fused[i].right, "{what}, fused {:?}", fused[i]);
            }
        }
    }
}
for_types!(right_residuals: f32 f64 c32 c64);

/// The calls and the plan that invert have the bits of LU and then `Lu::inverse`.
fn as_from_factors<T: Element>() {
    const BATCH: usize = 5;
    for n in [1, 3, 8, 30, 47] {
        let data: Vec<T> = mixed(&mut Random::new(n as u64), BATCH, n);
        let a = Batch::column_major(&data, BATCH, n, n).unwrap();
        for device in devices(n as u64) {
            let wanted = device.lu(&a).unwrap().inverse().unwrap();
            let what = format!("{device} {} n = {n}", T::NAME);
            let device = device.with(Residual::Both);
            let inverse = device.invert(&a).unwrap();
            assert_same(&what, inverse.matrices.as_slice(), wanted.matrices.as_slice());
            assert_eq!(inverse.status, wanted.status, "{what}");

            let mut in_place = data.clone();
            let mut matrices = BatchMut::column_major(&mut in_place, BATCH, n, n).unwrap();
            assert_eq!(device.invert_in_place(&mut matrices).unwrap(), wanted.status);
            assert_same(&what, &in_place, wanted.matrices.as_slice());

            let (mut buffer, mut codes) = (device.upload(&data).unwrap(), device.buffer::<i32>(BATCH).unwrap());
            let mut matrices = DeviceBatchMut::column_major(&mut buffer, BATCH, n, n).unwrap();
            let plan = InversePlan::<T>::new(&device, Size::order(n).batch(BATCH)).unwrap();
            plan.run(&device.stream().unwrap(), of::Inverse { a: InPlace, inverse: &mut matrices, status: &mut codes })
                .unwrap();
            assert_same(&what, &buffer.to_vec().unwrap(), wanted.matrices.as_slice());
        }
    }
}
for_types!(as_from_factors);

/// On the CPU there is but one way.
#[test]
fn the_cpu_inverts_by_factors_anyway() {
    let data: Vec<f64> = Random::new(3).elements(2 * 130 * 130);
    let a = Batch::row_major(&data, 2, 130, 130).unwrap();
    let [left, both] = [Residual::Left, Residual::Both].map(|r| Device::cpu().with(r).invert(&a).unwrap());
    assert_same("inverse", both.matrices.as_slice(), left.matrices.as_slice());
}

#[test]
fn algorithms_without_factors_are_refused() {
    let device = Device::sim().with(Residual::Both);
    let kernel = device.with(Algorithm::Kernel("inverse_in_registers_n8"));
    let error = kernel.invert(&Batch::row_major(&[1.0], 1, 1, 1).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)) && error.to_string().contains("LU factors"), "{error}");
    let plan = InversePlan::<f32>::new(&device, Size::order(200)).unwrap();
    assert!(plan.kernels()[0].starts_with("getrf_") && plan.kernels()[1].starts_with("getri_"), "{:?}", plan.kernels());
}
