//! A matrix by itself, where a group has too few to fill its lanes: each element comes from the same operations in the
//! same order, elements of a column side by side instead of matrices.
//!
//! Inner loops count: what loops over several slices at once calls, and closures, may stay functions outside the code
//! for the instructions, and calls of these take longer than the loops.

use std::slice;

use numbers::matrix::Matrices;
use numbers::op::Substitutions;
use numbers::pivot::pivot_key;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

use super::number::Number;
use super::room::Room;
use super::small::MAX_ORDER;
use super::vector::{Stage, Vector};
use crate::transfer::start;

/// Columns that are factored one by one, and of which multiples are subtracted together.
const PANEL: usize = 4;
/// Candidates for a pivot that are compared together.
const CANDIDATES: usize = 8;

/// Vectors, each with its factor.
type Multiples<'a, S> = [(&'a [S], S); PANEL];

/// Whether so few matrices take less time one after the other than in lanes of which most are idle.
#[inline(always)]
pub(super) fn suits<N: Number>(count: usize, n: usize) -> bool {
    n > MAX_ORDER && 4 * count <= N::Vector::LANES
}

/// Room for a matrix, shape (n, n), for another or for a right-hand side, and for pivots, shape (n).
///
/// # Safety
/// The room is for groups that matrices of this order and number [suit](suits).
#[inline(always)]
pub(super) unsafe fn room<'a, S: Scalar>(
    room: &'a mut Room<'_>,
    n: usize,
) -> (&'a mut [S], &'a mut [S], &'a mut [u32]) {
    // SAFETY: there is room for at least two lanes, which has been written with zeros at first.
    let both = unsafe { slice::from_raw_parts_mut(room.block.cast::<S>(), 2 * n * n) };
    let (a, other) = both.split_at_mut(n * n);
    (a, other, &mut room.order.as_flattened_mut()[..n])
}

/// Copies columns of matrix b, from column `first` on, to `to`, column-major.
///
/// # Safety
/// They may be read.
#[inline(always)]
pub(super) unsafe fn load<S: Scalar>(from: Matrices<S>, (b, first): (usize, usize), rows: usize, to: &mut [S]) {
    let (down, along) = (from.row_stride as isize, from.col_stride as isize);
    for (j, column) in (first..).zip(to.chunks_exact_mut(rows)) {
        for (i, x) in column.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *x = unsafe { *start(from, b).offset(i as isize * down + j as isize * along) };
        }
    }
}

/// Copies `from`, column-major, to columns of matrix b, from column `first` on.
///
/// # Safety
/// They may be written.
#[inline(always)]
pub(super) unsafe fn store<S: Scalar>(from: &[S], to: Matrices<S>, (b, first): (usize, usize), rows: usize) {
    let (down, along) = (to.row_stride as isize, to.col_stride as isize);
    for (j, column) in (first..).zip(from.chunks_exact(rows)) {
        for (i, &x) in column.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { *start(to, b).offset(i as isize * down + j as isize * along) = x };
        }
    }
}

/// Whether all entries are finite.
#[inline(always)]
pub(super) fn is_finite<S: Scalar>(x: &[S]) -> bool {
    x.iter().fold(true, |finite, x| finite & x.is_finite())
}

/// PA = LU in place, with the status of the factors.
pub(super) struct Factor<'a, S> {
    /// Shape (columns, n).
    pub(super) a: &'a mut [S],
    /// Shape (n).
    pub(super) pivots: &'a mut [u32],
}

impl<S: Scalar> Stage for Factor<'_, S> {
    type Output = i32;

    #[inline(always)]
    unsafe fn run(self) -> i32 {
        let (a, n) = (self.a, self.pivots.len());
        for start in (0..n).step_by(PANEL) {
            let end = n.min(start + PANEL);
            let (left, right) = a.split_at_mut(end * n);
            let (left, panel) = left.split_at_mut(start * n);
            for k in start..end {
                let row = k + first_of_largest(&panel[(k - start) * n..][k..n]);
                self.pivots[k] = row as u32;
                for column in panel.chunks_exact_mut(n) {
                    column.swap(k, row);
                }
                let (l, later) = panel[(k - start) * n..].split_at_mut(n);
                if l[k] != S::ZERO {
                    let divisor = l[k].divisor();
                    l[k + 1..].iter_mut().for_each(|x| *x = x.divide(divisor));
                }
                for column in later.chunks_exact_mut(n) {
                    let u = column[k];
                    subtract(&mut column[k + 1..], &l[k + 1..], u);
                }
            }
            let pivots = &self.pivots[start..end];
            let exchange = |column: &mut [S]| (start..).zip(pivots).for_each(|(k, &row)| column.swap(k, row as usize));
            left.chunks_exact_mut(n).for_each(exchange);
            for column in right.chunks_exact_mut(n) {
                exchange(column);
                for k in start..end {
                    let u = column[k];
                    subtract(&mut column[k + 1..end], &panel[(k - start) * n..][k + 1..end], u);
                }
                // There are columns on the right only of a whole panel.
                let (u, y) = column.split_at_mut(end);
                let mut multiples: Multiples<'_, S> = [(&[], S::ZERO); PANEL];
                for k in 0..PANEL {
                    multiples[k] = (&panel[k * n..][end..n], u[start + k]);
                }
                subtract_panel(y, multiples);
            }
        }
        if !is_finite(a) {
            return NON_FINITE;
        }
        (0..n).find(|&k| a[k * n + k] == S::ZERO).map_or(0, |k| k as i32 + 1)
    }
}

/// Overwrites a right-hand side with the solution.
pub(super) struct Solve<'a, S> {
    /// Factors, or, for the transposed matrix, these transposed: shape (n, n).
    pub(super) lu: &'a [S],
    pub(super) how: Substitutions,
    /// Shape (n), or none.
    pub(super) pivots: &'a [u32],
    /// Shape (n).
    pub(super) x: &'a mut [S],
}

impl<S: Scalar> Stage for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { lu, how, pivots, x } = self;
        let n = x.len();
        if !how.transposed {
            for (k, &row) in pivots.iter().enumerate() {
                x.swap(k, row as usize);
            }
        }
        let columns = |wanted| if wanted { lu } else { &[] }.chunks_exact(n).enumerate();
        for (k, lower) in columns(how.forward) {
            if how.transposed {
                x[k] = x[k].divide(lower[k].divisor());
            }
            let known = x[k];
            subtract(&mut x[k + 1..], &lower[k + 1..], known);
        }
        for (k, upper) in columns(how.backward).rev() {
            if !how.transposed {
                x[k] = x[k].divide(upper[k].divisor());
            }
            let known = x[k];
            subtract(&mut x[..k], &upper[..k], known);
        }
        if how.transposed {
            for (k, &row) in pivots.iter().enumerate().rev() {
                x.swap(k, row as usize);
            }
        }
    }
}

/// Writes the inverse: X U = I, then X L = that, then its columns in order.
pub(super) struct Invert<'a, S> {
    /// Factors: shape (n, n).
    pub(super) lu: &'a [S],
    /// Shape (n).
    pub(super) pivots: &'a [u32],
    /// Shape (n, n).
    pub(super) x: &'a mut [S],
}

impl<S: Scalar> Stage for Invert<'_, S> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { lu, pivots, x } = self;
        let n = pivots.len();
        invert_upper(lu, n, x);
        for (j, l) in lu.chunks_exact(n).enumerate().rev() {
            let (column, known) = x[j * n..].split_at_mut(n);
            // From the last column downwards.
            let mut end = n;
            while end > j + PANEL {
                let mut multiples: Multiples<'_, S> = [(&[], S::ZERO); PANEL];
                for k in 0..PANEL {
                    let k_of_l = end - 1 - k;
                    multiples[k] = (&known[(k_of_l - j - 1) * n..][..n], l[k_of_l]);
                }
                subtract_panel(column, multiples);
                end -= PANEL;
            }
            for k in (j + 1..end).rev() {
                subtract(column, &known[(k - j - 1) * n..][..n], l[k]);
            }
        }
        for (k, &row) in pivots.iter().enumerate().rev() {
            if row as usize != k {
                let (first, second) = (k.min(row as usize), k.max(row as usize));
                let (left, right) = x.split_at_mut(second * n);
                left[first * n..][..n].swap_with_slice(&mut right[..n]);
            }
        }
    }
}

/// Writes the inverse of the upper triangle of `lu`, with zeros below.
#[inline(always)]
pub(super) fn invert_upper<S: Scalar>(lu: &[S], n: usize, x: &mut [S]) {
    for (j, u) in lu.chunks_exact(n).enumerate() {
        let (known, column) = x.split_at_mut(j * n);
        let column = &mut column[..n];
        column.fill(S::ZERO);
        column[j] = S::ONE;
        let panels = j / PANEL * PANEL;
        for first in (0..panels).step_by(PANEL) {
            let mut multiples: Multiples<'_, S> = [(&[], S::ZERO); PANEL];
            for k in 0..PANEL {
                multiples[k] = (&known[(first + k) * n..][..=first], u[first + k]);
            }
            subtract_panel(&mut column[..=first], multiples);
            for k in first + 1..first + PANEL {
                subtract(&mut column[first + 1..=k], &known[k * n..][first + 1..=k], u[k]);
            }
        }
        for k in panels..j {
            subtract(&mut column[..=k], &known[k * n..][..=k], u[k]);
        }
        let divisor = u[j].divisor();
        column[..=j].iter_mut().for_each(|x| *x = x.divide(divisor));
    }
}

/// `y -= a * x`, element by element.
#[inline(always)]
pub(super) fn subtract<S: Scalar>(y: &mut [S], a: &[S], x: S) {
    let a = &a[..y.len()];
    for i in 0..y.len() {
        y[i] = y[i].sub_mul(a[i], x);
    }
}

/// As [`subtract`], of one multiple after the other, all of which are as long.
#[inline(always)]
fn subtract_panel<S: Scalar>(y: &mut [S], multiples: Multiples<'_, S>) {
    let len = y.len();
    let [(a, p), (b, q), (c, r), (d, s)] = multiples;
    let (a, b, c, d) = (&a[..len], &b[..len], &c[..len], &d[..len]);
    for i in 0..len {
        y[i] = y[i].sub_mul(a[i], p).sub_mul(b[i], q).sub_mul(c[i], r).sub_mul(d[i], s);
    }
}

/// The first of the largest (`IxAMAX`). A NaN counts as 0.
#[inline(always)]
fn first_of_largest<S: Scalar>(x: &[S]) -> usize {
    let mut largest = [S::Real::ZERO; CANDIDATES];
    let mut compare = |x: &[S]| {
        for (largest, &x) in largest.iter_mut().zip(x) {
            let candidate = pivot_key(x, true);
            if candidate > *largest {
                *largest = candidate;
            }
        }
    };
    let whole = x.chunks_exact(CANDIDATES);
    compare(whole.remainder());
    whole.for_each(compare);
    let of_all = largest.into_iter().fold(S::Real::ZERO, |a, b| if b > a { b } else { a });
    x.iter().position(|&x| pivot_key(x, true) == of_all).unwrap_or(0)
}
