//! The instruction sets, one of which is chosen at run time.

use std::sync::OnceLock;

use kernels_gpu::scalar::{Scalar, c32, c64};

#[cfg(target_arch = "x86_64")]
use super::avx2::{F32x8, F64x4};
#[cfg(target_arch = "x86_64")]
use super::avx512::{F32x16, F64x8};
use super::complex::ComplexVector;
#[cfg(target_arch = "aarch64")]
use super::neon::{F32x4, F64x2};
use super::number::Number;
use super::portable::Portable;
use super::vector::Vector;

/// An instruction set that the CPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(pub(super) Kind);

/// The instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// AVX-512, and AVX2 where its vectors, half as long, are better.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Any CPU's. Without fused multiply-adds the bits are others than those of the other sets.
    Portable,
    /// Any CPU's, with fused multiply-adds at any price.
    #[cfg(test)]
    PortableFused,
}

/// A scalar with vectors of it.
pub trait LaneScalar: Scalar {
    /// For [`Kind::Avx512`].
    #[cfg(target_arch = "x86_64")]
    type Avx512: Number<Scalar = Self, Real = Self::Real>;
    /// For [`Kind::Avx2`].
    #[cfg(target_arch = "x86_64")]
    type Avx2: Number<Scalar = Self, Real = Self::Real>;
    /// For [`Kind::Neon`].
    #[cfg(target_arch = "aarch64")]
    type Neon: Number<Scalar = Self, Real = Self::Real>;
    /// For [`Kind::Portable`].
    type Portable: Number<Scalar = Self, Real = Self::Real>;
    /// For tests.
    #[cfg(test)]
    type PortableFused: Number<Scalar = Self, Real = Self::Real>;
    /// The largest order at which vectors of 512 bits are better than those of 256: beyond, twice as many matrices take too much
    /// of the cache.
    const WIDE_TO: usize;
}

macro_rules! lane_scalar {
    ($scalar:ident, $real:ident, $wide_to:literal, $avx512:ty, $avx2:ty, $neon:ty, $portable:ty, $fused:ty) => {
        impl LaneScalar for $scalar {
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $avx512;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $avx2;
            #[cfg(target_arch = "aarch64")]
            type Neon = $neon;
            type Portable = $portable;
            #[cfg(test)]
            type PortableFused = $fused;
            const WIDE_TO: usize = $wide_to;
        }
    };
    ($real:ident, $real_to:literal, $complex:ident, $complex_to:literal, $avx512:ident, $avx2:ident, $neon:ident) => {
        lane_scalar!($real, $real, $real_to, $avx512, $avx2, $neon, Portable<$real, false>, Portable<$real, true>);
        lane_scalar!(
            $complex, $real, $complex_to, ComplexVector<$avx512>, ComplexVector<$avx2>, ComplexVector<$neon>,
            ComplexVector<Portable<$real, false>>, ComplexVector<Portable<$real, true>>
        );
    };
}
lane_scalar!(f32, 24, c32, 16, F32x16, F32x8, F32x4);
lane_scalar!(f64, 96, c64, 64, F64x8, F64x4, F64x2);

/// Whether vectors of 512 bits are used where the CPU has them: only by tests that are told to, until these have passed on such a CPU.
#[cfg(target_arch = "x86_64")]
fn wide() -> bool {
    cfg!(test) && std::env::var_os("WARPLU_AVX512").is_some()
}

impl Isa {
    /// The best that this CPU has. It is asked once.
    #[must_use]
    pub fn detect() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// All that this CPU has, the best first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if wide() && is_x86_feature_detected!("avx512f") {
                all.push(Self(Kind::Avx512));
            }
            all.push(Self(Kind::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(Self(Kind::Neon));
        }
        #[cfg(test)]
        all.push(Self(Kind::PortableFused));
        all.push(Self(Kind::Portable));
        all
    }

    /// Matrices of order n that are worked on together.
    #[must_use]
    pub fn lanes<S: LaneScalar>(self, n: usize) -> usize {
        fn of<N: Number>() -> usize {
            N::Vector::LANES
        }
        match self.for_order::<S>(n) {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => of::<S::Avx512>(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => of::<S::Avx2>(),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => of::<S::Neon>(),
            Kind::Portable => of::<S::Portable>(),
            #[cfg(test)]
            Kind::PortableFused => of::<S::PortableFused>(),
        }
    }

    /// The set for matrices of order n.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is one width"))]
    pub(super) fn for_order<S: LaneScalar>(self, n: usize) -> Kind {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if n > S::WIDE_TO => Kind::Avx2,
            kind => kind,
        }
    }
}
