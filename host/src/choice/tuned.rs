//! The fastest kernel by tier, family, type and order, written by `cargo xtask tune`.
//!
//! Measured on NVIDIA H200, CUDA 13.0, 2026-11-24; rustc 1.95.0; PTX nightly-2026-05-20.

use kernels_gpu::entry::Family;
use kernels_gpu::entry::Variant::*;
use numbers::scalar::ScalarKind;

use super::Rows;

/// The rows of each tier of GPUs, by the compute capability that its kernels ask for, times 10.
pub(super) const TUNED: &[(u32, &[Rows])] = &[(70, SM_70), (80, SM_80), (90, SM_90)];

#[rustfmt::skip]
const SM_70: &[Rows] = &[
    (Family::Gesv, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (72, RegisterBlocked { rows: 5, columns: 8, panels: 5, warps: 4 }),
        (88, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
        (160, RegisterBlocked { rows: 5, columns: 8, panels: 5, warps: 4 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Gesv, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }),
    ]),
    (Family::Gesv, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }),
    ]),
    (Family::Gesv, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }),
    ]),
    (Family::Getrf, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 8, panels: 4, warps: 2 }),
        (128, RegisterBlocked { rows: 4, columns: 8, panels: 2, warps: 8 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 8, panels: 2, warps: 4 }),
        (128, RegisterBlocked { rows: 4, columns: 8, panels: 2, warps: 8 }),
        (160, RegisterBlocked { rows: 5, columns: 4, panels: 5, warps: 8 }), (184, Global),
    ]),
    (Family::Getrf, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 4, panels: 4, warps: 4 }),
        (128, RegisterBlocked { rows: 4, columns: 4, panels: 4, warps: 8 }), (184, Global),
    ]),
    (Family::Getrf, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 4, panels: 2, warps: 8 }),
        (96, RegisterBlocked { rows: 3, columns: 4, panels: 2, warps: 12 }), (184, Global),
    ]),
    (Family::Getrs, ScalarKind::F32, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (20, Warp { n: 32 }), (24, WarpPerRhs { n: 64, columns: 8 }),
        (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 8 }), (96, WarpPerRhs { n: 96, columns: 8 }),
        (128, WarpPerRhs { n: 128, columns: 8 }), (192, WarpPerRhs { n: 192, columns: 4 }),
    ]),
    (Family::Getrs, ScalarKind::F64, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (28, WarpPerRhs { n: 64, columns: 8 }), (32, Warp { n: 32 }),
        (64, WarpPerRhs { n: 64, columns: 8 }), (96, WarpPerRhs { n: 96, columns: 4 }),
        (128, WarpPerRhs { n: 128, columns: 4 }), (160, WarpPerRhs { n: 160, columns: 4 }),
        (256, WarpPerRhs { n: 256, columns: 8 }),
    ]),
    (Family::Getrs, ScalarKind::C32, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 8 }),
        (96, WarpPerRhs { n: 96, columns: 4 }), (128, WarpPerRhs { n: 128, columns: 4 }),
        (160, WarpPerRhs { n: 160, columns: 4 }), (192, WarpPerRhs { n: 192, columns: 4 }),
    ]),
    (Family::Getrs, ScalarKind::C64, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 4 }),
        (96, WarpPerRhs { n: 96, columns: 4 }), (128, WarpPerRhs { n: 128, columns: 4 }),
        (256, WarpPerRhs { n: 256, columns: 4 }),
    ]),
    (Family::Inverse, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 8, panels: 4, warps: 2 }),
        (128, RegisterBlocked { rows: 4, columns: 8, panels: 2, warps: 8 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 8, panels: 2, warps: 4 }),
        (128, RegisterBlocked { rows: 4, columns: 8, panels: 2, warps: 8 }),
        (160, RegisterBlocked { rows: 5, columns: 4, panels: 5, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 4, panels: 4, warps: 4 }),
        (128, RegisterBlocked { rows: 4, columns: 4, panels: 4, warps: 8 }),
        (160, RegisterBlocked { rows: 5, columns: 4, panels: 5, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, RegisterBlocked { rows: 2, columns: 4, panels: 2, warps: 8 }),
        (96, RegisterBlocked { rows: 3, columns: 4, panels: 2, warps: 12 }),
    ]),
];

#[rustfmt::skip]
const SM_80: &[Rows] = &[
    (Family::Gesv, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (28, LeftLooking { n: 48, warps: 1 }), (32, InRegisters { n: 32 }), (64, LeftLooking { n: 64, warps: 1 }),
        (80, LeftLooking { n: 96, warps: 1 }), (88, LeftLooking { n: 144, warps: 1 }),
        (112, LeftLooking { n: 112, warps: 1 }), (128, LeftLooking { n: 128, warps: 1 }),
        (144, LeftLooking { n: 144, warps: 1 }), (160, RegisterBlocked { rows: 5, columns: 8, panels: 5, warps: 4 }),
        (176, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Gesv, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (48, LeftLooking { n: 48, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
        (144, LeftLooking { n: 144, warps: 4 }),
    ]),
    (Family::Gesv, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LeftLooking { n: 64, warps: 1 }), (80, LeftLooking { n: 80, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
    ]),
    (Family::Gesv, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (48, LeftLooking { n: 48, warps: 1 }), (64, LeftLooking { n: 64, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 4 }),
    ]),
    (Family::Getrf, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, LeftLooking { n: 64, warps: 1 }), (112, LeftLooking { n: 112, warps: 1 }),
        (144, LeftLooking { n: 144, warps: 1 }), (160, Blocked { rows: 1, panels: 4, warps: 5 }),
        (192, Blocked { rows: 2, panels: 4, warps: 4 }), (384, Blocked { rows: 2, panels: 4, warps: 6 }),
        (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (28, LeftLooking { n: 48, warps: 1 }), (32, InRegisters { n: 32 }), (96, LeftLooking { n: 96, warps: 1 }),
        (112, LeftLooking { n: 112, warps: 4 }), (128, LeftLooking { n: 128, warps: 4 }),
        (144, LeftLooking { n: 144, warps: 4 }), (160, Blocked { rows: 1, panels: 4, warps: 5 }),
        (192, Blocked { rows: 1, panels: 4, warps: 6 }), (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LeftLooking { n: 64, warps: 1 }), (80, LeftLooking { n: 80, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
        (128, Blocked { rows: 2, panels: 4, warps: 4 }), (144, LeftLooking { n: 144, warps: 4 }),
        (160, Blocked { rows: 1, panels: 2, warps: 5 }), (192, Blocked { rows: 2, panels: 2, warps: 3 }),
        (256, Blocked { rows: 2, panels: 4, warps: 4 }), (384, Blocked { rows: 2, panels: 2, warps: 6 }),
        (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (48, LeftLooking { n: 48, warps: 1 }), (64, LeftLooking { n: 64, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 4 }), (160, Blocked { rows: 1, panels: 2, warps: 6 }),
        (512, Blocked { rows: 2, panels: 2, warps: 8 }),
    ]),
    (Family::Getrs, ScalarKind::F32, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (20, Warp { n: 32 }), (24, WarpPerRhs { n: 64, columns: 8 }),
        (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 8 }), (96, WarpPerRhs { n: 96, columns: 8 }),
        (128, WarpPerRhs { n: 128, columns: 8 }), (160, WarpPerRhs { n: 160, columns: 4 }),
        (192, WarpPerRhs { n: 192, columns: 4 }), (256, WarpPerRhs { n: 256, columns: 4 }),
        (384, WarpPerRhs { n: 384, columns: 4 }), (512, WarpPerRhs { n: 512, columns: 4 }),
    ]),
    (Family::Getrs, ScalarKind::F64, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (28, WarpPerRhs { n: 64, columns: 8 }), (32, Warp { n: 32 }),
        (64, WarpPerRhs { n: 64, columns: 8 }), (96, WarpPerRhs { n: 96, columns: 4 }),
        (128, WarpPerRhs { n: 128, columns: 4 }), (160, WarpPerRhs { n: 160, columns: 4 }),
        (192, WarpPerRhs { n: 192, columns: 4 }), (256, WarpPerRhs { n: 256, columns: 8 }),
        (384, WarpPerRhs { n: 384, columns: 2 }), (512, WarpPerRhs { n: 512, columns: 2 }),
    ]),
    (Family::Getrs, ScalarKind::C32, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 8 }),
        (96, WarpPerRhs { n: 96, columns: 4 }), (128, WarpPerRhs { n: 128, columns: 4 }),
        (160, WarpPerRhs { n: 160, columns: 4 }), (192, WarpPerRhs { n: 192, columns: 4 }),
        (256, WarpPerRhs { n: 256, columns: 4 }), (384, WarpPerRhs { n: 384, columns: 2 }),
        (512, WarpPerRhs { n: 512, columns: 2 }),
    ]),
    (Family::Getrs, ScalarKind::C64, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 4 }),
        (96, WarpPerRhs { n: 96, columns: 4 }), (128, WarpPerRhs { n: 128, columns: 4 }),
        (256, WarpPerRhs { n: 256, columns: 4 }), (384, WarpPerRhs { n: 384, columns: 2 }),
        (512, WarpPerRhs { n: 512, columns: 2 }),
    ]),
    (Family::Inverse, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 6, held: 3 }),
        (64, RegisterBlocked { rows: 2, columns: 8, panels: 4, warps: 2 }),
        (80, LookAhead { n: 80, panels: 4, held: 5 }), (96, LookAhead { n: 96, panels: 4, held: 6 }),
        (112, LookAhead { n: 112, panels: 2, held: 7 }), (128, LookAhead { n: 128, panels: 3, held: 8 }),
        (144, LookAhead { n: 144, panels: 2, held: 7 }), (160, LookAhead { n: 160, panels: 2, held: 6 }),
        (176, LookAhead { n: 176, panels: 2, held: 6 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
        (256, Blocked { rows: 2, panels: 4, warps: 8 }), (384, Blocked { rows: 2, panels: 4, warps: 6 }),
        (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 6, held: 3 }),
        (64, LookAhead { n: 64, panels: 3, held: 4 }), (80, LookAhead { n: 80, panels: 2, held: 5 }),
        (96, LookAhead { n: 96, panels: 4, held: 6 }), (112, LookAhead { n: 112, panels: 2, held: 5 }),
        (128, LookAhead { n: 128, panels: 3, held: 8 }), (144, LookAhead { n: 144, panels: 3, held: 8 }),
        (160, LookAhead { n: 160, panels: 3, held: 8 }), (176, LookAhead { n: 176, panels: 2, held: 7 }),
    ]),
    (Family::Inverse, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 6, held: 3 }),
        (64, RegisterBlocked { rows: 2, columns: 4, panels: 4, warps: 4 }),
        (80, LookAhead { n: 80, panels: 2, held: 5 }), (96, LookAhead { n: 96, panels: 2, held: 6 }),
        (112, LookAhead { n: 112, panels: 2, held: 5 }), (128, LookAhead { n: 128, panels: 2, held: 8 }),
        (144, LookAhead { n: 144, panels: 2, held: 8 }), (160, LookAhead { n: 160, panels: 2, held: 8 }),
        (176, LookAhead { n: 176, panels: 2, held: 7 }), (192, Blocked { rows: 1, panels: 3, warps: 6 }),
        (256, Blocked { rows: 2, panels: 4, warps: 8 }), (384, Blocked { rows: 2, panels: 2, warps: 6 }),
        (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 2, held: 3 }),
        (64, LookAhead { n: 64, panels: 3, held: 4 }), (80, LookAhead { n: 80, panels: 2, held: 5 }),
        (96, LookAhead { n: 96, panels: 2, held: 6 }), (112, LookAhead { n: 112, panels: 2, held: 6 }),
        (128, LookAhead { n: 128, panels: 3, held: 4 }),
    ]),
];

#[rustfmt::skip]
const SM_90: &[Rows] = &[
    (Family::Gesv, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (28, LeftLooking { n: 48, warps: 1 }), (32, InRegisters { n: 32 }), (48, LeftLooking { n: 48, warps: 1 }),
        (64, LeftLooking { n: 64, warps: 1 }), (112, LeftLooking { n: 112, warps: 1 }),
        (128, LeftLooking { n: 128, warps: 1 }), (144, LeftLooking { n: 144, warps: 1 }),
        (160, RegisterBlocked { rows: 5, columns: 8, panels: 5, warps: 4 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
    ]),
    (Family::Gesv, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (48, LeftLooking { n: 48, warps: 1 }),
        (64, LeftLooking { n: 64, warps: 1 }), (96, LeftLooking { n: 96, warps: 1 }),
        (112, LeftLooking { n: 112, warps: 4 }), (144, LeftLooking { n: 144, warps: 4 }),
    ]),
    (Family::Gesv, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LeftLooking { n: 64, warps: 1 }), (80, LeftLooking { n: 80, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
    ]),
    (Family::Gesv, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (32, LeftLooking { n: 32, warps: 1 }),
        (48, LeftLooking { n: 48, warps: 1 }), (64, LeftLooking { n: 64, warps: 1 }),
        (80, LeftLooking { n: 80, warps: 1 }), (96, LeftLooking { n: 96, warps: 4 }),
    ]),
    (Family::Getrf, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LeftLooking { n: 48, warps: 1 }), (64, LeftLooking { n: 64, warps: 1 }),
        (112, LeftLooking { n: 112, warps: 1 }), (144, LeftLooking { n: 144, warps: 1 }),
        (160, Blocked { rows: 1, panels: 4, warps: 5 }), (208, Blocked { rows: 2, panels: 4, warps: 4 }),
        (384, Blocked { rows: 2, panels: 4, warps: 6 }), (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (28, LeftLooking { n: 48, warps: 1 }), (32, InRegisters { n: 32 }), (48, LeftLooking { n: 48, warps: 1 }),
        (64, LeftLooking { n: 64, warps: 1 }), (96, LeftLooking { n: 96, warps: 1 }),
        (112, LeftLooking { n: 112, warps: 4 }), (128, LeftLooking { n: 128, warps: 4 }),
        (144, LeftLooking { n: 144, warps: 4 }), (160, Blocked { rows: 1, panels: 4, warps: 5 }),
        (192, Blocked { rows: 1, panels: 4, warps: 6 }), (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (64, LeftLooking { n: 64, warps: 1 }), (80, LeftLooking { n: 80, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 1 }), (112, LeftLooking { n: 112, warps: 4 }),
        (128, Blocked { rows: 1, panels: 2, warps: 5 }), (144, LeftLooking { n: 144, warps: 4 }),
        (160, Blocked { rows: 1, panels: 2, warps: 5 }), (192, Blocked { rows: 2, panels: 2, warps: 3 }),
        (256, Blocked { rows: 2, panels: 4, warps: 4 }), (384, Blocked { rows: 2, panels: 2, warps: 6 }),
        (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Getrf, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, LeftLooking { n: 32, warps: 1 }), (48, LeftLooking { n: 48, warps: 1 }),
        (64, LeftLooking { n: 64, warps: 1 }), (80, LeftLooking { n: 80, warps: 1 }),
        (96, LeftLooking { n: 96, warps: 4 }), (192, Blocked { rows: 1, panels: 2, warps: 6 }),
        (512, Blocked { rows: 2, panels: 2, warps: 8 }),
    ]),
    (Family::Getrs, ScalarKind::F32, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (20, Warp { n: 32 }), (24, WarpPerRhs { n: 64, columns: 8 }),
        (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 8 }), (96, WarpPerRhs { n: 96, columns: 8 }),
        (128, WarpPerRhs { n: 128, columns: 8 }), (160, WarpPerRhs { n: 160, columns: 4 }),
        (192, WarpPerRhs { n: 192, columns: 4 }), (256, WarpPerRhs { n: 256, columns: 4 }),
        (384, WarpPerRhs { n: 384, columns: 4 }), (512, WarpPerRhs { n: 512, columns: 4 }),
    ]),
    (Family::Getrs, ScalarKind::F64, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (28, WarpPerRhs { n: 64, columns: 8 }), (32, Warp { n: 32 }),
        (64, WarpPerRhs { n: 64, columns: 8 }), (96, WarpPerRhs { n: 96, columns: 4 }),
        (128, WarpPerRhs { n: 128, columns: 4 }), (160, WarpPerRhs { n: 160, columns: 4 }),
        (192, WarpPerRhs { n: 192, columns: 4 }), (256, WarpPerRhs { n: 256, columns: 8 }),
        (384, WarpPerRhs { n: 384, columns: 2 }), (512, WarpPerRhs { n: 512, columns: 2 }),
    ]),
    (Family::Getrs, ScalarKind::C32, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 8 }),
        (96, WarpPerRhs { n: 96, columns: 4 }), (128, WarpPerRhs { n: 128, columns: 4 }),
        (160, WarpPerRhs { n: 160, columns: 4 }), (192, WarpPerRhs { n: 192, columns: 4 }),
        (256, WarpPerRhs { n: 256, columns: 4 }), (384, WarpPerRhs { n: 384, columns: 2 }),
        (512, WarpPerRhs { n: 512, columns: 2 }),
    ]),
    (Family::Getrs, ScalarKind::C64, &[
        (8, Warp { n: 8 }), (16, Warp { n: 16 }), (32, Warp { n: 32 }), (64, WarpPerRhs { n: 64, columns: 4 }),
        (96, WarpPerRhs { n: 96, columns: 4 }), (128, WarpPerRhs { n: 128, columns: 4 }),
        (160, WarpPerRhs { n: 160, columns: 2 }), (192, WarpPerRhs { n: 192, columns: 2 }),
        (256, WarpPerRhs { n: 256, columns: 4 }), (384, WarpPerRhs { n: 384, columns: 2 }),
        (512, WarpPerRhs { n: 512, columns: 2 }),
    ]),
    (Family::Inverse, ScalarKind::F32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 6, held: 3 }),
        (64, RegisterBlocked { rows: 2, columns: 8, panels: 4, warps: 2 }),
        (80, LookAhead { n: 80, panels: 4, held: 5 }), (96, LookAhead { n: 96, panels: 4, held: 6 }),
        (112, LookAhead { n: 112, panels: 2, held: 7 }), (128, LookAhead { n: 128, panels: 3, held: 8 }),
        (144, LookAhead { n: 144, panels: 2, held: 7 }), (160, LookAhead { n: 160, panels: 2, held: 6 }),
        (176, LookAhead { n: 176, panels: 2, held: 6 }),
        (192, RegisterBlocked { rows: 6, columns: 8, panels: 3, warps: 8 }),
        (384, Blocked { rows: 2, panels: 4, warps: 6 }), (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::F64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 6, held: 3 }),
        (64, LookAhead { n: 64, panels: 3, held: 4 }), (80, LookAhead { n: 80, panels: 2, held: 5 }),
        (96, LookAhead { n: 96, panels: 4, held: 6 }), (112, LookAhead { n: 112, panels: 2, held: 5 }),
        (128, LookAhead { n: 128, panels: 3, held: 8 }), (144, LookAhead { n: 144, panels: 3, held: 8 }),
        (160, LookAhead { n: 160, panels: 3, held: 8 }), (176, LookAhead { n: 176, panels: 2, held: 7 }),
        (192, Blocked { rows: 1, panels: 4, warps: 6 }), (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::C32, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 6, held: 3 }),
        (64, RegisterBlocked { rows: 2, columns: 4, panels: 4, warps: 4 }),
        (80, LookAhead { n: 80, panels: 2, held: 5 }), (96, LookAhead { n: 96, panels: 2, held: 6 }),
        (112, LookAhead { n: 112, panels: 2, held: 5 }), (128, LookAhead { n: 128, panels: 2, held: 8 }),
        (144, LookAhead { n: 144, panels: 2, held: 8 }), (160, LookAhead { n: 160, panels: 2, held: 8 }),
        (176, LookAhead { n: 176, panels: 2, held: 7 }), (192, Blocked { rows: 1, panels: 3, warps: 6 }),
        (208, Blocked { rows: 2, panels: 2, warps: 6 }), (256, Blocked { rows: 2, panels: 4, warps: 8 }),
        (384, Blocked { rows: 2, panels: 2, warps: 6 }), (512, Blocked { rows: 2, panels: 4, warps: 8 }),
    ]),
    (Family::Inverse, ScalarKind::C64, &[
        (4, InThread), (8, InRegisters { n: 8 }), (16, InRegisters { n: 16 }), (24, InRegisters { n: 24 }),
        (32, InRegisters { n: 32 }), (48, LookAhead { n: 48, panels: 2, held: 3 }),
        (64, LookAhead { n: 64, panels: 3, held: 4 }), (80, LookAhead { n: 80, panels: 2, held: 5 }),
        (96, LookAhead { n: 96, panels: 2, held: 6 }), (112, LookAhead { n: 112, panels: 2, held: 6 }),
        (128, LookAhead { n: 128, panels: 3, held: 4 }), (192, Blocked { rows: 1, panels: 2, warps: 12 }),
        (256, Blocked { rows: 1, panels: 2, warps: 8 }), (384, Blocked { rows: 1, panels: 2, warps: 12 }),
        (512, Blocked { rows: 2, panels: 2, warps: 8 }),
    ]),
];
