//! Positive definite matrices: the bits of a plain reference for every instruction set with fused multiply-adds,
//! whatever the place, the number of matrices, and the other triangle.

use half::{bf16, f16};
use numbers::scalar::{Real, Scalar, c32, c64};
use numbers::status::NON_FINITE;

use super::batch::{Batch, Determinants, PLACES, Place};
use super::reference::{judged, judged_sides};
use super::{Random, all_bits, for_all_types, is_nan, orders, real, roundoff};
use crate::element::{CpuScalar, Element};
use crate::lanes::{
    Isa, Workspace, cholesky, cholesky_det, cholesky_inverse, cholesky_inverse_factored, cholesky_solve,
    cholesky_solve_factored,
};

for_all_types!(of_all_orders, of_few_matrices, bad_lanes, first_bad_pivot);

/// L, column-major with zeros above, and the status.
fn factor<S: Scalar>(a: &[S], n: usize) -> (Vec<S>, i32) {
    let mut l = vec![S::ZERO; n * n];
    for j in 0..n {
        for i in j..n {
            let x = (0..j).fold(a[j * n + i], |x, k| x.sub_mul(l[k * n + i], l[k * n + j].conj()));
            l[j * n + i] = x;
        }
        let pivot = l[j * n + j].to_c64().re;
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return (vec![S::NAN; n * n], if pivot.is_finite() { -2 - j as i32 } else { NON_FINITE });
        }
        let root = S::Real::from_f64(pivot.sqrt()).to_f64();
        l[j * n + j] = real(root);
        for i in j + 1..n {
            let z = l[j * n + i].to_c64();
            // Quotients of f32 by way of f64 round to the same.
            l[j * n + i] = S::from_c64(c64::new(z.re / root, z.im / root));
        }
    }
    (l, 0)
}

/// X, and the status.
fn solve<S: Scalar>(l: &[S], code: i32, b: &[S], n: usize, conjugated: bool) -> (Vec<S>, i32) {
    let conj = |x: S| if conjugated { x.conj() } else { x };
    let mut x: Vec<S> = b.iter().map(|&x| conj(x)).collect();
    for x in x.chunks_exact_mut(n) {
        for k in 0..n {
            x[k] = x[k].divide(l[k * n + k].divisor());
            for i in k + 1..n {
                x[i] = x[i].sub_mul(l[k * n + i], x[k]);
            }
        }
        for k in (0..n).rev() {
            x[k] = x[k].divide(l[k * n + k].divisor());
            for i in 0..k {
                x[i] = x[i].sub_mul(l[i * n + k].conj(), x[k]);
            }
        }
        x.iter_mut().for_each(|x| *x = conj(*x));
    }
    judged_sides(x, code, n)
}

/// W W^H for W = L^-H, and the status.
fn invert<S: Scalar>(l: &[S], code: i32, n: usize) -> (Vec<S>, i32) {
    let mut w = vec![S::ZERO; n * n];
    for j in 0..n {
        for i in 0..=j {
            let one = if i == j { S::ONE } else { S::ZERO };
            let x = (i..j).fold(one, |x, k| x.sub_mul(w[k * n + i], l[k * n + j].conj()));
            w[j * n + i] = x.divide(l[j * n + j].divisor());
        }
    }
    let mut inverse = vec![S::ZERO; n * n];
    for j in 0..n {
        for i in j..n {
            let x = (i..n).fold(S::ZERO, |x, k| x.sub_mul(w[k * n + i], w[k * n + j].conj()));
            let x = S::ZERO.sub_mul(x, S::ONE);
            inverse[i * n + j] = x.conj();
            inverse[j * n + i] = if i == j { real(x.to_c64().re) } else { x };
        }
    }
    judged(inverse, code)
}

impl Random {
    /// Positive definite matrices, column-major, with NaN above the diagonal.
    fn definite<S: Scalar>(&mut self, count: usize, n: usize) -> Vec<Vec<S>> {
        let mut matrices = self.matrices::<S>(count, n, n);
        for matrix in &mut matrices {
            for k in 0..n {
                matrix[k * n..k * n + k].fill(S::NAN);
                // The imaginary part is there to be ignored.
                let shift: S = real(2.0 * (n as f64).sqrt() + 1.0);
                matrix[k * n + k] = matrix[k * n + k] + shift;
            }
        }
        matrices
    }
}

/// Results, and statuses.
type Results<S> = (Vec<Vec<S>>, Vec<i32>);

/// Factors, from one place to another, or in place.
fn factor_batch<E: Element>(
    isa: Isa,
    a: &[Vec<E::Scalar>],
    n: usize,
    (from, to): (Place, Option<Place>),
) -> Results<E::Scalar> {
    let mut workspace = Workspace::new::<E>(isa, n, 0, 1 << 20).unwrap();
    let (mut status, mut pointers) = (vec![i32::MAX; a.len()], [Vec::new(), Vec::new()]);
    let [of_a, of_l] = &mut pointers;
    let l = match to {
        Some(to) => {
            let (mut a, mut l) = (Batch::<E>::of(from, a, n, n), Batch::<E::Scalar>::new(to, a.len(), n, n));
            // SAFETY: the batches hold these matrices.
            unsafe { cholesky(isa, &mut workspace, a.places(of_a), l.places(of_l), n, &mut status) };
            l
        }
        None => {
            let mut a = Batch::<E::Scalar>::of(from, a, n, n);
            let places = a.places(of_a);
            // SAFETY: as above.
            unsafe { cholesky::<E::Scalar>(isa, &mut workspace, places, places, n, &mut status) };
            a
        }
    };
    (l.matrices(), status)
}

/// Everything that can be asked of matrices, with the reference's results.
fn check<S: CpuScalar>(matrices: &[Vec<S>], sides: &[Vec<S>], n: usize, (from, to): (Place, Place)) {
    let (count, rhs) = (matrices.len(), sides[0].len() / n);
    let factors: Vec<_> = matrices.iter().map(|a| factor(a, n)).collect();
    let inverses: Vec<_> = factors.iter().map(|(l, code)| invert(l, *code, n)).collect();
    for isa in Isa::for_groups() {
        let what = format!("{isa:?}, n = {n}, {count} matrices, {rhs} sides, {from:?} to {to:?}");
        let assert_all = |found: &Results<S>, expected: &[(Vec<S>, i32)], what: String| {
            for (w, (x, code)) in expected.iter().enumerate() {
                assert_eq!(found.1[w], *code, "{what}, matrix {w}");
                assert_eq!(all_bits(&found.0[w]), all_bits(x), "{what}, matrix {w}");
            }
        };
        assert_all(&factor_batch::<S>(isa, matrices, n, (from, Some(to))), &factors, format!("{what}: factors"));
        assert_all(&factor_batch::<S>(isa, matrices, n, (from, None)), &factors, format!("{what}: in place"));

        let mut workspace = Workspace::new::<S>(isa, n, rhs, 1 << 20).unwrap();
        let given: Vec<_> = factors.iter().map(|(l, _)| without_upper(l, n)).collect();
        let before: Vec<_> = factors.iter().map(|(_, code)| *code).collect();
        let [mut of_a, mut of_l, mut of_b, mut of_x] = [const { Vec::new() }; 4];
        let (mut a, mut l) = (Batch::<S>::of(from, matrices, n, n), Batch::<S>::of(from, &given, n, n));
        let (a, l) = (a.places(&mut of_a), l.places(&mut of_l));
        for conjugated in [false, true] {
            let expected: Vec<_> =
                factors.iter().zip(sides).map(|((l, code), b)| solve(l, *code, b, n, conjugated)).collect();
            let (mut b, mut x) = (Batch::<S>::of(to, sides, n, rhs), Batch::<S>::new(to, count, n, rhs));
            let mut status = before.clone();
            // SAFETY: the batches hold these matrices.
            unsafe {
                let (b, x) = (b.places(&mut of_b), x.places(&mut of_x));
                cholesky_solve_factored(isa, &mut workspace, l, conjugated, b, x, n, rhs, &mut status);
            }
            assert_all(&(x.matrices(), status), &expected, format!("{what}, {conjugated}: from factors"));
            let mut status = vec![i32::MAX; count];
            // SAFETY: as above; solutions take the place of right-hand sides.
            unsafe {
                let b = b.places(&mut of_b);
                cholesky_solve(isa, &mut workspace, a, conjugated, b, b, n, rhs, &mut status);
            }
            assert_all(&(b.matrices(), status), &expected, format!("{what}, {conjugated}: in place"));
        }
        let (mut out, mut status) = (Batch::<S>::new(to, count, n, n), before.clone());
        // SAFETY: as above.
        unsafe { cholesky_inverse_factored(isa, &mut workspace, l, out.places(&mut of_x), n, &mut status) };
        assert_all(&(out.matrices(), status), &inverses, format!("{what}: inverse from factors"));
        let (mut out, mut status) = (Batch::<S>::new(to, count, n, n), vec![i32::MAX; count]);
        // SAFETY: as above.
        unsafe { cholesky_inverse(isa, &mut workspace, a, out.places(&mut of_x), n, &mut status) };
        assert_all(&(out.matrices(), status), &inverses, format!("{what}: inverse"));

        let mut det = Determinants::new(count);
        let parts = det.parts();
        // SAFETY: as above; the determinants have room for all.
        unsafe { cholesky_det(isa, &mut workspace, a, n, parts, &mut det.status) };
        let Determinants { values, phase, log_abs, status } = det;
        for (w, (l, code)) in factors.iter().enumerate() {
            assert_eq!(status[w], *code, "{what}");
            if *code != 0 {
                assert!(is_nan(values[w]) && is_nan(phase[w]) && log_abs[w].to_f64().is_nan(), "{what}");
                continue;
            }
            let product: f64 = (0..n).map(|k| l[k * n + k].to_c64().re.powi(2)).product();
            let error = (values[w].to_c64() - product).norm();
            let is_large = values[w].to_c64().re == f64::INFINITY && S::from_c64(product.into()) == values[w];
            assert!(is_large || error <= (n as f64 * 4e-16 + roundoff::<S>()) * product, "{what}: {error}");
            let expected: f64 = (0..n).map(|k| 2.0 * l[k * n + k].to_c64().re.ln()).sum();
            let error = (log_abs[w].to_f64() - expected).abs() / (1.0 + expected.abs());
            assert!(phase[w] == S::ONE && error < 4.0 * n as f64 * roundoff::<S>(), "{what}: {error}");
        }
    }
}

/// L with something above the diagonal.
fn without_upper<S: Scalar>(l: &[S], n: usize) -> Vec<S> {
    (0..n * n).map(|e| if e % n < e / n { S::NAN } else { l[e] }).collect()
}

fn of_all_orders<S: CpuScalar>() {
    let mut random = Random(1);
    for (n, count) in orders() {
        let matrices = random.definite::<S>(count, n);
        check(&matrices, &random.matrices(count, n, 1), n, (Place::Columns, Place::Columns));
        check(&matrices[..6], &random.matrices(6, n, 3), n, (Place::Rows, Place::ColumnGaps(3)));
    }
    for (n, rhs) in [(3, 17), (4, 4), (9, 16), (9, 35), (33, 18)] {
        check(&random.definite::<S>(9, n), &random.matrices(9, n, rhs), n, (Place::Columns, Place::Rows));
    }
}

/// Too few to fill lanes.
fn of_few_matrices<S: CpuScalar>() {
    let mut random = Random(2);
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 32, 33, 50] {
        for count in 1..=4 {
            let places = PLACES[(n + count) % PLACES.len()];
            check(&random.definite::<S>(count, n), &random.matrices(count, n, 2), n, (Place::Columns, places));
        }
    }
}

/// Matrices that are not positive definite, not finite, or whose results are not, in single lanes.
fn bad_lanes<S: CpuScalar>() {
    let mut random = Random(3);
    for n in [1, 2, 3, 4, 5, 8, 13, 33, 67] {
        let (mut matrices, mut sides) = (random.definite::<S>(21, n), random.matrices::<S>(21, n, 2));
        matrices[1][0] = real(-1.0);
        matrices[4][n * n - 1] = real(0.0);
        matrices[7][n / 2 * (n + 1)] = S::NAN;
        matrices[9][n - 1] = S::NAN;
        matrices[12][n - 1] = real(f64::INFINITY);
        matrices[20][n * n - 1] = real(f64::INFINITY);
        sides[2][n - 1] = S::NAN;
        sides[10][n] = real(f64::INFINITY);
        check(&matrices, &sides, n, (Place::Columns, Place::Rows));
        check(&matrices[..2], &sides[..2], n, (Place::Rows, Place::Columns));
    }
}

/// Integers, for which there is no rounding: L has ones on the diagonal, and one pivot is made zero or negative.
fn first_bad_pivot<S: CpuScalar>() {
    for n in [1, 2, 3, 4, 5, 6, 9, 16, 31, 40] {
        for k in 0..n {
            for pivot in [0.0, -3.0] {
                let l = |i: usize, j: usize| if i == j { 1.0 } else { ((i + 2 * j) % 3) as f64 - 1.0 };
                let element = |i: usize, j: usize| {
                    (0..=j).map(|p| l(i, p) * l(j, p) * if p == k { pivot } else { 1.0 }).sum::<f64>()
                };
                let a: Vec<S> = (0..n * n).map(|e| real(element(e % n, e / n))).collect();
                for isa in Isa::for_groups() {
                    for count in [1, 9] {
                        let matrices = vec![a.clone(); count];
                        let place = (Place::Columns, Some(Place::Columns));
                        let (factors, status) = factor_batch::<S>(isa, &matrices, n, place);
                        assert!(status.iter().all(|&status| status == -2 - k as i32), "n = {n}, k = {k}: {status:?}");
                        assert!(factors.iter().flatten().all(|&x| is_nan(x)));
                    }
                }
            }
        }
    }
}

#[test]
fn of_any_strides_and_remainders() {
    fn check_random<S: CpuScalar>(random: &mut Random) {
        let mut below = |most: u64| (random.bits() % most) as usize;
        let (n, count, rhs, gap) = (1 + below(19), 1 + below(37), 1 + below(5), 1 + below(8));
        let places = [&PLACES[..], &[Place::ColumnGaps(gap), Place::RowGaps(gap)]].concat();
        let places = (places[below(10)], places[below(10)]);
        check(&random.definite::<S>(count, n), &random.matrices(count, n, rhs), n, places);
    }
    for seed in 0..100 {
        let random = &mut Random(seed);
        match seed % 4 {
            0 => check_random::<f32>(random),
            1 => check_random::<f64>(random),
            2 => check_random::<c32>(random),
            _ => check_random::<c64>(random),
        }
    }
}

#[test]
fn of_16_bit_matrices() {
    fn check_of<E: Element<Scalar = f32>>() {
        let mut random = Random(4);
        for n in [1, 3, 7, 20] {
            let rounded = |x: &f32| E::narrow(*x).widen();
            let matrices: Vec<Vec<f32>> =
                random.definite(11, n).iter().map(|a| a.iter().map(rounded).collect()).collect();
            let expected: Vec<_> = matrices.iter().map(|a| factor(a, n)).collect();
            for isa in Isa::for_groups() {
                let places = (Place::Rows, Some(Place::Columns));
                let (factors, status) = factor_batch::<E>(isa, &matrices, n, places);
                for (w, (l, code)) in expected.iter().enumerate() {
                    assert_eq!((all_bits(&factors[w]), status[w]), (all_bits(l), *code), "{isa:?}, n = {n}");
                }
                let mut workspace = Workspace::new::<E>(isa, n, 0, 1 << 20).unwrap();
                let (mut a, mut pointers) = (Batch::<E>::of(Place::Rows, &matrices, n, n), Vec::new());
                let (places, mut status) = (a.places(&mut pointers), vec![0; 11]);
                // SAFETY: the batch holds these matrices.
                unsafe { cholesky_inverse(isa, &mut workspace, places, places, n, &mut status) };
                for (x, (l, _)) in a.matrices().iter().zip(&expected) {
                    let (expected, _) = invert(l, 0, n);
                    assert_eq!(all_bits(x), all_bits(&expected.iter().map(rounded).collect::<Vec<_>>()), "n = {n}");
                }
            }
        }
    }
    check_of::<f16>();
    check_of::<bf16>();
}
