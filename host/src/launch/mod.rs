//! The launches that routes are made of: each fills a kernel's arguments and cuts the batch to the grid's limit.

mod cholesky;
mod clusters;
mod fused;
mod lu_kernels;
mod matrices;
mod multi_block;
mod orders;
mod panels;
mod refine;
mod triangular;

pub(crate) use clusters::{clusters, pays_off};
pub(crate) use fused::fused;
pub(crate) use lu_kernels::{LuKernels, leaves_factors};
pub(crate) use matrices::{cast, matrices_at, transposed};
pub(crate) use multi_block::{Given, MultiBlock, Steps};
pub(crate) use orders::fits_a_block;
pub(crate) use refine::{SingleStep, Step};
pub(crate) use triangular::Triangles;

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::operation::convert::ConvertArgs;
use kernels_gpu::operation::det::DetArgs;
use kernels_gpu::operation::finish::FinishArgs;
use kernels_gpu::operation::{GetrfArgs, GetriArgs, GetrsArgs};
use kernels_gpu::shape::Shape;
use numbers::det_product::DetParts;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use crate::algorithm::Algorithm;
use crate::backend::{Backend, Queue};
use crate::choice;
use crate::element::Element;
use crate::error::{Error, Result};
use numbers::op::Substitutions;

/// Blocks of a grid at most.
const MAX_BLOCKS: u64 = i32::MAX as u64;

/// Launches kernels on a backend, in a queue of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launcher<'a> {
    pub(crate) backend: &'a Backend,
    pub(crate) queue: &'a Queue,
}

impl Launcher<'_> {
    /// PA = LU, by a kernel of [`Family::Getrf`].
    ///
    /// # Safety
    /// The arguments name memory of this backend, large enough, that lives until the queue has done the work.
    pub(crate) unsafe fn lu<T: Scalar>(
        &self,
        entry: &'static Entry,
        a: Matrices<T>,
        factors: Factors<T>,
        size: Problem,
    ) -> Result<()> {
        let Factors { lu, pivots, status } = factors;
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| GetrfArgs { a, lu, pivots, status, first, end, n: size.n }) }
    }

    /// A^-1 from factors, by a kernel of [`Family::Getri`]. `work` may be the factors where they are compact and
    /// column-major.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn inverse<T: Scalar>(
        &self,
        entry: &'static Entry,
        factors: Factors<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        work: Global<T>,
        size: Problem,
    ) -> Result<()> {
        let Factors { lu, pivots, status: lu_status } = factors;
        let n = size.n;
        // SAFETY: the caller's promise.
        unsafe {
            self.launch(entry, size, |first, end| GetriArgs {
                lu,
                pivots,
                lu_status,
                inverse,
                status,
                work,
                first,
                end,
                n,
            })
        }
    }

    /// A system from factors, by a kernel of [`Family::Getrs`], or with a triangle alone, by one of [`Family::Trtrs`];
    /// unless it [`finishes`], [`Self::finish_solution`] is to follow, or [`Triangles::finish`].
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn solve<T: Scalar>(
        &self,
        entry: &'static Entry,
        factors: Factors<T>,
        how: Substitutions,
        (b, x): (Matrices<T>, Matrices<T>),
        status: Global<i32>,
        size: Problem,
    ) -> Result<()> {
        let Factors { lu, pivots, status: lu_status } = factors;
        let Problem { n, rhs, .. } = size;
        // SAFETY: the caller's promise.
        unsafe {
            self.launch(entry, size, |first, end| GetrsArgs {
                lu,
                pivots,
                lu_status,
                b,
                x,
                status,
                first,
                end,
                n,
                rhs,
                transposed: how.transposed.into(),
                conjugated: how.conjugated.into(),
                forward: how.forward.into(),
            })
        }
    }

    /// The statuses of solutions, from those of their factors: where that for a right-hand side is not finite, the
    /// status says so, and it becomes all NaN. `status` may be `lu_status`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn finish_solution<T: Scalar>(
        &self,
        lu_status: Global<i32>,
        x: Matrices<T>,
        status: Global<i32>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::Finish, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise.
        unsafe {
            self.launch(entry, size, |first, end| FinishArgs {
                x,
                a: x, // not looked at
                before: lu_status,
                status,
                first,
                end,
                rows: size.n,
                cols: size.rhs,
                look_at_pivots: 0,
                by_columns: 1,
            })
        }
    }

    /// Determinant from factors.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn det<T: Scalar>(
        &self,
        factors: Factors<T>,
        det: DetParts<T, T::Real>,
        size: Problem,
    ) -> Result<()> {
        let entry = choice::only(Family::Det, Variant::Only, T::KIND)?;
        let Factors { lu, pivots, status } = factors;
        // SAFETY: the caller's promise.
        unsafe {
            self.launch(entry, size, |first, end| DetArgs {
                lu,
                pivots,
                status,
                det,
                first,
                end,
                n: size.n,
                conjugated: 0,
            })
        }
    }

    /// From 16-bit storage to f32, rows x cols.
    ///
    /// # Safety
    /// As for [`Self::lu`]; `T` is a 16-bit type.
    pub(crate) unsafe fn widen<T: Element>(
        &self,
        variant: Variant,
        from: Matrices<T>,
        to: Matrices<T::Scalar>,
        (rows, cols): (u32, u32),
        batch: u64,
    ) -> Result<()> {
        let entry = choice::only(Family::Widen, variant, ScalarKind::F32)?;
        let size = Problem { n: rows, batch, rhs: cols };
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| ConvertArgs { from, to, first, end, rows, cols }) }
    }

    /// From f32 to 16-bit storage, rows x cols.
    ///
    /// # Safety
    /// As for [`Self::widen`].
    pub(crate) unsafe fn narrow<T: Element>(
        &self,
        variant: Variant,
        from: Matrices<T::Scalar>,
        to: Matrices<T>,
        (rows, cols): (u32, u32),
        batch: u64,
    ) -> Result<()> {
        let entry = choice::only(Family::Narrow, variant, ScalarKind::F32)?;
        let size = Problem { n: rows, batch, rhs: cols };
        // SAFETY: the caller's promise.
        unsafe { self.launch(entry, size, |first, end| ConvertArgs { from, to, first, end, rows, cols }) }
    }

    /// Launches over the whole batch, in as many grids as it takes.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn launch<A>(
        &self,
        entry: &'static Entry,
        size: Problem,
        args: impl Fn(u64, u64) -> A,
    ) -> Result<()>
    where
        A: Copy + Send + Sync + 'static,
    {
        // SAFETY: the caller's promise.
        unsafe { self.launch_as(entry, size.batch, |batch| entry.shape(&Problem { batch, ..size }), args) }
    }

    /// As [`Self::launch`], with the shape that so many matrices take. Shapes without blocks are not launched.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn launch_as<A>(
        &self,
        entry: &'static Entry,
        batch: u64,
        shape: impl Fn(u64) -> Shape,
        args: impl Fn(u64, u64) -> A,
    ) -> Result<()>
    where
        A: Copy + Send + Sync + 'static,
    {
        let mut first = 0;
        while first < batch {
            let mut take = batch - first;
            while shape(take).blocks > MAX_BLOCKS && take > 1 {
                take = take.div_ceil(2);
            }
            let shape = shape(take);
            if shape.blocks > 0 {
                // SAFETY: the caller's promise.
                unsafe { self.backend.launch(self.queue, entry, shape, &args(first, first + take))? };
            }
            first += take;
        }
        Ok(())
    }
}

/// Whether a kernel of [`Family::Getrs`] gives solutions with so many right-hand sides their statuses.
pub(crate) fn finishes(entry: &Entry, rhs: u32) -> bool {
    matches!(entry.variant, Variant::Warp { .. } | Variant::LanePerRhs { .. })
        || entry.variant == Variant::ClusterPerRhs && rhs == 1
}

/// Loads what [`Launcher::finish_solution`] needs.
pub(crate) fn prepare_finish(backend: &Backend, kind: ScalarKind, size: Problem) -> Result<()> {
    prepare_as(backend, (Family::Finish, Variant::Only, kind), size.n, |entry| entry.shape(&size))
}

/// The kernel for a step of this family, loaded, so that running it neither loads nor compiles: the one that the
/// algorithm names if that is of the family, else the tuned one.
pub(crate) fn prepare(
    backend: &Backend,
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    size: Problem,
) -> Result<&'static Entry> {
    let (problem, limits) = (size, backend.limits());
    let entry = match algorithm {
        Algorithm::Kernel(name) if choice::family(name) == Some(family) => choice::named(name, kind, &problem, limits)?,
        _ => choice::choose(algorithm, family, kind, &problem, limits)?,
    };
    backend.prepare(entry, entry.shape(&problem).shared_bytes)?;
    Ok(entry)
}

/// Loads the kernel of a family and variant that has this shape, which must fit.
pub(crate) fn prepare_as(
    backend: &Backend,
    (family, variant, kind): (Family, Variant, ScalarKind),
    n: u32,
    shape: impl Fn(&'static Entry) -> Shape,
) -> Result<()> {
    let entry = choice::only(family, variant, kind)?;
    let (bytes, limit) = (shape(entry).shared_bytes, backend.limits().shared_bytes);
    if bytes > limit {
        return Err(Error::TooLarge { n: n as usize, bytes: bytes.into(), limit });
    }
    backend.prepare(entry, bytes)
}

/// Loads the kernel of a family that has but one of this variant.
pub(crate) fn prepare_only(backend: &Backend, family: Family, variant: Variant, kind: ScalarKind) -> Result<()> {
    backend.prepare(choice::only(family, variant, kind)?, 0)
}
