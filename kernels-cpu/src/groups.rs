//! Batches of small matrices, worked on side by side: some after the other, in parallel over rayon's threads.

use std::{ptr, slice};

use numbers::det_product::DetParts;
use numbers::element::RealOf;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use rayon::prelude::*;
use simt::cpu::threads;
use simt::global::Global;

use super::batch::pivots_of;
use super::lanes::{self, Isa, Kept, Workspace};
use super::substitute_few::FEW;
use super::transfer::{at, from};
use crate::element::Element;
use crate::error::{NoMemory, Result};
use crate::parallel::at_least;
use numbers::factors::Factors;
use numbers::op::Substitutions;

/// The largest order whose matrices are worked on side by side. Of larger ones, so many do not fit a core's cache.
const LARGEST: usize = 128;
/// The largest orders whose systems are solved side by side from factors, for few right-hand sides and for more: of
/// larger ones, factors are interleaved in more time than they are used once as they lie.
const LARGEST_SOLVED: (usize, usize) = (32, 64);
/// Bytes of matrices that a thread takes at once, at least.
const LEAST: usize = 16 << 10;

/// Whether matrices of this order are worked on side by side.
pub(super) fn suit(n: usize) -> bool {
    n <= LARGEST && Isa::detect().has_groups()
}

/// Whether systems of this order, with so many right-hand sides, are solved side by side from factors.
pub(super) fn suits_factors(n: usize, rhs: usize) -> bool {
    suit(n) && n <= if rhs <= FEW { LARGEST_SOLVED.0 } else { LARGEST_SOLVED.1 }
}

/// As [`super::batch::factor`].
///
/// # Safety
/// As there.
pub(super) unsafe fn factor<T: Element>(a: Matrices<T>, factors: Factors<T::Scalar>, size: Problem) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let (a, lu) = (from(a, first), from(factors.lu, first));
        let pivots = slice::from_raw_parts_mut(at(factors.pivots, first * n), count * n);
        let status = slice::from_raw_parts_mut(at(factors.status, first), count);
        lanes::factor::<T>(isa, workspace, a, lu, n, pivots, status);
    })
}

/// As [`super::batch::solve`].
///
/// # Safety
/// As there.
pub(super) unsafe fn solve<T: Element>(
    a: Matrices<T>,
    b: Matrices<T>,
    x: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, rhs, |isa, workspace, first, count| unsafe {
        let [a, b, x] = [a, b, x].map(|matrices| from(matrices, first));
        let status = slice::from_raw_parts_mut(at(status, first), count);
        lanes::solve::<T>(isa, workspace, a, b, x, n, rhs, status);
    })
}

/// As [`super::batch::solve_from_factors`].
///
/// # Safety
/// As there.
pub(super) unsafe fn solve_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    how: Substitutions,
    (b, x): (Matrices<T>, Matrices<T>),
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let (n, rhs) = (size.n as usize, size.rhs as usize);
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, rhs, |isa, workspace, first, count| unsafe {
        let (lu, b, x) = (from(factors.lu, first), from(b, first), from(x, first));
        let pivots = pivots_of(factors.pivots, first, count, n);
        let status = statuses_of(factors.status, status, first, count);
        lanes::solve_factored::<T>(isa, workspace, lu, pivots, how, b, x, n, rhs, status);
    })
}

/// As [`super::batch::invert`].
///
/// # Safety
/// As there.
pub(super) unsafe fn invert<T: Element>(
    a: Matrices<T>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let [a, out] = [a, out].map(|matrices| from(matrices, first));
        let status = slice::from_raw_parts_mut(at(status, first), count);
        lanes::inverse::<T>(isa, workspace, a, out, n, status);
    })
}

/// As [`super::batch::invert_from_factors`].
///
/// # Safety
/// As there.
pub(super) unsafe fn invert_from_factors<T: Element>(
    factors: Factors<T::Scalar>,
    out: Matrices<T>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let (lu, out) = (from(factors.lu, first), from(out, first));
        let pivots = slice::from_raw_parts(at(factors.pivots, first * n), count * n);
        let status = statuses_of(factors.status, status, first, count);
        lanes::inverse_factored::<T>(isa, workspace, lu, pivots, out, n, status);
    })
}

/// As [`super::batch::det`].
///
/// # Safety
/// As there.
pub(super) unsafe fn det<T: Element>(
    a: Matrices<T>,
    det: DetParts<T::Scalar, RealOf<T>>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let a = from(a, first);
        let status = slice::from_raw_parts_mut(at(status, first), count);
        lanes::det::<T>(isa, workspace, a, n, det.from(first as i64), status);
    })
}

/// Copies statuses of factors, which are all 0 if there are none, to where those of results will be, which may be there.
///
/// # Safety
/// There are so many, and nobody else touches them for as long as the result is used.
pub(super) unsafe fn statuses_of<'a>(
    given: Global<i32>,
    status: Global<i32>,
    first: usize,
    count: usize,
) -> &'a mut [i32] {
    // SAFETY: the caller's promise.
    unsafe {
        if given.is_null() {
            ptr::write_bytes(at(status, first), 0, count);
        } else {
            ptr::copy(at(given, first).cast_const(), at(status, first), count);
        }
        slice::from_raw_parts_mut(at(status, first), count)
    }
}

/// Works on some matrices after the other, given the first of them and how many they are. Threads have a workspace
/// each.
pub(super) fn each<T: Element>(
    size: Problem,
    rhs: usize,
    some: impl Fn(Isa, &mut Workspace, usize, usize) + Sync + Send,
) -> Result<()> {
    let (batch, n) = (size.batch as usize, size.n as usize);
    let isa = Isa::detect();
    let lanes = isa.lanes::<T::Scalar>();
    let bytes = lanes * n * (n + rhs) * size_of::<T>();
    let at_once = lanes * LEAST.div_ceil(bytes.max(1));
    let (bytes, workspace) = (2 * bytes, || Kept::new::<T>(isa, n, rhs, batch).ok());
    let work = |workspace: &mut Workspace, part: usize| {
        let first = part * at_once;
        some(isa, workspace, first, at_once.min(batch - first));
    };
    if batch <= at_once {
        work(&mut *workspace().ok_or(NoMemory { bytes })?, 0);
        return Ok(());
    }
    each_part(batch.div_ceil(at_once), bytes, &workspace, &work)
}

/// Works on parts, on each thread in a workspace of its own, of so many bytes. Through pointers, as
/// [`parallel`](crate::parallel) does.
fn each_part(
    parts: usize,
    bytes: usize,
    workspace: &(dyn Fn() -> Option<Kept> + Sync),
    work: &(dyn Fn(&mut Workspace, usize) + Sync),
) -> Result<()> {
    threads::run(|| {
        let all = (0..parts).into_par_iter().with_min_len(at_least(1, parts));
        all.try_for_each_init(workspace, |workspace, part| {
            work(workspace.as_mut().ok_or(NoMemory { bytes })?, part);
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::testing::Random;
    use super::*;
    use warplu::{Batch, Device, Op};

    #[test]
    fn each_matrix_is_worked_on_once() {
        for (n, batch) in [(1, 1), (1, 40_000), (2, 5000), (2, 513), (4, 1025), (7, 333), (128, 19)] {
            let times: Vec<AtomicU32> = (0..batch).map(|_| AtomicU32::new(0)).collect();
            let size = Problem { n, batch: batch as u64, rhs: 1 };
            each::<f64>(size, 1, |_, _, first, count| {
                for time in &times[first..first + count] {
                    time.fetch_add(1, Ordering::Relaxed);
                }
            })
            .unwrap();
            assert!(times.iter().all(|time| time.load(Ordering::Relaxed) == 1), "n = {n}, {batch} matrices");
        }
    }

    /// Results from factors have the bits of those from matrices, also where some are singular.
    #[test]
    fn from_factors_as_from_matrices() {
        for (n, batch, rhs) in [(2, 50, 1), (4, 9, 5), (7, 33, 2), (32, 10, 1), (64, 9, 3), (64, 1, 4)] {
            let mut random = Random(n as u64);
            let mut numbers = |len: usize| -> Vec<f64> { (0..len).map(|_| random.real()).collect() };
            let (mut a, b) = (numbers(batch * n * n), numbers(batch * n * rhs));
            a[(batch - 1) * n * n..][..n].fill(0.0);
            let (a, b) = (Batch::row_major(&a, batch, n, n).unwrap(), Batch::column_major(&b, batch, n, rhs).unwrap());
            let device = Device::cpu();
            let lu = device.lu(&a).unwrap();
            let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
            let (x, expected) = (lu.solve(&b, Op::None).unwrap(), device.solve(&a, &b).unwrap());
            assert!(same(x.x.as_slice(), expected.x.as_slice()) && x.status == expected.status, "n = {n}");
            let (x, expected) = (lu.inverse().unwrap(), device.invert(&a).unwrap());
            assert!(
                same(x.matrices.as_slice(), expected.matrices.as_slice()) && x.status == expected.status,
                "n = {n}"
            );
        }
    }
}
