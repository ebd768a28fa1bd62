//! Batches of small matrices: groups of as many as a vector has lanes, in parallel over rayon's threads.

use std::slice;

use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use kernels_gpu::shape::Problem;
use rayon::prelude::*;
use simt::global::Global;

use super::lanes::{Group, Isa, MAX_LANES, Workspace};
use super::transfer::{at, start};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::launch::Factors;

/// The largest order whose matrices are worked on side by side. Of larger ones, so many do not fit a core's cache.
pub(super) const LARGEST: usize = 128;
/// Bytes of matrices that a thread takes at least.
const LEAST: usize = 16 << 10;

/// As [`super::batch::factor`].
///
/// # Safety
/// As there.
pub(super) unsafe fn factor<T: Element>(a: Matrices<T>, factors: Factors<T::Scalar>, size: Problem) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let (a, lu) = (Starts::of(a, first, count), Starts::of(factors.lu, first, count));
        let pivots = slice::from_raw_parts_mut(at(factors.pivots, first * n), count * n);
        let status = slice::from_raw_parts_mut(at(factors.status, first), count);
        T::factor_group(isa, workspace, a.group(), lu.group(), n, pivots, status);
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
        let [a, b, x] = [a, b, x].map(|matrices| Starts::of(matrices, first, count));
        let status = slice::from_raw_parts_mut(at(status, first), count);
        T::solve_group(isa, workspace, a.group(), b.group(), x.group(), n, rhs, status);
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
        let [a, out] = [a, out].map(|matrices| Starts::of(matrices, first, count));
        let status = slice::from_raw_parts_mut(at(status, first), count);
        T::invert_group(isa, workspace, a.group(), out.group(), n, status);
    })
}

/// As [`super::batch::det`].
///
/// # Safety
/// As there.
pub(super) unsafe fn det<T: Element>(
    a: Matrices<T>,
    phase: Global<T::Scalar>,
    log_abs: Global<<T::Scalar as Scalar>::Real>,
    status: Global<i32>,
    size: Problem,
) -> Result<()> {
    let n = size.n as usize;
    // SAFETY: the caller's promise; threads have matrices of their own.
    each::<T>(size, 0, |isa, workspace, first, count| unsafe {
        let a = Starts::of(a, first, count);
        let phase = slice::from_raw_parts_mut(at(phase, first), count);
        let log_abs = slice::from_raw_parts_mut(at(log_abs, first), count);
        let status = slice::from_raw_parts_mut(at(status, first), count);
        T::det_group(isa, workspace, a.group(), n, phase, log_abs, status);
    })
}

/// Where the matrices of a group begin.
struct Starts<T> {
    starts: [*mut T; MAX_LANES],
    count: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<T: Element> Starts<T> {
    /// Those of `count` matrices from `first` on.
    ///
    /// # Safety
    /// Where there are pointers, there is one for each.
    unsafe fn of(matrices: Matrices<T>, first: usize, count: usize) -> Self {
        let mut starts = [std::ptr::null_mut(); MAX_LANES];
        for (w, to) in starts.iter_mut().enumerate().take(count) {
            // SAFETY: the caller's promise.
            *to = unsafe { start(matrices, first + w) };
        }
        Self { starts, count, row_stride: matrices.row_stride as isize, col_stride: matrices.col_stride as isize }
    }

    fn group(&self) -> Group<'_, T> {
        let Self { row_stride, col_stride, .. } = *self;
        Group { starts: &self.starts[..self.count], row_stride, col_stride }
    }
}

/// Works on each group, given its first matrix and how many it has. Threads have a workspace each.
fn each<T: Element>(
    size: Problem,
    rhs: usize,
    group: impl Fn(Isa, &mut Workspace, usize, usize) + Sync + Send,
) -> Result<()> {
    let (batch, n) = (size.batch as usize, size.n as usize);
    let isa = Isa::detect();
    let lanes = isa.lanes::<T::Scalar>();
    let (groups, bytes) = (batch.div_ceil(lanes), lanes * n * (n + rhs) * size_of::<T>());
    let workspace = || Workspace::new::<T>(isa, n, rhs).map_err(|_| Error::HostMemory { bytes: 2 * bytes });
    let work = |workspace: &mut Workspace, at: usize| {
        let first = at * lanes;
        group(isa, workspace, first, lanes.min(batch - first));
    };
    if groups == 1 {
        work(&mut workspace()?, 0);
        return Ok(());
    }
    (0..groups).into_par_iter().with_min_len(LEAST.div_ceil(bytes.max(1))).try_for_each_init(
        workspace,
        |workspace, at| {
            match workspace {
                Ok(workspace) => work(workspace, at),
                Err(error) => return Err(std::mem::replace(error, Error::HostMemory { bytes: 2 * bytes })),
            }
            Ok(())
        },
    )
}
