//! All operations on batches of triangular matrices, of which the other triangle is NaN, and the diagonal if it is not read.

use super::check::{Case, Checked, Outcome, message};
use super::random::Random;
use super::ratios::Ratio;
use crate::batch::Batch;
use crate::device::Device;
use crate::element::{Element, Scalar};
use crate::error::Result;
use crate::ops::Lu;
use crate::status::Status;
use crate::triangle::Triangle;
use crate::triangular::Triangular;
use numbers::op::Op;

/// The operations, by the index that [`Outcome::operation`] is.
pub(super) const OPERATIONS: [&str; 3] = ["tri: solve", "tri: inverse", "tri: det"];

/// A batch with a singular matrix and one that is not finite among the others.
struct Triangles<T: Element> {
    triangular: Triangular,
    /// What is solved with: op(T) as a whole.
    case: Case<T>,
    /// What is given: shape (batch, n, n).
    given: Vec<T>,
}

/// The triangles, and what their diagonals are.
const KINDS: [(Triangle, bool); 4] =
    [(Triangle::Lower, false), (Triangle::Lower, true), (Triangle::Upper, false), (Triangle::Upper, true)];

/// Checks every operation on `batch` matrices of order `n`, with kinds and ops in turn.
pub(super) fn order<T: Element>(device: &Device, n: usize, batch: usize, seed: u64) -> Vec<Outcome> {
    let mut random = Random::new(seed ^ ((n as u64) << 20) ^ 2);
    let mut outcomes = Vec::new();
    // Two of the kinds, each the opposite of the other.
    for (kind, (triangle, unit)) in
        KINDS.into_iter().enumerate().filter(|(kind, _)| (kind % 3 == 0) == n.is_multiple_of(2))
    {
        let op = [Op::None, Op::Transpose, Op::Adjoint][(n + kind) % 3];
        let triangular = Triangular { triangle, unit, op };
        let width = if n > 300 { 15 } else { 1 + (n + 6) % 37 };
        let checks = match Triangles::<T>::new(&mut random, triangular, (n, batch)) {
            Ok(triangles) => [
                triangles.check_solve(device, &mut random, &[1, width]),
                triangles.check_inverse(device),
                triangles.check_det(device),
            ],
            Err(error) => [(); 3].map(|()| Err(error.to_string())),
        };
        outcomes.extend(checks.into_iter().enumerate().map(|(operation, checked)| Outcome {
            operation,
            matrices: batch,
            ratio: *checked.as_ref().unwrap_or(&Ratio::default()),
            problem: checked.err().map(|problem| format!("{triangular}: {problem}")),
        }));
    }
    outcomes
}

impl<T: Element> Triangles<T> {
    fn new(random: &mut Random, triangular: Triangular, (n, batch): (usize, usize)) -> Result<Self> {
        let Triangular { triangle, unit, .. } = triangular;
        let column_major = n.is_multiple_of(2);
        let number = |x: f64| T::narrow(T::Scalar::from_c64(x.into()));
        let mut statuses = vec![Status::Ok; batch];
        let mut given = vec![number(f64::NAN); batch * n * n];
        for (b, i, j) in (0..batch * n * n).map(|e| (e / (n * n), e / n % n, e % n)) {
            let is_read = if triangle == Triangle::Lower { i >= j } else { i <= j };
            if !is_read || unit && i == j {
                continue;
            }
            // Small beside the diagonal, so that inverses are not large.
            let x = random.element::<T>().widen().to_c64();
            let x = if i == j { x + 2.0 } else { x / (1.0 + n as f64 / 4.0) };
            let mut x = T::narrow(T::Scalar::from_c64(x));
            if batch >= 4 && b == 1 && i == n / 2 && i == j {
                x = number(0.0);
                statuses[b] = Status::Singular(n as u32 / 2 + 1);
            }
            if batch >= 4 && b == 2 && i.abs_diff(j) == n - 1 {
                x = number(f64::INFINITY);
                statuses[b] = Status::NonFinite;
            }
            given[b * n * n + if column_major { j * n + i } else { i * n + j }] = x;
        }
        let mut case = Case { data: given.clone(), n, batch, column_major, statuses, singular_has_factors: true };
        case.data = case.batch().triangular(triangular)?.into_vec();
        Ok(Self { triangular, case, given })
    }

    /// All that are given, and the last one alone.
    fn batches(&self) -> (Batch<'_, T>, Batch<'_, T>) {
        let Case { n, batch, .. } = self.case;
        let last = |count: usize| self.case.compact(&self.given[(batch - count) * n * n..], count, n);
        (last(batch), last(1))
    }

    /// Factors, as if they were any matrices.
    fn factors(&self) -> std::result::Result<Lu<T>, String> {
        Device::cpu().lu(&self.case.batch()).map_err(message)
    }

    /// Checks solutions for so many right-hand sides each.
    fn check_solve(&self, device: &Device, random: &mut Random, widths: &[usize]) -> Checked {
        let (case, device, lu) = (&self.case, device.with(self.triangular), self.factors()?);
        let (t, alone) = self.batches();
        widths.iter().try_fold(Ratio::default(), |ratio, &width| {
            let sides: Vec<T> = random.elements(case.batch * case.n * width);
            let b = case.compact(&sides, case.batch, width);
            let single = || device.solve(&alone, &case.last(&b));
            Ok(ratio.worst(case.check_solve(&lu, Op::None, &b, device.solve(&t, &b), single)?))
        })
    }

    fn check_inverse(&self, device: &Device) -> Checked {
        let (device, (t, alone)) = (device.with(self.triangular), self.batches());
        self.case.check_inverse(device.invert(&t), || device.invert(&alone))
    }

    fn check_det(&self, device: &Device) -> Checked {
        let (device, (t, alone)) = (device.with(self.triangular), self.batches());
        self.case.check_det(&self.factors()?, device.det(&t), || device.det(&alone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use crate::{bf16, c32, c64, f16, is_exhaustive};

    fn check<T: Element>(device: &Device, n: usize, batch: usize) {
        for outcome in order::<T>(device, n, batch, 5) {
            let what = format!("{device}, {} {} of {n}", OPERATIONS[outcome.operation], T::NAME);
            assert!(outcome.problem.is_none() && outcome.ratio.passes(), "{what}: {outcome:?}");
        }
    }

    fn on_the_cpu<T: Element>() {
        for n in [1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 63, 64, 65, 100, 129, 193] {
            for batch in [1, 5, 19] {
                check::<T>(&Device::cpu(), n, batch);
            }
        }
    }

    /// Each kernel that solves from factors, at orders around its limits.
    fn by_each_kernel<T: Element>() {
        let of_type = |(name, _): (&'static str, _)| name.strip_suffix(T::NAME)?.strip_suffix('_');
        let kernels: Vec<_> = Device::sim().info().kernels().unwrap().into_iter().filter_map(of_type).collect();
        let kernels: Vec<_> = kernels.into_iter().filter(|name| name.starts_with("trtrs_")).collect();
        assert!(kernels.len() >= 10, "{kernels:?}");
        let mut random = Random::new(9);
        for name in kernels {
            let device = Device::sim_with_seed(3).with(Algorithm::Kernel(name));
            let limit = |letter| name.split('_').find_map(|word| word.strip_prefix(letter)?.parse::<usize>().ok());
            let orders = match limit('n') {
                Some(limit) => vec![limit.min(129), limit.min(129) - 1],
                None => vec![33, 3, 150, 70],
            };
            let orders: Vec<_> = orders.into_iter().step_by(if is_exhaustive() { 1 } else { 2 }).collect();
            for (n, (triangle, unit)) in orders.iter().flat_map(|n| KINDS.map(|kind| (*n, kind))) {
                for op in [Op::None, Op::Transpose, Op::Adjoint] {
                    let triangles =
                        Triangles::<T>::new(&mut random, Triangular { triangle, unit, op }, (n, 4)).unwrap();
                    let checked = triangles.check_solve(&device, &mut random, &[1, 3]);
                    let what = format!("{name}, {}, n = {n}", triangles.triangular);
                    assert!(checked.as_ref().is_ok_and(|ratio| ratio.passes()), "{what}: {checked:?}");
                }
            }
        }
    }

    /// By many blocks a matrix, also few matrices of lower orders.
    fn by_many_blocks<T: Element>() {
        check::<T>(&Device::sim_with_seed(7).with(Algorithm::Latency), 130, 1);
        if T::NAME == "f32" || is_exhaustive() {
            check::<T>(&Device::sim_with_seed(7), 515, 1);
        }
    }

    /// Each function for these types.
    macro_rules! for_types {
        ($($function:ident: $($t:ident)*;)*) => {$(
            mod $function {
                use super::*;
                $(#[test] fn $t() { super::$function::<$t>(); })*
            }
        )*};
    }
    for_types! {
        on_the_cpu: f32 f64 c32 c64 f16 bf16;
        by_each_kernel: f32 f64 c32 c64;
        by_many_blocks: f32 f64 c32 c64 f16;
    }
}
