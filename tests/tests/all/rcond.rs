//! Condition numbers against those of nalgebra's inverse in f64: never too small, and not far too large.

use reference::{DMatrix, inverse};
use warplu::verify::{Random, make_definite, ratios};
use warplu::{
    Batch, Conditions, Device, Element, Layout, Norm, Norms, Op, Real, Status, Structure, Triangle, Triangular,
};
use warplu::{c32, c64};
use warplu_tests::data::npy;
use warplu_tests::expected::load;
use warplu_tests::matrices::{LAYOUTS, fill, layout, number};
use warplu_tests::{devices, for_types};

use super::residual::ill_conditioned;

const NORMS: [Norm; 2] = [Norm::One, Norm::Infinity];
const TRIANGLES: [Triangle; 2] = [Triangle::Lower, Triangle::Upper];

fn norm_of(a: &DMatrix<c64>, norm: Norm) -> f64 {
    let n = a.nrows();
    let size = |i: usize, j: usize| if norm == Norm::One { a[(j, i)].norm() } else { a[(i, j)].norm() };
    (0..n).map(|i| (0..n).map(|j| size(i, j)).sum()).fold(0.0, ratios::worst)
}

/// Checks norms and condition numbers of good matrices; returns the largest factor by which one is too large.
#[track_caller]
fn check<T: Element>(what: &str, device: &Device, a: &Batch<'_, T>) -> f64 {
    let lu = device.lu(a).unwrap();
    check_by(&format!("{what} on {device}"), a, |norms| lu.rcond(norms).unwrap())
}

/// The same, by what finds condition numbers.
#[track_caller]
fn check_by<T: Element>(what: &str, a: &Batch<'_, T>, rcond: impl Fn(&Norms<T>) -> Conditions<T>) -> f64 {
    let (n, u) = (a.rows() as f64, ratios::precision::<T::Scalar>().0);
    let mut largest = 0.0_f64;
    let exact: Vec<_> = (0..a.batch()).map(|i| load(a, i)).map(|matrix| (inverse(&matrix), matrix)).collect();
    for norm in NORMS {
        let norms = a.norms(norm).unwrap();
        let conditions = rcond(&norms);
        for (i, (inverse, matrix)) in exact.iter().enumerate() {
            let what = format!("{what}, {}, matrix {i} of order {n}, norm {norm}", T::NAME);
            assert_eq!(conditions.status[i], Status::Ok, "{what}");
            let exact = norm_of(matrix, norm);
            let (got, rcond) = (norms[i].to_f64(), conditions.rcond[i].to_f64());
            assert!((got - exact).abs() <= n * u * exact, "{what}: |A| is {got}, not {exact}");
            let condition = exact * norm_of(inverse, norm);
            // What rounding may do to the inverse; where that is much, it is singular to working precision.
            let slack = 4.0 * n.sqrt() * u * condition + 4.0 * n * u;
            let factor = rcond * condition;
            if slack > 0.5 {
                assert!((0.0..100.0 * n * u).contains(&rcond), "{what}: {rcond}, not {}", 1.0 / condition);
            } else {
                let most = if n <= 32.0 { 1.0 } else { 3.0 };
                assert!(
                    factor > 1.0 - slack && factor < most + most * slack,
                    "{what}: {rcond}, not {}, with slack {slack}",
                    1.0 / condition
                );
                largest = largest.max(factor);
            }
        }
    }
    largest
}

fn random_and_ill_conditioned<T: Element>() {
    for (n, batch) in [(1, 40), (2, 40), (7, 30), (31, 10), (32, 10), (33, 20), (47, 20), (64, 10), (100, 5), (150, 3)]
    {
        let data: Vec<T> = Random::new(n as u64).elements(batch * n * n);
        check("random", &Device::cpu(), &Batch::row_major(&data, batch, n, n).unwrap());
        let few = batch.min(200 / n);
        if few > 0 {
            check("random", &Device::sim_with_seed(1), &Batch::row_major(&data[..few * n * n], few, n, n).unwrap());
        }
        if n > 1 && size_of::<T>() > 2 {
            let hard = ill_conditioned::<T>(n);
            for device in devices(n as u64) {
                check("ill-conditioned", &device, &Batch::column_major(&hard, 3, n, n).unwrap());
            }
        }
    }
}
for_types!(random_and_ill_conditioned);

fn positive_definite<T: Element>() {
    for (n, batch) in [(1, 20), (2, 20), (7, 10), (32, 5), (33, 5), (64, 3), (150, 2)] {
        let mut data: Vec<T> = Random::new(n as u64).elements(batch * n * n);
        data.chunks_mut(n * n).for_each(|a| make_definite(a, n));
        for (device, few) in devices(n as u64).into_iter().zip([batch, 2]) {
            let few = few.min(batch);
            let a = Batch::row_major(&data[..few * n * n], few, n, n).unwrap();
            for triangle in TRIANGLES {
                let cholesky = device.cholesky(&a, triangle).unwrap();
                check_by(&format!("{triangle:?} on {device}"), &a, |norms| cholesky.rcond(norms).unwrap());
                let of_device = device.with(Structure::PositiveDefinite(triangle));
                for norm in NORMS {
                    let found = cholesky.rcond(&a.norms(norm).unwrap()).unwrap();
                    assert_eq!(of_device.rcond(&a, norm).unwrap().rcond, found.rcond);
                }
            }
        }
    }
}
warplu_tests::for_types!(positive_definite: f32 f64 c32 c64);

/// Of triangles, of which the rest is NaN: all relatives, of matrices whose diagonals keep them from being ill-conditioned.
fn triangular<T: Element>() {
    for (n, batch) in [(1, 2), (3, 5), (32, 2), (33, 2), (70, 3)] {
        let mut data: Vec<T> = Random::new(n as u64).elements(batch * n * n);
        let diagonal = (0..batch).flat_map(|b| (0..n).map(move |i| (b * n + i) * n + i));
        diagonal.for_each(|at| data[at] = number(if at % 2 == 0 { 2.0 } else { -1.5 } * (n as f64).sqrt()));
        let mut turn = 0;
        for (triangle, unit) in TRIANGLES.into_iter().flat_map(|triangle| [false, true].map(|unit| (triangle, unit))) {
            for op in [Op::None, Op::Transpose, Op::Adjoint] {
                let triangular = Triangular { triangle, unit: unit && n < 32, op };
                let a = Batch::row_major(&data, batch, n, n).unwrap();
                let whole = a.triangular(triangular).unwrap();
                let is_read = |at: usize| {
                    let (i, j) = (at / n % n, at % n);
                    if i == j { !triangular.unit } else { (j < i) == (triangle == Triangle::Lower) }
                };
                let given = data.iter().enumerate().map(|(at, &x)| if is_read(at) { x } else { number(f64::NAN) });
                let given: Vec<T> = given.collect();
                turn += 1;
                for device in devices(turn).into_iter().map(|device| device.with(triangular)) {
                    let a = Batch::row_major(&given, batch, n, n).unwrap();
                    let what = format!("{triangular} on {device}");
                    check_by(&what, &whole.view(), |norms| device.rcond(&a, norms.norm()).unwrap());
                }
            }
        }
    }
}
warplu_tests::for_types!(triangular: f32 f64 c32 c64);

#[test]
fn of_triangles_that_are_bad() {
    let a = [1.0_f64, 9.0, 2.0, 0.0, 1.0, 9.0, f64::NAN, 1.0, 4.0, 9.0, 0.0, 0.5];
    let a = Batch::row_major(&a, 3, 2, 2).unwrap();
    for norm in NORMS {
        let conditions = Device::cpu().with(Triangular::LOWER).rcond(&a, norm).unwrap();
        assert_eq!(conditions.status, [Status::Singular(2), Status::NonFinite, Status::Ok]);
        assert!(conditions.rcond[0] == 0.0 && conditions.rcond[1].is_nan() && conditions.rcond[2] == 0.125);
    }
    let general = Device::cpu().rcond(&a, Norm::One).unwrap();
    assert_eq!(general.rcond[0], Device::cpu().lu(&a).unwrap().rcond(&a.norms(Norm::One).unwrap()).unwrap().rcond[0]);
    assert!(Device::cpu().rcond(&Batch::row_major(&[1.0, 2.0], 1, 1, 2).unwrap(), Norm::One).is_err());
}

#[test]
fn of_what_is_not_positive_definite() {
    let a = Batch::row_major(&[1.0_f64, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0, 1.0], 2, 2, 2).unwrap();
    let cholesky = Device::cpu().cholesky(&a, Triangle::Lower).unwrap();
    let conditions = cholesky.rcond(&a.norms(Norm::One).unwrap()).unwrap();
    assert_eq!(conditions.status, [Status::NotPositiveDefinite(2), Status::Ok]);
    assert_eq!(conditions.rcond, [0.0, 1.0]);
}

/// Row by row, column by column, and with other strides: within rounding of each other.
fn layouts<T: Element>() {
    for n in [5, 40] {
        for kind in 0..LAYOUTS {
            let (strides, len): (Layout, usize) = layout(kind, 3, n, n);
            let data: Vec<T> = fill(&mut Random::new(kind as u64), strides, len, (3, n, n));
            for device in devices(kind as u64) {
                check("strided", &device, &Batch::strided(&data, 3, n, n, strides).unwrap());
            }
        }
    }
}
for_types!(layouts);

macro_rules! real {
    ($($name:ident $t:ident;)*) => {$(
        #[test]
        #[allow(non_snake_case)]
        fn $name() {
            let (shape, data) = npy::<$t>(concat!("real/", stringify!($name), ".npy"));
            let (batch, n) = (shape[0], shape[1]);
            let factor = check(stringify!($name), &Device::cpu(), &Batch::row_major(&data, batch, n, n).unwrap());
            println!("{}: too large by a factor of {factor:.3} at most", stringify!($name));
            check(stringify!($name), &Device::sim(), &Batch::row_major(&data[..n * n], 1, n, n).unwrap());
        }
    )*};
}

real! {
    breast_cancer_cov_n30_f32 f32;
    cantera_gri30_newton_n54_f64 f64;
    digits_cov_n64_f32 f32;
    mom_dipole_array_n64_c64 c64;
    negf_square_lattice_n64_c32 c32;
    patch_cov_n108_f32 f32;
    patch_cov_n192_f32 f32;
    powerflow_case118_jacobian_n181_f64 f64;
    powerflow_case30_jacobian_n53_f64 f64;
    powerflow_case57_jacobian_n106_f64 f64;
    pyamg_bar_blocks_n24_f32 f32;
    pyamg_helmholtz_2D_big_blocks_n96_c64 c64;
    pyamg_helmholtz_2D_blocks_n36_c32 c32;
    pyamg_ldg_blocks_n21_f64 f64;
    pyamg_recirc_flow_blocks_n15_f64 f64;
    skrf_I_minus_S_n2_c64 c64;
    ybus_case57_harmonic_n57_c64 c64;
}
