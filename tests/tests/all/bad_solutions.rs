//! Solutions that are not finite, of matrices that are: by overflow, or by right-hand sides that are not. They spoil
//! themselves only.

use warplu::{Algorithm, Batch, Device, Element, Matrices, Op, Scalar, Solution, Status, Structure, Triangle};
use warplu_tests::compare::{assert_same, one};
use warplu_tests::matrices::number;
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types, some_orders};

/// Matrices of a batch.
const BATCH: usize = 6;

/// Whether a solution is bad: all of the second matrix, and the last of the fourth and of the fifth.
fn is_bad(matrix: usize, column: usize, rhs: usize) -> bool {
    matrix == 1 || matches!(matrix, 3 | 4) && column == rhs - 1
}

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

/// The same, symmetric.
fn definite<T: Element>(n: usize) -> Vec<T> {
    let a = matrices::<T>(n);
    (0..a.len()).map(|k| a[k - k % (n * n) + (k / n % n).max(k % n) * n + (k / n % n).min(k % n)]).collect()
}

/// Small numbers, but a NaN for the fourth matrix and an infinity for the fifth, in their last columns, unless they are
/// to be clean; huge ones for the second. Shape (batch, n, rhs), C order.
fn sides<T: Element>(n: usize, rhs: usize, clean: bool) -> Vec<T> {
    let element = |k: usize| match (k / (n * rhs), k / rhs % n, k % rhs) {
        (1, ..) if T::NAME == "f16" => f64::NEG_INFINITY,
        (1, ..) => 1e5,
        (3, i, c) if i == n / 2 && c == rhs - 1 && !clean => f64::NAN,
        (4, i, c) if i == n - 1 && c == rhs - 1 && !clean => f64::INFINITY,
        (_, i, c) => 1.0 + ((i + 3 * c) % 5) as f64,
    };
    (0..BATCH * n * rhs).map(|k| number(element(k))).collect()
}

/// Asserts the statuses, that bad solutions are NaN, and that good ones are what they are beside good ones.
fn check<T: Element>(device: &Device, n: usize, rhs: usize) {
    let what = format!("{device}, {} n = {n}, {rhs} right-hand sides", T::NAME);
    let (a, b, clean) = (matrices::<T>(n), sides::<T>(n, rhs, false), sides::<T>(n, rhs, true));
    let a = Batch::row_major(&a, BATCH, n, n).unwrap();
    let [b, clean] = [&b, &clean].map(|b| Batch::row_major(b, BATCH, n, rhs).unwrap());
    let judge = |how: &str, solution: &Solution<Matrices<T>>, clean: &Solution<Matrices<T>>| {
        for i in 0..BATCH {
            let first_bad = (0..rhs).find(|&c| is_bad(i, c, rhs));
            let status = first_bad.map_or(Status::Ok, |c| Status::SideNotFinite(c as u32));
            assert_eq!(solution.status[i], status, "{what}: {how} of matrix {i}");
            let [found, clean] = [solution, clean].map(|solution| one(&solution.x.view(), i));
            for c in 0..rhs {
                let what = format!("{what}: {how} of matrix {i}, right-hand side {c}");
                let [found, clean] =
                    [&found, &clean].map(|x| x.iter().skip(c).step_by(rhs).copied().collect::<Vec<_>>());
                if is_bad(i, c, rhs) {
                    assert!(found.iter().all(|x| x.widen().to_c64().re.is_nan()), "{what}: {found:?}");
                } else {
                    assert_same(&what, &found, &clean);
                }
            }
        }
    };
    judge("solution", &device.solve(&a, &b).unwrap(), &device.solve(&a, &clean).unwrap());
    let lu = match device.lu(&a) {
        Ok(lu) => lu,
        // Elimination leaves no factors.
        Err(error) => return assert!(error.to_string().contains("only solves"), "{what}: {error}"),
    };
    for op in OPS {
        judge("solution from factors", &lu.solve(&b, op).unwrap(), &lu.solve(&clean, op).unwrap());
        // The factors are as good as before.
        let ones = vec![number::<T>(1.0); BATCH * n];
        let next = lu.solve(&Batch::row_major(&ones, BATCH, n, 1).unwrap(), op).unwrap();
        assert!(
            next.status.iter().enumerate().all(|(i, status)| i == 1 || status.is_ok()),
            "{what}: {:?}",
            next.status
        );
    }
    let definite = definite::<T>(n);
    let definite = Batch::row_major(&definite, BATCH, n, n).unwrap();
    let device = device.with(Structure::PositiveDefinite(Triangle::Lower));
    judge("definite solution", &device.solve(&definite, &b).unwrap(), &device.solve(&definite, &clean).unwrap());
    let factors = device.cholesky(&definite, Triangle::Lower).unwrap();
    judge("solution from Cholesky", &factors.solve(&b).unwrap(), &factors.solve(&clean).unwrap());
}

fn say_so<T: Element>() {
    for n in some_orders([1, 8, 31, 4, 2, 13, 17, 16, 5, 33, 24, 48, 65, 32, 145, 97, 130]) {
        for device in devices(n as u64) {
            [1, 3, 35].into_iter().for_each(|rhs| check::<T>(&device, n, rhs));
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

/// Kernels that the choice may pass over.
#[test]
fn all_algorithms_say_so() {
    let sim = Device::sim_with_seed(5);
    for name in ["gesv_register_blocked_r5_p5", "getrs_shared"] {
        let device = sim.with(Algorithm::Kernel(name));
        for (n, rhs) in [(7, 2), (36, 1), (70, 2)] {
            check::<f32>(&device, n, rhs);
        }
    }
}

/// By many blocks a matrix, and by factors in single precision.
#[test]
fn large_and_refined_ones_say_so() {
    check::<f32>(&Device::sim().with(Algorithm::Latency), 70, 3);
    check::<f64>(&Device::cpu(), 300, 40);
    for (n, device) in [3, 40].into_iter().flat_map(|n| devices(1).map(|device| (n, device))) {
        let (a, b) = (matrices::<f64>(n), sides::<f64>(n, 3, false));
        let (a, b) = (Batch::row_major(&a, BATCH, n, n).unwrap(), Batch::row_major(&b, BATCH, n, 3).unwrap());
        let (refined, solution) = (device.solve_refined(&a, &b).unwrap(), device.solve(&a, &b).unwrap());
        assert_eq!(refined.status, solution.status, "{device}, n = {n}");
        let is_finite = |x: &f64| x.is_finite();
        assert!(refined.x.as_slice().iter().map(is_finite).eq(solution.x.as_slice().iter().map(is_finite)));
        let lu = device.lu(&a).unwrap();
        let mut x = lu.solve(&b, Op::None).unwrap().x;
        let bounds = lu.refine(&a, &b, &mut x.view_mut(), Op::None).unwrap();
        assert_eq!(bounds.status, solution.status, "{device}, n = {n}");
        assert!(x.as_slice().iter().map(is_finite).eq(solution.x.as_slice().iter().map(is_finite)));
    }
}
