//! The kernel that has one matrix done soonest, by tier, family, type and order, written by `cargo xtask tune`.
//!
//! Measured on NVIDIA H200, CUDA 13.0, 2026-11-25; rustc 1.95.0; PTX nightly-2026-05-20.

use kernels_gpu::entry::Family;
use kernels_gpu::entry::Variant::*;
use numbers::scalar::ScalarKind;

use super::Rows;

/// The rows of each tier of GPUs, by the compute capability that its kernels ask for, times 10.
pub(super) const LATENCY: &[(u32, &[Rows])] = &[(90, SM_90)];

#[rustfmt::skip]
const SM_90: &[Rows] = &[
    (Family::Gesv, ScalarKind::F32, &[
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Gesv, ScalarKind::F64, &[
        (112, LeftLooking { n: 112, warps: 4 }), (144, LeftLooking { n: 144, warps: 4 }),
    ]),
    (Family::Gesv, ScalarKind::C32, &[
        (64, LeftLooking { n: 64, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
    ]),
    (Family::Gesv, ScalarKind::C64, &[
        (40, LeftLooking { n: 96, warps: 4 }), (48, LeftLooking { n: 48, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 4 }),
    ]),
    (Family::Getrf, ScalarKind::F32, &[
        (48, LeftLooking { n: 64, warps: 1 }), (96, LeftLooking { n: 112, warps: 1 }),
        (160, Blocked { rows: 1, panels: 4, warps: 5 }), (256, Blocked { rows: 2, panels: 4, warps: 4 }),
    ]),
    (Family::Getrf, ScalarKind::F64, &[
        (48, LeftLooking { n: 112, warps: 4 }), (128, LeftLooking { n: 128, warps: 4 }),
        (144, LeftLooking { n: 144, warps: 4 }), (192, Blocked { rows: 1, panels: 4, warps: 6 }),
    ]),
    (Family::Getrf, ScalarKind::C32, &[
        (48, LeftLooking { n: 64, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
        (144, LeftLooking { n: 144, warps: 4 }), (160, Blocked { rows: 1, panels: 2, warps: 5 }),
        (256, Blocked { rows: 2, panels: 4, warps: 4 }),
    ]),
    (Family::Getrf, ScalarKind::C64, &[
        (40, LeftLooking { n: 96, warps: 4 }), (48, LeftLooking { n: 48, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 4 }), (192, Blocked { rows: 1, panels: 2, warps: 6 }),
    ]),
    (Family::Inverse, ScalarKind::F32, &[
        (64, RegisterBlocked { rows: 2, columns: 8, panels: 4, warps: 2 }),
        (80, LookAhead { n: 80, panels: 4, held: 5 }), (112, LookAhead { n: 112, panels: 2, held: 7 }),
        (144, LookAhead { n: 144, panels: 2, held: 7 }), (160, LookAhead { n: 160, panels: 2, held: 6 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::F64, &[
        (64, LookAhead { n: 64, panels: 3, held: 4 }), (80, LookAhead { n: 80, panels: 2, held: 5 }),
        (96, LookAhead { n: 96, panels: 4, held: 6 }), (128, LookAhead { n: 128, panels: 3, held: 8 }),
        (144, LookAhead { n: 144, panels: 3, held: 8 }), (160, LookAhead { n: 160, panels: 3, held: 8 }),
        (176, LookAhead { n: 176, panels: 2, held: 7 }), (192, Blocked { rows: 1, panels: 4, warps: 6 }),
    ]),
    (Family::Inverse, ScalarKind::C32, &[
        (64, RegisterBlocked { rows: 2, columns: 4, panels: 4, warps: 4 }),
        (80, LookAhead { n: 80, panels: 2, held: 5 }), (96, LookAhead { n: 96, panels: 2, held: 6 }),
        (112, LookAhead { n: 112, panels: 2, held: 5 }), (128, LookAhead { n: 128, panels: 2, held: 8 }),
        (144, LookAhead { n: 144, panels: 2, held: 8 }), (160, LookAhead { n: 160, panels: 2, held: 8 }),
        (176, LookAhead { n: 176, panels: 2, held: 7 }), (192, Blocked { rows: 1, panels: 3, warps: 6 }),
    ]),
    (Family::Inverse, ScalarKind::C64, &[
        (48, LookAhead { n: 48, panels: 2, held: 3 }), (64, LookAhead { n: 64, panels: 3, held: 4 }),
        (80, LookAhead { n: 80, panels: 2, held: 5 }), (96, LookAhead { n: 96, panels: 2, held: 6 }),
        (112, LookAhead { n: 112, panels: 2, held: 6 }), (128, LookAhead { n: 128, panels: 3, held: 4 }),
        (384, Blocked { rows: 1, panels: 2, warps: 12 }),
    ]),
];
