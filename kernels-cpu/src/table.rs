//! The table of functions that all calls go through.
//!
//! Its functions take addresses without types, so that there is one table for all; each casts them to those of its own
//! type. That a call finds the functions of its type, [`stored`], [`arithmetic`] and [`double`] see to.

use half::{bf16, f16};
use numbers::det_product::DetParts;
use numbers::element::{Element as Stored, ElementKind};
use numbers::factors::{CholeskyFactors, Factors};
use numbers::matrix::Matrices;
use numbers::op::Substitutions;
use numbers::problem::Problem;
use numbers::refine::Correction;
use numbers::scalar::{Scalar, ScalarKind, c32, c64};
use simt::global::Global;

use crate::element::{CpuScalar, Element};
use crate::error::Result;
use crate::mat::Mat;
use crate::{batch, cholesky, multiply, nopiv, refine, triangles};

/// What lies somewhere, of a type that a table's function knows.
type Any = u8;
/// Matrices.
type Batch = Matrices<Any>;
/// Right-hand sides, and solutions.
type Pair = (Batch, Batch);
/// LU factors.
type Lu = Factors<Any>;
/// Cholesky factors.
type Cholesky = CholeskyFactors<Any>;
/// Determinants.
type Dets = DetParts<Any, Any>;
/// A status for each matrix.
type Statuses = Global<i32>;
/// A pointer to a [`RefineArgs`](numbers::refine::RefineArgs) of the function's type.
type Refine = *const Any;

/// The functions of a type that matrices are stored in: see [`calls`](crate::calls).
pub(crate) struct StoredFns {
    pub(crate) factor: unsafe fn(Batch, Lu, Problem) -> Result<()>,
    pub(crate) factor_nopiv: unsafe fn(Batch, Lu, f64, Problem) -> Result<()>,
    pub(crate) solve: unsafe fn(Batch, Batch, Batch, Statuses, Problem) -> Result<()>,
    pub(crate) solve_from_factors: unsafe fn(Lu, Substitutions, Pair, Statuses, Problem) -> Result<()>,
    pub(crate) solve_triangular: unsafe fn(Batch, Substitutions, Pair, Statuses, Problem) -> Result<()>,
    pub(crate) invert_triangular: unsafe fn(Batch, Substitutions, Batch, Statuses, Problem) -> Result<()>,
    pub(crate) det_triangular: unsafe fn(Batch, Substitutions, Dets, Statuses, Problem),
    pub(crate) invert: unsafe fn(Batch, Batch, Statuses, Problem) -> Result<()>,
    pub(crate) invert_from_factors: unsafe fn(Lu, Batch, Statuses, Problem) -> Result<()>,
    pub(crate) det: unsafe fn(Batch, Dets, Statuses, Problem) -> Result<()>,
    pub(crate) cholesky: unsafe fn(Batch, Cholesky, Problem) -> Result<()>,
    pub(crate) cholesky_solve: unsafe fn(Batch, bool, Pair, Statuses, Problem) -> Result<()>,
    pub(crate) cholesky_solve_from_factors: unsafe fn(Cholesky, bool, Pair, Statuses, Problem) -> Result<()>,
    pub(crate) cholesky_invert: unsafe fn(Batch, Batch, Statuses, Problem) -> Result<()>,
    pub(crate) cholesky_invert_from_factors: unsafe fn(Cholesky, Batch, Statuses, Problem) -> Result<()>,
    pub(crate) cholesky_det: unsafe fn(Batch, Dets, Statuses, Problem) -> Result<()>,
}

/// The functions of a type of arithmetic.
pub(crate) struct ArithmeticFns {
    pub(crate) det_from_factors: unsafe fn(Lu, Dets, Problem) -> Result<()>,
    pub(crate) cholesky_det_from_factors: unsafe fn(Cholesky, Dets, Problem) -> Result<()>,
    pub(crate) put_together: unsafe fn(Pair, Batch, Problem) -> Result<()>,
    pub(crate) residual: unsafe fn(Refine, Problem),
    pub(crate) component_wise: unsafe fn(Refine, Problem),
    pub(crate) finish: unsafe fn(Statuses, Batch, Statuses, Problem),
    pub(crate) multiply: unsafe fn(*const Any, *const Any, *mut Any),
}

/// The functions of a type of double precision, with corrections in single precision.
pub(crate) struct DoubleFns {
    pub(crate) to_single: unsafe fn(Refine, Problem),
    pub(crate) start: unsafe fn(Refine, Problem),
    pub(crate) residual: unsafe fn(Refine, Problem),
    pub(crate) norm_wise: unsafe fn(Refine, Problem),
}

impl StoredFns {
    #[expect(clippy::undocumented_unsafe_blocks, reason = "all are called with what callers promise for the type")]
    const fn of<T: Element>() -> Self {
        Self {
            factor: |a, f, size| unsafe { batch::factor::<T>(a.cast(), f.cast(), size) },
            factor_nopiv: |a, f, threshold, size| unsafe { nopiv::factor::<T>(a.cast(), f.cast(), threshold, size) },
            solve: |a, b, x, status, size| unsafe { batch::solve::<T>(a.cast(), b.cast(), x.cast(), status, size) },
            solve_from_factors: |f, how, (b, x), status, size| unsafe {
                batch::solve_from_factors::<T>(f.cast(), how, (b.cast(), x.cast()), status, size)
            },
            solve_triangular: |t, how, (b, x), status, size| unsafe {
                triangles::solve::<T>(t.cast(), how, (b.cast(), x.cast()), status, size)
            },
            invert_triangular: |t, how, out, status, size| unsafe {
                triangles::invert::<T>(t.cast(), how, out.cast(), status, size)
            },
            det_triangular: |t, how, det, status, size| unsafe {
                triangles::det::<T>(t.cast(), how, det.cast(), status, size);
            },
            invert: |a, out, status, size| unsafe { batch::invert::<T>(a.cast(), out.cast(), status, size) },
            invert_from_factors: |f, out, status, size| unsafe {
                batch::invert_from_factors::<T>(f.cast(), out.cast(), status, size)
            },
            det: |a, det, status, size| unsafe { batch::det::<T>(a.cast(), det.cast(), status, size) },
            cholesky: |a, f, size| unsafe { cholesky::batch::factor::<T>(a.cast(), f.cast(), size) },
            cholesky_solve: |a, conjugated, (b, x), status, size| unsafe {
                cholesky::batch::solve::<T>(a.cast(), conjugated, (b.cast(), x.cast()), status, size)
            },
            cholesky_solve_from_factors: |f, conjugated, (b, x), status, size| unsafe {
                cholesky::batch::solve_from_factors::<T>(f.cast(), conjugated, (b.cast(), x.cast()), status, size)
            },
            cholesky_invert: |a, out, status, size| unsafe {
                cholesky::batch::invert::<T>(a.cast(), out.cast(), status, size)
            },
            cholesky_invert_from_factors: |f, out, status, size| unsafe {
                cholesky::batch::invert_from_factors::<T>(f.cast(), out.cast(), status, size)
            },
            cholesky_det: |a, det, status, size| unsafe {
                cholesky::batch::det::<T>(a.cast(), det.cast(), status, size)
            },
        }
    }
}

impl ArithmeticFns {
    #[expect(clippy::undocumented_unsafe_blocks, reason = "all are called with what callers promise for the type")]
    const fn of<S: CpuScalar>() -> Self {
        Self {
            det_from_factors: |f, det, size| unsafe { batch::det_from_factors::<S>(f.cast(), det.cast(), size) },
            cholesky_det_from_factors: |f, det, size| unsafe {
                cholesky::batch::det_from_factors::<S>(f.cast(), det.cast(), size)
            },
            put_together: |(lower, upper), to, size| unsafe {
                cholesky::batch::put_together::<S>((lower.cast(), upper.cast()), to.cast(), size)
            },
            residual: |args, size| unsafe { refine::residual::<S, S>(&*args.cast(), size) },
            component_wise: |args, size| unsafe { refine::component_wise::<S>(&*args.cast(), size) },
            finish: |lu_status, x, status, size| unsafe { refine::finish::<S>(lu_status, x.cast(), status, size) },
            multiply: |a, b, product| unsafe {
                multiply::multiply::<S>(&*a.cast(), &*b.cast(), &mut *product.cast::<Mat<S>>());
            },
        }
    }
}

impl DoubleFns {
    #[expect(clippy::undocumented_unsafe_blocks, reason = "all are called with what callers promise for the type")]
    const fn of<T: CpuScalar, L: CpuScalar + Correction<T>>() -> Self {
        Self {
            to_single: |args, size| unsafe { refine::to_single::<T, L>(&*args.cast(), size) },
            start: |args, size| unsafe { refine::start::<T, L>(&*args.cast(), size) },
            residual: |args, size| unsafe { refine::residual::<T, L>(&*args.cast(), size) },
            norm_wise: |args, size| unsafe { refine::norm_wise::<T, L>(&*args.cast(), size) },
        }
    }
}

/// The functions of a type that matrices are stored in.
pub(crate) fn stored<T: Stored>() -> &'static StoredFns {
    static F32: StoredFns = StoredFns::of::<f32>();
    static F64: StoredFns = StoredFns::of::<f64>();
    static C32: StoredFns = StoredFns::of::<c32>();
    static C64: StoredFns = StoredFns::of::<c64>();
    static F16: StoredFns = StoredFns::of::<f16>();
    static BF16: StoredFns = StoredFns::of::<bf16>();
    match T::STORAGE {
        ElementKind::F32 => &F32,
        ElementKind::F64 => &F64,
        ElementKind::C32 => &C32,
        ElementKind::C64 => &C64,
        ElementKind::F16 => &F16,
        ElementKind::Bf16 => &BF16,
    }
}

/// The functions of a type of arithmetic.
pub(crate) fn arithmetic<S: Scalar>() -> &'static ArithmeticFns {
    static F32: ArithmeticFns = ArithmeticFns::of::<f32>();
    static F64: ArithmeticFns = ArithmeticFns::of::<f64>();
    static C32: ArithmeticFns = ArithmeticFns::of::<c32>();
    static C64: ArithmeticFns = ArithmeticFns::of::<c64>();
    match S::KIND {
        ScalarKind::F32 => &F32,
        ScalarKind::F64 => &F64,
        ScalarKind::C32 => &C32,
        ScalarKind::C64 => &C64,
    }
}

/// The functions of a type of double precision.
///
/// # Panics
/// For a type of single precision, which has none of half of it.
pub(crate) fn double<T: Scalar>() -> &'static DoubleFns {
    static F64: DoubleFns = DoubleFns::of::<f64, f32>();
    static C64: DoubleFns = DoubleFns::of::<c64, c32>();
    match T::KIND {
        ScalarKind::F64 => &F64,
        ScalarKind::C64 => &C64,
        ScalarKind::F32 | ScalarKind::C32 => unreachable!("corrections are in a type of half the precision"),
    }
}
