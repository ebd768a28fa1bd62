//! The types that matrices are stored in.

use kernels_gpu::entry::Variant;
use kernels_gpu::memory::matrix::Matrices;
pub use kernels_gpu::numbers::scalar::{Real, Scalar, c32, c64};
use kernels_gpu::operation::refine::Correction;
use simt::Pod;

use crate::cpu::lanes::{Isa, LaneScalar, Workspace};
use crate::op::Op;

/// What [`cpu::lanes`](crate::cpu::lanes) does, as functions of a type: generic ones would be compiled anew in each
/// crate that calls them, which takes long.
macro_rules! by_lanes {
    ($what:ident) => {
        by_lanes! {
            $what
            fn factor_lanes(
                a: Matrices<Self>, lu: Matrices<Self::Scalar>, n: usize, pivots: &mut [u32], status: &mut [i32]
            ) = factor;
            fn solve_lanes(
                a: Matrices<Self>, b: Matrices<Self>, x: Matrices<Self>, n: usize, rhs: usize, status: &mut [i32]
            ) = solve;
            fn solve_factored_lanes(
                lu: Matrices<Self::Scalar>,
                pivots: &[u32],
                op: Op,
                b: Matrices<Self>,
                x: Matrices<Self>,
                n: usize,
                rhs: usize,
                status: &mut [i32]
            ) = solve_factored;
            fn invert_lanes(a: Matrices<Self>, out: Matrices<Self>, n: usize, status: &mut [i32]) = inverse;
            fn invert_factored_lanes(
                lu: Matrices<Self::Scalar>, pivots: &[u32], out: Matrices<Self>, n: usize, status: &mut [i32]
            ) = inverse_factored;
            fn det_lanes(
                a: Matrices<Self>,
                n: usize,
                phase: &mut [Self::Scalar],
                log_abs: &mut [<Self::Scalar as Scalar>::Real],
                status: &mut [i32]
            ) = det;
            fn cholesky_lanes(
                a: Matrices<Self>, l: Matrices<Self::Scalar>, n: usize, status: &mut [i32]
            ) = cholesky;
            fn cholesky_solve_lanes(
                a: Matrices<Self>,
                conjugated: bool,
                b: Matrices<Self>,
                x: Matrices<Self>,
                n: usize,
                rhs: usize,
                status: &mut [i32]
            ) = cholesky_solve;
            fn cholesky_solve_factored_lanes(
                l: Matrices<Self::Scalar>,
                conjugated: bool,
                b: Matrices<Self>,
                x: Matrices<Self>,
                n: usize,
                rhs: usize,
                status: &mut [i32]
            ) = cholesky_solve_factored;
            fn cholesky_invert_lanes(
                a: Matrices<Self>, out: Matrices<Self>, n: usize, status: &mut [i32]
            ) = cholesky_inverse;
            fn cholesky_invert_factored_lanes(
                l: Matrices<Self::Scalar>, out: Matrices<Self>, n: usize, status: &mut [i32]
            ) = cholesky_inverse_factored;
            fn cholesky_det_lanes(
                a: Matrices<Self>,
                n: usize,
                phase: &mut [Self::Scalar],
                log_abs: &mut [<Self::Scalar as Scalar>::Real],
                status: &mut [i32]
            ) = cholesky_det;
        }
    };
    (declare $(fn $name:ident($($argument:ident: $type:ty),*) = $function:ident;)*) => {$(
        #[doc(hidden)]
        /// # Safety
        /// As for the function of [`lanes`].
        #[allow(clippy::too_many_arguments, reason = "three matrices and their sizes")]
        unsafe fn $name(isa: Isa, workspace: &mut Workspace, $($argument: $type),*);
    )*};
    (define $(fn $name:ident($($argument:ident: $type:ty),*) = $function:ident;)*) => {$(
        unsafe fn $name(isa: Isa, workspace: &mut Workspace, $($argument: $type),*) {
            // SAFETY: the caller's promise.
            unsafe { crate::cpu::lanes::$function(isa, workspace, $($argument),*) }
        }
    )*};
}
pub(crate) use by_lanes;

/// A type that matrices are stored in: [`f32`], [`f64`], [`c32`], [`c64`], and [`f16`](struct@half::f16) and
/// [`bf16`](half::bf16), which are computed with in f32.
///
/// ```
/// use warplu::{Batch, Device, Element, Result};
/// /// Inverts matrices of any type, one after the other.
/// fn inverses<T: Element>(a: &[T], batch: usize, n: usize) -> Result<Vec<T>> {
///     Ok(Device::cpu().invert(&Batch::c_order(a, batch, n, n)?)?.check()?.into_vec())
/// }
/// assert_eq!(inverses(&[2.0_f32, 4.0], 2, 1)?, [0.5, 0.25]);
/// assert_eq!(<f64 as Element>::NAME, "f64");
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait Element: Pod + PartialEq + std::fmt::Debug + sealed::Sealed {
    /// The type of the arithmetic.
    type Scalar: CpuScalar;
    /// `"f32"`, `"f64"`, `"c32"`, `"c64"`, `"f16"` or `"bf16"`.
    const NAME: &'static str;
    /// The conversion kernels' variant, for types that are converted.
    #[doc(hidden)]
    const CONVERSION: Option<Variant>;

    /// To the type of the arithmetic, exactly.
    ///
    /// ```
    /// use warplu::{Element, f16};
    /// assert_eq!(f16::from_f32(0.5).widen(), 0.5_f32);
    /// ```
    #[must_use]
    fn widen(self) -> Self::Scalar;
    /// From the type of the arithmetic, to nearest even.
    ///
    /// ```
    /// use warplu::{Element, f16};
    /// assert_eq!(f16::narrow(0.5_f32), f16::from_f32(0.5));
    /// ```
    #[must_use]
    fn narrow(x: Self::Scalar) -> Self;

    by_lanes!(declare);
}

/// The real type under the arithmetic of `T`: f32 for f32, c32 and the 16-bit types, f64 for f64 and c64.
///
/// ```
/// use warplu::{RealOf, c64, f16};
/// let (of_complex, of_half): (RealOf<c64>, RealOf<f16>) = (1.0_f64, 1.0_f32);
/// # let _ = (of_complex, of_half);
/// ```
pub type RealOf<T> = <<T as Element>::Scalar as Scalar>::Real;

/// A type of arithmetic on the CPU.
pub trait CpuScalar: Element<Scalar = Self> + LaneScalar {}

/// The types of double precision, f64 and c64, whose systems can be solved by factors in single precision:
/// [`Device::solve_refined`](crate::Device::solve_refined).
///
/// ```
/// use warplu::{Batch, Device, Double, Result};
/// /// Solves by factors in single precision, where there are any.
/// fn solve<T: Double>(a: &Batch<'_, T>, b: &Batch<'_, T>) -> Result<Vec<T>> {
///     Ok(Device::cpu().solve_refined(a, b)?.check()?.into_vec())
/// }
/// let x = solve(&Batch::c_order(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, &Batch::c_order(&[3.0, 2.0], 1, 2, 1)?)?;
/// assert_eq!(x, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait Double: CpuScalar + Correction<Self> {
    /// The type of the factors: f32 or c32.
    type Single: CpuScalar + Correction<Self>;
}

impl Double for f64 {
    type Single = f32;
}
impl Double for c64 {
    type Single = c32;
}

/// So that nobody else's types are elements.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// The bytes of plain values.
pub(crate) fn bytes_of<T: Pod>(values: &[T]) -> &[u8] {
    // SAFETY: plain values have no padding and any byte may be read.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of plain values, to be overwritten.
pub(crate) fn bytes_of_mut<T: Pod>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes make plain values.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}
