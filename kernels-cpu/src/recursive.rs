//! LU of a matrix by one thread, by halves.

use super::view::MatMut;

use super::exchange::swap_rows;
use super::panel::factor_panel;
use super::params::Params;
use super::product::subtract_product;
use super::triangle::{Diagonal, Triangle};
use super::triangular::solve_triangular;
use crate::element::CpuScalar;

/// Factors columns by halves (`xGETRF2`): the left ones, then the right ones once the left are eliminated from them.
pub(super) fn recurse<T: CpuScalar>(a: MatMut<'_, T>, pivots: &mut [u32], params: Params) {
    let (n, panel) = (a.ncols(), params.panel.max(1));
    if n <= panel {
        return factor_panel(params.isa, a, pivots);
    }
    let half = n.div_ceil(2).next_multiple_of(panel).min(n - 1);
    let (mut left, mut right) = a.split_at_col_mut(half);
    let (left_pivots, right_pivots) = pivots.split_at_mut(half);

    recurse(left.rb_mut(), left_pivots, params);
    swap_rows(right.rb_mut(), left_pivots, params);
    let (l11, l21) = left.rb().split_at_row(half);
    let (mut a12, mut a22) = right.split_at_row_mut(half);
    solve_triangular(l11, Triangle::Lower, Diagonal::Unit, a12.rb_mut(), params);
    subtract_product(a22.rb_mut(), l21, a12.rb(), params);

    recurse(a22, right_pivots, params);
    swap_rows(left.split_at_row_mut(half).1, right_pivots, params);
    for pivot in right_pivots {
        *pivot += half as u32;
    }
}
