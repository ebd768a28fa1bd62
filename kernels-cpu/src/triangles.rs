//! Batches of triangular matrices in host memory: solutions, inverses and determinants (LAPACK `xTRTRS`, `xTRTRI`).
//!
//! A triangle is where factors have it, which [`Substitutions`] tell: L, whose diagonal is all ones, or U.

use numbers::det_product::{DetParts, LogProduct};
use numbers::element::RealOf;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::op::Substitutions;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;
use simt::global::Global;

use crate::element::Element;
use crate::error::Result;
use crate::fresh::Fresh;
use crate::transfer::{at, from, start};
use crate::{batch, det as of_factors, parallel};

/// Bytes of copies that are made at a time, at least.
const COPIED: usize = 8 << 20;
/// Elements that a thread looks at, one after the other, at least.
const LEAST: usize = 1 << 14;

/// The triangles of a batch.
#[derive(Clone, Copy)]
struct Triangles<T: Element> {
    matrices: Matrices<T>,
    /// Whether it is L, below a diagonal of ones; else U.
    is_lower: bool,
    n: usize,
}

impl<T: Element> Triangles<T> {
    fn new(matrices: Matrices<T>, how: Substitutions, size: Problem) -> Self {
        Self { matrices, is_lower: how.forward != how.transposed, n: size.n as usize }
    }

    /// # Safety
    /// The element is there, and nobody writes it.
    unsafe fn get(&self, b: usize, i: usize, j: usize) -> T::Scalar {
        // SAFETY: the caller's promise.
        unsafe { element(self.matrices, b, i, j).read().widen() }
    }

    /// Whether the triangle of matrix b is finite, but for a diagonal of ones.
    ///
    /// # Safety
    /// As for [`Self::get`].
    unsafe fn is_finite(&self, b: usize) -> bool {
        (0..self.n).all(|j| {
            let mut rows = if self.is_lower { j + 1..self.n } else { 0..j + 1 };
            // SAFETY: the caller's promise.
            rows.all(|i| unsafe { self.get(b, i, j).is_finite() })
        })
    }

    /// The first zero on the diagonal of matrix b, counted from 1; or [`NON_FINITE`]; or what the status is so far.
    /// Unless all of it `is_suspect`, only its diagonal may not be finite.
    ///
    /// # Safety
    /// As for [`Self::get`].
    unsafe fn status(&self, b: usize, so_far: i32, mut is_suspect: bool) -> i32 {
        // SAFETY: the caller's promise.
        unsafe {
            for k in 0..if self.is_lower { 0 } else { self.n } {
                let pivot = self.get(b, k, k);
                if pivot == T::Scalar::ZERO {
                    return k as i32 + 1;
                }
                is_suspect |= !pivot.is_finite();
            }
            if is_suspect && !self.is_finite(b) { NON_FINITE } else { so_far }
        }
    }
}

/// op(T) X = B; `x` may be `b`. X is all NaN where the status is not 0, or that column of it that is not finite.
///
/// # Safety
/// As for all: see [`calls`](crate::calls).
pub(crate) unsafe fn solve<T: Element>(
    t: Matrices<T>,
    how: Substitutions,
    sides: (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        if T::STORAGE.is_converted() {
            return in_copies(t, size, |t, first, part| {
                let (b, x) = sides;
                solve_part(t, how, (from(b, first), from(x, first)), status.offset(first as i64), part)
            });
        }
        solve_part(t.cast(), how, sides, status, size)
    }
}

/// op(T)^-1, with zeros in the other triangle; `out` may be `t`. It is all NaN where the status is not 0.
///
/// # Safety
/// As for all: see [`calls`](crate::calls).
pub(crate) unsafe fn invert<T: Element>(
    t: Matrices<T>,
    how: Substitutions,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let size = Problem { rhs: size.n, ..size };
    // SAFETY: the caller's promise.
    unsafe {
        in_copies(t, size, |t, first, part| {
            let (out, status) = (from(out, first), status.offset(first as i64));
            parallel::each(part.batch as usize, some(part), &|b| {
                fill(out, b, part, |i, j| if i == j { T::Scalar::ONE } else { T::Scalar::ZERO });
            });
            solve_part(t, how, (out, out), status, part)?;
            // An inverse is not finite as a whole.
            parallel::each(part.batch as usize, some(part), &|b| {
                if at(status, b).read() < NON_FINITE {
                    at(status, b).write(NON_FINITE);
                    fill(out, b, part, |_, _| T::Scalar::NAN);
                }
            });
            Ok(())
        })
    }
}

/// Determinants of op(T), and statuses.
///
/// # Safety
/// As for all: see [`calls`](crate::calls).
pub(crate) unsafe fn det<T: Element>(
    t: Matrices<T>,
    how: Substitutions,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) {
    let triangles = Triangles::new(t, how, size);
    parallel::each(size.batch as usize, some(size), &|b| {
        // SAFETY: the caller's promise; threads have matrices of their own.
        unsafe {
            let code = triangles.status(b, 0, true);
            let diagonal = (0..if triangles.is_lower { 0 } else { triangles.n }).map(|k| triangles.get(b, k, k));
            let conjugated = diagonal.map(|x| if how.conjugated { x.conj() } else { x });
            let product = conjugated.fold(LogProduct::ONE, |product, x| product.times(x.to_c64()));
            let product = match code {
                0 => product,
                1.. => LogProduct::ZERO,
                _ => LogProduct::NAN,
            };
            of_factors::write(det, b, product);
            at(status, b).write(code);
        }
    });
}

/// As [`solve`], in the type of the arithmetic.
///
/// # Safety
/// As there.
unsafe fn solve_part<T: Element>(
    t: Matrices<T::Scalar>,
    how: Substitutions,
    sides: (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    // SAFETY: the caller's promise; threads have matrices of their own.
    unsafe {
        // Triangles have neither pivots nor statuses.
        let factors = Factors { lu: t, pivots: Global::new(0), status: Global::new(0) };
        batch::solve_from_factors(factors, how, sides, status, size)?;
        let triangles = Triangles::new(t, how, size);
        parallel::each(size.batch as usize, some(size), &|b| {
            let so_far = at(status, b).read();
            let code = triangles.status(b, so_far, so_far != 0 || size.rhs == 0);
            if code != so_far {
                fill(sides.1, b, size, |_, _| T::Scalar::NAN);
                at(status, b).write(code);
            }
        });
    }
    Ok(())
}

/// Calls a function with compact copies of some matrices after the other, with the first of them, and their size.
///
/// # Safety
/// They are in host memory, and nobody writes those that are still to be copied.
unsafe fn in_copies<T: Element>(
    matrices: Matrices<T>,
    size: Problem,
    mut some_of: impl FnMut(Matrices<T::Scalar>, usize, Problem) -> Result<()>,
) -> Result<()> {
    let (n, batch) = (size.n as usize, size.batch as usize);
    let bytes = (n * n * size_of::<T::Scalar>()).max(1);
    let at_once = batch.min(rayon::current_num_threads().max(COPIED.div_ceil(bytes)));
    let mut room = Fresh::<T::Scalar>::new((n * n).saturating_mul(at_once))?;
    for first in (0..batch).step_by(at_once.max(1)) {
        let part = Problem { batch: at_once.min(batch - first) as u64, rhs: size.n, ..size };
        // SAFETY: the room is for so many; there are no pointers.
        let copies = unsafe {
            Matrices {
                base: Global::new(room.as_mut_ptr().expose_provenance() as u64),
                pointers: Global::new(0),
                batch_stride: (n * n) as i64,
                row_stride: 1,
                col_stride: n as i64,
            }
        };
        let of_part = from(matrices, first);
        parallel::each(part.batch as usize, some(part), &|b| {
            // SAFETY: the caller's promise; threads have matrices of their own.
            unsafe { fill(copies, b, part, |i, j| element(of_part, b, i, j).read().widen()) };
        });
        some_of(copies, first, Problem { rhs: size.rhs, ..part })?;
    }
    Ok(())
}

/// How many matrices a thread looks at one after the other.
fn some(size: Problem) -> usize {
    LEAST.div_ceil((size.n as usize).pow(2).max(1))
}

/// Where an element of matrix b is.
///
/// # Safety
/// The matrix is there.
unsafe fn element<T: Element>(m: Matrices<T>, b: usize, i: usize, j: usize) -> *mut T {
    // SAFETY: the caller's promise.
    unsafe { start(m, b).wrapping_offset(i as isize * m.row_stride as isize + j as isize * m.col_stride as isize) }
}

/// Writes all elements of matrix b, which has a column a right-hand side.
///
/// # Safety
/// They are there, and nobody else touches them.
unsafe fn fill<T: Element>(m: Matrices<T>, b: usize, size: Problem, value: impl Fn(usize, usize) -> T::Scalar) {
    for j in 0..size.rhs as usize {
        for i in 0..size.n as usize {
            // SAFETY: the caller's promise.
            unsafe { element(m, b, i, j).write(T::narrow(value(i, j))) };
        }
    }
}
