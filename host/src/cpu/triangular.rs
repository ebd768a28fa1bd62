//! Triangular systems (BLAS `xTRSM`), dividing by the diagonal.
//!
//! faer's triangular solve multiplies by the reciprocals of the diagonal, which are infinite for small subnormal numbers.

use faer::prelude::{Reborrow, ReborrowMut};
use faer::{MatMut, MatRef};

use super::CpuScalar;
use super::compact::{column, column_mut, subtract_multiple};

/// Where the triangle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Triangle {
    Lower,
    Upper,
}

/// What is on the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagonal {
    /// Ones, whatever is stored.
    Unit,
    /// What is stored.
    Stored,
}

/// Overwrites `b` with the solution of T X = B, in blocks of `block`. Both are compact or parts of compact matrices.
pub(super) fn solve_triangular<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
    block: usize,
) {
    let divisors: Vec<T::Divisor> = match diagonal {
        Diagonal::Unit => Vec::new(),
        Diagonal::Stored => (0..t.nrows()).map(|i| t[(i, i)].divisor()).collect(),
    };
    let divisors = (diagonal == Diagonal::Stored).then_some(&divisors[..]);
    recurse(t, triangle, divisors, b, block.max(1));
}

fn recurse<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    divisors: Option<&[T::Divisor]>,
    b: MatMut<'_, T>,
    block: usize,
) {
    let n = t.nrows();
    if n <= block {
        return solve_block(t, triangle, divisors, b);
    }
    let half = n.div_ceil(2).next_multiple_of(block).min(n - 1);
    let (t11, t12, t21, t22) = t.split_at(half, half);
    let (mut b1, mut b2) = b.split_at_row_mut(half);
    let (d1, d2) = divisors.map(|d| d.split_at(half)).unzip();
    match triangle {
        Triangle::Lower => {
            recurse(t11, triangle, d1, b1.rb_mut(), block);
            T::add_product(b2.rb_mut(), -T::ONE, t21, b1.rb());
            recurse(t22, triangle, d2, b2, block);
        }
        Triangle::Upper => {
            recurse(t22, triangle, d2, b2.rb_mut(), block);
            T::add_product(b1.rb_mut(), -T::ONE, t12, b2.rb());
            recurse(t11, triangle, d1, b1, block);
        }
    }
}

/// Column by column of `b`, substituting unknown by unknown.
fn solve_block<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    divisors: Option<&[T::Divisor]>,
    mut b: MatMut<'_, T>,
) {
    let n = t.nrows();
    for j in 0..b.ncols() {
        let x = column_mut(&mut b, j);
        for step in 0..n {
            let k = if triangle == Triangle::Lower { step } else { n - 1 - step };
            if let Some(divisors) = divisors {
                x[k] = x[k].divide(divisors[k]);
            }
            let (known, t_k) = (x[k], column(t, k));
            match triangle {
                Triangle::Lower => subtract_multiple(&mut x[k + 1..], known, &t_k[k + 1..]),
                Triangle::Upper => subtract_multiple(&mut x[..k], known, &t_k[..k]),
            }
        }
    }
}
