//! A library on the CPU, its batch divided over threads.

use rayon::prelude::*;
use warplu::resident::Stream;
use warplu::{Element, Scalar};

use super::kernels::Kernels;
use super::worker::{Part, Worker};
use crate::case::{Case, Op};
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::judge::{Ends, ends};

/// A library, its threads, and a batch in host memory.
pub(crate) struct Contestant<'a, T: Element, K: Kernels<T::Scalar>, F> {
    case: &'a Case,
    make: F,
    workers: Vec<Worker<T::Scalar, K>>,
    /// Matrices, or factors where the operation starts from those, in the type of the arithmetic, which is the same.
    a: Vec<T::Scalar>,
    b: Vec<T::Scalar>,
    pivots: Vec<K::Pivot>,
    out: Vec<T::Scalar>,
    sign: Vec<T::Scalar>,
    log_abs: Vec<<T::Scalar as Scalar>::Real>,
}

impl<'a, T: Element, K: Kernels<T::Scalar>, F: Fn() -> Result<K>> Contestant<'a, T, K, F> {
    /// Of `threads` threads, each with what `make` makes.
    pub(super) fn new(case: &'a Case, threads: usize, (a, b): (&[T], &[T]), make: F) -> Result<Self> {
        let &Case { op, n, batch, rhs, .. } = case;
        let wide = |narrow: &[T]| narrow.iter().map(|x| x.widen()).collect::<Vec<_>>();
        let workers = (0..threads).map(|_| Ok(Worker::new(make()?, case))).collect::<Result<_>>()?;
        let (out, pivots, determinants) = match op {
            Op::Lu | Op::LuInv => (n * n, K::noted(n), 0),
            Op::LuSolve => (n * rhs, K::noted(n), 0),
            Op::Inv => (n * n, 0, 0),
            Op::Solve | Op::SolveRefined => (n * rhs, 0, 0),
            Op::Det => (0, 0, 1),
            Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => (0, 0, 0),
        };
        let one = <T::Scalar as Scalar>::ONE;
        let mut contestant = Self {
            case,
            make,
            workers,
            a: wide(a),
            b: wide(b),
            pivots: vec![K::Pivot::default(); batch * pivots],
            // Written once, so that all pages are there.
            out: vec![one; batch * out],
            sign: vec![one; batch * determinants],
            log_abs: vec![one.abs1(); batch * determinants],
        };
        if op.is_from_factors() {
            contestant.factor()?;
        }
        Ok(contestant)
    }

    /// Has the matrices become their factors, those of rows being of the transposes.
    fn factor(&mut self) -> Result<()> {
        let (square, noted) = (self.case.n * self.case.n, K::noted(self.case.n));
        let mut kernels = (self.make)()?;
        self.a
            .chunks_exact_mut(square)
            .zip(self.pivots.chunks_exact_mut(noted))
            .try_for_each(|(a, p)| kernels.factor(a, p))
    }

    /// The interchanges of the first and the last matrix.
    fn interchanges(&self, pivots: &[K::Pivot]) -> Vec<u32> {
        pivots.chunks_exact(K::noted(self.case.n)).flat_map(K::interchanges).collect()
    }
}

impl<T: Element, K: Kernels<T::Scalar>, F: Fn() -> Result<K>> Contender<T> for Contestant<'_, T, K, F> {
    fn restore(&mut self) -> Result<()> {
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let Self { case, workers, a, b, pivots, out, sign, log_abs, .. } = self;
        let mut rest = Part { count: case.batch, a, b, pivots, out, sign, log_abs };
        if let [worker] = &mut workers[..] {
            return worker.run(case, rest);
        }
        let mut parts = Vec::with_capacity(workers.len());
        for left in (1..=workers.len()).rev() {
            let count = rest.count / left;
            let (first, others) = rest.split(count);
            parts.push(first);
            rest = others;
        }
        workers.par_iter_mut().with_max_len(1).zip(parts).try_for_each(|(worker, part)| worker.run(case, part))
    }

    fn ends(&self) -> Result<Ends<T>> {
        let &Case { op, n, batch, .. } = self.case;
        let narrow = |wide: Vec<T::Scalar>| wide.into_iter().map(T::narrow).collect();
        Ok(match op {
            Op::Lu => Ends::Factors(ends(&self.out, batch), self.interchanges(&ends(&self.pivots, batch))),
            Op::Inv | Op::LuInv => Ends::Inverse(narrow(ends(&self.out, batch))),
            Op::Solve | Op::SolveRefined | Op::LuSolve => Ends::Solution(narrow(ends(&self.out, batch))),
            Op::Det => {
                let mut factors = ends(&self.a, batch);
                let mut pivots = vec![K::Pivot::default(); batch.min(2) * K::noted(n)];
                let mut kernels = (self.make)()?;
                let each = factors.chunks_exact_mut(n * n).zip(pivots.chunks_exact_mut(K::noted(n)));
                each.into_iter().try_for_each(|(a, pivots)| kernels.factor(a, pivots))?;
                let pivots = self.interchanges(&pivots);
                Ends::Products(ends(&self.sign, batch), ends(&self.log_abs, batch), factors, pivots)
            }
            Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => {
                return Err(Failure::Bench("nothing was done".to_owned()));
            }
        })
    }

    fn pivots(&self) -> bool {
        K::PIVOTS
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}
