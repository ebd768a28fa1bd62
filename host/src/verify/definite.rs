//! All operations on one batch of positive definite matrices, of which the other triangle is NaN.

use super::check::{Case, Checked, Outcome, message, same};
use super::definite_ratios;
use super::random::{Random, make_definite};
use super::ratios::{self, Ratio};
use crate::batch::{Batch, BatchMut};
use crate::device::Device;
use crate::element::{Element, Real, Scalar, bytes_of};
use crate::error::Result;
use crate::matrices::Matrices;
use crate::ops::{Cholesky, Determinants, Inverse, Solution};
use crate::status::Status;
use crate::structure::Structure;
use crate::triangle::Triangle;

/// The operations, by the index that [`Outcome::operation`] is.
pub(super) const OPERATIONS: [&str; 7] =
    ["chol", "chol.solve", "chol.inverse", "chol.det", "spd: solve", "spd: inverse", "spd: det"];

/// A batch with a matrix that is not positive definite and a NaN one among the others.
struct Definite<T: Element> {
    case: Case<T>,
    triangle: Triangle,
    /// What the triangles stand for.
    whole: Matrices<T>,
}

/// Checks every operation on `batch` matrices of order `n`.
pub(super) fn order<T: Element>(device: &Device, n: usize, batch: usize, seed: u64) -> Vec<Outcome> {
    let mut random = Random::new(seed ^ ((n as u64) << 20) ^ 1);
    let outcome = |operation, checked: Checked| Outcome {
        operation,
        matrices: batch,
        ratio: *checked.as_ref().unwrap_or(&Ratio::default()),
        problem: checked.err(),
    };
    let prepared = Definite::<T>::new(&mut random, n, batch).and_then(|definite| {
        let [all, alone] = [definite.case.batch(), definite.case.alone()];
        let factored = (device.cholesky(&all, definite.triangle)?, device.cholesky(&alone, definite.triangle)?);
        Ok((definite, factored))
    });
    let (definite, (cholesky, alone)) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return vec![outcome(0, Err(error.to_string()))],
    };
    let case = &definite.case;
    let (a, one_a) = (case.batch(), case.alone());
    let device = &device.with(Structure::PositiveDefinite(definite.triangle));
    let one: Vec<T> = random.elements(batch * n);
    let one = case.compact(&one, batch, 1);
    let width = if n > 300 { 5 } else { 1 + (n + 6) % 37 };
    let many: Vec<T> = random.elements(batch * n * width);
    let many = case.compact(&many, batch, width);

    let both = |check: &dyn Fn(&Batch<'_, T>) -> Checked| Ok(check(&one)?.worst(check(&many)?));
    let solved =
        |b: &Batch<'_, T>| definite.check_solve(&cholesky, b, cholesky.solve(b), || alone.solve(&case.last(b)));
    let solve = |b: &Batch<'_, T>| {
        definite.check_solve(&cholesky, b, device.solve(&a, b), || device.solve(&one_a, &case.last(b)))
    };
    let log_dets = |cholesky: &Cholesky<T>| cholesky.det();
    let checks: [Checked; 7] = [
        definite
            .check_factors(&cholesky, &alone)
            .and_then(|ratio| definite.check_in_triangle(device, &cholesky).map(|()| ratio)),
        both(&solved),
        definite.check_inverse(cholesky.inverse(), || alone.inverse()),
        definite.check_det(&cholesky, log_dets(&cholesky), || log_dets(&alone)),
        both(&solve),
        definite.check_inverse(device.invert(&a), || device.invert(&one_a)),
        definite.check_det(&cholesky, device.det(&a), || device.det(&one_a)),
    ];
    checks.into_iter().enumerate().map(|(operation, checked)| outcome(operation, checked)).collect()
}

impl<T: Element> Definite<T> {
    fn new(random: &mut Random, n: usize, batch: usize) -> Result<Self> {
        let triangle = if n % 4 < 2 { Triangle::Lower } else { Triangle::Upper };
        let column_major = n.is_multiple_of(2);
        let at = |i: usize, j: usize| if column_major { j * n + i } else { i * n + j };
        let mut data: Vec<T> = random.elements(batch * n * n);
        let number = |x: f64| T::narrow(T::Scalar::from_c64(x.into()));
        for matrix in data.chunks_exact_mut((n * n).max(1)) {
            make_definite(matrix, n);
            for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                matrix[if triangle == Triangle::Lower { at(j, i) } else { at(i, j) }] = number(f64::NAN);
            }
        }
        let mut statuses = vec![Status::Ok; batch];
        if batch >= 4 && n > 0 {
            data[n * n + at(n / 2, n / 2)] = number(-1.0);
            statuses[1] = Status::NotPositiveDefinite(n as u32 / 2 + 1);
            data[2 * n * n + at(n / 2, n / 2)] = number(f64::NAN);
            statuses[2] = Status::NonFinite;
        }
        let case = Case { data, n, batch, column_major, statuses, singular_has_factors: false };
        let whole = case.batch().hermitian(triangle)?;
        Ok(Self { case, triangle, whole })
    }

    fn check_factors(&self, cholesky: &Cholesky<T>, alone: &Cholesky<T>) -> Checked {
        let Self { case, triangle, whole } = self;
        case.check_statuses(cholesky.status())?;
        let (factors, own) = (cholesky.factors().map_err(message)?, alone.factors().map_err(message)?);
        let square = case.n * case.n;
        same(&factors.as_slice()[(case.batch - 1) * square..], own.as_slice())?;
        for (b, &status) in case.statuses.iter().enumerate() {
            let elements = (0..square).map(|e| (e / case.n, e % case.n, factors.get(b, e / case.n, e % case.n)));
            let is_right = |(i, j, x): (usize, usize, T::Scalar)| match status {
                Status::Ok if *triangle == Triangle::Lower => i >= j || x == T::Scalar::ZERO,
                Status::Ok => i <= j || x == T::Scalar::ZERO,
                _ => x.to_c64().is_nan(),
            };
            if !elements.into_iter().all(is_right) {
                return Err(format!("matrix {b} is {status}, but its factor says otherwise"));
            }
        }
        case.worst(false, |i| Ok(definite_ratios::factors(&whole.view(), &factors.view(), *triangle, i)))
    }

    /// Factors in a triangle of memory whose other triangle stays as it was.
    fn check_in_triangle(&self, device: &Device, cholesky: &Cholesky<T>) -> std::result::Result<(), String> {
        let Self { case, triangle, .. } = self;
        let (n, mark) = (case.n, T::Scalar::from_c64(7.0.into()));
        let places = || {
            (0..case.data.len()).map(|at| {
                let (b, line, k) = (at / (n * n), at / n % n, at % n);
                if case.column_major { (b, k, line) } else { (b, line, k) }
            })
        };
        let is_factor = |i, j| if *triangle == Triangle::Lower { j <= i } else { i <= j };
        let own = |((_, i, j), &x): ((usize, usize, usize), &T)| if is_factor(i, j) { x.widen() } else { mark };
        let mut here: Vec<T::Scalar> = places().zip(&case.data).map(own).collect();
        let place = if case.column_major {
            BatchMut::column_major(&mut here, case.batch, n, n)
        } else {
            BatchMut::row_major(&mut here, case.batch, n, n)
        };
        let status = place.and_then(|mut place| device.cholesky_in_triangle(&mut place, *triangle)).map_err(message)?;
        case.check_statuses(&status)?;
        let factors = cholesky.factors().map_err(message)?;
        let wanted = places().map(|(b, i, j)| if is_factor(i, j) { factors.get(b, i, j) } else { mark });
        if bytes_of(&wanted.collect::<Vec<_>>()) != bytes_of(&here) {
            return Err("factors in a triangle are others, or the other triangle has changed".to_owned());
        }
        Ok(())
    }

    fn check_solve(
        &self,
        cholesky: &Cholesky<T>,
        b: &Batch<'_, T>,
        all: Result<Solution<Matrices<T>>>,
        alone: impl Fn() -> Result<Solution<Matrices<T>>>,
    ) -> Checked {
        let (case, all) = (&self.case, all.map_err(message)?);
        case.check_statuses(&all.status)?;
        case.check_outputs(&all.x, || Ok(alone()?.x))?;
        let factors = cholesky.factors().map_err(message)?.view();
        let given = (&factors, self.triangle);
        case.worst(false, |i| Ok(definite_ratios::solve(&self.whole.view(), given, b, &all.x.view(), i)))
    }

    fn check_inverse(
        &self,
        all: Result<Inverse<Matrices<T>>>,
        alone: impl Fn() -> Result<Inverse<Matrices<T>>>,
    ) -> Checked {
        let (case, all) = (&self.case, all.map_err(message)?);
        case.check_statuses(&all.status)?;
        case.check_outputs(&all.matrices, || Ok(alone()?.matrices))?;
        case.worst(false, |i| Ok(ratios::inverse(&self.whole.view(), &all.matrices.view(), i)))
    }

    /// Against the factors' diagonals, over `n u`: of the logarithm over `1 + |log det A|`.
    fn check_det(
        &self,
        cholesky: &Cholesky<T>,
        all: Result<Determinants<T>>,
        alone: impl Fn() -> Result<Determinants<T>>,
    ) -> Checked {
        let case = &self.case;
        let (all, alone) = (all.map_err(message)?, alone().map_err(message)?);
        case.check_statuses(&all.status)?;
        same(&all.values[case.batch - 1..], &alone.values)?;
        same(&all.sign[case.batch - 1..], &alone.sign)?;
        same(&all.log_abs[case.batch - 1..], &alone.log_abs)?;
        let factors = cholesky.factors().map_err(message)?;
        let (u, least) = ratios::precision::<T::Scalar>();
        let error = |b: usize| {
            let (value, sign, log) = (all.values[b].to_c64(), all.sign[b], all.log_abs[b].to_f64());
            if case.statuses[b] != Status::Ok {
                return if value.is_nan() && sign.to_c64().is_nan() && log.is_nan() { 0.0 } else { f64::INFINITY };
            }
            let expected: f64 = (0..case.n).map(|k| 2.0 * factors.get(b, k, k).to_c64().re.ln()).sum();
            let allowed = case.n.max(1) as f64 * u;
            let error = (log - expected).abs() / (1.0 + expected.abs()) / allowed;
            // The reference is rounded, too, and out of a type's range values are 0 or infinite.
            let size = expected.exp();
            let of_value = (value.re - size).abs() / size / (allowed + expected.abs() * f64::EPSILON);
            let in_range = expected.abs() < -(least / u).ln();
            let error = if in_range { ratios::worst(error, of_value) } else { error };
            if sign == T::Scalar::ONE { error } else { f64::INFINITY }
        };
        let norm = (0..case.batch).map(error).fold(0.0, ratios::worst);
        Ok(Ratio { norm, ..Ratio::default() })
    }
}
