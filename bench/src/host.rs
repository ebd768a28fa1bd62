//! warplu's calls on host memory: from there, and back there.

use std::ops::{Deref, DerefMut};

use rayon::prelude::*;
use warplu::resident::Stream;
use warplu::{
    Batch, Cholesky, Determinants, Device, Element, Error, Inverse, Lu, Matrices, PinnedBuffer, Solution, Statuses,
    Triangle,
};
use warplu_bench_schema::Place;

use crate::case::{Case, Op};
use crate::contender::Contender;
use crate::failure::Result;
use crate::judge::{Ends, ends};

/// Elements that a thread copies at a time.
const COPIED: usize = 1 << 16;

/// A device, and a batch in host memory.
#[derive(Debug)]
pub(crate) struct Host<'a, T: Element> {
    device: &'a Device,
    case: &'a Case,
    a: Memory<'a, T>,
    b: Memory<'a, T>,
    /// What operations from factors start from.
    factors: Option<Factors<T>>,
    done: Done<T>,
}

/// Where inputs are.
#[derive(Debug)]
enum Memory<'a, T> {
    Pageable(&'a [T]),
    Pinned(PinnedBuffer<T>),
}

/// Factors to start from.
#[derive(Debug)]
enum Factors<T: Element> {
    Lu(Lu<T>),
    Cholesky(Cholesky<T>),
}

/// What a run returned, or where it writes to.
#[derive(Debug)]
enum Done<T: Element> {
    Nothing,
    Lu(Lu<T>),
    Cholesky(Cholesky<T>),
    Inverse(Inverse<Matrices<T>>),
    Solution(Solution<Matrices<T>>),
    Determinants(Determinants<T>),
    Copy(Vec<T>),
    Into(Into<Vec<T>, Vec<T::Scalar>>),
    Pinned(Into<PinnedBuffer<T>, PinnedBuffer<T::Scalar>>),
}

/// Outputs that the caller has made.
#[derive(Debug)]
struct Into<V, W> {
    out: V,
    factors: W,
    pivots: Vec<u32>,
}

impl<T: warplu::Pod> Deref for Memory<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Pageable(slice) => slice,
            Self::Pinned(buffer) => buffer,
        }
    }
}

impl<'a, T: Element> Host<'a, T> {
    /// Whose outputs are fresh memory, or memory that the caller has, or that beside page-locked inputs.
    pub(crate) fn new(
        device: &'a Device,
        case: &'a Case,
        place: Place,
        a: &'a [T],
        b: &'a [T],
    ) -> warplu::Result<Self> {
        let &Case { op, n, batch, rhs, layout, .. } = case;
        let matrices = || layout.host(a, batch, (n, n));
        let factors = match op {
            Op::CholInv | Op::CholSolve => Some(Factors::Cholesky(device.cholesky(&matrices()?, Triangle::Lower)?)),
            op if op.is_from_factors() => Some(Factors::Lu(device.lu(&matrices()?)?)),
            _ => None,
        };
        let out = match op {
            Op::Inv | Op::CholInv => batch * n * n,
            Op::Solve | Op::SolveRefined | Op::LuSolve | Op::CholSolve => batch * n * rhs,
            _ => 0,
        };
        let factored = if matches!(op, Op::Lu | Op::Chol) { batch * n * n } else { 0 };
        let pivots = vec![0; if op == Op::Lu { batch * n } else { 0 }];
        let one = T::narrow(warplu::Scalar::ONE);
        let pinned = |from: &[T]| {
            let mut memory = device.pinned(from.len())?;
            memory.copy_from_slice(from);
            Ok::<_, Error>(Memory::Pinned(memory))
        };
        let (a, b, done) = match place {
            Place::Pinned => {
                let (out, factors) = (device.pinned(out)?, device.pinned(factored)?);
                (pinned(a)?, pinned(b)?, Done::Pinned(Into { out, factors, pivots }))
            }
            Place::Into => {
                // Written once, so that all pages are there.
                let (out, factors) = (vec![one; out], vec![one.widen(); factored]);
                let done = Done::Into(Into { out, factors, pivots });
                (Memory::Pageable(a), Memory::Pageable(b), done)
            }
            Place::Host | Place::Device => (Memory::Pageable(a), Memory::Pageable(b), Done::Nothing),
        };
        Ok(Self { device, case, a, b, factors, done })
    }

    fn once(&mut self) -> warplu::Result<()> {
        let Self { device, case, a, b, factors, done } = self;
        let &Case { op, n, batch, rhs, layout, .. } = *case;
        let (matrices, sides) = (layout.host(a, batch, (n, n))?, layout.host(b, batch, (n, rhs))?);
        match done {
            Done::Into(into) => return into.run(device, case, factors.as_ref(), &matrices, &sides).map(drop),
            Done::Pinned(into) => return into.run(device, case, factors.as_ref(), &matrices, &sides).map(drop),
            _ => {}
        }
        *done = match (factors, op) {
            (Some(Factors::Lu(lu)), Op::LuSolve) => Done::Solution(lu.solve(&sides, warplu::Op::None)?),
            (Some(Factors::Lu(lu)), _) => Done::Inverse(lu.inverse()?),
            (Some(Factors::Cholesky(cholesky)), Op::CholSolve) => Done::Solution(cholesky.solve(&sides)?),
            (Some(Factors::Cholesky(cholesky)), _) => Done::Inverse(cholesky.inverse()?),
            (None, Op::Inv | Op::LuInv | Op::CholInv) => Done::Inverse(device.invert(&matrices)?),
            (None, Op::Solve | Op::SolveRefined | Op::LuSolve | Op::CholSolve) => {
                Done::Solution(device.solve(&matrices, &sides)?)
            }
            (None, Op::Chol) => Done::Cholesky(device.cholesky(&matrices, Triangle::Lower)?),
            (None, Op::Lu) => Done::Lu(device.lu(&matrices)?),
            (None, Op::Det) => Done::Determinants(device.det(&matrices)?),
            (None, Op::Copy) => Done::Copy(a.par_iter().with_min_len(COPIED).copied().collect()),
        };
        Ok(())
    }
}

impl<V, W> Into<V, W> {
    fn run<T: Element>(
        &mut self,
        device: &Device,
        case: &Case,
        factored: Option<&Factors<T>>,
        a: &Batch<'_, T>,
        b: &Batch<'_, T>,
    ) -> warplu::Result<Statuses>
    where
        V: DerefMut<Target = [T]>,
        W: DerefMut<Target = [T::Scalar]>,
    {
        let &Case { op, n, batch, rhs, layout, .. } = case;
        let Self { out, factors, pivots } = self;
        match (factored, op) {
            (Some(Factors::Lu(lu)), _) => {
                return lu.solve_into(b, &mut layout.host_mut(out, batch, (n, rhs))?, warplu::Op::None);
            }
            (Some(Factors::Cholesky(cholesky)), Op::CholSolve) => {
                return cholesky.solve_into(b, &mut layout.host_mut(out, batch, (n, rhs))?);
            }
            (Some(Factors::Cholesky(cholesky)), _) => {
                return cholesky.inverse_into(&mut layout.host_mut(out, batch, (n, n))?);
            }
            (None, _) => {}
        }
        match op {
            Op::Chol => device.cholesky_into(a, Triangle::Lower, &mut layout.host_mut(factors, batch, (n, n))?),
            Op::Lu => device.lu_into(a, &mut layout.host_mut(factors, batch, (n, n))?, pivots),
            Op::Solve | Op::SolveRefined => device.solve_into(a, b, &mut layout.host_mut(out, batch, (n, rhs))?),
            _ => device.invert_into(a, &mut layout.host_mut(out, batch, (n, n))?),
        }
    }

    fn ends<T: Element>(&self, op: Op, batch: usize) -> Ends<T>
    where
        V: Deref<Target = [T]>,
        W: Deref<Target = [T::Scalar]>,
    {
        match op {
            Op::Lu => Ends::Factors(ends(&self.factors, batch), ends(&self.pivots, batch)),
            Op::Chol => Ends::Cholesky(ends(&self.factors, batch)),
            Op::Solve | Op::SolveRefined | Op::LuSolve | Op::CholSolve => Ends::Solution(ends(&self.out, batch)),
            _ => Ends::Inverse(ends(&self.out, batch)),
        }
    }
}

impl<T: Element> Contender<T> for Host<'_, T> {
    fn restore(&mut self) -> Result<()> {
        // Freed here, not in the next run's time.
        if !matches!(self.done, Done::Into(_) | Done::Pinned(_)) {
            self.done = Done::Nothing;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        Ok(self.once()?)
    }

    fn ends(&self) -> Result<Ends<T>> {
        let &Case { op, batch, .. } = self.case;
        let inverse = |x: &Matrices<T>| Ends::Inverse(ends(x.as_slice(), batch));
        Ok(match &self.done {
            Done::Nothing => Ends::Copy(Vec::new()),
            Done::Lu(lu) => Ends::Factors(ends(lu.factors()?.as_slice(), batch), ends(lu.all_pivots()?, batch)),
            Done::Cholesky(cholesky) => Ends::Cholesky(ends(cholesky.factors()?.as_slice(), batch)),
            Done::Inverse(Inverse { matrices, .. }) => inverse(matrices),
            Done::Solution(solution) => Ends::Solution(ends(solution.x.as_slice(), batch)),
            Done::Determinants(det) => Ends::Determinants(ends(&det.sign, batch), ends(&det.log_abs, batch)),
            Done::Copy(copy) => Ends::Copy(ends(copy, batch)),
            Done::Into(into) => into.ends(op, batch),
            Done::Pinned(into) => into.ends(op, batch),
        })
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}
