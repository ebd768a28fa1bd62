//! Stored batches of good, singular, badly scaled and non-finite matrices side by side: see `data/README.md`.

use serde_json::Value;
use warplu::verify::Random;
use warplu::{Batch, Device, Element, Status, c32, c64};
use warplu_tests::compare::{assert_neighbours_do_not_matter, bits};
use warplu_tests::data::{json, npy};
use warplu_tests::devices;
use warplu_tests::judge::{Extent, judge_where};
use warplu_tests::results::{Results, compute};

/// A stored batch.
struct Stored<T> {
    name: String,
    n: usize,
    data: Vec<T>,
    pivots: Vec<i32>,
    cases: Vec<Value>,
}

fn stored<T: Element + npyz::Deserialize>() -> Vec<Stored<T>> {
    let expected = json("adversarial/expected.json");
    let batches = expected.as_array().unwrap().iter().filter(|batch| batch["element"] == T::NAME);
    batches
        .map(|batch| {
            let name = batch["file"].as_str().unwrap().to_owned();
            let (shape, data) = npy(&format!("adversarial/{name}.npy"));
            let cases = batch["cases"].as_array().unwrap().clone();
            assert_eq!(shape[0], cases.len(), "{name}");
            let pivots = npy(&format!("adversarial/{name}_ipiv.npy")).1;
            Stored { n: shape[1], name, data, pivots, cases }
        })
        .collect()
}

/// Each batch as it is, on both devices.
fn check<T: Element + npyz::Deserialize>() {
    let batches = stored::<T>();
    assert!(!batches.is_empty());
    for batch in &batches {
        for device in devices(batch.n as u64) {
            check_batch(batch, &device);
        }
    }
}

fn check_batch<T: Element>(stored: &Stored<T>, device: &Device) {
    let (n, batch) = (stored.n, stored.cases.len());
    let a = Batch::row_major(&stored.data, batch, n, n).unwrap();
    let rhs: Vec<T> = Random::new(n as u64).elements(batch * n * 2);
    let b = Batch::row_major(&rhs, batch, n, 2).unwrap();
    let results = compute(device, &a, &b);
    let what = format!("{} on {device}", stored.name);
    judge_where(&what, &a, &b, &results, |i| match stored.cases[i]["check"].as_str() {
        // Where no info is expected, rounding decides whether the matrix is singular.
        Some("ratio") if stored.cases[i]["info"].is_null() => Extent::Rounding,
        Some("ratio" | "nonfinite") => Extent::All,
        Some("growth") => Extent::Growth,
        _ => Extent::Factors,
    });
    for (i, case) in stored.cases.iter().enumerate() {
        check_case(&what, stored, case, &results, i);
        // Each good matrix alone has, bit for bit, what it has among the bad ones.
        let cheap = device.to_string() == "cpu" || n < 31 || i % 8 == 0;
        if cheap && results.lu.status()[i] == Status::Ok {
            assert_neighbours_do_not_matter(&what, device, &a, &b, &results, i);
        }
    }
}

fn check_case<T: Element>(what: &str, stored: &Stored<T>, case: &Value, results: &Results<T>, i: usize) {
    let n = stored.n;
    let what = format!("{what}: {}", case["case"].as_str().unwrap());
    let status = results.lu.status()[i];
    let finite = |x: &T| warplu::Scalar::is_finite(x.widen());
    let non_finite = !stored.data[i * n * n..][..n * n].iter().all(finite);
    assert_eq!(status == Status::NonFinite, non_finite, "{what}: {status}");
    if let Some(info) = case["info"].as_i64()
        && !non_finite
    {
        assert_eq!(i64::from(status.code()), info, "{what}");
    }
    let pivots: Vec<i32> = results.lu.pivots(i).unwrap().iter().map(|&p| p as i32 + 1).collect();
    for (k, &p) in pivots.iter().enumerate() {
        assert!((k as i32 + 1..=n as i32).contains(&p), "{what}: row {k} is swapped with row {p}");
    }
    if case["ipiv_exact"] == true {
        assert_eq!(pivots, stored.pivots[i * n..][..n], "{what}");
    }
    if let Some(first) = case["ipiv_first"].as_i64() {
        assert_eq!(i64::from(pivots[0]), first, "{what}: |re| + |im| decides");
    }
    if case["lu_exact"] == true {
        check_exact(&what, stored, results, i);
    }
}

/// Compares factors with those of elimination in the same type, which rounds nothing for these matrices.
fn check_exact<T: Element>(what: &str, stored: &Stored<T>, results: &Results<T>, i: usize) {
    let n = stored.n;
    let mut work: Vec<c64> = stored.data[i * n * n..][..n * n].iter().map(|&x| wide(x)).collect();
    for (k, &pivot) in results.lu.pivots(i).unwrap().iter().enumerate() {
        for j in 0..n {
            work.swap(k * n + j, pivot as usize * n + j);
        }
        let diagonal = work[k * n + k];
        for i in k + 1..n {
            if diagonal.norm() > 0.0 {
                work[i * n + k] = divide(work[i * n + k], diagonal);
            }
            let factor = work[i * n + k];
            for j in k + 1..n {
                let product = factor * work[k * n + j];
                work[i * n + j] -= product;
            }
        }
    }
    for row in 0..n {
        for col in 0..n {
            let (got, wanted) = (wide(results.lu.factors().unwrap().get(i, row, col)), work[row * n + col]);
            // 0 and -0 are both exact.
            let same = got == wanted && bits(got + c64::new(0.0, 0.0)) == bits(wanted + c64::new(0.0, 0.0));
            assert!(same, "{what}: factor ({row}, {col}) is {got}, not {wanted}");
        }
    }
}

fn wide<T: Element>(x: T) -> c64 {
    warplu::Scalar::to_c64(x.widen())
}

/// A quotient without overflow or underflow on the way.
fn divide(a: c64, b: c64) -> c64 {
    if b.im == 0.0 {
        return c64::new(a.re / b.re, a.im / b.re);
    }
    let scale = 1.0 / b.re.abs().max(b.im.abs());
    (a * scale) / (b * scale)
}

#[test]
fn f32() {
    check::<f32>();
}

#[test]
fn f64() {
    check::<f64>();
}

#[test]
fn complex32() {
    check::<c32>();
}

#[test]
fn complex64() {
    check::<c64>();
}
