//! The types that matrices are stored in.

use kernels_gpu::entry::Variant;
use numbers::element::{Arithmetic, ElementKind};
pub use numbers::element::{Element, RealOf};
use numbers::refine::Correction;
pub use numbers::scalar::{Real, Scalar, c32, c64};
use simt::Pod;

/// The conversion kernels of a type that is converted.
pub(crate) fn conversion<T: Element>() -> Option<Variant> {
    match T::STORAGE {
        ElementKind::F16 => Some(Variant::F16),
        ElementKind::Bf16 => Some(Variant::Bf16),
        ElementKind::F32 | ElementKind::F64 | ElementKind::C32 | ElementKind::C64 => None,
    }
}

/// The types of double precision, f64 and c64, whose systems can be solved by factors in single precision:
/// [`Device::solve_refined`](crate::Device::solve_refined).
///
/// ```
/// use warplu::{Batch, Device, Double, Result};
/// /// Solves by factors in single precision, where there are any.
/// fn solve<T: Double>(a: &Batch<'_, T>, b: &Batch<'_, T>) -> Result<Vec<T>> {
///     Ok(Device::cpu().solve_refined(a, b)?.check()?.into_vec())
/// }
/// let x = solve(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?, &Batch::row_major(&[3.0, 2.0], 1, 2, 1)?)?;
/// assert_eq!(x, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait Double: Arithmetic + Correction<Self> {
    /// The type of the factors: f32 or c32.
    type Single: Arithmetic + Correction<Self>;
}

impl Double for f64 {
    type Single = f32;
}
impl Double for c64 {
    type Single = c32;
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
