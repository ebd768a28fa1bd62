//! LU without interchanges. Pivots may be boosted.

use numbers::matrix::Matrices;
use numbers::pivot::{Boost, larger};
use numbers::problem::Problem;
use numbers::scalar::Real;
use numbers::status::NON_FINITE;

use super::columns::{BLOCK, Columns, divide, with_columns};
use super::lanes::{Number, Routine};
use super::one_by_one::for_each;
use super::panel::eliminate;
use super::params::Params;
use super::product::subtract_product;
use super::transfer::{at, load, place, room_for, start, store};
use super::triangle::{Diagonal, Triangle};
use super::triangular::solve_triangular;
use super::view::MatMut;
use crate::element::{CpuScalar, Element};
use crate::error::Result;
use numbers::element::RealOf;
use numbers::factors::Factors;

/// A = LU; `factors.lu` may be `a`, and is all NaN where the status is not 0. Pivots smaller than the largest element times
/// `threshold` are boosted; with 0, none is.
///
/// # Safety
/// As for [`super::batch::factor`].
pub(crate) unsafe fn factor<T: Element>(
    a: Matrices<T>,
    factors: Factors<T::Scalar>,
    threshold: f64,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    let room = room_for(factors.lu, n);
    // SAFETY: the caller's promise; threads have matrices of their own.
    for_each::<T::Scalar>(size, room, n, |b, workspace, params| unsafe {
        let ([room], _) = workspace.split([room]);
        let (mut matrix, lies_there) = place(factors.lu, b, n, room);
        if !lies_there || start(a, b).addr() != start(factors.lu, b).addr() {
            load(a, b, matrix.rb_mut(), params);
        }
        for k in 0..n {
            at(factors.pivots, b * n + k).write(k as u32);
        }
        at(factors.status, b).write(factor_with(matrix.rb_mut(), threshold, params));
        if !lies_there {
            store(matrix.rb(), factors.lu, b, params);
        }
    })
}

/// Factors a matrix in place: its status, which is that of the first pivot that is zero or not finite.
fn factor_with<T: CpuScalar>(mut a: MatMut<'_, T>, threshold: f64, params: Params) -> i32 {
    let mut largest = RealOf::<T>::from_f64(0.0);
    if threshold > 0.0 {
        a.for_each(|x| largest = larger(largest, x.abs1()));
    }
    let status = recurse(a.rb_mut(), Boost::new(threshold, largest), params);
    if status != 0 {
        a.fill(T::NAN);
    }
    status
}

/// Factors columns by halves: the left ones, then the right ones once the left are eliminated from them.
fn recurse<T: CpuScalar>(a: MatMut<'_, T>, boost: Boost<T::Real>, params: Params) -> i32 {
    let (n, panel) = (a.ncols(), params.panel.max(1));
    if n <= panel {
        return factor_panel(a, boost, params);
    }
    let half = n.div_ceil(2).next_multiple_of(panel).min(n - 1);
    let (mut left, right) = a.split_at_col_mut(half);
    let status = recurse(left.rb_mut(), boost, params);
    if status != 0 {
        return status;
    }
    let (l11, l21) = left.rb().split_at_row(half);
    let (mut a12, mut a22) = right.split_at_row_mut(half);
    solve_triangular(l11, Triangle::Lower, Diagonal::Unit, a12.rb_mut(), params);
    subtract_product(a22.rb_mut(), l21, a12.rb(), params);
    match recurse(a22, boost, params) {
        k if k > 0 => half as i32 + k,
        status => status,
    }
}

/// Factors a panel, which has a row for each column at least.
fn factor_panel<T: CpuScalar>(a: MatMut<'_, T>, boost: Boost<T::Real>, params: Params) -> i32 {
    let (rows, columns) = a.shape();
    assert!(rows >= columns, "a panel has a row for each column");
    // SAFETY: the matrix is borrowed.
    unsafe { params.isa.run(FactorPanel { a: Columns::of_mut(a), rows, columns, boost }) }
}

struct FactorPanel<T: CpuScalar> {
    a: Columns<T>,
    rows: usize,
    columns: usize,
    boost: Boost<T::Real>,
}

impl<T: CpuScalar> Routine for FactorPanel<T> {
    type Scalar = T;
    type Output = i32;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) -> i32 {
        let Self { a, rows, columns, boost } = self;
        // SAFETY: the caller's promise, for the whole panel.
        unsafe {
            for first in (0..columns).step_by(BLOCK) {
                let end = columns.min(first + BLOCK);
                for k in (0..first).step_by(BLOCK) {
                    eliminate::<N, BLOCK>(a, k, first..end, rows);
                }
                for j in first..end {
                    with_columns!(j - first, eliminate::<N>(a, first, j..j + 1, rows));
                    let pivot = boost.apply(a.get(j, j));
                    if !pivot.is_finite() {
                        return NON_FINITE;
                    }
                    if pivot == T::ZERO {
                        return j as i32 + 1;
                    }
                    a.at(j, j).write(pivot);
                    divide::<N>(a.at(j + 1, j), rows - j - 1, pivot);
                }
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use numbers::scalar::c64;

    use super::super::lanes::Isa;
    use super::super::testing::{
        Random, assert_factors, bits, elsewhere, for_all_types, is_complex, orders, params, real,
    };
    use super::*;
    use crate::mat::Mat;

    for_all_types!(
        dominant_matrices,
        zero_pivots_end_it,
        small_pivots_are_boosted,
        non_finite_entries,
        neither_place_nor_vectors_matter,
    );

    /// A matrix whose rows are dominated by its diagonal.
    fn dominant<T: CpuScalar>(random: &mut Random, n: usize) -> Mat<T> {
        let a = random.matrix::<T>(n, n);
        Mat::from_fn(n, n, |i, j| if i == j { a[(i, j)] + real(4.0 * n as f64) } else { a[(i, j)] })
    }

    fn factored<T: CpuScalar>(a: &Mat<T>, threshold: f64, params: Params) -> (Mat<T>, i32) {
        let mut lu = a.clone();
        let status = factor_with(lu.as_mut(), threshold, params);
        assert!(status == 0 || lu.elements().iter().all(|x| !x.is_finite()));
        (lu, status)
    }

    fn dominant_matrices<T: CpuScalar>() {
        let mut random = Random(1);
        for n in orders() {
            let a = dominant::<T>(&mut random, n);
            let pivots: Vec<u32> = (0..n as u32).collect();
            for params in params() {
                for threshold in [0.0, 1e-6] {
                    let (lu, status) = factored(&a, threshold, params);
                    assert_eq!(status, 0);
                    assert_factors(a.as_ref(), lu.as_ref(), &pivots, &format!("n = {n}, {params:?}"));
                }
            }
        }
    }

    fn zero_pivots_end_it<T: CpuScalar>() {
        for params in params() {
            for n in [1, 2, 5, 16, 31, 40] {
                for zero in [0, n / 2, n - 1] {
                    let mut a = dominant::<T>(&mut Random(2), n);
                    // Row and column `zero` are apart from all others.
                    for i in 0..n {
                        (a[(i, zero)], a[(zero, i)]) = (T::ZERO, T::ZERO);
                    }
                    assert_eq!(factored(&a, 0.0, params).1, zero as i32 + 1, "n = {n}");
                    let (lu, status) = factored(&a, 1e-3, params);
                    let largest = a.elements().iter().fold(0.0, |m: f64, x| m.max(x.abs1().to_f64()));
                    assert!(
                        status == 0 && (lu[(zero, zero)].to_c64().re / (1e-3 * largest) - 1.0).abs() < 1e-6 || n == 1
                    );
                }
            }
            // Regular, but with a zero pivot.
            assert_eq!(factored(&Mat::of([[T::ZERO, T::ONE], [T::ONE, T::ZERO]]), 0.0, params).1, 1);
            assert_eq!(factored(&Mat::<T>::zeros(3, 3), 0.5, params).1, 1);
        }
    }

    fn small_pivots_are_boosted<T: CpuScalar>() {
        let imaginary = c64::new(-0.125, if is_complex::<T>() { 0.0625 } else { 0.0 });
        let a = Mat::of([[T::from_c64(imaginary), T::ONE], [T::ONE, real(2.0)]]);
        for params in params() {
            // The pivot becomes -1/2, and what is left 2 - 1 / (-1/2), which is large enough.
            let (lu, status) = factored(&a, 0.25, params);
            assert_eq!(status, 0);
            assert_eq!(lu, Mat::of([[real::<T>(-0.5), T::ONE], [real(-2.0), real(4.0)]]));
            // At the threshold it stays.
            let (lu, _) = factored(&Mat::of([[real::<T>(0.5), T::ZERO], [T::ONE, real(2.0)]]), 0.25, params);
            assert_eq!(lu, Mat::of([[real::<T>(0.5), T::ZERO], [real(2.0), real(2.0)]]));
        }
    }

    fn non_finite_entries<T: CpuScalar>() {
        for params in params() {
            for n in [1, 2, 3, 10, 33] {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    for (i, j) in [(0, 0), (n - 1, 0), (0, n - 1), (n / 2, n / 2), (n - 1, n - 1)] {
                        let mut a = dominant::<T>(&mut Random(4), n);
                        a[(i, j)] = real(bad);
                        assert_eq!(factored(&a, 0.0, params).1, NON_FINITE);
                        assert_eq!(factored(&a, 1e-8, params).1, NON_FINITE);
                    }
                }
            }
        }
    }

    fn neither_place_nor_vectors_matter<T: CpuScalar>() {
        let mut random = Random(5);
        for n in [1, 3, 8, 17, 33, 64, 100, 130] {
            let a = dominant::<T>(&mut random, n);
            let (lu, status) = factored(&a, 1e-6, Params::default());
            for result in elsewhere(a.as_ref(), |a| {
                super::super::testing::by_columns(a, |mut a| {
                    let status = factor_with(a.rb_mut(), 1e-6, Params::default());
                    (bits(a.rb()), status)
                })
            }) {
                assert_eq!(result, (bits(lu.as_ref()), status));
            }
            let fused = Isa::available().into_iter().filter(|isa| isa.has_groups());
            let all: Vec<_> =
                fused.map(|isa| bits(factored(&a, 1e-6, Params { isa, ..Params::default() }).0.as_ref())).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "n = {n}");
        }
    }
}
