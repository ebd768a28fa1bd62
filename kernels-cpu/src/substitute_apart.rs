//! Triangular systems T X = B for solutions: the products of a block of unknowns are added up before they are
//! subtracted. One by one each would be rounded to the sum of all, which can be far larger than what is left of it.

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{BLOCK, Columns, subtract, with_columns};
use super::lanes::{Number, Routine};
use super::params::Params;
use super::substitute_few::FEW;
use super::triangle::{Diagonal, Triangle};
use super::triangular::solve_triangular;
use crate::element::CpuScalar;

/// The largest order whose few right-hand sides are solved for one product after the other.
const SMALL: usize = 64;
/// Unknowns of a block.
const UNKNOWNS: usize = 64;

/// As [`solve_triangular`], where solutions are wanted rather than parts of factors, whose bits must not depend on how
/// many columns a thread has.
pub(super) fn solve_for_sides<T: CpuScalar>(
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
    params: Params,
) {
    // Dot products of rows are apart anyway.
    let is_few = b.ncols() <= FEW && t.row_stride() == 1;
    let solve = if b.nrows() > SMALL && is_few { substitute_apart } else { solve_triangular };
    solve(t, triangle, diagonal, b, Params { apart: true, ..params });
}

/// Overwrites `b`, of few columns, with the solution of T X = B.
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
        let (t, mut y) = if triangle == Triangle::Lower { (t_below, below) } else { (t_above, above) };
        let (rows, unknowns) = t.shape();
        for c in 0..x.ncols() {
            let (x, y) = (Columns::of(x.rb()).from(0, c), Columns::of_mut(y.rb_mut()).from(0, c));
            let apart = Apart { t: Columns::of(t), x, y, sums: sums[..rows].as_mut_ptr(), rows, unknowns };
            // SAFETY: the matrices are borrowed; y and the sums are apart from what is read.
            unsafe { params.isa.run(apart) };
        }
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
    use super::super::lanes::Isa;
    use super::super::testing::{Random, bits, roundoff};
    use super::*;
    use crate::mat::Mat;

    for_all_types!(layouts_and_vectors_agree);

    const TRIANGLES: [(Triangle, Diagonal); 4] = [
        (Triangle::Lower, Diagonal::Unit),
        (Triangle::Lower, Diagonal::Stored),
        (Triangle::Upper, Diagonal::Unit),
        (Triangle::Upper, Diagonal::Stored),
    ];

    /// All instruction sets with fused multiply-adds give the same bits; whether T lies by columns or by rows, how many
    /// right-hand sides there are, and what the others are fused with, make a difference in rounding only.
    fn layouts_and_vectors_agree<T: CpuScalar>() {
        let mut random = Random(3);
        for n in [1, 2, 3, 5, 16, 17, 33, 65, 130, SMALL + 1, SMALL + UNKNOWNS + 39] {
            let mut t = random.matrix::<T>(n, n);
            t.as_mut().for_each(|x| *x = x.scale(T::Real::from_f64(1.0 / n as f64)));
            (0..n).for_each(|i| t[(i, i)] = T::ONE + t[(i, i)]);
            let by_rows = t.transpose().to_owned();
            for sides in 1..=FEW + 1 {
                let b = random.matrix::<T>(n, sides);
                for (triangle, diagonal) in TRIANGLES {
                    let solve = |t, isa| {
                        let mut x = b.clone();
                        solve_for_sides(t, triangle, diagonal, x.as_mut(), Params { isa, ..Params::default() });
                        x
                    };
                    let what = format!("n = {n}, {sides} sides, {triangle:?}, {diagonal:?}");
                    let columns = solve(t.as_ref(), Isa::detect());
                    let rows = if sides <= FEW { solve(by_rows.transpose(), Isa::detect()) } else { columns.clone() };
                    assert_near(&columns, &rows, &what);
                    for isa in Isa::available() {
                        for (t, x) in [(t.as_ref(), &columns), (by_rows.transpose(), &rows)] {
                            if sides <= FEW || t.row_stride() == 1 {
                                let y = solve(t, isa);
                                let same = bits(y.as_ref()) == bits(x.as_ref());
                                assert!(same || !(isa.has_groups() && Isa::detect().has_groups()), "{what}, {isa:?}");
                                assert_near(&y, x, &what);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The triangles have rows with sums below 3.
    fn assert_near<T: CpuScalar>(x: &Mat<T>, y: &Mat<T>, what: &str) {
        let largest = |x: &Mat<T>| (0..x.nrows()).map(|i| x[(i, 0)].to_c64().norm()).fold(0.0, f64::max);
        let difference = Mat::from_fn(x.nrows(), 1, |i, _| x[(i, 0)] - y[(i, 0)]);
        assert!(largest(&difference) <= 100.0 * roundoff::<T>() * largest(x), "{what}");
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
