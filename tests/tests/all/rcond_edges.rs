//! Condition numbers at their edges: singular and non-finite matrices, neighbours, the ends of the range.

use warplu::verify::Random;
use warplu::{Batch, Conditions, Device, Element, Error, Norm, Norms, Real, RealOf, Status};
use warplu_tests::data::{json, npy};
use warplu_tests::matrices::{from_fn, mixed, number};
use warplu_tests::{devices, for_types};

const NORMS: [Norm; 2] = [Norm::One, Norm::Infinity];

fn conditions<T: Element>(device: &Device, a: &Batch<'_, T>, norm: Norm) -> Conditions<T> {
    device.lu(a).unwrap().rcond(&a.norms(norm).unwrap()).unwrap()
}

/// As f64, whose bits are to be compared; all NaN are one.
fn bits<T: Element>(conditions: &Conditions<T>) -> Vec<u64> {
    let bits = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    conditions.rcond.iter().map(|x| bits(x.to_f64())).collect()
}

/// Of `batch` matrices, that they have the bits that each has alone, and that 0 and NaN are where they belong.
#[track_caller]
fn check_alone<T: Element>(what: &str, device: &Device, data: &[T], (batch, n): (usize, usize)) {
    for norm in NORMS {
        let all = conditions(device, &Batch::row_major(data, batch, n, n).unwrap(), norm);
        for i in 0..batch {
            let alone = conditions(device, &Batch::row_major(&data[i * n * n..][..n * n], 1, n, n).unwrap(), norm);
            let what = format!("{what} {} on {device}, matrix {i} of order {n}, norm {norm}", T::NAME);
            assert_eq!(bits(&alone)[0], bits(&all)[i], "{what}");
            let rcond = all.rcond[i].to_f64();
            match all.status[i] {
                Status::Ok => assert!((0.0..=1.0).contains(&rcond), "{what}: {rcond}"),
                Status::Singular(_) => assert_eq!(rcond, 0.0, "{what}"),
                Status::NonFinite | Status::NotPositiveDefinite(_) | Status::SideNotFinite(_) => {
                    assert!(rcond.is_nan(), "{what}: {rcond}")
                }
            }
        }
    }
}

fn neighbours_do_not_matter<T: Element>() {
    for (n, batch) in [(1, 10), (4, 10), (32, 10), (33, 10), (70, 5)] {
        let data: Vec<T> = mixed(&mut Random::new(n as u64), batch, n);
        for device in devices(n as u64) {
            check_alone("mixed", &device, &data, (batch, n));
        }
    }
}
for_types!(neighbours_do_not_matter);

/// Badly scaled, subnormal and nearly singular matrices, too.
fn stored<T: Element + npyz::Deserialize>() {
    let expected = json("adversarial/expected.json");
    for batch in expected.as_array().unwrap().iter().filter(|batch| batch["element"] == T::NAME) {
        let name = batch["file"].as_str().unwrap();
        let (shape, data) = npy::<T>(&format!("adversarial/{name}.npy"));
        for device in devices(1).into_iter().take(if shape[1] > 5 { 1 } else { 2 }) {
            check_alone(name, &device, &data, (shape[0], shape[1]));
        }
    }
}
for_types!(stored: f32 f64 c32 c64);

fn empty<T: Element>() {
    for device in devices(1) {
        for (batch, n) in [(0, 0), (0, 3), (0, 40), (4, 0)] {
            let conditions = conditions(&device, &Batch::<T>::row_major(&[], batch, n, n).unwrap(), Norm::One);
            assert_eq!(conditions.rcond, vec![RealOf::<T>::from_f64(1.0); batch]);
            assert_eq!(conditions.ill_conditioned().count(), 0);
        }
    }
}
for_types!(empty);

/// Matrices of any size, as long as their condition is the same: a power of two changes no rounding.
fn sizes_do_not_matter<T: Element>() {
    let far = if T::NAME.ends_with("64") { 900 } else { 100 };
    for n in [6, 40] {
        let data: Vec<f64> = Random::new(9).elements(n * n);
        let scaled = |power: i32| -> Vec<T> { data.iter().map(|x| number(x * 2.0_f64.powi(power))).collect() };
        for (device, norm) in devices(2).into_iter().flat_map(|device| NORMS.map(|norm| (device.clone(), norm))) {
            let rcond = |power: i32| {
                let data = scaled(power);
                conditions(&device, &Batch::row_major(&data, 1, n, n).unwrap(), norm).rcond[0].to_f64()
            };
            let wanted = rcond(0);
            for power in [-far, -far / 3, far / 3, far] {
                let got = rcond(power);
                assert!((got / wanted - 1.0).abs() < 1e-3, "{} {device} 2^{power}: {got}, not {wanted}", T::NAME);
            }
        }
    }
}
for_types!(sizes_do_not_matter: f32 f64 c32 c64);

/// 1 on the diagonal and -1 below it: the norms are n and 2^(n-1), and the elements of L^-1 leave the range.
fn solutions_that_overflow<T: Element>() {
    let (n, subnormal) = if T::NAME.ends_with("64") { (1030, f64::from_bits(2)) } else { (130, 2.0_f64.powi(-148)) };
    let data: Vec<T> = from_fn(n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => -1.0,
    });
    let on = if n < 200 { 2 } else { 1 };
    for (device, norm) in devices(4).into_iter().take(on).flat_map(|device| NORMS.map(|norm| (device.clone(), norm))) {
        let rcond = conditions(&device, &Batch::row_major(&data, 1, n, n).unwrap(), norm).rcond[0].to_f64();
        let wanted = 2.0_f64.powi(-(n as i32) / 2) / n as f64 * 2.0_f64.powi(1 + n as i32 / 2 - n as i32);
        assert!(
            (rcond - wanted).abs() <= 2.0 * subnormal,
            "{} on {device}, norm {norm}: {rcond:e}, not {wanted:e}",
            T::NAME
        );
    }
}
for_types!(solutions_that_overflow: f32 f64 c32 c64);

/// Diagonals: the condition is the quotient of the largest and the least, also where neither it nor A^-1 is in range.
fn diagonals<T: Element>() {
    let least = if T::NAME.ends_with("64") { 2.0_f64.powi(-530).powi(2) } else { 2.0_f64.powi(-140) };
    let large = if T::NAME.ends_with("64") { 2.0_f64.powi(1020) } else { 2.0_f64.powi(120) };
    for n in [2, 33] {
        for device in devices(5) {
            for (one, other, wanted) in [
                (least, least, 1.0), // the inverse overflows
                (large, large, 1.0),
                (least, 4.0 * least, 0.25),
                (1.0, 0.0625, 0.0625),
                (least, large, 0.0), // the quotient is no number of the type
            ] {
                let data: Vec<T> = from_fn(n, |i, j| if i != j { 0.0 } else { [one, other][usize::from(i > 0)] });
                let rcond =
                    conditions(&device, &Batch::row_major(&data, 1, n, n).unwrap(), Norm::One).rcond[0].to_f64();
                assert_eq!(rcond, wanted, "{} on {device}: diag({one:e}, {other:e}, ...) of order {n}", T::NAME);
            }
        }
    }
}
for_types!(diagonals: f32 f64 c32 c64);

#[test]
fn ill_conditioned_are_those_below_a_limit() {
    let tiny = f64::EPSILON / 4.0;
    let data = [1.0, 0.0, 0.0, tiny, 1.0, 0.0, 0.0, 1e-9, 1.0, 0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 1.0];
    for device in devices(1) {
        let conditions = conditions(&device, &Batch::row_major(&data, 4, 2, 2).unwrap(), Norm::Infinity);
        assert_eq!(conditions.ill_conditioned().collect::<Vec<_>>(), [(0, tiny)]);
        assert_eq!(conditions.below(1e-8).map(|(b, _)| b).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(*conditions.status, [Status::Ok, Status::Ok, Status::Singular(2), Status::NonFinite]);
    }
    assert_eq!(Conditions::<warplu::c32>::unit_roundoff(), f32::EPSILON / 2.0);
}

#[test]
fn norms_that_do_not_fit() {
    let a = Batch::row_major(&[2.0_f64, 0.0, 0.0, 1.0], 1, 2, 2).unwrap();
    for device in devices(1) {
        let lu = device.lu(&a).unwrap();
        let rcond = |norms: Vec<f64>| lu.rcond(&Norms::new(Norm::One, norms)?);
        match rcond(vec![2.0, 2.0]) {
            Err(Error::Shape(text)) => assert!(text.contains("norms must have 1 elements, but it has 2"), "{text}"),
            other => panic!("{other:?}"),
        }
        assert!(rcond(vec![-1.0]).unwrap_err().to_string().contains("no norm is negative"));
        assert_eq!(rcond(vec![2.0]).unwrap().rcond, [0.5]);
        assert_eq!(
            (rcond(vec![f64::INFINITY]).unwrap().rcond, rcond(vec![0.0]).unwrap().rcond),
            (vec![0.0], vec![0.0])
        );
        assert!(rcond(vec![f64::NAN]).unwrap().rcond[0].is_nan());
    }
    let norms = |data: &[f64]| Batch::row_major(data, 1, 2, 2).unwrap().norms(Norm::One).unwrap()[0];
    assert!(norms(&[1.0, f64::NAN, 1.0, 1.0]).is_nan() && norms(&[f64::NAN, 1.0, 1.0, 1.0]).is_nan());
    assert_eq!(norms(&[1.0, f64::NEG_INFINITY, 1.0, 1.0]), f64::INFINITY);
    assert_eq!(*Batch::row_major(&[1.0, 2.0, -4.0], 1, 1, 3).unwrap().norms(Norm::Infinity).unwrap(), [7.0]);
}
