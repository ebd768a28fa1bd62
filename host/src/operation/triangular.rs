//! Triangular matrices: solutions by one substitution, inverses by that of a unit matrix, determinants.

use kernels_cpu::calls;
use kernels_gpu::entry::{Entry, Family, Variant};
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::global::Global;

use super::{Route, Size, Work};
use crate::backend::Backend;
use crate::choice;
use crate::device::Single;
use crate::element::Element;
use crate::error::Result;
use crate::launch::{Given, Triangles, clusters, fits_a_block, matrices_at, pays_off, prepare_only, transposed};
use crate::layout::Layout;
use crate::route::{Array, ByBlocks, Space, Wide, problem};
use crate::triangular::Triangular;

/// T X = B (LAPACK `xTRTRS`), with the operands of [`solve`](super::solve()).
pub(super) fn solve_route<T: Element>(
    device: &Single,
    own_size: Size,
    triangular: Triangular,
    space: &mut Space,
) -> Result<Route> {
    let (triangles, size, backend) = (Triangles::from(triangular), problem(own_size.n, own_size.rhs)?, &device.backend);
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (t, sides) = (triangles.of(work.matrices(0)), (work.matrices(1), work.matrices(2)));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { Ok(calls::solve_triangular::<T>(t, triangles.how, sides, work.values(3), work.sized(size))?) }
        });
    }
    let wide_t = Wide::<T>::new(backend, size.n, size.n, space)?;
    let wide = Wide::<T>::new(backend, size.n, size.rhs, space)?; // B and then X
    let substitute = Substitution::<T::Scalar>::new(device, own_size, triangles, space)?;
    Route::new(substitute.kernels(), move |work| {
        let (launcher, batch, room, x) = (work.launcher, work.batch, work.room, work.matrices(2));
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            let t = triangles.of(wide_t.widen(launcher, work.matrices(0), batch, room)?);
            let sides = (wide.widen(launcher, work.matrices(1), batch, room)?, wide.target(x, room));
            substitute.enqueue(work, t, sides, (work.values(3), true))?;
            wide.narrow(launcher, x, batch, room)
        }
    })
}

/// T^-1 (`xTRTRI`), with the operands of [`invert`](super::invert()).
pub(super) fn invert_route<T: Element>(
    device: &Single,
    n: usize,
    triangular: Triangular,
    space: &mut Space,
) -> Result<Route> {
    let (triangles, size, backend) = (Triangles::from(triangular).for_rows(), problem(n, n)?, &device.backend);
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let t = triangles.of(work.matrices(0));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe {
                let (how, inverse) = (triangles.how, transposed(work.matrices(1)));
                Ok(calls::invert_triangular::<T>(t, how, inverse, work.values(2), work.sized(size))?)
            }
        });
    }
    prepare_only(backend, Family::Identity, Variant::Only, T::Scalar::KIND)?;
    let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
    let copies: Array<T::Scalar> = space.array(&[n, n])?; // as the inverse may take the matrices' place
    let substitute = Substitution::<T::Scalar>::new(device, Size { n, rhs: n }, triangles, space)?;
    Route::new(substitute.kernels(), move |work| {
        let (launcher, batch, room, out) = (work.launcher, work.batch, work.room, work.matrices(1));
        let copies = matrices_at(room.at(copies).address(), Layout::column_major(n, n));
        let unit = wide.target(out, room);
        let inverse = transposed(unit);
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            let t = wide.widen(launcher, work.matrices(0), batch, room)?;
            launcher.identity((t, copies), unit, work.sized(size))?;
            substitute.enqueue(work, triangles.of(copies), (inverse, inverse), (work.values(2), false))?;
            wide.narrow(launcher, out, batch, room)
        }
    })
}

/// det T, with the operands of [`det`](super::det()).
pub(super) fn det_route<T: Element>(
    device: &Single,
    n: usize,
    triangular: Triangular,
    space: &mut Space,
) -> Result<Route> {
    let (triangles, size, backend) = (Triangles::from(triangular), problem(n, 0)?, &device.backend);
    if matches!(backend, Backend::Cpu) {
        return Route::new(Vec::new(), move |work| {
            let (t, det, status) = (triangles.of(work.matrices(0)), work.parts(1), work.values(4));
            // SAFETY: the promise of who enqueues; the operands are these.
            unsafe { calls::det_triangular::<T>(t, triangles.how, det, status, work.sized(size)) };
            Ok(())
        });
    }
    prepare_only(backend, Family::FinishTriangular, Variant::Only, T::Scalar::KIND)?;
    prepare_only(backend, Family::Det, Variant::Only, T::Scalar::KIND)?;
    let wide = Wide::<T>::new(backend, size.n, size.n, space)?;
    Route::new(Vec::new(), move |work| {
        let (launcher, status, size) = (work.launcher, work.values(4), work.sized(size));
        // SAFETY: the promise of who enqueues; the operands are these, and the room is of the route's size.
        unsafe {
            let t = triangles.of(wide.widen(launcher, work.matrices(0), work.batch, work.room)?);
            triangles.finish(launcher, t, (t, false), status, size)?; // of no results
            triangles.det(launcher, t, work.parts(1), status, size)
        }
    })
}

/// One of the two substitutions that solve from factors.
struct Substitution<S> {
    triangles: Triangles,
    by: By<S>,
    size: Problem,
}

/// By what it is done.
enum By<S> {
    Blocks(Box<ByBlocks<S>>),
    /// One of which may be faster for few solutions.
    Kernel(&'static Entry, Option<&'static Entry>),
}

impl<S: Scalar> Substitution<S> {
    /// As solutions from factors.
    fn new(device: &Single, size: Size, triangles: Triangles, space: &mut Space) -> Result<Self> {
        let (size, backend, algorithm) = (problem(size.n, size.rhs)?, &device.backend, device.options.algorithm);
        prepare_only(backend, Family::FinishTriangular, Variant::Only, S::KIND)?;
        let clusters = || clusters(backend, algorithm, Family::Trtrs, S::KIND, size);
        let large = if fits_a_block(backend, S::KIND, size.n) { None } else { clusters()? };
        let blocks = if large.is_none() { ByBlocks::new(device, size, Given::Factors, space)? } else { None };
        let by = match blocks {
            Some(blocks) => By::Blocks(Box::new(blocks)),
            None => {
                let entry =
                    large.map_or_else(|| choice::triangular(algorithm, S::KIND, &size, backend.limits()), Ok)?;
                backend.prepare(entry, entry.shape(&size).shared_bytes)?;
                By::Kernel(entry, if matches!(entry.variant, Variant::WarpPerRhs { .. }) { clusters()? } else { None })
            }
        };
        Ok(Self { triangles, by, size })
    }

    fn kernels(&self) -> Vec<&'static str> {
        match &self.by {
            By::Blocks(blocks) => blocks.names(),
            By::Kernel(entry, few) => few.iter().chain([entry]).map(|entry| entry.name).collect(),
        }
    }

    /// Solves T X = B, and writes the statuses; right-hand sides are `by_columns` if each has its own.
    ///
    /// # Safety
    /// As for [`Route::enqueue`], of these operands.
    unsafe fn enqueue(
        &self,
        work: &Work<'_>,
        t: Matrices<S>,
        (b, x): (Matrices<S>, Matrices<S>),
        (status, by_columns): (Global<i32>, bool),
    ) -> Result<()> {
        let (launcher, size, how) = (work.launcher, work.sized(self.size), self.triangles.how);
        // SAFETY: the caller's promise; of a triangle, there are neither pivots nor statuses.
        unsafe {
            let factors = Factors { lu: t, pivots: Global::new(0), status: Global::new(0) };
            match &self.by {
                _ if size.rhs == 0 => {}
                By::Blocks(blocks) => {
                    blocks.solve_from_factors(launcher, work.batch, (factors, how), (b, x, status), work.room)?;
                }
                By::Kernel(entry, few) => {
                    let entry = few.filter(|_| pays_off(size)).unwrap_or(entry);
                    launcher.solve(entry, factors, how, (b, x), status, size)?;
                    if by_columns && matches!(entry.variant, Variant::Warp { .. }) {
                        return Ok(()); // which has found the statuses
                    }
                }
            }
            self.triangles.finish(launcher, t, (x, by_columns), status, size)
        }
    }
}
