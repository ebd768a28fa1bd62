//! Solving with LU factors (LAPACK `xGETRS`).

use super::view::{MatMut, MatRef};

use super::exchange::{swap_rows, unswap_rows};
use super::params::Params;
use super::substitute_apart::solve_for_sides;
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;
use numbers::op::Substitutions;

/// Overwrites `b` with the solution of a system from factors (`xGETRS`), which are transposed where the system is; that
/// it may be the conjugate one is the caller's care. The factors' status is 0: a zero on the diagonal of U makes entries
/// that are not finite. For few right-hand sides the factors may lie by rows, too. Without pivots no rows are interchanged.
///
/// # Panics
/// If the shapes do not fit, or `b` is not column-major.
pub(super) fn solve_with<T: CpuScalar>(
    lu: MatRef<'_, T>,
    pivots: &[u32],
    how: Substitutions,
    mut b: MatMut<'_, T>,
    params: Params,
) {
    let n = b.nrows();
    assert!(lu.shape() == (n, n), "solve needs square factors and right sides as high");
    assert!(pivots.len() == if how.are_both() { n } else { 0 }, "there is a pivot a row");
    let (first, second) = match how.first_is_unit() {
        true => (Diagonal::Unit, Diagonal::Stored),
        false => (Diagonal::Stored, Diagonal::Unit),
    };
    if !how.transposed {
        swap_rows(b.rb_mut(), pivots, params);
    }
    if how.forward {
        solve_for_sides(lu, Triangle::Lower, first, b.rb_mut(), params);
    }
    if how.backward {
        solve_for_sides(lu, Triangle::Upper, second, b.rb_mut(), params);
    }
    if how.transposed {
        unswap_rows(b, pivots, params);
    }
}

#[cfg(test)]
mod tests {
    use crate::mat::Mat;
    use numbers::scalar::{Scalar, c64};

    use super::super::factor::factor;
    use super::super::finite::is_finite;
    use super::super::testing::{
        Random, assert_small, bits, distance, elsewhere, for_all_types, multiply, norm1, orders, real, roundoff, tiny,
        wide, wide_op,
    };
    use super::super::testing::{blocks_of, by_columns};
    use super::*;
    use numbers::op::Op;

    for_all_types!(random_systems, tiny_blocks, subnormal_diagonals, singular_is_not_finite, place_does_not_matter);

    const BLOCK: usize = 16;
    const OPS: [Op; 3] = [Op::None, Op::Transpose, Op::Adjoint];

    /// Solves op(A) X = B with matrices of any strides.
    fn solve<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], op: Op, b: MatMut<'_, T>) {
        solve_in_blocks(lu, pivots, op, b, BLOCK);
    }

    fn solve_in_blocks<T: CpuScalar>(lu: MatRef<'_, T>, pivots: &[u32], op: Op, b: MatMut<'_, T>, block: usize) {
        let (n, params) = (pivots.len(), blocks_of(block));
        let lu = match op {
            Op::None => lu.to_owned(),
            Op::Transpose => lu.transpose().to_owned(),
            Op::Adjoint => Mat::from_fn(n, n, |i, j| Scalar::conj(lu[(j, i)])),
        };
        by_columns(b, |b| solve_with(lu.as_ref(), pivots, op.into(), b, params));
    }

    fn factored<T: CpuScalar>(a: &Mat<T>) -> (Mat<T>, Vec<u32>) {
        let (mut lu, mut pivots) = (a.clone(), vec![0; a.nrows()]);
        factor(lu.as_mut(), &mut pivots);
        (lu, pivots)
    }

    /// `||op(A) X - B|| / (||A|| ||X|| u)` (`xGET02`), each column by itself.
    fn check<T: CpuScalar>(random: &mut Random, n: usize, rhs: usize, block: usize) {
        let (a, b) = (random.matrix::<T>(n, n), random.matrix::<T>(n, rhs));
        let (lu, pivots) = factored(&a);
        for op in OPS {
            let mut x = b.clone();
            solve_in_blocks(lu.as_ref(), &pivots, op, x.as_mut(), block);
            let (a, x, b) = (wide_op(a.as_ref(), op), wide(x.as_ref()), wide(b.as_ref()));
            for j in 0..rhs {
                let column = |m: &Mat<c64>| Mat::from_fn(m.nrows(), 1, |i, _| m[(i, j)]);
                let x = column(&x);
                let residual = distance(&multiply(&a, &x), &column(&b));
                let scale = norm1(&a) * norm1(&x) * roundoff::<T>();
                assert_small(residual, scale, &format!("n = {n}, {op:?}, column {j} of {rhs}, blocks of {block}"));
            }
        }
    }

    fn random_systems<T: CpuScalar>() {
        let mut random = Random(1);
        for n in orders() {
            for rhs in [0, 1, 2, 7] {
                check::<T>(&mut random, n, rhs, BLOCK);
            }
        }
        check::<T>(&mut random, 65, 70, BLOCK);
    }

    fn tiny_blocks<T: CpuScalar>() {
        let mut random = Random(2);
        for n in (0..=12).chain([31, 64]) {
            for block in [0, 1, 2, 3, 5, 1000] {
                check::<T>(&mut random, n, 3, block);
            }
        }
    }

    fn subnormal_diagonals<T: CpuScalar>() {
        for n in [1, 2, 7, 33] {
            // The reciprocals of this diagonal overflow; the quotients are 1 to n.
            let a = Mat::from_fn(n, n, |i, j| if i + j + 1 == n { real::<T>(tiny::<T>()) } else { T::ZERO });
            let (lu, pivots) = factored(&a);
            for op in OPS {
                let mut b = Mat::from_fn(n, 2, |i, _| real::<T>(tiny::<T>() * (i + 1) as f64));
                solve(lu.as_ref(), &pivots, op, b.as_mut());
                assert_eq!(b, Mat::from_fn(n, 2, |i, _| real::<T>((n - i) as f64)));
            }
        }
    }

    fn singular_is_not_finite<T: CpuScalar>() {
        let (lu, pivots) = factored(&Mat::from_fn(9, 9, |i, j| real::<T>((i + j) as f64)));
        for op in OPS {
            let mut b = Random(3).matrix::<T>(9, 1);
            let mut lu = lu.clone();
            lu[(8, 8)] = T::ZERO;
            solve(lu.as_ref(), &pivots, op, b.as_mut());
            assert!(!is_finite(b.as_ref(), Params::default()), "{op:?}");
        }
    }

    fn place_does_not_matter<T: CpuScalar>() {
        let mut random = Random(4);
        for (n, rhs) in [(1, 1), (9, 1), (33, 5), (100, 1), (100, 17)] {
            let (lu, pivots) = factored(&random.matrix::<T>(n, n));
            let b = random.matrix::<T>(n, rhs);
            for op in OPS {
                let mut x = b.clone();
                solve(lu.as_ref(), &pivots, op, x.as_mut());
                let x = bits(x.as_ref());
                let right_sides = elsewhere(b.as_ref(), |mut b| {
                    solve(lu.as_ref(), &pivots, op, b.rb_mut());
                    bits(b.rb())
                });
                let factors = elsewhere(lu.as_ref(), |lu| {
                    let mut b = b.clone();
                    solve(lu.rb(), &pivots, op, b.as_mut());
                    bits(b.as_ref())
                });
                assert!(right_sides.into_iter().chain(factors).all(|y| y == x), "n = {n}, {op:?}");
            }
        }
    }
}
