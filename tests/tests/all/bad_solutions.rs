//! Solutions that are not finite, of matrices that are: by overflow, or by right-hand sides that are not.

use warplu::{Algorithm, Batch, Device, Element, Solution, Status};
use warplu_tests::compare::{assert_same, one};
use warplu_tests::judge::all_nan;
use warplu_tests::matrices::number;
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

/// Matrices of a batch.
const BATCH: usize = 6;
/// What becomes of them: of the first, third and last all is well.
const STATUSES: [Status; BATCH] =
    [Status::Ok, Status::NonFinite, Status::Ok, Status::NonFinite, Status::NonFinite, Status::Ok];

/// Matrices with a heavy diagonal, the second tiny; shape (batch, n, n), C order.
fn matrices<T: Element>(n: usize) -> Vec<T> {
    let tiny = match T::NAME {
        "f64" | "c64" => 1e-305,
        "f16" => 1.0, // its systems are solved in f32, where none overflows
        _ => 1e-36,
    };
    let element = |k: usize| {
        let (matrix, i, j) = (k / (n * n), k / n % n, k % n);
        let number = if i == j { 4.0 } else { ((3 * i + 5 * j + matrix) % 7) as f64 / (4 * n) as f64 };
        number * if matrix == 1 { tiny } else { 1.0 }
    };
    (0..BATCH * n * n).map(|k| number(element(k))).collect()
}

/// Ones, but a NaN for the fourth matrix and an infinity for the fifth, in their last columns; huge ones for the
/// second. Shape (batch, n, rhs), C order.
fn sides<T: Element>(n: usize, rhs: usize) -> Vec<T> {
    let element = |k: usize| match (k / (n * rhs), k / rhs % n, k % rhs) {
        (1, ..) if T::NAME == "f16" => f64::NEG_INFINITY,
        (1, ..) => 1e5,
        (3, i, c) if i == n / 2 && c == rhs - 1 => f64::NAN,
        (4, i, c) if i == n - 1 && c == rhs - 1 => f64::INFINITY,
        _ => 1.0,
    };
    (0..BATCH * n * rhs).map(|k| number(element(k))).collect()
}

/// Asserts the statuses, that bad solutions are NaN, and that good ones are what they are alone.
fn check<T: Element>(device: &Device, n: usize, rhs: usize) {
    let what = format!("{device}, {} n = {n}, {rhs} right-hand sides", T::NAME);
    let (a_data, b_data) = (matrices::<T>(n), sides::<T>(n, rhs));
    let a = Batch::c_order(&a_data, BATCH, n, n).unwrap();
    let b = Batch::c_order(&b_data, BATCH, n, rhs).unwrap();
    let last = BATCH - 1;
    let last_a = Batch::c_order(&a_data[last * n * n..], 1, n, n).unwrap();
    let last_b = Batch::c_order(&b_data[last * n * rhs..], 1, n, rhs).unwrap();
    let judge = |how: &str, solution: &Solution<T>, alone: &Solution<T>| {
        assert_eq!(solution.status, STATUSES, "{what}: {how}");
        for (i, status) in STATUSES.iter().enumerate() {
            assert_eq!(all_nan(&solution.x, i), !status.is_ok(), "{what}: {how} of matrix {i}");
        }
        assert_same(&what, &one(&solution.x.view(), last), &one(&alone.x.view(), 0));
    };
    judge("solution", &device.solve(&a, &b).unwrap(), &device.solve(&last_a, &last_b).unwrap());
    let lu = match device.lu(&a) {
        Ok(lu) => lu,
        // Elimination leaves no factors.
        Err(error) => return assert!(error.to_string().contains("only solves"), "{what}: {error}"),
    };
    for op in OPS {
        let alone = device.lu(&last_a).unwrap().solve(&last_b, op).unwrap();
        judge("solution from factors", &lu.solve(&b, op).unwrap(), &alone);
        // The factors are as good as before.
        let ones = vec![number::<T>(1.0); BATCH * n];
        let next = lu.solve(&Batch::c_order(&ones, BATCH, n, 1).unwrap(), op).unwrap();
        assert!(
            next.status.iter().enumerate().all(|(i, status)| i == 1 || status.is_ok()),
            "{what}: {:?}",
            next.status
        );
    }
}

fn say_so<T: Element>() {
    for n in [1, 2, 4, 5, 8, 13, 16, 17, 24, 31, 32, 33, 48, 65, 97, 130, 145] {
        for (device, rhs) in devices(n as u64).into_iter().flat_map(|device| [(device.clone(), 1), (device, 3)]) {
            check::<T>(&device, n, rhs);
        }
    }
}
for_types!(say_so: f32 f64 c32 c64);

fn say_so_in_16_bits<T: Element>() {
    for n in [3, 20, 40] {
        for device in devices(n as u64) {
            check::<T>(&device, n, 2);
        }
    }
}
for_types!(say_so_in_16_bits: f16 bf16);

/// Kernels that the choice may pass over, and the published ways to solve.
#[test]
fn all_algorithms_say_so() {
    let sim = Device::sim_with_seed(5);
    let published: &[_] = if cfg!(feature = "papers") { &["element-wise", "elimination", "left-looking"] } else { &[] };
    for name in ["kernel:gesv_register_blocked_r5_p5", "kernel:getrs_shared"].iter().chain(published) {
        let algorithm: Algorithm = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let device = sim.clone().with_algorithm(algorithm);
        for (n, rhs) in [(7, 2), (36, 1), (70, 2)] {
            check::<f32>(&device, n, rhs);
        }
    }
}
