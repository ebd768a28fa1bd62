//! The serial programs that the papers compare with: one thread, no blocking, row-major matrices.
//!
//! Products are subtracted as `a - b * c`, not by [`Scalar::sub_mul`]: without `-C target-feature=+fma`, which nobody's
//! default build has, a fused multiply-add on x86-64 is a call into the C library, and the baseline would be slow for
//! that.

use warplu::Scalar;

/// Solves `A x = b` by Gaussian elimination without pivoting; `b` becomes `x`, `a` what is left of it.
///
/// A zero on the diagonal makes the solution infinite or NaN.
pub(crate) fn eliminate<T: Scalar>(a: &mut [T], b: &mut [T], n: usize) {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..n];
        for (k, finished) in above.chunks_exact(n).enumerate() {
            let factor = row[k].divide(finished[k].divisor());
            subtract(&mut row[k + 1..], factor, &finished[k + 1..]);
            b[i] = b[i] - factor * b[k];
        }
    }
    substitute_backward(a, b, n);
}

/// Solves `A x = b` by right-looking LU with partial pivoting; `b` becomes `x`, `a` the factors.
///
/// A singular matrix makes the solution infinite or NaN.
pub(crate) fn lu_solve<T: Scalar>(a: &mut [T], b: &mut [T], n: usize) {
    for r in 0..n {
        let pivot = pivot(a, r, n);
        swap_rows(a, r, pivot, n);
        b.swap(r, pivot);
        let (above, below) = a.split_at_mut((r + 1) * n);
        let u = &above[r * n..];
        let divisor = u[r].divisor();
        for row in below.chunks_exact_mut(n) {
            row[r] = row[r].divide(divisor);
            let l = row[r];
            subtract(&mut row[r + 1..], l, &u[r + 1..]);
        }
    }
    for (i, row) in a.chunks_exact(n).enumerate() {
        b[i] = b[i] - dot(&row[..i], &b[..i]);
    }
    substitute_backward(a, b, n);
}

/// Inverts a symmetric, for complex numbers Hermitian, matrix by bordering: from the inverse of the leading block of
/// order t - 1 to that of order t. Reads the lower triangle.
///
/// # Errors
///
/// The first t of which the leading block is singular, as far as rounding lets that show: where the divisor is exactly
/// zero.
pub(crate) fn border<T: Scalar>(a: &[T], inverse: &mut [T], n: usize) -> Result<(), usize> {
    let mut r = vec![T::ZERO; n];
    let mut q = vec![T::ZERO; n];
    for (t, row) in a.chunks_exact(n).enumerate() {
        let (r, q) = (&mut r[..t], &mut q[..t]);
        let (border, corner) = (&row[..t], row[t]);
        r.iter_mut().zip(border).for_each(|(r, below)| *r = below.conj());
        // q = -W^-1 r and beta = rho + r^H q.
        q.iter_mut().zip(inverse.chunks_exact(n)).for_each(|(q, row)| *q = -dot(&row[..t], r));
        let beta = corner + dot(border, q);
        if beta == T::ZERO {
            return Err(t + 1);
        }
        let beta = beta.divisor();
        let (leading, rest) = inverse.split_at_mut(t * n);
        let last = &mut rest[..=t];
        for (i, row) in leading.chunks_exact_mut(n).enumerate() {
            let scaled = q[i].divide(beta);
            row[..t].iter_mut().zip(&*q).for_each(|(w, q)| *w = *w + scaled * q.conj());
            row[t] = scaled;
            last[i] = q[i].conj().divide(beta);
        }
        last[t] = T::ONE.divide(beta);
    }
    Ok(())
}

/// `row -= factor * other`.
fn subtract<T: Scalar>(row: &mut [T], factor: T, other: &[T]) {
    row.iter_mut().zip(other).for_each(|(x, y)| *x = *x - factor * *y);
}

fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).fold(T::ZERO, |sum, (x, y)| sum + *x * *y)
}

/// Solves `U x = b`.
fn substitute_backward<T: Scalar>(u: &[T], b: &mut [T], n: usize) {
    for (i, row) in u.chunks_exact(n).enumerate().rev() {
        let rest = b[i] - dot(&row[i + 1..], &b[i + 1..]);
        b[i] = rest.divide(row[i].divisor());
    }
}

/// The row, from r on, with the largest number of column r; the first on a tie.
fn pivot<T: Scalar>(a: &[T], r: usize, n: usize) -> usize {
    let mut pivot = r;
    for i in r + 1..n {
        if a[i * n + r].abs1() > a[pivot * n + r].abs1() {
            pivot = i;
        }
    }
    pivot
}

fn swap_rows<T: Scalar>(a: &mut [T], i: usize, j: usize, n: usize) {
    if i < j {
        let (above, below) = a.split_at_mut(j * n);
        above[i * n..][..n].swap_with_slice(&mut below[..n]);
    }
}

#[cfg(test)]
mod tests {
    use warplu::{c32, c64};

    use warplu::Real;

    use super::*;

    type Solver<T> = fn(&mut [T], &mut [T], usize);

    /// Numbers of parts between -1 and 1.
    fn random<T: Scalar>(seed: u64) -> impl FnMut() -> T {
        let mut state = seed;
        let mut part = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        move || T::from_c64(c64::new(part(), part()))
    }

    /// The unit roundoff.
    fn unit<T: Scalar>() -> f64 {
        let bits = if T::Real::from_f64(1.0 + f64::EPSILON).to_f64() > 1.0 { 53 } else { 24 };
        0.5_f64.powi(bits)
    }

    /// `||B - A X|| / (n ||A|| ||X|| u)` in the largest row sums, for `k` right-hand sides.
    fn ratio<T: Scalar>(a: &[T], x: &[T], b: &[T], n: usize, k: usize) -> f64 {
        let norm = |matrix: &[c64], width: usize| -> f64 {
            let sums = matrix.chunks_exact(width).map(|row| row.iter().map(|z| z.re.hypot(z.im)).sum());
            sums.fold(0.0, f64::max)
        };
        let [a, x, b] = [a, x, b].map(|matrix| matrix.iter().map(|z| z.to_c64()).collect::<Vec<_>>());
        let mut residual = b;
        for (index, entry) in residual.iter_mut().enumerate() {
            let (i, j) = (index / k, index % k);
            *entry = (0..n).fold(*entry, |sum, l| sum - a[i * n + l] * x[l * k + j]);
        }
        norm(&residual, k) / (n as f64 * norm(&a, n) * norm(&x, k) * unit::<T>())
    }

    /// A random matrix, Hermitian with a large diagonal where elimination needs one.
    fn matrix<T: Scalar>(n: usize, dominant: bool) -> Vec<T> {
        let mut next = random::<T>(7 + n as u64);
        let mut a: Vec<T> = (0..n * n).map(|_| next()).collect();
        for i in (0..n).filter(|_| dominant) {
            for j in 0..i {
                a[j * n + i] = a[i * n + j].conj();
            }
            a[i * n + i] = T::from_c64(c64::new(2.0 * n as f64, 0.0));
        }
        a
    }

    fn residuals<T: Scalar>() {
        for n in [1, 2, 3, 16, 61] {
            let mut next = random::<T>(n as u64);
            let b: Vec<T> = (0..n).map(|_| next()).collect();
            let solvers: [(Solver<T>, bool); 2] = [(eliminate, true), (lu_solve, false)];
            for (solve, dominant) in solvers {
                let (a, mut x) = (matrix::<T>(n, dominant), b.clone());
                solve(&mut a.clone(), &mut x, n);
                let ratio = ratio(&a, &x, &b, n, 1);
                assert!(ratio < 4.0, "{:?} n = {n}, dominant {dominant}: {ratio}", T::KIND);
            }
            let a = matrix::<T>(n, true);
            let mut inverse = vec![T::NAN; n * n];
            border(&a, &mut inverse, n).unwrap();
            let mut identity = vec![T::ZERO; n * n];
            identity.iter_mut().step_by(n + 1).for_each(|one| *one = T::ONE);
            let ratio = ratio(&a, &inverse, &identity, n, n);
            assert!(ratio < 4.0, "{:?} n = {n}, inverse: {ratio}", T::KIND);
        }
    }

    #[test]
    fn residuals_are_small() {
        residuals::<f32>();
        residuals::<f64>();
        residuals::<c32>();
        residuals::<c64>();
    }

    #[test]
    fn pivots_are_found() {
        let mut x = [3.0, 2.0];
        lu_solve(&mut [0.0, 1.0, 2.0, 0.0], &mut x, 2);
        assert_eq!(x, [1.0, 3.0]);
    }

    #[test]
    fn a_singular_leading_block_names_its_step() {
        let a = [1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0];
        assert_eq!(border(&a, &mut [0.0; 9], 3), Err(2));
        assert_eq!(border(&[0.0; 1], &mut [0.0; 1], 1), Err(1));
    }
}
