//! The norm of the inverse of one matrix, estimated from solutions: LAPACK's `xLACN2`, one question after the other.
//!
//! Higham, *FORTRAN Codes for Estimating the One-Norm of a Real or Complex Matrix, with Applications to Condition
//! Estimation*, 1988. Every answer is the norm of A^-1 v for a vector v of norm 1, so that the estimate is never above
//! the norm, up to rounding. Here it is the 1-norm; the infinity-norm is that of the adjoint matrix.
//!
//! Right-hand sides are multiplied by a power of two near the norm of A, so that solutions neither overflow nor become
//! subnormal before the condition number does. Where the way to a solution overflows nevertheless, as where elements of
//! L^-1 grow, the power becomes smaller (`xLATRS` does this element by element).

use numbers::scalar::{Real, Scalar, ScalarKind};

use crate::floats::{exponent, times_power};
use crate::layout::Layout;
use crate::norm::Norm;
use crate::ops::norms::{magnitude, norm_of};
use crate::status::Status;

/// What is known of one matrix.
#[derive(Clone, Debug)]
pub(in crate::ops) struct Estimate {
    /// The norm of A.
    norm: f64,
    /// Right-hand sides are multiplied by 2^scale.
    scale: i32,
    /// The largest norm of A^-1 v that the iteration has found, times 2^scale.
    bound: f64,
    /// The same of the vector of alternating signs, which finds what the iteration may miss.
    alternating: f64,
    /// The column of A^-1 that was looked at last.
    column: Option<usize>,
    stage: Stage,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// More solutions may tell more.
    Open,
    /// No more will.
    Converged,
    /// There is nothing to estimate.
    Known(f64),
}

/// Half the exponents of a type.
fn half_range<S: Scalar>() -> i32 {
    match S::KIND {
        ScalarKind::F32 | ScalarKind::C32 => 64,
        ScalarKind::F64 | ScalarKind::C64 => 512,
    }
}

impl Estimate {
    /// Of a matrix of that norm, whose factors have that status.
    pub(in crate::ops) fn new<S: Scalar>(norm: f64, status: Status) -> Self {
        let stage = match status {
            Status::NonFinite => Stage::Known(f64::NAN),
            _ if norm.is_nan() => Stage::Known(f64::NAN),
            Status::Ok if norm > 0.0 && norm < f64::INFINITY => Stage::Open,
            _ => Stage::Known(0.0),
        };
        let half = half_range::<S>();
        let scale = if stage == Stage::Open { exponent(norm).clamp(-half, half) } else { 0 };
        Self { norm, scale, bound: 0.0, alternating: 0.0, column: None, stage }
    }

    /// Whether there is something to solve for.
    pub(in crate::ops) fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    /// Has right-hand sides become smaller after an overflow; at the end of the range the matrix counts as singular.
    pub(in crate::ops) fn lower<S: Scalar>(&mut self) {
        let half = half_range::<S>();
        self.scale -= half;
        self.bound = times_power(self.bound, -half);
        self.alternating = times_power(self.alternating, -half);
        // Lower, elements of the right-hand sides would be subnormal.
        if self.scale < -half - half / 2 {
            self.stage = Stage::Known(0.0);
        }
    }

    /// The columns of the unit matrix.
    pub(in crate::ops) fn ask_for_inverse<S: Scalar>(&self, n: usize, b: &mut [S]) {
        b.fill(S::ZERO);
        let one = self.scaled(S::ONE);
        b.iter_mut().step_by(n + 1).for_each(|x| *x = one);
    }

    /// Takes the whole inverse, column by column. False where its norm overflows.
    pub(in crate::ops) fn take_inverse<S: Scalar + crate::Element>(
        &mut self,
        n: usize,
        inverse: &[S],
        norm: Norm,
    ) -> bool {
        self.bound = norm_of(|place| inverse[place], Layout::column_major(n, n), (n, n), norm, &mut Vec::new());
        self.stage = if self.bound.is_finite() { Stage::Converged } else { self.stage };
        self.bound.is_finite()
    }

    /// The first two vectors: of equal elements, and of alternating signs.
    pub(in crate::ops) fn ask_first<S: Scalar>(&self, n: usize, b: &mut [S]) {
        let (equal, alternating) = b.split_at_mut(n);
        let number = |x: f64| self.scaled(S::from_c64(x.into()));
        equal.fill(number(1.0 / n as f64));
        for (i, x) in alternating.iter_mut().enumerate() {
            let size = 1.0 + i as f64 / (n - 1).max(1) as f64;
            *x = number(if i % 2 == 0 { size } else { -size });
        }
    }

    /// Takes the first two solutions, and leaves the signs of the first one. False where a norm overflows.
    pub(in crate::ops) fn take_first<S: Scalar>(&mut self, x: &[S], signs: &mut [S]) -> bool {
        let (equal, alternating) = x.split_at(signs.len());
        self.bound = sum(equal);
        // Over the norm of the right-hand side.
        self.alternating = 2.0 * (sum(alternating) / (3 * signs.len()) as f64);
        signs.iter_mut().zip(equal).for_each(|(s, &x)| *s = sign(x));
        self.bound.is_finite() && self.alternating.is_finite()
    }

    /// The signs of the last solution.
    pub(in crate::ops) fn ask_where<S: Scalar>(&self, signs: &[S], b: &mut [S]) {
        b.iter_mut().zip(signs).for_each(|(b, &s)| *b = self.scaled(s));
    }

    /// Takes the solution of the adjoint system: its largest element says which column of A^-1 promises most.
    pub(in crate::ops) fn take_where<S: Scalar>(&mut self, z: &[S]) -> bool {
        let mut largest = (0, magnitude(z[0]));
        for (j, &z) in z.iter().enumerate().skip(1) {
            if magnitude(z) > largest.1 {
                largest = (j, magnitude(z));
            }
        }
        if self.column.is_some_and(|last| magnitude(z[last]) == largest.1) {
            self.stage = Stage::Converged;
        }
        self.column = Some(largest.0);
        true
    }

    /// That column of the unit matrix.
    pub(in crate::ops) fn ask_for_column<S: Scalar>(&self, b: &mut [S]) {
        b.fill(S::ZERO);
        if let Some(j) = self.column {
            b[j] = self.scaled(S::ONE);
        }
    }

    /// Takes that column of A^-1, and leaves its signs. False where its norm overflows.
    pub(in crate::ops) fn take_column<S: Scalar>(&mut self, x: &[S], signs: &mut [S]) -> bool {
        let bound = sum(x);
        if !bound.is_finite() {
            return false;
        }
        let mut same = true;
        for (s, &x) in signs.iter_mut().zip(x) {
            let old = std::mem::replace(s, sign(x));
            same &= old == *s;
        }
        if same || bound <= self.bound {
            self.stage = Stage::Converged;
        }
        self.bound = self.bound.max(bound);
        true
    }

    /// The reciprocal condition number, as far as it is known.
    pub(in crate::ops) fn rcond(&self) -> f64 {
        match self.stage {
            Stage::Known(rcond) => rcond,
            Stage::Open | Stage::Converged => {
                let inverse = self.bound.max(self.alternating);
                // No step overflows or underflows before the result does.
                let e = exponent(self.norm);
                let rcond = times_power(1.0 / inverse / times_power(self.norm, -e), self.scale - e);
                rcond.min(1.0) // but for rounding it is
            }
        }
    }

    /// The norm of the inverse times 2^power, as far as it is known; infinite where there is none.
    pub(in crate::ops) fn of_inverse(&self, power: i32) -> f64 {
        match self.stage {
            Stage::Known(rcond) => 1.0 / rcond,
            Stage::Open | Stage::Converged => times_power(self.bound.max(self.alternating), power - self.scale),
        }
    }

    fn scaled<S: Scalar>(&self, x: S) -> S {
        x.scale(S::Real::from_f64(times_power(1.0, self.scale)))
    }
}

/// The 1-norm of a vector.
fn sum<S: Scalar>(x: &[S]) -> f64 {
    x.iter().map(|&x| magnitude(x)).sum()
}

/// x / |x|, or 1 where x is 0 or so small that its direction is lost.
fn sign<S: Scalar>(x: S) -> S {
    let (z, size) = (x.to_c64(), magnitude(x));
    if size < f64::MIN_POSITIVE { S::ONE } else { S::from_c64(z / size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The estimate of |B| from products with B, and how many vectors it took beyond the first two.
    fn estimated(n: usize, b: impl Fn(usize, usize) -> f64) -> (f64, usize) {
        let times = |v: &[f64]| -> Vec<f64> { (0..n).map(|i| (0..n).map(|j| b(i, j) * v[j]).sum()).collect() };
        let transposed = |v: &[f64]| -> Vec<f64> { (0..n).map(|j| (0..n).map(|i| b(i, j) * v[i]).sum()).collect() };
        let mut estimate = Estimate::new::<f64>(1.0, Status::Ok);
        let (mut first, mut v, mut signs) = (vec![0.0; 2 * n], vec![0.0; n], vec![0.0; n]);
        estimate.ask_first(n, &mut first);
        assert!(estimate.take_first(&[times(&first[..n]), times(&first[n..])].concat(), &mut signs));
        let mut vectors = 0;
        while estimate.is_open() {
            estimate.ask_where(&signs, &mut v);
            assert!(estimate.take_where(&transposed(&v)));
            if estimate.is_open() {
                estimate.ask_for_column(&mut v);
                assert!(estimate.take_column(&times(&v), &mut signs));
                vectors += 1;
            }
        }
        (1.0 / estimate.rcond(), vectors)
    }

    #[test]
    fn the_largest_column_is_found() {
        for largest in [0, 7, 39] {
            let b = |i: usize, j: usize| if j == largest { 3.0 } else { ((i * 7 + j * 5) % 11) as f64 / 11.0 };
            assert_eq!(estimated(40, b), (120.0, 1));
        }
        let (found, vectors) = estimated(40, |i, j| f64::from(u8::from(i == j)));
        assert!((found - 1.0).abs() < 1e-14 && vectors == 1, "{found}, {vectors}");
    }

    /// B = 1 + 100 v v^T, where v is (0, 1, -1, 1, -1, ...): all else than alternating signs sees nothing of v.
    #[test]
    fn alternating_signs_find_what_else_is_missed() {
        let n = 41;
        let v = |i: usize| [0.0, 1.0, -1.0][if i == 0 { 0 } else { 1 + i % 2 }];
        let (found, vectors) = estimated(n, |i, j| 100.0 * v(i) * v(j) + f64::from(u8::from(i == j)));
        let norm = 100.0 * (n - 1) as f64 + 1.0;
        assert_eq!(vectors, 1);
        assert!(found > norm / 3.0 && found <= norm, "{found} of {norm}");
    }

    #[test]
    fn what_needs_no_estimate() {
        let known = |norm, status| {
            let estimate = Estimate::new::<f32>(norm, status);
            assert!(!estimate.is_open());
            estimate.rcond()
        };
        assert_eq!(known(1.0, Status::Singular(1)), 0.0);
        assert_eq!(known(f64::INFINITY, Status::Ok), 0.0);
        assert_eq!(known(0.0, Status::Ok), 0.0);
        assert!(known(1.0, Status::NonFinite).is_nan() && known(f64::NAN, Status::Ok).is_nan());
    }

    /// Right-hand sides become smaller with an overflow, and what was found before counts as it did.
    #[test]
    fn scales_end() {
        let mut estimate = Estimate::new::<f32>(1.0, Status::Ok);
        assert!(estimate.take_first(&[8.0_f32; 66], &mut [0.0; 33]));
        let before = estimate.rcond();
        estimate.lower::<f32>();
        assert!(estimate.is_open() && estimate.rcond() == before);
        estimate.lower::<f32>();
        assert_eq!((estimate.is_open(), estimate.rcond()), (false, 0.0));
    }
}
