//! Triangular systems T X = B with few right-hand sides and T by rows: from each unknown the dot product of its row and
//! the known ones is subtracted.

#![expect(clippy::needless_range_loop, reason = "numbers of rows, vectors and lanes are what the formulas have")]

use super::view::{MatMut, MatRef};
use numbers::scalar::Scalar;

use super::columns::{Columns, load, sub_mul};
use super::lanes::{Isa, Number, Routine, Vector};
use super::substitute_few::Triangular;
use super::triangle::{Diagonal, Triangle};
use crate::element::CpuScalar;

/// Bytes of a row whose products are added to sums of their own: the same for all vectors, so that bits are, too.
const WIDE: usize = 64;
/// The most vectors of so many bytes, and the most numbers.
const VECTORS: usize = 4;
const NUMBERS: usize = WIDE / size_of::<f32>();

/// Overwrites B with the solution of T X = B, where T lies by rows.
///
/// # Panics
/// If the shapes do not fit, or the matrices lie otherwise.
pub(super) fn substitute_dots<T: CpuScalar>(
    isa: Isa,
    t: MatRef<'_, T>,
    triangle: Triangle,
    diagonal: Diagonal,
    b: MatMut<'_, T>,
) {
    let (n, columns) = b.shape();
    assert!(t.shape() == (n, n), "the triangle is as high as the right sides");
    let (t, b) = (Triangular { t: Columns::of(t.transpose()), diagonal }, Columns::of_mut(b));
    // SAFETY: the matrices are borrowed.
    unsafe { isa.run(Dots { t, triangle, b, n, columns }) }
}

struct Dots<T> {
    /// T, its rows as columns.
    t: Triangular<T>,
    triangle: Triangle,
    b: Columns<T>,
    n: usize,
    columns: usize,
}

impl<T: CpuScalar> Routine for Dots<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        // SAFETY: the caller's promise. Complex rows have two sums each.
        unsafe { if N::PARTS == 1 { self.by_bands::<N, 4>() } else { self.by_bands::<N, 2>() } }
    }
}

impl<T: CpuScalar> Dots<T> {
    /// Solves for bands of `R` unknowns, and for those that are left over one by one.
    ///
    /// # Safety
    /// The CPU has the instructions, and the elements may be read and written.
    #[inline(always)]
    unsafe fn by_bands<N: Number<Scalar = T>, const R: usize>(&self) {
        let whole = self.n - self.n % R;
        // SAFETY: the caller's promise.
        unsafe {
            for done in (0..whole).step_by(R) {
                (0..self.columns).for_each(|c| self.band::<N, R>(done, c));
            }
            for done in whole..self.n {
                (0..self.columns).for_each(|c| self.band::<N, 1>(done, c));
            }
        }
    }

    /// Solves for `R` unknowns of one right-hand side, of which `done` are known. The dot products leave out the `R`
    /// that became known last, so that the CPU can begin them before those are.
    ///
    /// # Safety
    /// As for [`by_bands`](Self::by_bands).
    #[inline(always)]
    unsafe fn band<N: Number<Scalar = T>, const R: usize>(&self, done: usize, c: usize) {
        let Self { t, triangle, b, n, .. } = *self;
        let is_lower = triangle == Triangle::Lower;
        // Where the unknown is that is solved for after so many.
        let at = |solved: usize| if is_lower { solved } else { n - 1 - solved };
        let known = done.saturating_sub(R);
        let first = if is_lower { 0 } else { n - known };
        let rows = std::array::from_fn(|s| t.t.at(first, at(done + s)).cast_const().cast());
        // SAFETY: the caller's promise.
        unsafe {
            let sums = dots::<N, R>(rows, b.at(first, c).cast_const().cast(), known * N::PARTS);
            let mut x = [T::ZERO; R];
            for s in 0..R {
                x[s] = b.get(at(done + s), c) - sums[s];
            }
            for k in known..done {
                let u = b.get(at(k), c);
                for s in 0..R {
                    x[s] = sub_mul::<N>(x[s], u, t.t.get(at(k), at(done + s)));
                }
            }
            for k in 0..R {
                x[k] = t.divide(x[k], at(done + k));
                for s in k + 1..R {
                    x[s] = sub_mul::<N>(x[s], x[k], t.t.get(at(done + k), at(done + s)));
                }
                b.at(at(done + k), c).write(x[k]);
            }
        }
    }
}

/// Sums of the lanes' products: of parts with the same parts, and with the others.
type Sums<V> = ([V; VECTORS], [V; VECTORS]);

/// The dot products of rows with x, all of so many reals.
///
/// # Safety
/// The CPU has the instructions, and the elements may be read.
#[inline(always)]
unsafe fn dots<N: Number, const R: usize>(
    rows: [*const N::Real; R],
    x: *const N::Real,
    reals: usize,
) -> [N::Scalar; R] {
    let (lanes, numbers) = (N::Vector::LANES, WIDE / size_of::<N::Real>());
    // SAFETY: the caller's promise.
    unsafe {
        let zero = <N::Vector as Vector>::splat(Scalar::ZERO);
        let mut sums = [([zero; VECTORS], [zero; VECTORS]); R];
        let mut i = 0;
        while i + numbers <= reals {
            for v in 0..numbers / lanes {
                let x = <N::Vector as Vector>::load(x.add(i + v * lanes));
                for r in 0..R {
                    multiply::<N>(&mut sums[r], v, <N::Vector as Vector>::load(rows[r].add(i + v * lanes)), x);
                }
            }
            i += numbers;
        }
        for v in 0..numbers / lanes {
            let at = i + v * lanes;
            if at < reals {
                let x = load::<N>(x.add(at), reals - at);
                for r in 0..R {
                    multiply::<N>(&mut sums[r], v, load::<N>(rows[r].add(at), reals - at), x);
                }
            }
        }
        let mut dots = [N::Scalar::ZERO; R];
        for r in 0..R {
            let parts = (&raw mut dots[r]).cast::<N::Real>();
            let same = pair::<N>(sums[r].0);
            if N::PARTS == 1 {
                parts.write(same[0] + same[1]);
            } else {
                let other = pair::<N>(sums[r].1);
                parts.write(same[0] - same[1]);
                parts.add(1).write(other[0] + other[1]);
            }
        }
        dots
    }
}

/// Adds the products of a vector of a row to its sums.
#[inline(always)]
fn multiply<N: Number>(sums: &mut Sums<N::Vector>, v: usize, row: N::Vector, x: N::Vector) {
    sums.0[v] = row.mul_add(x, sums.0[v]);
    if N::PARTS == 2 {
        sums.1[v] = row.mul_add(x.swap_pairs(), sums.1[v]);
    }
}

/// The sums of the even and of the odd lanes, whatever the vectors in the same order.
///
/// # Safety
/// The CPU has the instructions.
#[inline(always)]
unsafe fn pair<N: Number>(sums: [N::Vector; VECTORS]) -> [N::Real; 2] {
    let mut lanes = [<N::Real as Scalar>::ZERO; NUMBERS];
    let mut count = WIDE / size_of::<N::Real>();
    for v in 0..count / N::Vector::LANES {
        // SAFETY: the caller's promise; the lanes of all vectors fit.
        unsafe { Vector::store(sums[v], lanes.as_mut_ptr().add(v * N::Vector::LANES)) };
    }
    while count > 2 {
        count /= 2;
        for w in 0..count {
            lanes[w] = lanes[w] + lanes[w + count];
        }
    }
    [lanes[0], lanes[1]]
}
