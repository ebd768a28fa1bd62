//! The types that matrices are stored in.

use half::{bf16, f16};
use simt::Pod;

use crate::scalar::{Scalar, c32, c64};

/// Names the types that matrices are stored in at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// 32-bit real.
    F32,
    /// 64-bit real.
    F64,
    /// Two f32.
    C32,
    /// Two f64.
    C64,
    /// 16-bit real, computed with in f32.
    F16,
    /// 16-bit real with the exponents of f32, computed with in f32.
    Bf16,
}

impl ElementKind {
    /// Whether it is another type than that of the arithmetic.
    #[must_use]
    pub const fn is_converted(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16)
    }
}

/// A type that matrices are stored in: [`f32`], [`f64`], [`c32`], [`c64`], and [`f16`](struct@half::f16) and
/// [`bf16`], which are computed with in f32.
///
/// ```
/// use warplu::{Batch, Device, Element, Result};
/// /// Inverts matrices of any type, one after the other.
/// fn inverses<T: Element>(a: &[T], batch: usize, n: usize) -> Result<Vec<T>> {
///     Ok(Device::cpu().invert(&Batch::row_major(a, batch, n, n)?)?.check()?.into_vec())
/// }
/// assert_eq!(inverses(&[2.0_f32, 4.0], 2, 1)?, [0.5, 0.25]);
/// assert_eq!(<f64 as Element>::NAME, "f64");
/// # Ok::<(), warplu::Error>(())
/// ```
pub trait Element: Pod + PartialEq + core::fmt::Debug + sealed::Sealed {
    /// The type of the arithmetic.
    type Scalar: Arithmetic;
    /// `"f32"`, `"f64"`, `"c32"`, `"c64"`, `"f16"` or `"bf16"`.
    const NAME: &'static str;
    /// Names it at run time.
    const STORAGE: ElementKind;

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
}

/// The real type under the arithmetic of `T`: f32 for f32, c32 and the 16-bit types, f64 for f64 and c64.
///
/// ```
/// use warplu::{RealOf, c64, f16};
/// let (of_complex, of_half): (RealOf<c64>, RealOf<f16>) = (1.0_f64, 1.0_f32);
/// # let _ = (of_complex, of_half);
/// ```
pub type RealOf<T> = <<T as Element>::Scalar as Scalar>::Real;

/// A type that is computed in as it is stored.
pub trait Arithmetic: Scalar + Element<Scalar = Self> {}

impl<T: Scalar + Element<Scalar = T>> Arithmetic for T {}

/// So that nobody else's types are elements.
mod sealed {
    pub trait Sealed {}
}

macro_rules! element {
    ($($t:ident $name:literal $kind:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Scalar = $t;
            const NAME: &'static str = $name;
            const STORAGE: ElementKind = ElementKind::$kind;

            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(x: $t) -> Self {
                x
            }
        }
    )*};
}
element!(f32 "f32" F32, f64 "f64" F64, c32 "c32" C32, c64 "c64" C64);

macro_rules! half_element {
    ($($t:ident $name:literal $kind:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Scalar = f32;
            const NAME: &'static str = $name;
            const STORAGE: ElementKind = ElementKind::$kind;

            #[inline]
            fn widen(self) -> f32 {
                self.to_f32()
            }
            #[inline]
            fn narrow(x: f32) -> Self {
                $t::from_f32(x)
            }
        }
    )*};
}
half_element!(f16 "f16" F16, bf16 "bf16" Bf16);
