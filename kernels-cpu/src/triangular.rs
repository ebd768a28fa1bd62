//! Triangular systems (BLAS `xTRSM`), dividing by the diagonal.

use super::view::{MatMut, MatRef};

use super::params::Params;
use super::product::subtract_product;
use super::substitute::{LARGEST, substitute};
use super::substitute_dots::substitute_dots;
use super::substitute_few::{FEW, substitute_few};
use super::substitute_right::substitute_right;
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;

/// Right sides that are solved for together: parts depend on the sizes alone, so that results do not depend on threads.
const SIDES: usize = 192;

/// Overwrites `b` with the solution of T X = B. For few right-hand sides, up to [`FEW`], T may lie by rows, too.
pub(super) fn solve_triangular<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
    params: Params,
) {
    let (n, sides) = b.shape();
    if sides <= FEW {
        let substitute = if t.row_stride() == 1 { substitute_few } else { substitute_dots };
        return substitute(params.isa, t, triangle, diagonal, b);
    }
    if n <= params.block.clamp(1, LARGEST) {
        return substitute(params.isa, t, triangle, diagonal, b);
    }
    if sides > SIDES {
        let (left, right) = b.split_at_col_mut(sides / 2);
        return params.join(
            || solve_triangular(t, triangle, diagonal, left, params),
            || solve_triangular(t, triangle, diagonal, right, params),
        );
    }
    let half = params.half(n);
    let (t11, t12, t21, t22) = t.split_at(half, half);
    let (mut b1, mut b2) = b.split_at_row_mut(half);
    match triangle {
        Triangle::Lower => {
            solve_triangular(t11, triangle, diagonal, b1.rb_mut(), params);
            subtract_product(b2.rb_mut(), t21, b1.rb(), params);
            solve_triangular(t22, triangle, diagonal, b2, params);
        }
        Triangle::Upper => {
            solve_triangular(t22, triangle, diagonal, b2.rb_mut(), params);
            subtract_product(b1.rb_mut(), t12, b2.rb(), params);
            solve_triangular(t11, triangle, diagonal, b1, params);
        }
    }
}

/// Overwrites `b` with the solution of X T = B.
pub(super) fn solve_triangular_right<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
    params: Params,
) {
    let (sides, n) = b.shape();
    if n <= params.block.max(1) {
        return substitute_right(params.isa, t, triangle, diagonal, b);
    }
    if sides > SIDES {
        // Columns of both parts are aligned as those of the whole.
        let (upper, lower) = b.split_at_row_mut((sides / 2).next_multiple_of(16));
        return params.join(
            || solve_triangular_right(t, triangle, diagonal, upper, params),
            || solve_triangular_right(t, triangle, diagonal, lower, params),
        );
    }
    let half = params.half(n);
    let (t11, t12, t21, t22) = t.split_at(half, half);
    let (mut b1, mut b2) = b.split_at_col_mut(half);
    match triangle {
        Triangle::Upper => {
            solve_triangular_right(t11, triangle, diagonal, b1.rb_mut(), params);
            subtract_product(b2.rb_mut(), b1.rb(), t12, params);
            solve_triangular_right(t22, triangle, diagonal, b2, params);
        }
        Triangle::Lower => {
            solve_triangular_right(t22, triangle, diagonal, b2.rb_mut(), params);
            subtract_product(b1.rb_mut(), b2.rb(), t21, params);
            solve_triangular_right(t11, triangle, diagonal, b1, params);
        }
    }
}
