//! warplu's calls on host memory: from there, and back there.

use rayon::prelude::*;
use warplu::resident::Stream;
use warplu::{Batch, Determinants, Device, Element, Inverse, Lu, Solution};

use super::case::{Case, Op};
use super::judge::{Ends, ends};
use super::measure::Contender;
use crate::failure::Result;

/// Elements that a thread copies at a time.
const COPIED: usize = 1 << 16;

/// A device, and a batch in host memory.
#[derive(Debug)]
pub(super) struct Host<'a, T: Element> {
    device: &'a Device,
    op: Op,
    a: Batch<'a, T>,
    b: Batch<'a, T>,
    /// What [`Op::Copy`] reads.
    elements: &'a [T],
    /// What operations from factors start from.
    factors: Option<Lu<T>>,
    done: Option<Done<T>>,
}

/// What a run returned.
#[derive(Debug)]
enum Done<T: Element> {
    Lu(Lu<T>),
    Inverse(Inverse<T>),
    Solution(Solution<T>),
    Determinants(Determinants<T>),
    Copy(Vec<T>),
}

impl<'a, T: Element> Host<'a, T> {
    pub(super) fn new(device: &'a Device, case: &Case, a: &'a [T], b: &'a [T]) -> warplu::Result<Self> {
        let &Case { op, n, batch, rhs, layout, .. } = case;
        let elements = a;
        let (a, b) = (layout.host(a, batch, (n, n))?, layout.host(b, batch, (n, rhs))?);
        let factors = if op.is_from_factors() { Some(device.lu(&a)?) } else { None };
        Ok(Self { device, op, a, b, elements, factors, done: None })
    }

    fn once(&self) -> warplu::Result<Done<T>> {
        let Self { device, a, b, .. } = self;
        if let Some(lu) = &self.factors {
            return Ok(match self.op {
                Op::LuSolve => Done::Solution(lu.solve(b, warplu::Op::None)?),
                _ => Done::Inverse(lu.inverse()?),
            });
        }
        Ok(match self.op {
            Op::Inv | Op::LuInv => Done::Inverse(device.invert(a)?),
            Op::Solve | Op::LuSolve => Done::Solution(device.solve(a, b)?),
            Op::Lu => Done::Lu(device.lu(a)?),
            Op::Det => Done::Determinants(device.det(a)?),
            Op::Copy => Done::Copy(self.elements.par_iter().with_min_len(COPIED).copied().collect()),
        })
    }
}

impl<T: Element> Contender<T> for Host<'_, T> {
    fn restore(&mut self) -> Result<()> {
        // Freed here, not in the next run's time.
        self.done = None;
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        self.done = Some(self.once()?);
        Ok(())
    }

    fn ends(&self) -> Result<Ends<T>> {
        let batch = self.a.batch();
        let done = match &self.done {
            Some(done) => done,
            None => &self.once()?,
        };
        Ok(match done {
            Done::Lu(lu) => Ends::Factors(ends(lu.factors().as_slice(), batch), ends(lu.all_pivots(), batch)),
            Done::Inverse(inverse) => Ends::Inverse(ends(inverse.matrices.as_slice(), batch)),
            Done::Solution(solution) => Ends::Solution(ends(solution.x.as_slice(), batch)),
            Done::Determinants(det) => Ends::Determinants(ends(&det.phase, batch), ends(&det.log_abs, batch)),
            Done::Copy(copy) => Ends::Copy(ends(copy, batch)),
        })
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}
