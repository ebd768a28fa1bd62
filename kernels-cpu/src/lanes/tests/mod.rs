//! Every instruction set of this CPU against a plain reference, bit for bit, and against what LAPACK demands.

mod bad;
mod batch;
mod bits;
mod cholesky;
mod factored;
mod places;
mod quotients;
mod reference;
mod residuals;
mod vectors;

use numbers::scalar::{Real, Scalar, c64};

use super::super::for_all_types;
use super::super::testing::{Random, huge, is_complex, real, roundoff, tiny};

impl Random {
    fn scalar<S: Scalar>(&mut self) -> S {
        S::from_c64(c64::new(self.real(), self.real()))
    }

    /// `count` matrices, each column-major.
    fn matrices<S: Scalar>(&mut self, count: usize, rows: usize, columns: usize) -> Vec<Vec<S>> {
        (0..count).map(|_| (0..rows * columns).map(|_| self.scalar()).collect()).collect()
    }
}

/// The orders of matrices that are tested, and how many matrices: full groups, and a remainder of one or of more.
fn orders() -> impl Iterator<Item = (usize, usize)> {
    (1..=40)
        .map(|n| (n, if n % 2 == 0 { 21 } else { 17 }))
        .chain([63, 64, 65, 66, 67, 71, 96, 99, 126, 127, 128].map(|n| (n, 9)))
}

/// The same bits, but for those of a NaN.
fn bits<S: Scalar>(x: S) -> (u64, u64) {
    let part = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    let z = x.to_c64();
    (part(z.re), part(z.im))
}

fn all_bits<S: Scalar>(x: &[S]) -> Vec<(u64, u64)> {
    x.iter().map(|&x| bits(x)).collect()
}

fn is_nan<S: Scalar>(x: S) -> bool {
    let z = x.to_c64();
    z.re.is_nan() && (z.im.is_nan() || !is_complex::<S>())
}

fn modulus(z: c64) -> f64 {
    z.re.hypot(z.im)
}

/// Whether two numbers of a determinant's logarithm have the same bits.
fn same_real<R: Real>(a: R, b: R) -> bool {
    bits(a) == bits(b)
}
