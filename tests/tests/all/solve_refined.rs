//! Solutions by factors in single precision, beside those in double precision.

use reference::{DMatrix, multiply};
use warplu::verify::Random;
use warplu::verify::ratios;
use warplu::{Batch, Device, Double, Element, Matrices, Real, RefinedSolution, Refinement, Scalar, Status, c64};
use warplu_tests::compare::{assert_same, one};
use warplu_tests::data::{npy, path};
use warplu_tests::matrices::{from_fn, mixed, number};
use warplu_tests::{devices, for_types};

/// Matrices of a condition, row by row: reflections of a diagonal with elements from 1 to its reciprocal.
fn conditioned<T: Element>(random: &mut Random, n: usize, condition: f64) -> Vec<T> {
    let [left, right] = [(); 2].map(|()| random.elements::<c64>(n));
    let complex = T::NAME.starts_with('c');
    let part = |z: c64| if complex { z } else { c64::new(z.re, 0.0) };
    let reflection = |v: &[c64]| {
        let size: f64 = v.iter().map(|&z| part(z).norm_sqr()).sum();
        DMatrix::from_fn(n, n, |i, j| {
            c64::from(f64::from(u8::from(i == j))) - part(v[i]) * part(v[j]).conj() * (2.0 / size)
        })
    };
    let along = |k: usize| condition.powf(-(k as f64) / (n.max(2) - 1) as f64);
    let [left, mut right] = [left, right].map(|v| reflection(&v));
    right.row_iter_mut().enumerate().for_each(|(k, mut row)| row *= c64::from(along(k)));
    let product = multiply(&left, &right);
    (0..n * n).map(|at| T::narrow(T::Scalar::from_c64(product[(at / n, at % n)]))).collect()
}

fn real<T: Double>(x: f64) -> <T as Scalar>::Real {
    Real::from_f64(x)
}

/// Asserts LAPACK's criterion (xGET08), for systems that are well.
#[track_caller]
fn assert_accurate<T: Double>(what: &str, a: &Batch<'_, T>, b: &Batch<'_, T>, refined: &RefinedSolution<Matrices<T>>) {
    let lu = Device::cpu().lu(a).unwrap();
    for i in (0..a.batch()).filter(|&i| refined.status[i].is_ok()) {
        let ratio = ratios::solve(a, &lu, warplu::Op::None, b, &refined.x, i).unwrap().norm;
        assert!(ratio < 2.0 + (a.rows() as f64).sqrt(), "{what}, matrix {i}, {}: {ratio}", refined.refinement[i]);
    }
}

fn conditions<T: Double>() {
    for (n, rhs) in [(2, 1), (5, 2), (16, 5), (33, 1), (64, 3), (65, 1), (100, 1)] {
        let mut random = Random::new(n as u64);
        let all = [1e2, 1e3, 1e5, 1e11, 1e12, 1e14];
        let data: Vec<T> = all.iter().flat_map(|&condition| conditioned::<T>(&mut random, n, condition)).collect();
        let sides: Vec<T> = random.elements(all.len() * n * rhs);
        let a = Batch::row_major(&data, all.len(), n, n).unwrap();
        let b = Batch::row_major(&sides, all.len(), n, rhs).unwrap();
        for device in devices(n as u64) {
            let what = format!("{} n = {n} on {device}", T::NAME);
            let (refined, double) = (device.solve_refined(&a, &b).unwrap(), device.solve(&a, &b).unwrap());
            assert_eq!(refined.status, double.status, "{what}");
            assert_accurate(&what, &a, &b, &refined);
            for (i, how) in refined.refinement.iter().enumerate() {
                let what = format!("{what}, condition {:e}: {how:?}", all[i]);
                match all[i] {
                    ..1e4 => assert!(matches!(how, Refinement::Converged(1..=4)), "{what}"),
                    ..1e6 => assert!(matches!(how, Refinement::Converged(1..=9)), "{what}"),
                    // Two rows may be solved by luck.
                    _ => assert!(!how.is_converged() || n == 2, "{what}"),
                }
                if !how.is_converged() {
                    assert_same(&what, &one(&refined.x.view(), i), &one(&double.x.view(), i));
                }
            }
            let in_double: Vec<usize> = refined.in_double().map(|(i, _)| i).collect();
            assert!(n == 2 || in_double == [3, 4, 5], "{what}: {in_double:?}");
        }
    }
}
for_types!(conditions: f64 c64);

/// Of all kinds: singular and NaN ones among them, some that overflow or vanish in single precision.
fn all_kinds<T: Double>(n: usize) -> Vec<T> {
    let mut random = Random::new(n as u64);
    let mut data = mixed::<T>(&mut random, 5, n);
    let mut more = |scale: f64| {
        let scaled = |x: T| x.scale(real::<T>(scale));
        data.extend(random.elements::<T>(n * n).into_iter().map(scaled));
    };
    [1e300, 1e-300, 1e30, 1e-30, 1e-310].into_iter().for_each(&mut more);
    let mut one_large = random.elements::<T>(n * n);
    one_large[n / 2] = number(1e40);
    data.extend(one_large);
    data.extend(conditioned::<T>(&mut random, n, 1e12));
    data
}

fn neighbours_do_not_matter<T: Double>() {
    for (n, rhs) in [(1, 1), (4, 3), (17, 1), (33, 5), (70, 1)] {
        let data = all_kinds::<T>(n);
        let batch = data.len() / (n * n);
        let mut sides: Vec<T> = Random::new(3).elements(batch * n * rhs);
        sides[n * rhs - 1] = number(f64::INFINITY); // of the first matrix
        let a = Batch::row_major(&data, batch, n, n).unwrap();
        let b = Batch::row_major(&sides, batch, n, rhs).unwrap();
        for device in devices(n as u64) {
            let what = format!("{} n = {n} on {device}", T::NAME);
            let all = device.solve_refined(&a, &b).unwrap();
            assert_eq!(all.status, device.solve(&a, &b).unwrap().status, "{what}");
            assert_accurate(&what, &a, &b, &all);
            assert_eq!(all.refinement[0], Refinement::Overflow, "{what}");
            assert_eq!((all.refinement[2], all.refinement[4]), (Refinement::Singular, Refinement::Overflow), "{what}");
            assert_eq!((all.refinement[5], all.refinement[6]), (Refinement::Overflow, Refinement::Singular), "{what}");
            // The criterion for order 1 asks for the last bit.
            assert!(n == 1 || all.refinement[7].is_converged() && all.refinement[8].is_converged(), "{what}");
            assert_eq!((all.refinement[9], all.refinement[10]), (Refinement::Singular, Refinement::Overflow), "{what}");
            for i in 0..batch {
                let (own_a, own_b) = (one(&a, i), one(&b, i));
                let a = Batch::row_major(&own_a, 1, n, n).unwrap();
                let alone = device.solve_refined(&a, &Batch::row_major(&own_b, 1, n, rhs).unwrap()).unwrap();
                let what = format!("{what}, matrix {i}");
                assert_same(&what, alone.x.as_slice(), &one(&all.x.view(), i));
                assert_eq!((alone.status[0], alone.refinement[0]), (all.status[i], all.refinement[i]), "{what}");
            }
        }
    }
}
for_types!(neighbours_do_not_matter: f64 c64);

/// Right-hand sides far beyond single precision are no reason to give up, and each is as accurate as if it were 1.
fn sides_of_any_size<T: Double>() {
    for n in [3, 40] {
        let mut random = Random::new(5);
        let a = conditioned::<T>(&mut random, n, 100.0);
        let a = Batch::column_major(&a, 1, n, n).unwrap();
        let scales = [1.0, 2.0_f64.powi(990), 2.0_f64.powi(-900), 0.0];
        let (v, mut sides) = (random.elements::<T>(n), Vec::new());
        for scale in scales {
            sides.extend(v.iter().map(|x| x.scale(real::<T>(scale))));
        }
        let b = Batch::column_major(&sides, 1, n, scales.len()).unwrap();
        for device in devices(1) {
            let refined = device.solve_refined(&a, &b).unwrap();
            assert!(refined.refinement[0].is_converged(), "{device}: {:?}", refined.refinement);
            let x = refined.x.as_slice();
            for (column, scale) in x.chunks(n).zip(scales) {
                // Added, as 0 has no sign then.
                let wanted = x[..n].iter().map(|x| x.scale(real::<T>(scale)) + T::ZERO);
                assert_same(&format!("{device}, times {scale:e}"), column, &wanted.collect::<Vec<_>>());
            }
        }
    }
}
for_types!(sides_of_any_size: f64 c64);

/// Unknowns of all units, as large elements multiply small unknowns: each is as accurate as the largest, or else the
/// system is solved in double precision.
fn unknowns_of_any_unit<T: Double>() {
    for (n, spread) in [(2, 1e-8_f64), (2, 1e-12), (12, 1e-10), (33, 1e-12), (70, 1e-10)] {
        let mut random = Random::new(n as u64);
        let unit = |j: usize| spread.powf(j as f64 / (n - 1) as f64);
        let (mut a, x) = (conditioned::<T>(&mut random, n, 10.0), random.elements::<T>(n));
        for (at, a) in a.iter_mut().enumerate() {
            *a = a.scale(real::<T>(1.0 / unit(at % n)));
        }
        let b: Vec<T> = (0..n)
            .map(|i| (0..n).fold(T::ZERO, |sum, j| sum.sub_mul(-a[i * n + j], x[j].scale(real::<T>(unit(j))))))
            .collect();
        let (a, b) = (Batch::row_major(&a, 1, n, n).unwrap(), Batch::row_major(&b, 1, n, 1).unwrap());
        for device in devices(n as u64) {
            let refined = device.solve_refined(&a, &b).unwrap();
            for (j, (found, wanted)) in refined.x.as_slice().iter().zip(&x).enumerate() {
                let error = (found.to_c64() / unit(j) - wanted.to_c64()).norm();
                assert!(error < 1e-13 * n as f64, "{device}, {} n = {n}, unknown {j}: {error:e}", T::NAME);
            }
            // Units alone are no reason to give up.
            assert!(refined.refinement[0].is_converged(), "{device}, {} n = {n}: {:?}", T::NAME, refined.refinement);
        }
    }
}
for_types!(unknowns_of_any_unit: f64 c64);

macro_rules! real {
    ($($name:ident $t:ident;)*) => {$(
        #[test]
        #[allow(non_snake_case)]
        fn $name() {
            let (shape, data) = npy::<$t>(concat!("real/", stringify!($name), ".npy"));
            let (batch, n) = (shape[0], shape[1]);
            let file = concat!("real/", stringify!($name), "_b.npy");
            let sides: Vec<$t> = if path(file).exists() { npy(file).1 } else { Random::new(1).elements(batch * n) };
            for (device, count) in [(Device::cpu(), batch), (Device::sim(), batch.min(200 / n).max(1))] {
                let a = Batch::row_major(&data[..count * n * n], count, n, n).unwrap();
                let b = Batch::row_major(&sides[..count * n], count, n, 1).unwrap();
                let refined = device.solve_refined(&a, &b).unwrap();
                assert_eq!(refined.status, device.solve(&a, &b).unwrap().status);
                assert_accurate(stringify!($name), &a, &b, &refined);
                println!("{}: {} of {count} in double precision", stringify!($name), refined.in_double().count());
            }
        }
    )*};
}

real! {
    cantera_gri30_newton_n54_f64 f64;
    mom_dipole_array_n64_c64 c64;
    powerflow_case118_jacobian_n181_f64 f64;
    powerflow_case30_jacobian_n53_f64 f64;
    powerflow_case57_jacobian_n106_f64 f64;
    pyamg_helmholtz_2D_big_blocks_n96_c64 c64;
    pyamg_ldg_blocks_n21_f64 f64;
    pyamg_recirc_flow_blocks_n15_f64 f64;
    skrf_I_minus_S_n2_c64 c64;
    ybus_case57_harmonic_n57_c64 c64;
}

#[test]
fn a_large_matrix_by_many_blocks() {
    let (n, rhs) = (560, 2);
    let mut random = Random::new(8);
    let mut data: Vec<f64> = random.elements(n * n);
    (0..n).for_each(|i| data[i * n + i] += 20.0);
    let hilbert = from_fn::<f64>(n, |i, j| 1.0 / (i + j + 1) as f64 + if i == j { 1e-9 } else { 0.0 });
    let sides: Vec<f64> = random.elements(2 * n * rhs);
    let data = [data, hilbert].concat();
    let (a, b) = (Batch::row_major(&data, 2, n, n).unwrap(), Batch::row_major(&sides, 2, n, rhs).unwrap());
    let refined = Device::cpu().solve_refined(&a, &b).unwrap();
    assert_eq!(refined.status, [Status::Ok; 2]);
    assert!(refined.refinement[0].is_converged() && refined.refinement[1] == Refinement::Stalled);
    assert_accurate("large", &a, &b, &refined);
    let first = Batch::row_major(&data[..n * n], 1, n, n).unwrap();
    let on_sim = Device::sim().solve_refined(&first, &Batch::row_major(&sides[..n * rhs], 1, n, rhs).unwrap()).unwrap();
    assert!(on_sim.refinement[0].is_converged());
    assert_accurate("large on sim", &first, &Batch::row_major(&sides[..n * rhs], 1, n, rhs).unwrap(), &on_sim);
}
