//! Norms of inverses, estimated from solutions, in lock-step over a batch.

mod estimate;

pub(super) use estimate::Estimate;

use numbers::scalar::{Real, Scalar};
use rayon::prelude::*;
use simt::cpu::threads;

use super::kept::quiet;
use super::one_size::{OneSize, ScalarOf};
use crate::batch::BatchMut;
use crate::call::start_threads;
use crate::device::Device;
use crate::element::RealOf;
use crate::error::Result;
use crate::layout::product;
use crate::lend::Lent;
use crate::status::Status;
use kernels_cpu::fresh::filled;
use numbers::op::Op;

/// Most vectors, equal ones included, that an estimate goes through (LAPACK's `ITMAX`).
const MOST_VECTORS: usize = 5;

/// Solves for all estimates that are not done yet, at once. Those that are done are carried along. There may be several
/// of a matrix.
pub(super) struct Rounds<'a, F: OneSize> {
    factors: &'a F,
    device: Device,
    estimates: Vec<Estimate>, // shape (batch, each)
    each: usize,
    x: Vec<ScalarOf<F>>,     // shape (batch, each, columns, n)
    signs: Vec<ScalarOf<F>>, // shape (batch, each, n)
}

/// Asks for the solutions that an estimate needs, by its index: of its signs it makes right-hand sides.
type Ask<'a, S> = &'a (dyn Fn(usize, &Estimate, &[S], &mut [S]) + Sync);
/// Takes solutions, by the index of the estimate, with its signs; false where they are too large.
type Take<'a, S> = &'a (dyn Fn(usize, &mut Estimate, &mut [S], &mut [S]) -> bool + Sync);

impl Estimate {
    /// `each` of each matrix, of matrices of these norms.
    pub(super) fn of_all<F: OneSize>(factors: &F, norms: &[RealOf<F::Element>], each: usize) -> Result<Vec<Self>> {
        let factored = factors.factored();
        let mut estimates = Vec::new();
        estimates
            .extend(filled(Self::new::<ScalarOf<F>>(0.0, crate::Status::Ok), product(&[factored.batch(), each])?)?);
        for (matrix, (norm, &status)) in estimates.chunks_mut(each).zip(norms.iter().zip(factored.status())) {
            matrix.fill(Self::new::<ScalarOf<F>>(norm.to_f64(), status));
        }
        Ok(estimates)
    }
}

impl<'a, F: OneSize> Rounds<'a, F> {
    /// With at most so many right-hand sides for each estimate at a time. There are matrices.
    pub(super) fn new(factors: &'a F, estimates: Vec<Estimate>, columns: usize) -> Result<Self> {
        start_threads()?;
        let (n, batch) = (factors.factored().n(), factors.factored().batch());
        let each = estimates.len() / batch;
        let zeros =
            |columns: usize| -> Result<_> { Ok(filled(ScalarOf::<F>::ZERO, product(&[batch, each, columns, n])?)?) };
        let device = quiet(factors.factored().device());
        Ok(Self { factors, device, estimates, each, x: zeros(columns)?, signs: zeros(1)? })
    }

    pub(super) fn finish(self) -> Vec<Estimate> {
        self.estimates
    }

    /// The 1-norms of W op(A)^-1 for the first op, where the second is the adjoint of it. `weigh` multiplies vectors by
    /// the real diagonal matrix W of an estimate, by its index.
    pub(super) fn run(
        mut self,
        (op, adjoint): (Op, Op),
        weigh: impl Fn(usize, &mut [ScalarOf<F>]) + Sync,
    ) -> Result<Vec<Estimate>> {
        let n = self.factors.factored().n();
        let take_first = |index, estimate: &mut Estimate, x: &mut [_], signs: &mut [_]| {
            x.chunks_mut(n).for_each(|x| weigh(index, x));
            estimate.take_first(x, signs)
        };
        self.round(op, 2, &|_, estimate, _, b| estimate.ask_first(n, b), &take_first)?;
        for _ in 1..MOST_VECTORS {
            let ask_where = |index, estimate: &Estimate, signs: &[_], b: &mut [_]| {
                estimate.ask_where(signs, b);
                weigh(index, b);
            };
            self.round(adjoint, 1, &ask_where, &|_, estimate, z, _| estimate.take_where(z))?;
            let take_column = |index, estimate: &mut Estimate, x: &mut [_], signs: &mut [_]| {
                weigh(index, x);
                estimate.take_column(x, signs)
            };
            self.round(op, 1, &|_, estimate, _, b| estimate.ask_for_column(b), &take_column)?;
        }
        Ok(self.estimates)
    }

    /// Asks for the solutions of `columns` right-hand sides for each open estimate and takes them, which is false where
    /// they are too large. Where they overflow, it asks again for smaller ones. Both are given its index.
    pub(super) fn round(
        &mut self,
        op: Op,
        columns: usize,
        ask: Ask<'_, ScalarOf<F>>,
        take: Take<'_, ScalarOf<F>>,
    ) -> Result<()> {
        let Self { factors, ref device, ref mut estimates, each, ref mut x, ref mut signs } = *self;
        let factored = factors.factored();
        let (n, batch) = (factored.n(), factored.batch());
        let x = &mut x[..batch * each * columns * n];
        let mut waiting = filled(false, batch * each)?;
        waiting.iter_mut().zip(&*estimates).for_each(|(waiting, estimate)| *waiting = estimate.is_open());
        while waiting.contains(&true) {
            let sides = x.par_chunks_mut(columns * n).zip(signs.par_chunks(n)).enumerate();
            let all = sides.zip(&*estimates).zip(&waiting);
            threads::run(|| {
                all.for_each(|(((index, (x, signs)), estimate), &waiting)| match waiting {
                    true => ask(index, estimate, signs, x),
                    false => x.fill(ScalarOf::<F>::ZERO),
                });
            });
            let mut sides = BatchMut::column_major(x, batch, n, each * columns)?;
            let solving = F::solving::<ScalarOf<F>>(factors.how());
            let codes = factored.solve(device, &solving, Lent::in_place(&mut sides), op)?;
            let solutions = x.par_chunks_mut(columns * n).zip(signs.par_chunks_mut(n)).enumerate();
            let all = solutions.zip(estimates.par_iter_mut().zip(&mut waiting));
            threads::run(|| {
                all.for_each(|((index, (x, signs)), (estimate, waiting))| {
                    if !*waiting {
                        return;
                    }
                    let is_good = match Status::from_code(codes[index / each]) {
                        Status::Ok => true,
                        Status::SideNotFinite(_) => x.iter().all(|x| x.is_finite()),
                        _ => false,
                    };
                    let taken = is_good && take(index, estimate, x, signs);
                    if !taken {
                        estimate.lower::<ScalarOf<F>>();
                    }
                    *waiting = !taken && estimate.is_open();
                });
            });
        }
        Ok(())
    }
}
