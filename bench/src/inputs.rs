//! Random matrices, on the host and on the device.

use warplu::Pod;
use warplu::resident::{DeviceBuffer, Stream};
use warplu::verify::{Random, make_definite};
use warplu::{Device, Element};

use crate::case::{Case, Op};
use crate::failure::{Failure, Result};

/// Most numbers that are drawn; larger batches repeat them.
const DRAWN: usize = 1 << 22;
/// Bytes of a copy that keeps a GPU busy for some 50 microseconds.
const BALLAST: usize = 128 << 20;

/// Distinct matrices and their right-hand sides; a batch repeats them.
#[derive(Debug)]
pub(crate) struct Numbers<T> {
    pub(crate) a: Vec<T>,
    pub(crate) b: Vec<T>,
    pub(crate) distinct: usize,
}

impl<T: Element> Numbers<T> {
    /// Numbers between -1 and 1, the same in each run and for each library.
    pub(crate) fn new(case: &Case) -> Result<Self> {
        let &Case { n, rhs, batch, .. } = case;
        let each = n.checked_mul(n.max(rhs)).filter(|&each| each.checked_mul(batch).is_some()).ok_or_else(too_large)?;
        let distinct = (DRAWN / each).clamp(1, batch);
        let mut random = Random::new(n as u64);
        let mut draw = |len: usize| {
            let mut numbers = reserved(len)?;
            numbers.extend((0..len).map(|_| random.element::<T>()));
            Ok::<_, Failure>(numbers)
        };
        let (mut a, b) = (draw(distinct * n * n)?, draw(distinct * n * rhs)?);
        if case.is_definite() {
            a.chunks_exact_mut(n * n).for_each(|matrix| make_definite(matrix, n));
        }
        Ok(Self { a, b, distinct })
    }

    /// The matrices and right-hand sides of a whole batch.
    pub(crate) fn repeated(&self, batch: usize) -> Result<(Vec<T>, Vec<T>)> {
        let repeat = |numbers: &[T]| {
            let len = numbers.len() / self.distinct * batch;
            let mut all = reserved(len)?;
            all.extend(numbers.iter().cycle().take(len));
            Ok::<_, Failure>(all)
        };
        Ok((repeat(&self.a)?, repeat(&self.b)?))
    }
}

fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(len).map_err(|_| too_large())?;
    Ok(numbers)
}

fn too_large() -> Failure {
    Failure::Usage("the matrices do not fit into memory: use a smaller --batch or --n".to_owned())
}

/// A case's inputs in device memory, which no run overwrites.
#[derive(Debug)]
pub(crate) struct Inputs<T> {
    a: DeviceBuffer<T>,
    b: DeviceBuffer<T>,
    /// What is copied to keep a GPU busy.
    ballast: DeviceBuffer<u8>,
}

impl<T: Element> Inputs<T> {
    pub(crate) fn new(device: &Device, stream: &Stream, case: &Case, numbers: &Numbers<T>) -> warplu::Result<Self> {
        let repeated = |numbers: &[T], each: usize| {
            let (few, mut all) = (device.upload(numbers)?, device.buffer(each * case.batch)?);
            for first in (0..all.len()).step_by(few.len().max(1)) {
                let end = all.len().min(first + few.len());
                stream.copy(few.slice(..end - first)?, all.slice_mut(first..end)?)?;
            }
            stream.synchronize()?;
            Ok::<_, warplu::Error>(all)
        };
        let (a, b) = (repeated(&numbers.a, case.n * case.n)?, repeated(&numbers.b, case.n * case.rhs)?);
        // The emulator works at once: there is nothing to wait for.
        let ballast = device.buffer(if stream.raw().is_some() { BALLAST } else { 0 })?;
        Ok(Self { a, b, ballast })
    }
}

/// The memory that a library works in. Each has its own, freed before the next one's turn.
#[derive(Debug)]
pub(crate) struct Arrays<'a, T: Element> {
    pub(crate) device: &'a Device,
    pub(crate) stream: &'a Stream,
    pub(crate) case: &'a Case,
    inputs: &'a Inputs<T>,
    /// Where the ballast is copied to.
    busy: DeviceBuffer<u8>,
    /// What `a` is restored to where the operation starts from factors.
    factors: Option<DeviceBuffer<T>>,
    pub(crate) a: DeviceBuffer<T>,
    pub(crate) b: DeviceBuffer<T>,
    /// For results elsewhere than in `a`.
    pub(crate) out: DeviceBuffer<T>,
}

impl<'a, T: Element> Arrays<'a, T> {
    pub(crate) fn new(
        device: &'a Device,
        stream: &'a Stream,
        case: &'a Case,
        inputs: &'a Inputs<T>,
    ) -> warplu::Result<Self> {
        let out = match case.op {
            Op::Lu | Op::Det | Op::Chol => 0,
            Op::Inv | Op::LuInv | Op::CholInv | Op::Copy => inputs.a.len(),
            Op::Solve | Op::SolveRefined | Op::LuSolve | Op::CholSolve => inputs.b.len(),
        };
        let (a, b, out) = (device.buffer(inputs.a.len())?, device.buffer(inputs.b.len())?, device.buffer(out)?);
        let busy = device.buffer(inputs.ballast.len())?;
        let mut arrays = Self { device, stream, case, inputs, busy, factors: None, a, b, out };
        arrays.restore()?;
        Ok(arrays)
    }

    /// Enqueues copies of the inputs, also of those that no run overwrites, so that each library finds the same in the
    /// caches. The device is busy while the run is enqueued: its span is device time then, without that of its
    /// launches.
    pub(crate) fn restore(&mut self) -> warplu::Result<()> {
        self.stream.copy(&self.inputs.ballast, &mut self.busy)?;
        self.stream.copy(self.factors.as_ref().unwrap_or(&self.inputs.a), &mut self.a)?;
        self.stream.copy(&self.inputs.b, &mut self.b)
    }

    /// Has `a` restored to the factors that it holds now.
    pub(crate) fn keep_factors(&mut self) -> warplu::Result<()> {
        let mut factors = self.device.buffer(self.a.len())?;
        self.stream.copy(&self.a, &mut factors)?;
        self.factors = Some(factors);
        Ok(())
    }

    /// What a buffer holds for the first and the last matrix.
    pub(crate) fn ends<V: Pod>(&self, buffer: &DeviceBuffer<V>) -> warplu::Result<Vec<V>> {
        let (each, count) = (buffer.len() / self.case.batch, self.case.batch.min(2));
        let mut few = buffer.slice(..each)?.to_vec()?;
        if count == 2 {
            few.extend(buffer.slice(buffer.len() - each..)?.to_vec()?);
        }
        Ok(few)
    }
}
