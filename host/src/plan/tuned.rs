//! The fastest kernel by family, type and order, written by `cargo xtask tune`.
//!
//! Not measured yet: those of the least order.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::scalar::ScalarKind;

/// Family, type, the largest order that the row is for (from that of the row before), kernel.
pub(super) const TUNED: &[(Family, ScalarKind, u32, Variant)] = &[
    (Family::Lu, ScalarKind::F32, 8, Variant::Warp8),
    (Family::Lu, ScalarKind::F32, 16, Variant::Warp16),
    (Family::Lu, ScalarKind::F32, 32, Variant::Warp32),
    (Family::Lu, ScalarKind::F64, 8, Variant::Warp8),
    (Family::Lu, ScalarKind::F64, 16, Variant::Warp16),
    (Family::Lu, ScalarKind::F64, 32, Variant::Warp32),
    (Family::Lu, ScalarKind::C32, 8, Variant::Warp8),
    (Family::Lu, ScalarKind::C32, 16, Variant::Warp16),
    (Family::Lu, ScalarKind::C32, 32, Variant::Warp32),
    (Family::Lu, ScalarKind::C64, 8, Variant::Warp8),
    (Family::Lu, ScalarKind::C64, 16, Variant::Warp16),
    (Family::Lu, ScalarKind::C64, 32, Variant::Warp32),
];
