//! Matrices that are hard in a known way, at the orders where kernels change, many kinds in one batch.

use warplu::verify::Random;
use warplu::{Batch, Device, Element, Scalar, Status};
use warplu_tests::compare::{assert_neighbours_do_not_matter, assert_same, one};
use warplu_tests::judge::{Extent, judge_where};
use warplu_tests::matrices::{exact, from_fn, number};
use warplu_tests::results::{Results, compute};
use warplu_tests::{devices, for_types};

/// A matrix, and what is known of it.
struct Hard<T> {
    name: &'static str,
    data: Vec<T>,
    /// `None` where rounding decides.
    status: Option<Status>,
    extent: Extent,
}

/// The range of a storage type: least positive normal number, largest number.
fn range<T: Element>() -> (f64, f64) {
    match T::NAME {
        "f64" | "c64" => (f64::MIN_POSITIVE, f64::MAX),
        "f16" => (2.0_f64.powi(-14), 65504.0),
        _ => (2.0_f64.powi(-126), 2.0_f64.powi(127)),
    }
}

fn hard<T: Element>(n: usize) -> Vec<Hard<T>> {
    let mut random = Random::new(n as u64);
    let (tiny, huge) = range::<T>();
    let (ok, last) = (Some(Status::Ok), n as u32);
    let mut list = Vec::new();
    let mut add = |name, data, status, extent| list.push(Hard { name, data, status, extent });
    let half = size_of::<T>() == 2;
    // Inverses may leave the range of 16 bits.
    let wide = if half { Extent::Factors } else { Extent::All };

    add("random", random.elements(n * n), ok, wide);
    add("zero", vec![number(0.0); n * n], Some(Status::Singular(1)), Extent::All);
    add("identity", from_fn(n, |i, j| f64::from(i == j)), ok, Extent::All);
    add("permutation", from_fn(n, |i, j| f64::from((i + 1) % n == j)), ok, Extent::All);
    for (name, k) in [("singular at first", 0), ("singular at middle", n / 2), ("singular at last", n - 1)] {
        add(name, exact(&mut random, n, Some(k)), Some(Status::Singular(k as u32 + 1)), Extent::All);
        let mut zero_column: Vec<T> = random.elements(n * n);
        for i in 0..n {
            zero_column[i * n + k] = number(0.0);
        }
        add("zero column", zero_column, Some(Status::Singular(k as u32 + 1)), Extent::All);
    }
    let mut zero_row: Vec<T> = random.elements(n * n);
    zero_row[n / 2 * n..][..n].fill(number(0.0));
    add("zero row", zero_row, Some(Status::Singular(last)), Extent::All);
    // Sylvester's Hadamard matrices of order 8 down the diagonal: candidates tie at every step, and no row moves.
    let sign = |i: usize, j: usize| if (i & j & 7).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
    add("ties", from_fn(n, |i, j| if i / 8 == j / 8 { sign(i, j) } else { 0.0 }), ok, wide);
    add("exact", exact(&mut random, n, None), ok, wide);
    if n > 1 {
        add("ones", vec![number(1.0); n * n], Some(Status::Singular(2)), Extent::All);
    }
    add("hilbert", from_fn(n, |i, j| 1.0 / (i + j + 1) as f64), None, Extent::Factors);
    let growth = |i: usize, j: usize| if i == j || j == n - 1 { 1.0 } else { -f64::from(i > j) };
    add("growth", from_fn(n, growth), ok, Extent::Growth);
    if !half {
        let dominant = |scale: f64| from_fn::<T>(n, |i, j| scale * if i == j { 1.0 } else { 0.125 / n as f64 });
        add("subnormal", dominant(tiny / 4096.0), ok, Extent::Factors);
        add("near overflow", dominant(huge), ok, Extent::Factors);
        add(
            "subnormal permutation",
            from_fn(n, |i, j| if (i + 1) % n == j { tiny / 8.0 } else { 0.0 }),
            ok,
            Extent::Factors,
        );
    }
    for (name, bad) in [("NaN", f64::NAN), ("infinity", f64::INFINITY), ("-infinity", f64::NEG_INFINITY)] {
        for at in [0, n * n / 2, n * n - 1] {
            let mut data: Vec<T> = random.elements(n * n);
            data[at] = number(bad);
            add(name, data, Some(Status::NonFinite), Extent::All);
        }
    }
    add("random after all", exact(&mut random, n, None), ok, wide);
    list
}

/// Kinds whose factorization rounds nothing.
const EXACT: [&str; 6] = ["zero", "identity", "permutation", "singular at last", "ties", "exact"];

/// Asserts that two devices factor the exact kinds alike, bit by bit.
fn compare_exact<T: Element>(n: usize, left: &Results<T>, right: &Results<T>) {
    for (i, hard) in hard::<T>(n).iter().enumerate().filter(|(_, hard)| EXACT.contains(&hard.name)) {
        let what = format!("{} n = {n}: {}", T::NAME, hard.name);
        assert_eq!(left.lu.pivots(i).unwrap(), right.lu.pivots(i).unwrap(), "{what}");
        let factors = |results: &Results<T>| one(&results.lu.factors().unwrap().view(), i);
        // 0 + x makes -0 the same as 0.
        let plain = |x: T::Scalar| <T::Scalar as Scalar>::ZERO + x;
        let plain = |results: &Results<T>| factors(results).into_iter().map(plain).collect::<Vec<_>>();
        assert_same(&what, &plain(left), &plain(right));
        if hard.name == "ties" {
            assert!(
                left.lu.pivots(i).unwrap().iter().enumerate().all(|(k, &p)| k == p as usize),
                "{what}: the first of a tie"
            );
        }
    }
}

fn check<T: Element>(device: &Device, n: usize) -> Results<T> {
    let list = hard::<T>(n);
    let data: Vec<T> = list.iter().flat_map(|hard| hard.data.iter().copied()).collect();
    let rhs: Vec<T> = Random::new(9).elements(list.len() * n);
    let a = Batch::row_major(&data, list.len(), n, n).unwrap();
    let b = Batch::row_major(&rhs, list.len(), n, 1).unwrap();
    let results = compute(device, &a, &b);
    let what = format!("{device} {} n = {n}", T::NAME);
    for (i, hard) in list.iter().enumerate() {
        let status = results.lu.status()[i];
        assert!(hard.status.is_none_or(|wanted| wanted == status), "{what}: {} is {status}", hard.name);
        check_det(&format!("{what}: {}", hard.name), status, &results.dets[1], i);
    }
    judge_where(&what, &a, &b, &results, |i| list[i].extent);
    for index in [0, list.len() - 1] {
        assert_neighbours_do_not_matter(&what, device, &a, &b, &results, index);
    }
    results
}

fn check_det<T: Element>(what: &str, status: Status, det: &warplu::Determinants<T>, i: usize) {
    let (sign, log_abs) = (det.sign[i].to_c64(), det.log_abs[i].to_c64().re);
    match status {
        Status::Ok => assert!((sign.norm() - 1.0).abs() < 1e-5 && log_abs.is_finite(), "{what}: {sign}, {log_abs}"),
        Status::Singular(_) => {
            assert!(sign.norm() == 0.0 && log_abs == f64::NEG_INFINITY, "{what}: {sign}, {log_abs}")
        }
        Status::NonFinite | Status::NotPositiveDefinite(_) | Status::SideNotFinite(_) => {
            assert!(sign.re.is_nan() && log_abs.is_nan(), "{what}: {sign}, {log_abs}")
        }
    }
}

fn small_orders<T: Element>() {
    for n in [1, 2, 8, 9, 16, 17, 32, 33] {
        let [cpu, sim] = devices(n as u64).map(|device| check::<T>(&device, n));
        compare_exact(n, &cpu, &sim);
    }
}
for_types!(small_orders);

fn larger_orders<T: Element>() {
    for n in [64, 65, 100] {
        check::<T>(&Device::cpu(), n);
    }
    if T::NAME == "f32" || T::NAME == "c64" {
        check::<T>(&Device::sim_with_seed(2), 65);
    }
}
for_types!(larger_orders);
