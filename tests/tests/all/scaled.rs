//! Matrices and right-hand sides far from one, and far from each other: multiplied by powers of two, their solutions are
//! multiplied by powers of two, as long as they stay in the range.

use warplu::verify::Random;
use warplu::{Algorithm, Batch, Device, Element, Matrices, Pivoting, Real, Scalar, Statuses, Triangle, c64};
use warplu_tests::results::{OPS, compute};
use warplu_tests::{devices, for_types, is_exhaustive};

/// Exponents of a matrix and of its right-hand sides, even ones, so that roots are scaled, too. Both, and the solution,
/// are well inside the range. Of larger orders it is a quarter of them, unless everything is to be tested.
fn exponents<T: Element>(n: usize) -> Vec<(i32, i32)> {
    let (most, around): (i32, [i32; 2]) = if T::NAME.ends_with("64") { (960, [494, 506]) } else { (90, [56, 66]) };
    let of_matrices = around.into_iter().chain([most]).flat_map(|e| [e, -e]);
    let all = of_matrices.flat_map(|of_a| [-most, -around[1], 0, around[1], most].map(|of_b| (of_a, of_b)));
    let step = if n < 33 || is_exhaustive() { 1 } else { 4 };
    [(0, 0)].into_iter().chain(all.filter(|(of_a, of_b)| (of_b - of_a).abs() <= most).step_by(step)).collect()
}

/// `x * 2^exponent`, in steps of which none but the last may round.
fn times_power<T: Element<Scalar = T> + Scalar>(x: T, exponent: i32) -> T {
    let largest = if T::NAME.ends_with("64") { 900 } else { 100 };
    let step = exponent.clamp(-largest, largest);
    let scaled = x.scale(T::Real::from_f64(2_f64.powi(step)));
    if step == exponent { scaled } else { times_power(scaled, exponent - step) }
}

/// Copies of an array, each multiplied by a power of two.
fn copies<T: Element<Scalar = T> + Scalar>(x: &[T], exponents: impl Iterator<Item = i32>) -> Vec<T> {
    exponents.flat_map(|e| x.iter().map(move |&x| times_power(x, e))).collect()
}

/// Asserts that results are the first one but for powers of two, and few roundings.
fn assert_scaled<T: Element<Scalar = T> + Scalar>(
    what: &str,
    x: &Matrices<T>,
    status: &Statuses,
    exponents: impl Iterator<Item = i32>,
) {
    assert!(status.all_ok(), "{what}: {:?}", status.bad().collect::<Vec<_>>());
    let u = if T::NAME.ends_with("64") { 2_f64.powi(-53) } else { 2_f64.powi(-24) };
    let part = x.as_slice().len() / x.batch();
    let first: Vec<_> = x.as_slice()[..part].iter().map(|x| x.to_c64()).collect();
    let size = first.iter().map(|x| x.norm()).fold(0.0, f64::max);
    for (i, (x, exponent)) in x.as_slice().chunks(part).zip(exponents).enumerate() {
        for (&x, wanted) in x.iter().zip(&first) {
            let error = (times_power(x, -exponent).to_c64() - wanted).norm();
            assert!(error <= 24.0 * u * size, "{what}, system {i}, times 2^{exponent}: {x:?}, not {wanted}");
        }
    }
}

/// Matrices with a heavy diagonal, which are Hermitian if they are to be.
fn matrix<T: Element<Scalar = T> + Scalar>(random: &mut Random, n: usize, is_hermitian: bool) -> Vec<T> {
    let mut a: Vec<T> = random.elements(n * n);
    for i in 0..n {
        for j in 0..i {
            let x = a[i * n + j].scale(T::Real::from_f64(0.5 / n as f64));
            (a[i * n + j], a[j * n + i]) = (x, if is_hermitian { x.conj() } else { -x });
        }
        let turned = if is_hermitian { T::ONE } else { T::from_c64(c64::new(1.0, 1.0)) };
        a[i * n + i] = turned.scale(T::Real::from_f64(1.0 + i as f64 / n as f64));
    }
    a
}

/// The same system, with all exponents.
fn systems<T: Element<Scalar = T> + Scalar>(
    n: usize,
    rhs: usize,
    is_hermitian: bool,
) -> (Vec<(i32, i32)>, [Vec<T>; 2]) {
    let (exponents, mut random) = (exponents::<T>(n), Random::new(n as u64));
    let a = copies(&matrix::<T>(&mut random, n, is_hermitian), exponents.iter().map(|e| e.0));
    let b = copies(&random.elements::<T>(n * rhs), exponents.iter().map(|e| e.1));
    (exponents, [a, b])
}

fn elimination<T: Element<Scalar = T> + Scalar>(device: &Device, n: usize, rhs: usize) {
    let what = format!("{device}, {} n = {n}, rhs = {rhs}", T::NAME);
    let (exponents, [a, b]) = systems::<T>(n, rhs, false);
    let a = Batch::row_major(&a, exponents.len(), n, n).unwrap();
    let b = Batch::row_major(&b, exponents.len(), n, rhs).unwrap();
    let results = compute(device, &a, &b);
    for (k, solution) in results.solutions.iter().enumerate() {
        let what = format!("{what}, solution {k}");
        assert_scaled(&what, &solution.x, &solution.status, exponents.iter().map(|e| e.1 - e.0));
    }
    for inverse in &results.inverses {
        assert_scaled(&format!("{what}, inverse"), &inverse.matrices, &inverse.status, exponents.iter().map(|e| -e.0));
    }
    let lu = device.with(Pivoting::None).lu(&a).unwrap();
    for op in OPS {
        let x = lu.solve(&b, op).unwrap();
        let what = format!("{what}, without interchanges, {op:?}");
        assert_scaled(&what, &x.x, &x.status, exponents.iter().map(|e| e.1 - e.0));
    }
}

fn cholesky<T: Element<Scalar = T> + Scalar>(device: &Device, n: usize, rhs: usize) {
    let what = format!("{device}, {} n = {n}, rhs = {rhs}", T::NAME);
    let (exponents, [a, b]) = systems::<T>(n, rhs, true);
    let a = Batch::row_major(&a, exponents.len(), n, n).unwrap();
    let factors = device.cholesky(&a, Triangle::Lower).unwrap();
    let solution = factors.solve(&Batch::row_major(&b, exponents.len(), n, rhs).unwrap()).unwrap();
    let what = format!("{what}, Cholesky");
    assert_scaled(&what, &solution.x, &solution.status, exponents.iter().map(|e| e.1 - e.0));
    let inverse = factors.inverse().unwrap();
    assert_scaled(&what, &inverse.matrices, &inverse.status, exponents.iter().map(|e| -e.0));
}

/// Orders of each way to solve, with one right-hand side and with several.
fn stay_in_range<T: Element<Scalar = T> + Scalar>() {
    for (n, rhs) in [(1, 1), (2, 2), (4, 1), (7, 3), (16, 1), (17, 20), (32, 2), (33, 1), (48, 5), (65, 2), (130, 1)] {
        for device in devices(n as u64) {
            elimination::<T>(&device, n, rhs);
            cholesky::<T>(&device, n, rhs);
        }
    }
    elimination::<T>(&Device::cpu(), 200, 3);
    cholesky::<T>(&Device::cpu(), 200, 20);
}
for_types!(stay_in_range: f32 f64 c32 c64);

/// Kernels that the choice may pass over.
fn by_shared_memory<T: Element<Scalar = T> + Scalar>() {
    let device = Device::sim().with("kernel:getrs_shared".parse::<Algorithm>().unwrap());
    [(7, 2), (36, 1), (70, 2)].into_iter().for_each(|(n, rhs)| elimination::<T>(&device, n, rhs));
}
for_types!(by_shared_memory: f32 c32);

#[test]
fn at_once_by_blocks_in_registers() {
    let device = Device::sim().with("kernel:gesv_register_blocked_r5_p5".parse::<Algorithm>().unwrap());
    for (n, rhs) in [(7, 2), (36, 1), (70, 2)] {
        let (exponents, [a, b]) = systems::<f32>(n, rhs, false);
        let a = Batch::row_major(&a, exponents.len(), n, n).unwrap();
        let x = device.solve(&a, &Batch::row_major(&b, exponents.len(), n, rhs).unwrap()).unwrap();
        assert_scaled(&format!("n = {n}"), &x.x, &x.status, exponents.iter().map(|e| e.1 - e.0));
    }
}
