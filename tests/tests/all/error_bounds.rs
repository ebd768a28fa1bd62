//! Improved solutions, and their error bounds beside true errors.

use reference::inverse;
use warplu::verify::{Random, ratios};
use warplu::{Batch, Device, Element, ErrorBounds, Op, Real, Scalar, Status, Triangle, c32, c64};
use warplu_tests::data::npy;
use warplu_tests::expected::load;
use warplu_tests::matrices::{exact, number};
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

use super::residual::ill_conditioned;

/// |re| + |im|.
fn size(z: c64) -> f64 {
    z.re.abs() + z.im.abs()
}

/// Element (i, j) of op(A) of a matrix.
fn of_op<T: Element>(a: &Batch<'_, T>, index: usize, op: Op, i: usize, j: usize) -> c64 {
    match op {
        Op::None => a.get(index, i, j).widen().to_c64(),
        Op::Transpose => a.get(index, j, i).widen().to_c64(),
        Op::Adjoint => a.get(index, j, i).widen().to_c64().conj(),
    }
}

/// Solutions, improved, and their bounds.
pub(super) fn refined<T: Element<Scalar = T> + Scalar>(
    device: &Device,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    op: Op,
) -> (warplu::Matrices<T>, ErrorBounds<T>) {
    let lu = device.lu(a).unwrap();
    let mut x = lu.solve(b, op).unwrap().x;
    let bounds = lu.refine(a, b, &mut x.view_mut(), op).unwrap();
    (x, bounds)
}

/// The same by Cholesky factors in a triangle.
fn refined_definite<T: Element<Scalar = T> + Scalar>(
    device: &Device,
    a: &Batch<'_, T>,
    b: &Batch<'_, T>,
    triangle: Triangle,
) -> (warplu::Matrices<T>, ErrorBounds<T>) {
    let cholesky = device.cholesky(a, triangle).unwrap();
    let mut x = cholesky.solve(b).unwrap().x;
    let bounds = cholesky.refine(a, b, &mut x.view_mut()).unwrap();
    (x, bounds)
}

fn known_solutions<T: Element<Scalar = T> + Scalar>() {
    bounds_hold::<T>(None);
}
for_types!(known_solutions: f32 f64 c32 c64);

fn known_definite_solutions<T: Element<Scalar = T> + Scalar>() {
    [Triangle::Lower, Triangle::Upper].into_iter().for_each(|triangle| bounds_hold::<T>(Some(triangle)));
}
for_types!(known_definite_solutions: f32 f64 c32 c64);

/// Integer matrices with integer solutions, of systems that are exact: bounds hold, and not by far too much. Positive
/// definite ones are factored by a triangle.
fn bounds_hold<T: Element<Scalar = T> + Scalar>(definite: Option<Triangle>) {
    let unit = ratios::precision::<T>().0;
    for (n, batch, rhs) in
        [(1, 3, 1), (2, 6, 2), (7, 5, 1), (31, 3, 3), (32, 2, 1), (33, 3, 2), (65, 2, 1), (100, 1, 5)]
    {
        let mut random = Random::new(n as u64);
        let mut data: Vec<T> = (0..batch * n * n).map(|_| number(random.below(17) as f64 - 8.0)).collect();
        data[..n * n].copy_from_slice(&exact::<T>(&mut random, n, None));
        for a in data.chunks_mut(n * n).filter(|_| definite.is_some()) {
            for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let x = if i == j { number(8.0 * n as f64) } else { T::from_c64(a[j * n + i].to_c64().conj()) };
                a[i * n + j] = x;
            }
        }
        let known: Vec<f64> =
            (0..batch * n * rhs).map(|_| [-3.0, -2.0, -1.0, 1.0, 2.0, 4.0][random.below(6)]).collect();
        let a = Batch::row_major(&data, batch, n, n).unwrap();
        for op in OPS.into_iter().take(if definite.is_some() { 1 } else { OPS.len() }) {
            let side = |at: usize| {
                let (m, i, c) = (at / (n * rhs), at / rhs % n, at % rhs);
                let row: c64 = (0..n).map(|j| of_op(&a, m, op, i, j) * known[(m * n + j) * rhs + c]).sum();
                T::from_c64(row)
            };
            let sides: Vec<T> = (0..batch * n * rhs).map(side).collect();
            let b = Batch::row_major(&sides, batch, n, rhs).unwrap();
            for device in devices(n as u64) {
                let (x, bounds) = match definite {
                    Some(triangle) => refined_definite(&device, &a, &b, triangle),
                    None => refined(&device, &a, &b, op),
                };
                for (m, c) in (0..batch).flat_map(|m| (0..rhs).map(move |c| (m, c))) {
                    let what = format!("{} on {device}, {op:?}, n = {n}, matrix {m}, side {c}", T::NAME);
                    if n < 5 && !bounds.status[m].is_ok() {
                        continue; // two equal rows, by chance
                    }
                    assert_eq!(bounds.status[m], Status::Ok, "{what}");
                    let at = m * rhs + c;
                    let (ferr, berr) = (bounds.ferr[at].to_f64(), bounds.berr[at].to_f64());
                    let x = |i: usize| x.get(m, i, c).widen().to_c64();
                    let largest = (0..n).map(|i| size(x(i))).fold(0.0, f64::max);
                    let error = (0..n).map(|i| (x(i) - known[(m * n + i) * rhs + c]).norm()).fold(0.0, f64::max);
                    assert!(berr <= 3.0 * unit, "{what}: backward error {berr:e}");
                    assert!(error <= ferr * largest, "{what}: {error:e}, not {:e}", ferr * largest);
                    // |op(A)^-1| (|op(A)| |x| + |b|), which is what rounding is multiplied by.
                    let inverse = inverse(&load(&a, m));
                    let inverse = |i: usize, j: usize| if op == Op::None { inverse[(i, j)] } else { inverse[(j, i)] };
                    let row = |i: usize| -> f64 {
                        let product: f64 = (0..n).map(|j| size(of_op(&a, m, op, i, j)) * size(x(j))).sum();
                        product + size(b.get(m, i, c).widen().to_c64())
                    };
                    let rows: Vec<f64> = (0..n).map(row).collect();
                    let grown = |i: usize| -> f64 { (0..n).map(|j| inverse(i, j).norm() * rows[j]).sum() };
                    let most = (0..n).map(grown).fold(0.0, f64::max) * (n as f64 + 5.0) * unit / largest;
                    assert!(ferr <= 1.1 * most && ferr >= most / 10.0, "{what}: {ferr:e}, not {most:e}");
                }
            }
        }
    }
}

/// Matrices with rows of very different sizes, and ill-conditioned ones: each row is solved as well as it can be.
fn all_rows_are_improved<T: Element<Scalar = T> + Scalar>() {
    let unit = ratios::precision::<T>().0;
    for n in [5, 32, 47, 70] {
        let hard = ill_conditioned::<T>(n);
        let sides: Vec<T> = Random::new(n as u64).elements(3 * n * 2);
        let (a, b) = (Batch::row_major(&hard, 3, n, n).unwrap(), Batch::row_major(&sides, 3, n, 2).unwrap());
        for (device, op) in devices(3).into_iter().flat_map(|device| OPS.map(|op| (device.clone(), op))) {
            let (x, bounds) = refined(&device, &a, &b, op);
            let lu = device.lu(&a).unwrap();
            for i in 0..3 {
                let what = format!("{} on {device}, {op:?}, n = {n}, matrix {i}", T::NAME);
                for (ferr, berr) in bounds.ferr[2 * i..][..2].iter().zip(&bounds.berr[2 * i..]) {
                    let (ferr, berr) = (ferr.to_f64(), berr.to_f64());
                    // Where no digit is sure, corrections need not help.
                    let most = if ferr < 1.0 { 4.0 } else { n as f64 } * unit;
                    assert!(berr <= most && ferr >= unit, "{what}: {ferr:e}, {berr:e}");
                }
                assert!(ratios::solve(&a, &lu, op, &b, &x, i).unwrap().passes(), "{what}");
            }
        }
    }
}
for_types!(all_rows_are_improved: f32 f64 c32 c64);

/// Solutions that are 0 are exact.
#[test]
fn zeros_are_exact() {
    for n in [1, 2, 40] {
        let (data, zeros) = (Random::new(n as u64).elements::<f32>(n * n), vec![0.0; n]);
        let (a, b) = (Batch::row_major(&data, 1, n, n).unwrap(), Batch::row_major(&zeros, 1, n, 1).unwrap());
        for device in devices(2) {
            let (x, bounds) = refined(&device, &a, &b, Op::None);
            assert_eq!((x.as_slice(), bounds.berr[0]), (&zeros[..], 0.0), "{device}");
            assert!(bounds.ferr[0] < 1e-30, "{device}: {bounds:?}");
        }
    }
}

/// A poor solution becomes a good one.
#[test]
fn perturbed_solutions_are_improved() {
    let n = 20;
    let data: Vec<f64> = Random::new(4).elements(n * n);
    let sides: Vec<f64> = Random::new(5).elements(n);
    let (a, b) = (Batch::row_major(&data, 1, n, n).unwrap(), Batch::row_major(&sides, 1, n, 1).unwrap());
    for device in devices(6) {
        let lu = device.lu(&a).unwrap();
        let wanted = lu.solve(&b, Op::None).unwrap().x;
        let mut x = wanted.clone();
        let mut poor = x.clone().into_vec();
        poor.iter_mut().enumerate().for_each(|(i, x)| *x *= 1.0 + 1e-6 * i as f64);
        let mut out = warplu::BatchMut::row_major(&mut poor, 1, n, 1).unwrap();
        let bounds = lu.refine(&a, &b, &mut out, Op::None).unwrap();
        let best = lu.refine(&a, &b, &mut x.view_mut(), Op::None).unwrap();
        assert!(bounds.berr[0] < 1e-15 && (bounds.ferr[0] / best.ferr[0] - 1.0).abs() < 0.5, "{bounds:?}, {best:?}");
        for (a, b) in poor.iter().zip(wanted.as_slice()) {
            assert!((a - b).abs() <= 2.0 * bounds.ferr[0] * wanted.as_slice().iter().fold(0.0, |m, x| x.abs().max(m)));
        }
    }
}

/// A power of two changes no rounding, and so no bound; nor do solutions of any size.
fn sizes_do_not_matter<T: Element<Scalar = T> + Scalar>() {
    let far = if T::NAME.ends_with("64") { 400 } else { 50 };
    for n in [6, 40] {
        let [data, sides] = [n * n, n].map(|len| Random::new(9).elements::<f64>(len));
        let scaled = |v: &[f64], power: i32| -> Vec<T> { v.iter().map(|x| number(x * 2.0_f64.powi(power))).collect() };
        for device in devices(2) {
            let bounds = |powers: (i32, i32)| {
                let (a, b) = (scaled(&data, powers.0), scaled(&sides, powers.1));
                let (a, b) = (Batch::row_major(&a, 1, n, n).unwrap(), Batch::row_major(&b, 1, n, 1).unwrap());
                let bounds = refined(&device, &a, &b, Op::None).1;
                (bounds.ferr[0].to_f64(), bounds.berr[0].to_f64())
            };
            let wanted = bounds((0, 0));
            for powers in [(far, 0), (-far, 0), (0, far), (0, -far), (far, far), (-far, -far), (far, -far), (-far, far)]
            {
                let got = bounds(powers);
                let far = (got.0 / wanted.0 - 1.0).abs().max((got.1 / wanted.1 - 1.0).abs());
                assert!(far < 1e-3, "{} {device} {powers:?}: {got:?}, not {wanted:?}", T::NAME);
            }
        }
    }
}
for_types!(sizes_do_not_matter: f32 f64 c32 c64);

/// Of 16-bit matrices all is in f32.
#[test]
fn sixteen_bits_are_improved_in_f32() {
    let n = 12;
    let data: Vec<warplu::f16> = Random::new(2).elements(n * n);
    let wide: Vec<f32> = data.iter().map(|x| x.to_f32()).collect();
    let sides: Vec<f32> = Random::new(3).elements(n);
    for device in devices(1) {
        let lu = device.lu(&Batch::row_major(&data, 1, n, n).unwrap()).unwrap();
        let (a, b) = (Batch::row_major(&wide, 1, n, n).unwrap(), Batch::row_major(&sides, 1, n, 1).unwrap());
        let mut x = vec![0.0_f32; n];
        let bounds = lu.refine(&a, &b, &mut warplu::BatchMut::row_major(&mut x, 1, n, 1).unwrap(), Op::None).unwrap();
        assert!(bounds.berr[0] < 4.0 * f32::EPSILON, "{bounds:?}");
        let (wanted, _) = refined(&device, &a, &b, Op::None);
        let far = x.iter().zip(wanted.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far <= 2.0 * bounds.ferr[0] * wanted.as_slice().iter().fold(0.0, |m, x| x.abs().max(m)));
    }
}

macro_rules! real {
    ($($name:ident $t:ident;)*) => {$(
        #[test]
        #[allow(non_snake_case)]
        fn $name() {
            let (shape, data) = npy::<$t>(concat!("real/", stringify!($name), ".npy"));
            let (batch, n) = (shape[0], shape[1]);
            let sides: Vec<$t> = Random::new(1).elements(batch * n);
            let unit = ratios::precision::<$t>().0;
            for (device, count) in [(Device::cpu(), batch), (Device::sim(), 1)] {
                let a = Batch::row_major(&data[..count * n * n], count, n, n).unwrap();
                let b = Batch::row_major(&sides[..count * n], count, n, 1).unwrap();
                let (_, bounds) = refined(&device, &a, &b, Op::None);
                for (ferr, berr) in bounds.ferr.iter().zip(&bounds.berr) {
                    let (ferr, berr) = (ferr.to_f64(), berr.to_f64());
                    assert!(berr <= 4.0 * unit && ferr >= unit && ferr.is_finite(), "{device}: {ferr:e}, {berr:e}");
                }
            }
        }
    )*};
}

real! {
    breast_cancer_cov_n30_f32 f32;
    cantera_gri30_newton_n54_f64 f64;
    mom_dipole_array_n64_c64 c64;
    negf_square_lattice_n64_c32 c32;
    patch_cov_n108_f32 f32;
    powerflow_case57_jacobian_n106_f64 f64;
    pyamg_ldg_blocks_n21_f64 f64;
    skrf_I_minus_S_n2_c64 c64;
}
