//! The instruction sets, one of which is chosen at run time.

use std::sync::OnceLock;

use numbers::scalar::{Scalar, c32, c64};

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
pub(crate) struct Isa(pub(super) Kind);

/// The instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Any CPU's, for what works on one matrix: without these sets, small matrices are worked on one by one, too. There
    /// are no fused multiply-adds, so that the bits are others than those of the other sets.
    Portable,
}

/// A scalar with vectors of it.
pub(crate) trait LaneScalar: Scalar {
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
}

macro_rules! lane_scalar {
    ($scalar:ident, $real:ident, $avx512:ty, $avx2:ty, $neon:ty, $portable:ty) => {
        impl LaneScalar for $scalar {
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $avx512;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $avx2;
            #[cfg(target_arch = "aarch64")]
            type Neon = $neon;
            type Portable = $portable;
        }
    };
    ($real:ident and $complex:ident, $avx512:ident, $avx2:ident, $neon:ident, $portable:ty) => {
        lane_scalar!($real, $real, $avx512, $avx2, $neon, $portable);
        lane_scalar!(
            $complex,
            $real,
            ComplexVector<$avx512>,
            ComplexVector<$avx2>,
            ComplexVector<$neon>,
            ComplexVector<$portable>
        );
    };
}
lane_scalar!(f32 and c32, F32x16, F32x8, F32x4, Portable<f32, 4>);
lane_scalar!(f64 and c64, F64x8, F64x4, F64x2, Portable<f64, 2>);

#[cfg(test)]
thread_local! {
    /// What a test has put in the place of the best.
    pub(crate) static FORCED: std::cell::Cell<Option<Isa>> = const { std::cell::Cell::new(None) };
}

impl Isa {
    /// What every CPU has.
    #[cfg(test)]
    pub(crate) const PORTABLE: Self = Self(Kind::Portable);

    /// The best that this CPU has. It is asked once.
    #[must_use]
    pub(crate) fn detect() -> Self {
        #[cfg(test)]
        if let Some(isa) = FORCED.get() {
            return isa;
        }
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// All that this CPU has, the best first.
    #[must_use]
    pub(crate) fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if is_x86_feature_detected!("avx512f") {
                all.push(Self(Kind::Avx512));
            }
            all.push(Self(Kind::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(Self(Kind::Neon));
        }
        all.push(Self(Kind::Portable));
        all
    }

    /// All that this CPU has for groups.
    #[cfg(test)]
    pub(crate) fn for_groups() -> impl Iterator<Item = Self> {
        Self::available().into_iter().filter(|isa| isa.has_groups())
    }

    /// Whether small matrices are worked on in groups, by fused multiply-adds: the bits are those of all sets that do so.
    pub(crate) fn has_groups(self) -> bool {
        self.0 != Kind::Portable
    }

    /// Matrices that are worked on together.
    #[must_use]
    pub(crate) fn lanes<S: LaneScalar>(self) -> usize {
        fn of<N: Number>() -> usize {
            N::Vector::LANES
        }
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => of::<S::Avx512>(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => of::<S::Avx2>(),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => of::<S::Neon>(),
            Kind::Portable => of::<S::Portable>(),
        }
    }
}
