//! The kernel that has one matrix done soonest, by tier, family, type and order, written by `cargo xtask tune`.
//!
//! Measured on NVIDIA H200, CUDA 13.0, 2026-11-25; rustc 1.95.0; PTX nightly-2026-05-20.

use kernels_gpu::entry::{Family, Variant};
use numbers::scalar::ScalarKind;

use super::Row;

/// The rows of each tier of GPUs, by the compute capability that its kernels ask for, times 10.
pub(super) const LATENCY: &[(u32, &[Row])] = &[(90, SM_90)];

const SM_90: &[Row] = &[
    (Family::Gesv, ScalarKind::F32, 192, Variant::RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    (Family::Gesv, ScalarKind::F64, 112, Variant::LeftLooking { n: 112, warps: 4 }),
    (Family::Gesv, ScalarKind::F64, 144, Variant::LeftLooking { n: 144, warps: 4 }),
    (Family::Gesv, ScalarKind::C32, 64, Variant::LeftLooking { n: 64, warps: 1 }),
    (Family::Gesv, ScalarKind::C32, 112, Variant::LeftLooking { n: 112, warps: 4 }),
    (Family::Gesv, ScalarKind::C64, 40, Variant::LeftLooking { n: 96, warps: 4 }),
    (Family::Gesv, ScalarKind::C64, 48, Variant::LeftLooking { n: 48, warps: 1 }),
    (Family::Gesv, ScalarKind::C64, 96, Variant::LeftLooking { n: 96, warps: 4 }),
    (Family::Getrf, ScalarKind::F32, 48, Variant::LeftLooking { n: 64, warps: 1 }),
    (Family::Getrf, ScalarKind::F32, 96, Variant::LeftLooking { n: 112, warps: 1 }),
    (Family::Getrf, ScalarKind::F32, 160, Variant::Blocked { rows: 1, panels: 4, warps: 5 }),
    (Family::Getrf, ScalarKind::F32, 256, Variant::Blocked { rows: 2, panels: 4, warps: 4 }),
    (Family::Getrf, ScalarKind::F64, 48, Variant::LeftLooking { n: 112, warps: 4 }),
    (Family::Getrf, ScalarKind::F64, 128, Variant::LeftLooking { n: 128, warps: 4 }),
    (Family::Getrf, ScalarKind::F64, 144, Variant::LeftLooking { n: 144, warps: 4 }),
    (Family::Getrf, ScalarKind::F64, 192, Variant::Blocked { rows: 1, panels: 4, warps: 6 }),
    (Family::Getrf, ScalarKind::C32, 48, Variant::LeftLooking { n: 64, warps: 1 }),
    (Family::Getrf, ScalarKind::C32, 112, Variant::LeftLooking { n: 112, warps: 4 }),
    (Family::Getrf, ScalarKind::C32, 144, Variant::LeftLooking { n: 144, warps: 4 }),
    (Family::Getrf, ScalarKind::C32, 160, Variant::Blocked { rows: 1, panels: 2, warps: 5 }),
    (Family::Getrf, ScalarKind::C32, 256, Variant::Blocked { rows: 2, panels: 4, warps: 4 }),
    (Family::Getrf, ScalarKind::C64, 40, Variant::LeftLooking { n: 96, warps: 4 }),
    (Family::Getrf, ScalarKind::C64, 48, Variant::LeftLooking { n: 48, warps: 1 }),
    (Family::Getrf, ScalarKind::C64, 96, Variant::LeftLooking { n: 96, warps: 4 }),
    (Family::Getrf, ScalarKind::C64, 192, Variant::Blocked { rows: 1, panels: 2, warps: 6 }),
    (Family::Inverse, ScalarKind::F32, 64, Variant::RegisterBlocked { rows: 2, columns: 8, panels: 4, warps: 2 }),
    (Family::Inverse, ScalarKind::F32, 80, Variant::LookAhead { n: 80, panels: 4, held: 5 }),
    (Family::Inverse, ScalarKind::F32, 112, Variant::LookAhead { n: 112, panels: 2, held: 7 }),
    (Family::Inverse, ScalarKind::F32, 144, Variant::LookAhead { n: 144, panels: 2, held: 7 }),
    (Family::Inverse, ScalarKind::F32, 160, Variant::LookAhead { n: 160, panels: 2, held: 6 }),
    (Family::Inverse, ScalarKind::F32, 192, Variant::RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    (Family::Inverse, ScalarKind::F64, 64, Variant::LookAhead { n: 64, panels: 3, held: 4 }),
    (Family::Inverse, ScalarKind::F64, 80, Variant::LookAhead { n: 80, panels: 2, held: 5 }),
    (Family::Inverse, ScalarKind::F64, 96, Variant::LookAhead { n: 96, panels: 4, held: 6 }),
    (Family::Inverse, ScalarKind::F64, 128, Variant::LookAhead { n: 128, panels: 3, held: 8 }),
    (Family::Inverse, ScalarKind::F64, 144, Variant::LookAhead { n: 144, panels: 3, held: 8 }),
    (Family::Inverse, ScalarKind::F64, 160, Variant::LookAhead { n: 160, panels: 3, held: 8 }),
    (Family::Inverse, ScalarKind::F64, 176, Variant::LookAhead { n: 176, panels: 2, held: 7 }),
    (Family::Inverse, ScalarKind::F64, 192, Variant::Blocked { rows: 1, panels: 4, warps: 6 }),
    (Family::Inverse, ScalarKind::C32, 64, Variant::RegisterBlocked { rows: 2, columns: 4, panels: 4, warps: 4 }),
    (Family::Inverse, ScalarKind::C32, 80, Variant::LookAhead { n: 80, panels: 2, held: 5 }),
    (Family::Inverse, ScalarKind::C32, 96, Variant::LookAhead { n: 96, panels: 2, held: 6 }),
    (Family::Inverse, ScalarKind::C32, 112, Variant::LookAhead { n: 112, panels: 2, held: 5 }),
    (Family::Inverse, ScalarKind::C32, 128, Variant::LookAhead { n: 128, panels: 2, held: 8 }),
    (Family::Inverse, ScalarKind::C32, 144, Variant::LookAhead { n: 144, panels: 2, held: 8 }),
    (Family::Inverse, ScalarKind::C32, 160, Variant::LookAhead { n: 160, panels: 2, held: 8 }),
    (Family::Inverse, ScalarKind::C32, 176, Variant::LookAhead { n: 176, panels: 2, held: 7 }),
    (Family::Inverse, ScalarKind::C32, 192, Variant::Blocked { rows: 1, panels: 3, warps: 6 }),
    (Family::Inverse, ScalarKind::C64, 48, Variant::LookAhead { n: 48, panels: 2, held: 3 }),
    (Family::Inverse, ScalarKind::C64, 64, Variant::LookAhead { n: 64, panels: 3, held: 4 }),
    (Family::Inverse, ScalarKind::C64, 80, Variant::LookAhead { n: 80, panels: 2, held: 5 }),
    (Family::Inverse, ScalarKind::C64, 96, Variant::LookAhead { n: 96, panels: 2, held: 6 }),
    (Family::Inverse, ScalarKind::C64, 112, Variant::LookAhead { n: 112, panels: 2, held: 6 }),
    (Family::Inverse, ScalarKind::C64, 128, Variant::LookAhead { n: 128, panels: 3, held: 4 }),
    (Family::Inverse, ScalarKind::C64, 384, Variant::Blocked { rows: 1, panels: 2, warps: 12 }),
];
