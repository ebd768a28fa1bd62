//! All operations on one batch of matrices.

use rayon::prelude::*;
use simt::cpu::threads;

use super::random::{Random, make_dominant, make_middle_zero, make_non_finite, make_singular, matrices};
use super::ratios::{self, Ratio};
use crate::batch::Batch;
use crate::device::Device;
use crate::element::{Element, Real, Scalar, bytes_of};
use crate::error::{Error, Result};
use crate::matrices::Matrices;
use crate::ops::{Determinants, Inverse, Lu, Solution};
use crate::pivoting::Pivoting;
use crate::status::Status;
use numbers::op::Op;

/// The operations, by the index that [`Outcome::operation`] is.
pub(super) const OPERATIONS: [&str; 7] = ["lu", "lu.solve", "lu.inverse", "lu.det", "solve", "inverse", "det"];

/// The same by the choice of kernels for few matrices.
pub(super) const OPERATIONS_OF_LATENCY: [&str; 7] = [
    "latency: lu",
    "latency: lu.solve",
    "latency: lu.inverse",
    "latency: lu.det",
    "latency: solve",
    "latency: inverse",
    "latency: det",
];

/// The same without interchanges, of matrices that need none, and boosted pivots of some that do.
pub(super) const OPERATIONS_WITHOUT_INTERCHANGES: [&str; 8] = [
    "nopiv: lu",
    "nopiv: lu.solve",
    "nopiv: lu.inverse",
    "nopiv: lu.det",
    "nopiv: solve",
    "nopiv: inverse",
    "nopiv: det",
    "boosted: lu",
];
/// The threshold of boosted pivots: a number of each type.
const THRESHOLD: f64 = 1.0 / 64.0;

/// The relatives of a matrix that systems are solved with.
const OPS: [Op; 3] = [Op::None, Op::Transpose, Op::Adjoint];

/// What came of an operation on a batch.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) operation: usize,
    pub(super) matrices: usize,
    pub(super) ratio: Ratio,
    pub(super) problem: Option<String>,
}

/// A batch with a singular and a NaN matrix among the others.
pub(crate) struct Case<T> {
    pub(crate) data: Vec<T>,
    pub(crate) n: usize,
    pub(crate) batch: usize,
    pub(crate) column_major: bool,
    pub(crate) statuses: Vec<Status>,
    /// Whether singular matrices have factors.
    pub(crate) singular_has_factors: bool,
}

/// What a check yields: the worst ratios, or what is wrong.
pub(crate) type Checked = std::result::Result<Ratio, String>;

/// Checks every operation on `batch` matrices of order `n`.
pub(super) fn order<T: Element>(device: &Device, n: usize, batch: usize, seed: u64) -> Vec<Outcome> {
    let mut random = Random::new(seed ^ ((n as u64) << 20));
    let case = Case::<T>::new(&mut random, n, batch);
    operations(device, &case, &mut random)
}

/// As [`order`], without interchanges of rows, of matrices with dominant diagonals.
pub(super) fn order_without_interchanges<T: Element>(
    device: &Device,
    n: usize,
    batch: usize,
    seed: u64,
) -> Vec<Outcome> {
    let mut random = Random::new(seed ^ ((n as u64) << 20));
    let case = Case::<T>::dominant(&mut random, n, batch);
    let mut outcomes = operations(&device.with(Pivoting::None), &case, &mut random);
    let checked = case.check_boosted(device);
    outcomes.push(Outcome {
        operation: OPERATIONS_WITHOUT_INTERCHANGES.len() - 1,
        matrices: batch,
        ratio: *checked.as_ref().unwrap_or(&Ratio::default()),
        problem: checked.err(),
    });
    outcomes
}

fn operations<T: Element>(device: &Device, case: &Case<T>, random: &mut Random) -> Vec<Outcome> {
    let (n, batch, a) = (case.n, case.batch, case.batch());
    let outcome = |operation, checked: Checked| Outcome {
        operation,
        matrices: batch,
        ratio: *checked.as_ref().unwrap_or(&Ratio::default()),
        problem: checked.err(),
    };
    let (lu, alone) = match device.lu(&a).and_then(|lu| Ok((lu, device.lu(&case.alone())?))) {
        Ok(factored) => factored,
        Err(error) => return vec![outcome(0, Err(error.to_string()))],
    };
    // One right-hand side, then as many as a group of a block is not divided by.
    let one: Vec<T> = random.elements(batch * n);
    let one = case.compact(&one, batch, 1);
    let width = if n > 300 { 15 } else { 1 + (n + 6) % 37 };
    let many: Vec<T> = random.elements(batch * n * width);
    let many = case.compact(&many, batch, width);

    let both = |check: &dyn Fn(&Batch<'_, T>) -> Checked| Ok(check(&one)?.worst(check(&many)?));
    let solved = |b: &Batch<'_, T>| {
        OPS.into_iter().try_fold(Ratio::default(), |ratio, op| {
            let single = || alone.solve(&case.last(b), op);
            Ok(ratio.worst(case.check_solve(&lu, op, b, lu.solve(b, op), single)?))
        })
    };
    let solve = |b: &Batch<'_, T>| {
        case.check_solve(&lu, Op::None, b, device.solve(&a, b), || device.solve(&case.alone(), &case.last(b)))
    };
    let checks: [Checked; 7] = [
        case.check_lu(&lu, &alone),
        both(&solved),
        case.check_inverse(lu.inverse(), || alone.inverse()),
        case.check_det(&lu, lu.det(), || alone.det()),
        both(&solve),
        case.check_inverse(device.invert(&a), || device.invert(&case.alone())),
        case.check_det(&lu, device.det(&a), || device.det(&case.alone())),
    ];
    checks.into_iter().enumerate().map(|(operation, checked)| outcome(operation, checked)).collect()
}

impl<T: Element> Case<T> {
    pub(crate) fn new(random: &mut Random, n: usize, batch: usize) -> Self {
        let column_major = n.is_multiple_of(2);
        let mut data = matrices(random, batch, n);
        let mut statuses = vec![Status::Ok; batch];
        if batch >= 4 && n > 0 {
            let column = make_singular(&mut data, 1, n);
            statuses[1] = Status::Singular(if column_major { n } else { column + 1 } as u32);
            make_non_finite(&mut data, 2, n);
            statuses[2] = Status::NonFinite;
        }
        Self { data, n, batch, column_major, statuses, singular_has_factors: true }
    }

    /// Matrices whose diagonals dominate, so that they need no interchanges; one has a zero pivot, half way.
    pub(crate) fn dominant(random: &mut Random, n: usize, batch: usize) -> Self {
        let mut case = Self { singular_has_factors: false, ..Self::new(random, n, batch) };
        make_dominant(&mut case.data, n);
        if let Some(status) = case.statuses.get_mut(1).filter(|status| !status.is_ok()) {
            make_middle_zero(&mut case.data, 1, n);
            *status = Status::Singular(n as u32 / 2 + 1);
        }
        case
    }

    pub(crate) fn batch(&self) -> Batch<'_, T> {
        self.square(&self.data, self.batch)
    }

    /// The last matrix alone.
    pub(crate) fn alone(&self) -> Batch<'_, T> {
        self.square(&self.data[(self.batch - 1) * self.n * self.n..], 1)
    }

    fn square<'a>(&self, data: &'a [T], batch: usize) -> Batch<'a, T> {
        self.compact(data, batch, self.n)
    }

    pub(crate) fn compact<'a>(&self, data: &'a [T], batch: usize, cols: usize) -> Batch<'a, T> {
        let make = if self.column_major { Batch::column_major } else { Batch::row_major };
        make(data, batch, self.n, cols).expect("the data were made for this shape")
    }

    /// The matrices whose ratios are looked at: finite ones from both ends of the batch.
    fn sample(&self, singular: bool) -> Vec<usize> {
        let mut sample = vec![0, 1, 3, self.batch - 1];
        sample.sort_unstable();
        sample.dedup();
        sample.retain(|&i| {
            i < self.batch && (self.statuses[i] == Status::Ok || singular && self.statuses[i] != Status::NonFinite)
        });
        sample
    }

    pub(super) fn worst(&self, singular: bool, ratio: impl Fn(usize) -> Result<Ratio> + Sync) -> Checked {
        worst_of(&self.sample(singular), &ratio)
    }

    pub(super) fn check_statuses(&self, statuses: &[Status]) -> std::result::Result<(), String> {
        match statuses.iter().zip(&self.statuses).position(|(got, wanted)| got != wanted) {
            None => Ok(()),
            Some(i) => Err(format!("matrix {i} is {}, but should be {}", statuses[i], self.statuses[i])),
        }
    }

    /// Checks that what should be NaN is, and that the last matrix alone gives what it gives among the others.
    pub(super) fn check_outputs(
        &self,
        x: &Matrices<T>,
        alone: impl Fn() -> Result<Matrices<T>>,
    ) -> std::result::Result<(), String> {
        let each = x.rows() * x.cols();
        for (i, matrix) in x.as_slice().chunks_exact(each.max(1)).enumerate() {
            let nan = matrix.iter().all(|z| z.widen().to_c64().is_nan());
            if nan != (self.statuses[i] != Status::Ok) {
                return Err(format!("matrix {i} is {}, but its result says otherwise", self.statuses[i]));
            }
        }
        if self.batch == 1 {
            return Ok(());
        }
        same(&x.as_slice()[(self.batch - 1) * each..], alone().map_err(message)?.as_slice())
    }

    pub(crate) fn check_lu(&self, lu: &Lu<T>, alone: &Lu<T>) -> Checked {
        self.check_statuses(lu.status())?;
        let (factors, own) = (lu.factors().map_err(message)?, alone.factors().map_err(message)?);
        same(&factors.as_slice()[(self.batch - 1) * self.n * self.n..], own.as_slice())?;
        same(lu.pivots(self.batch - 1).map_err(message)?, alone.pivots(0).map_err(message)?)?;
        let a = self.batch();
        self.worst(self.singular_has_factors, |i| ratios::lu(&a, lu, i))
    }

    /// Checks the factors with boosted pivots: they are those of the matrix that has, in the place of the zero pivot,
    /// the threshold times its largest element.
    fn check_boosted(&self, device: &Device) -> Checked {
        let boosted = device.with(Pivoting::Boosted { threshold: THRESHOLD });
        let factor = |a: &Batch<'_, T>| boosted.lu(a).map_err(message);
        let mut nearby = Self { data: self.data.clone(), statuses: self.statuses.clone(), ..*self };
        let (square, middle) = (self.n * self.n, self.n / 2);
        if self.n > 1
            && let Some(status) = nearby.statuses.get_mut(1).filter(|status| !status.is_ok())
        {
            let matrix = &mut nearby.data[square..2 * square];
            let largest = matrix.iter().map(|x| x.widen().abs1().to_c64().re).fold(0.0, f64::max);
            matrix[middle * self.n + middle] = T::narrow(T::Scalar::from_c64((THRESHOLD * largest).into()));
            *status = Status::Ok;
        }
        let (lu, alone) = (factor(&self.batch())?, factor(&self.alone())?);
        nearby.check_lu(&lu, &alone)
    }

    pub(crate) fn check_solve(
        &self,
        lu: &Lu<T>,
        op: Op,
        b: &Batch<'_, T>,
        all: Result<Solution<Matrices<T>>>,
        alone: impl Fn() -> Result<Solution<Matrices<T>>>,
    ) -> Checked {
        let (a, all) = (self.batch(), all.map_err(message)?);
        self.check_statuses(&all.status)?;
        self.check_outputs(&all.x, || Ok(alone()?.x))?;
        self.worst(false, |i| ratios::solve(&a, lu, op, b, &all.x, i))
    }

    pub(crate) fn check_inverse(
        &self,
        all: Result<Inverse<Matrices<T>>>,
        alone: impl Fn() -> Result<Inverse<Matrices<T>>>,
    ) -> Checked {
        let (a, all) = (self.batch(), all.map_err(message)?);
        self.check_statuses(&all.status)?;
        self.check_outputs(&all.matrices, || Ok(alone()?.matrices))?;
        self.worst(false, |i| Ok(ratios::inverse(&a, &all.matrices.view(), i)))
    }

    pub(super) fn check_det(
        &self,
        lu: &Lu<T>,
        all: Result<Determinants<T>>,
        alone: impl Fn() -> Result<Determinants<T>>,
    ) -> Checked {
        let (all, alone) = (all.map_err(message)?, alone().map_err(message)?);
        self.check_statuses(&all.status)?;
        same(&all.values[self.batch - 1..], &alone.values)?;
        same(&all.sign[self.batch - 1..], &alone.sign)?;
        same(&all.log_abs[self.batch - 1..], &alone.log_abs)?;
        let ratio = |i: usize| match self.statuses[i] {
            // Without factors nothing is known of it.
            Status::Singular(_) if !self.singular_has_factors => {
                let is_nan = all.values[i].to_c64().is_nan() && all.sign[i].to_c64().is_nan();
                let is_nan = is_nan && all.log_abs[i].to_f64().is_nan();
                Ok(if is_nan { 0.0 } else { f64::INFINITY })
            }
            _ => ratios::det(lu, &all, i),
        };
        let norms = (0..self.batch).map(ratio);
        let norm = norms.collect::<Result<Vec<_>>>().map_err(message)?.into_iter().fold(0.0, ratios::worst);
        Ok(Ratio { norm, ..Ratio::default() })
    }

    /// The last matrix's right-hand sides.
    pub(crate) fn last<'a>(&self, b: &'a Batch<'_, T>) -> Batch<'a, T> {
        b.one(self.batch - 1)
    }
}

/// The worst ratio of a sample. Through a pointer, so that rayon's machinery is compiled once, and not for each check and
/// type.
fn worst_of(sample: &[usize], ratio: &(dyn Fn(usize) -> Result<Ratio> + Sync)) -> Checked {
    let ratios = sample.par_iter().map(|&i| ratio(i));
    threads::run(|| ratios.try_reduce(Ratio::default, |a, b| Ok(a.worst(b)))).map_err(message)
}

pub(crate) fn message(error: Error) -> String {
    error.to_string()
}

/// Checks that a matrix alone gave, bit for bit, what it gave in the batch.
pub(super) fn same<V: simt::Pod>(in_batch: &[V], alone: &[V]) -> std::result::Result<(), String> {
    if bytes_of(in_batch) == bytes_of(alone) {
        return Ok(());
    }
    Err("the last matrix alone gives another result than in the batch".to_owned())
}
