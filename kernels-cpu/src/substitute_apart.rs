//! Triangular systems T X = B with few right-hand sides, of large T: the products of a block of unknowns are added up
//! before they are subtracted. One by one each would be rounded to the sum of all, which can be far larger than what is
//! left of it.

use std::mem::MaybeUninit;

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{BLOCK, Columns, subtract, with_columns};
use super::lanes::{Isa, Number, Routine};
use super::params::Params;
use super::substitute_few::FEW;
use super::transpose::transpose;
use super::triangle::{Diagonal, Triangle};
use super::triangular::solve_triangular;
use crate::element::CpuScalar;

/// The largest order whose solutions are as [`solve_triangular`]'s.
const SMALL: usize = 512;
/// Unknowns of a block.
const UNKNOWNS: usize = 128;
/// Rows that are transposed at a time, where T lies by rows.
const STRIP: usize = 32;

/// As [`solve_triangular`], where solutions are wanted rather than parts of factors, whose bits must not depend on how
/// many columns a thread has.
pub(super) fn solve_for_sides<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
    params: Params,
) {
    let solve = if b.nrows() > SMALL && b.ncols() <= FEW { substitute_apart } else { solve_triangular };
    solve(t, triangle, diagonal, b, params);
}

/// Overwrites `b`, of few columns, with the solution of T X = B; T may lie by columns or by rows, with the same bits.
fn substitute_apart<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    mut b: MatMut<'_, T>,
    params: Params,
) {
    let n = b.nrows();
    let mut sums = vec![T::ZERO; n];
    let blocks = n.div_ceil(UNKNOWNS);
    for step in 0..blocks {
        let first = UNKNOWNS * if triangle == Triangle::Lower { step } else { blocks - 1 - step };
        let end = (first + UNKNOWNS).min(n);
        let (above, rest) = b.rb_mut().split_at_row_mut(first);
        let (mut x, below) = rest.split_at_row_mut(end - first);
        let columns = t.split_at_col(first).1.split_at_col(end - first).0;
        let (t_above, t_rest) = columns.split_at_row(first);
        let (own, t_below) = t_rest.split_at_row(end - first);
        solve_triangular(own, triangle, diagonal, x.rb_mut(), params);
        let (t, y) = if triangle == Triangle::Lower { (t_below, below) } else { (t_above, above) };
        subtract_apart(params.isa, t, x.rb(), y, &mut sums);
    }
}

/// `y -= T x`, column by column.
fn subtract_apart<T: CpuScalar>(isa: Isa, t: MatRef<'_, T>, x: MatRef<'_, T>, mut y: MatMut<'_, T>, sums: &mut [T]) {
    let (rows, unknowns) = t.shape();
    let mut subtract = |t: Columns<T>, from: usize, height: usize, sums: &mut [T]| {
        for c in 0..x.ncols() {
            let (x, y) = (Columns::of(x).from(0, c), Columns::of_mut(y.rb_mut()).from(from, c));
            // SAFETY: the matrices are borrowed; y and the sums are apart from what is read.
            unsafe { isa.run(Apart { t, x, y, sums: sums[..height].as_mut_ptr(), rows: height, unknowns }) };
        }
    };
    if t.row_stride() == 1 {
        return subtract(Columns::of(t), 0, rows, sums);
    }
    let mut room = MaybeUninit::<[T; STRIP * UNKNOWNS]>::uninit();
    for first in (0..rows).step_by(STRIP) {
        let height = STRIP.min(rows - first);
        let lines = Columns::of(t.transpose()).from(0, first).lines();
        // SAFETY: there is room for the strip, which is written before it is read.
        let strip = unsafe {
            let strip = MatRef::from_raw_parts(room.as_mut_ptr().cast::<T>(), height, unknowns, 1, STRIP as isize);
            transpose(lines, Columns::of(strip).lines(), height, unknowns);
            Columns::of(strip)
        };
        subtract(strip, first, height, sums);
    }
}

struct Apart<T> {
    t: Columns<T>,
    x: Columns<T>,
    y: Columns<T>,
    /// Room for a column: shape (rows).
    sums: *mut T,
    rows: usize,
    unknowns: usize,
}

impl<T: CpuScalar> Routine for Apart<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        // SAFETY: the caller's promise, for all rows.
        unsafe {
            for i in 0..self.rows {
                self.sums.add(i).write(T::ZERO);
            }
            for first in (0..self.unknowns).step_by(BLOCK) {
                with_columns!(self.unknowns - first, multiply::<N>(&self, first));
            }
            for i in 0..self.rows {
                let y = self.y.at(i, 0);
                y.write(*y + *self.sums.add(i)); // these are negative
            }
        }
    }
}

/// Subtracts the products with K unknowns from the sums.
///
/// # Safety
/// The CPU has the instructions, and there are so many unknowns.
#[inline(always)]
unsafe fn multiply<N: Number, const K: usize>(of: &Apart<N::Scalar>, first: usize)
where
    N::Scalar: CpuScalar,
{
    let mut u = [N::Scalar::ZERO; K];
    let mut columns = [of.t.at(0, first).cast_const(); K];
    // SAFETY: the caller's promise.
    unsafe {
        for k in 0..K {
            u[k] = of.x.get(first + k, 0);
            columns[k] = of.t.at(0, first + k);
        }
        subtract::<N, K, 1>([of.sums], columns, [u], of.rows);
    }
}

#[cfg(test)]
mod tests {
    use numbers::scalar::Real;

    use super::super::for_all_types;
    use super::super::testing::{Random, bits};
    use super::*;
    use crate::mat::Mat;

    for_all_types!(layout_does_not_matter);

    const TRIANGLES: [(Triangle, Diagonal); 4] = [
        (Triangle::Lower, Diagonal::Unit),
        (Triangle::Lower, Diagonal::Stored),
        (Triangle::Upper, Diagonal::Unit),
        (Triangle::Upper, Diagonal::Stored),
    ];

    /// By columns or by rows, nor which of the instruction sets with fused multiply-adds it is.
    fn layout_does_not_matter<T: CpuScalar>() {
        let mut random = Random(3);
        for n in [SMALL + 1, SMALL + UNKNOWNS + STRIP + 7] {
            let mut t = random.matrix::<T>(n, n);
            t.as_mut().for_each(|x| *x = x.scale(T::Real::from_f64(1.0 / n as f64)));
            (0..n).for_each(|i| t[(i, i)] = T::ONE + t[(i, i)]);
            let by_rows = t.transpose().to_owned();
            for sides in 1..=FEW {
                let b = random.matrix::<T>(n, sides);
                for (triangle, diagonal) in TRIANGLES {
                    let solve = |t, isa| {
                        let mut x = b.clone();
                        solve_for_sides(t, triangle, diagonal, x.as_mut(), Params { isa, ..Params::default() });
                        bits(x.as_ref())
                    };
                    let fused = solve(t.as_ref(), Isa::detect());
                    for isa in Isa::available() {
                        let x = solve(t.as_ref(), isa);
                        assert!(!isa.has_groups() || x == fused, "n = {n}, {sides} sides, {isa:?}");
                        assert!(x == solve(by_rows.transpose(), isa), "n = {n}, {sides} sides by rows, {isa:?}");
                    }
                }
            }
        }
    }

    /// One by one, each would be rounded away.
    #[test]
    fn small_products_add_up() {
        let (n, small) = (1025, 2.0_f32.powi(-25));
        for (triangle, last) in [(Triangle::Lower, n - 1), (Triangle::Upper, 0)] {
            let element = |i: usize, j: usize| if i == last && i.abs_diff(j) >= UNKNOWNS { small } else { 0.0 };
            let t = Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { element(i, j) });
            let by_rows = t.transpose().to_owned();
            for t in [t.as_ref(), by_rows.transpose()] {
                let mut x = Mat::from_fn(n, 1, |_, _| 1.0);
                solve_for_sides(t, triangle, Diagonal::Stored, x.as_mut(), Params::default());
                let expected = 1.0 - (n - UNKNOWNS) as f32 * small;
                assert!((x[(last, 0)] - expected).abs() <= 2.0 * small, "{triangle:?}: {}", x[(last, 0)]);
            }
        }
    }
}
