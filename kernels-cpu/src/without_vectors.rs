//! Small matrices on a CPU without vectors of its own, where each is worked on by itself: the results of all calls are
//! those of groups, but for rounding.

use half::{bf16, f16};
use numbers::det_product::DetParts;
use numbers::element::Element;
use numbers::factors::{CholeskyFactors, Factors};
use numbers::matrix::Matrices;
use numbers::op::Op;
use numbers::problem::Problem;
use numbers::scalar::{Real, Scalar, c32, c64};
use simt::Pod;
use simt::global::Global;

use crate::calls;
use crate::lanes::{FORCED, Isa};
use crate::testing::{Random, roundoff};

const RHS: usize = 3;
const BATCH: usize = 5;

fn global<T: Pod>(data: &mut [T]) -> Global<T> {
    // SAFETY: the test's own memory, which it does not touch during calls.
    unsafe { Global::new(data.as_mut_ptr().expose_provenance() as u64) }
}

/// Matrices by rows.
fn matrices<T: Pod>(data: &mut [T], rows: usize, cols: usize) -> Matrices<T> {
    // SAFETY: null where nothing is read.
    let pointers = unsafe { Global::new(0) };
    let [batch_stride, row_stride] = [rows * cols, cols].map(|stride| stride as i64);
    Matrices { base: global(data), pointers, batch_stride, row_stride, col_stride: 1 }
}

/// What all calls compute of matrices with a large diagonal, the third of which is singular, and the statuses.
fn results<T: Element>(n: usize) -> (Vec<c64>, Vec<i32>) {
    let mut random = Random(n as u64);
    let mut stored = |x: f64, y: f64| T::narrow(T::Scalar::from_c64(c64::new(x + random.real(), y * random.real())));
    let size = Problem { n: n as u32, batch: BATCH as u64, rhs: RHS as u32 };
    let mut a: Vec<T> = Vec::new();
    for b in 0..BATCH {
        for k in 0..n * n {
            let diagonal = k / n == k % n;
            a.push(stored(if diagonal { 4.0 * n as f64 + 1.0 } else { 0.0 }, if diagonal { 0.0 } else { 1.0 }));
        }
        if b == 2 {
            a[b * n * n..].fill(T::narrow(T::Scalar::ZERO));
        }
    }
    let mut b: Vec<T> = (0..BATCH * n * RHS).map(|_| stored(0.0, 1.0)).collect();
    let zero = || vec![T::Scalar::ZERO; BATCH * n * n];
    let (mut lu, mut l, mut pivots) = (zero(), zero(), vec![0; BATCH * n]);
    let square = || (vec![T::narrow(T::Scalar::ZERO); BATCH * n * n], n);
    let mut out = [square(), square(), square(), square()];
    let mut sides = [(); 5].map(|()| vec![T::narrow(T::Scalar::ZERO); BATCH * n * RHS]);
    let mut statuses = [(); 12].map(|()| vec![7; BATCH]);
    let mut dets = [(); 4].map(|()| vec![T::Scalar::ZERO; BATCH]);
    let mut logs = [(); 2].map(|()| vec![<T::Scalar as Scalar>::Real::ZERO; BATCH]);
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11] = statuses.each_mut().map(|s| global(s));
    let (a, b) = (matrices(&mut a, n, n), matrices(&mut b, n, RHS));
    let factors = Factors { lu: matrices(&mut lu, n, n), pivots: global(&mut pivots), status: s0 };
    let cholesky = CholeskyFactors { l: matrices(&mut l, n, n), status: s1 };
    let [i0, i1, i2, i3] = out.each_mut().map(|(out, n)| matrices(out, *n, *n));
    let [x0, x1, x2, x3, x4] = sides.each_mut().map(|x| matrices(x, n, RHS));
    let [v0, v1, p0, p1] = dets.each_mut().map(|p| global(p));
    let [l0, l1] = logs.each_mut().map(|d| global(d));
    let d0 = DetParts { value: v0, phase: p0, log_abs: l0 };
    let d1 = DetParts { value: v1, phase: p1, log_abs: l1 };
    // SAFETY: all is of these sizes, and apart.
    unsafe {
        calls::factor(a, factors, size).unwrap();
        calls::solve(a, b, x0, s2, size).unwrap();
        calls::solve_from_factors(factors, Op::None.into(), (b, x1), s3, size).unwrap();
        calls::solve_from_factors(factors, Op::Adjoint.into(), (b, x2), s4, size).unwrap();
        calls::invert(a, i0, s5, size).unwrap();
        calls::invert_from_factors(factors, i1, s6, size).unwrap();
        calls::det(a, d0, s7, size).unwrap();
        calls::cholesky(a, cholesky, size).unwrap();
        calls::cholesky_solve(a, false, (b, x3), s8, size).unwrap();
        calls::cholesky_solve_from_factors(cholesky, true, (b, x4), s9, size).unwrap();
        calls::cholesky_invert(a, i2, s10, size).unwrap();
        calls::cholesky_invert_from_factors(cholesky, i3, s11, size).unwrap();
        calls::cholesky_det(a, d1, s8, size).unwrap();
    }
    let scalars = lu.into_iter().chain(l).chain(dets.concat());
    let stored = out.into_iter().flat_map(|(out, _)| out).chain(sides.concat()).map(Element::widen);
    let logs = logs.concat().into_iter().map(|x| c64::new(x.to_f64(), 0.0));
    let all = scalars.chain(stored).map(Scalar::to_c64).chain(logs).collect();
    (all, statuses.concat())
}

fn check<T: Element>() {
    let u = if T::STORAGE.is_converted() { 1.0 / 128.0 } else { roundoff::<T::Scalar>() };
    for n in [0, 1, 2, 3, 4, 5, 16, 17, 33, 128] {
        let (groups, statuses) = results::<T>(n);
        FORCED.set(Some(Isa::PORTABLE));
        let (alone, others) = results::<T>(n);
        FORCED.set(None);
        assert_eq!(statuses, others, "{}, n = {n}", T::NAME);
        assert!(statuses.contains(&1) || n == 0, "singular matrices are noticed");
        for (k, (x, y)) in groups.iter().zip(&alone).enumerate() {
            let near =
                |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 40.0 * u * (1.0 + x.abs());
            assert!(near(x.re, y.re) && near(x.im, y.im), "{}, n = {n}, number {k}: {x} and {y}", T::NAME);
        }
    }
}

#[test]
fn of_all_types() {
    check::<f32>();
    check::<f64>();
    check::<c32>();
    check::<c64>();
    check::<f16>();
    check::<bf16>();
}
