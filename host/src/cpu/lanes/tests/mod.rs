//! Every instruction set of this CPU against a plain reference, bit for bit, and against what LAPACK demands.

mod bad;
mod batch;
mod bits;
mod places;
mod reference;
mod residuals;
mod vectors;

use kernels_gpu::scalar::{Real, Scalar, ScalarKind, c64};

use super::Isa;
use super::isa::Kind;

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In (-1, 1).
    fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn scalar<S: Scalar>(&mut self) -> S {
        S::from_c64(c64::new(self.real(), self.real()))
    }

    /// Column-major.
    fn matrix<S: Scalar>(&mut self, rows: usize, columns: usize) -> Vec<S> {
        (0..rows * columns).map(|_| self.scalar()).collect()
    }

    fn matrices<S: Scalar>(&mut self, count: usize, rows: usize, columns: usize) -> Vec<Vec<S>> {
        (0..count).map(|_| self.matrix(rows, columns)).collect()
    }
}

/// The instruction sets of this CPU whose bits must be the reference's.
fn fused() -> Vec<Isa> {
    Isa::available().into_iter().filter(|isa| isa.0 != Kind::Portable).collect()
}

/// The orders of matrices that are tested, and how many matrices: full groups, and a remainder of one or of more.
fn orders() -> impl Iterator<Item = (usize, usize)> {
    (1..=40).map(|n| (n, if n % 2 == 0 { 21 } else { 17 })).chain([63, 64, 65, 96, 127, 128].map(|n| (n, 9)))
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
    z.re.is_nan() && (z.im.is_nan() || matches!(S::KIND, ScalarKind::F32 | ScalarKind::F64))
}

fn modulus(z: c64) -> f64 {
    z.re.hypot(z.im)
}

fn real<S: Scalar>(x: f64) -> S {
    S::from_c64(c64::new(x, 0.0))
}

/// The unit roundoff.
fn roundoff<S: Scalar>() -> f64 {
    if size_of::<S::Real>() == 4 { f64::from(f32::EPSILON) / 2.0 } else { f64::EPSILON / 2.0 }
}

/// The smallest subnormal number.
fn tiny<S: Scalar>() -> f64 {
    if size_of::<S::Real>() == 4 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) }
}

/// Nearly the largest number.
fn huge<S: Scalar>() -> f64 {
    if size_of::<S::Real>() == 4 { 3e38 } else { 1.7e308 }
}

/// Whether two numbers of a determinant's logarithm have the same bits.
fn same_real<R: Real>(a: R, b: R) -> bool {
    bits(a) == bits(b)
}

/// Makes a test of a generic function for each of the four types.
macro_rules! for_all_types {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use kernels_gpu::scalar::{c32, c64};

            #[test]
            fn of_f32() {
                super::$test::<f32>();
            }
            #[test]
            fn of_f64() {
                super::$test::<f64>();
            }
            #[test]
            fn of_c32() {
                super::$test::<c32>();
            }
            #[test]
            fn of_c64() {
                super::$test::<c64>();
            }
        }
    )*};
}
use for_all_types;
