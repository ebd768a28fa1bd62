//! LU of one matrix by many threads: while they eliminate a panel from the columns to its right, one of them has
//! already done so for the next panel and factors it.

use super::view::{MatMut, MatRef};
use rayon::prelude::*;

use super::exchange::swap_rows;
use super::params::Params;
use super::product::subtract_product;
use super::recursive::recurse;
use super::triangle::{Diagonal, Triangle};
use super::triangular::solve_triangular;
use crate::element::CpuScalar;
use crate::parallel;

/// The least number of columns that a thread eliminates a panel from: for fewer, packing the panel would not pay.
const PART: usize = 48;

/// Columns of a panel: so few that threads need not wait for it, so many that a step is worth waking them up.
pub(super) const WIDTH: usize = 64;

/// Factors a square matrix, with the bits that one thread gives it.
pub(super) fn factor<T: CpuScalar>(mut a: MatMut<'_, T>, pivots: &mut [u32], params: Params) {
    let (n, width) = (a.ncols(), WIDTH);
    let alone = Params { parallel: false, ..params };
    recurse(a.rb_mut().split_at_col_mut(width).0, &mut pivots[..width], alone);
    for first in (0..n - width).step_by(width) {
        let (panel, rest) = a.rb_mut().split_at_row_mut(first).1.split_at_col_mut(first).1.split_at_col_mut(width);
        let (done, later) = pivots.split_at_mut(first + width);
        let done = Panel { factors: panel.rb(), pivots: &done[first..] };
        let next_width = width.min(rest.ncols());
        let (mut next, others) = rest.split_at_col_mut(next_width);
        let part = PART.max(others.ncols().div_ceil(2 * rayon::current_num_threads()));
        parallel::both(
            || {
                done.eliminate_from(next.rb_mut(), alone);
                recurse(next.split_at_row_mut(width).1, &mut later[..next_width], alone);
            },
            || done.eliminate_from_all(others, part, alone),
        );
    }
    // Rows of L follow the exchanges of all panels to the right.
    let pivots_of = |first: usize| &pivots[first..n.min(first + width)];
    let mut panels = Vec::with_capacity(n.div_ceil(width));
    let mut rest = a;
    while rest.ncols() > 0 {
        let columns = width.min(rest.ncols());
        let (panel, others) = rest.split_at_col_mut(columns);
        panels.push(panel);
        rest = others;
    }
    panels.into_par_iter().enumerate().for_each(|(k, mut panel)| {
        for first in ((k + 1) * width..n).step_by(width) {
            swap_rows(panel.rb_mut().split_at_row_mut(first).1, pivots_of(first), alone);
        }
    });
    for first in (0..n).step_by(width) {
        pivots[first..n.min(first + width)].iter_mut().for_each(|pivot| *pivot += first as u32);
    }
}

/// A factored panel, from its diagonal on down.
#[derive(Clone, Copy)]
struct Panel<'a, T> {
    factors: MatRef<'a, T>,
    pivots: &'a [u32],
}

impl<T: CpuScalar> Panel<'_, T> {
    /// Does to columns what was done to the panel, and eliminates it from them.
    fn eliminate_from(self, mut columns: MatMut<'_, T>, params: Params) {
        swap_rows(columns.rb_mut(), self.pivots, params);
        let (l11, l21) = self.factors.split_at_row(self.pivots.len());
        let (mut upper, lower) = columns.split_at_row_mut(self.pivots.len());
        solve_triangular(l11, Triangle::Lower, Diagonal::Unit, upper.rb_mut(), params);
        subtract_product(lower, l21, upper.rb(), params);
    }

    /// As [`eliminate_from`](Self::eliminate_from), by many threads, each of which takes at least half of `part`
    /// columns.
    fn eliminate_from_all(self, columns: MatMut<'_, T>, part: usize, params: Params) {
        let count = columns.ncols();
        if count <= part {
            return self.eliminate_from(columns, params);
        }
        let (left, right) = columns.split_at_col_mut((count / 2).next_multiple_of(8));
        parallel::both(|| self.eliminate_from_all(left, part, params), || self.eliminate_from_all(right, part, params));
    }
}
