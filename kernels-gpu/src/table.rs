//! The one table of entry points: PTX names, host dispatch and the emulator all read it.
//!
//! A line names an operation, a type, and the sizes that its kernels are compiled for. For the GPU each becomes an
//! `extern "gpu-kernel"` function, such as `getrf_left_looking_n48_w1_f32`, for every other target an
//! [`Entry`] of that name.

#[macro_use]
mod schedules;

use half::{bf16, f16};
use numbers::refine::RefineArgs;

use crate::collective::thread_group;
#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::{Entry, Family, Variant};
use crate::operation::cholesky_det::{self, CholeskyDetArgs};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
use crate::operation::cluster_probe::{self, ClusterProbeArgs};
use crate::operation::convert::{self, ConvertArgs, narrow, widen};
use crate::operation::det::{self, DetArgs};
use crate::operation::finish::{self, FinishArgs};
use crate::operation::getrf::{global as getrf_global, nopiv as getrf_nopiv};
use crate::operation::getri::block as getri_block;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
use crate::operation::getrs::cluster_per_rhs;
use crate::operation::getrs::{block as getrs_block, warp as getrs_warp, warp_per_rhs};
use crate::operation::hermitian::{self, LuOfCholeskyArgs, MirrorArgs};
use crate::operation::identity::{self, IdentityArgs};
use crate::operation::probe::{self, ProbeArgs};
use crate::operation::refine::{self};
use crate::operation::triangle::{self, TriangleArgs};
use crate::operation::{GesvArgs, GetrfArgs, GetrfNopivArgs, GetriArgs, GetrsArgs, InverseArgs, PotrfArgs};
#[cfg(not(target_arch = "nvptx64"))]
use crate::ptx::MODULES;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
use crate::schedule::multi_block::{self, StepArgs, definite};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
use crate::schedule::{blocked, cholesky, from_factors, left_looking, look_ahead};
use crate::schedule::{in_registers, in_thread, lane_per_rhs, register_blocked};
#[cfg(not(target_arch = "nvptx64"))]
use numbers::scalar::{Scalar, ScalarKind};
use numbers::scalar::{c32, c64};

schedules! {
    // The largest order, warps, and blocks a multiprocessor.
    left_looking {
        getrf f32: 48 1 20, 64 1 16, 112 1 7, 144 1 4;
        getrf f64: 48 1 14, 64 1 9, 96 1 4, 112 4 3, 128 4 2, 144 4 2;
        getrf c32: 64 1 9, 80 1 6, 96 1 4, 112 4 3, 144 4 2;
        getrf c64: 32 1 12, 48 1 8, 64 1 4, 80 1 3, 96 4 2;
        gesv f32: 48 1 20, 64 1 16, 96 1 9, 112 1 7, 128 1 5, 144 1 4;
        gesv f64: 48 1 14, 64 1 9, 96 1 4, 112 4 3, 144 4 2;
        gesv c32: 64 1 9, 80 1 6, 96 1 4, 112 4 3;
        gesv c64: 32 1 12, 48 1 8, 64 1 4, 80 1 3, 96 4 2;
    }
    // The largest order, panels of an updating warp, tiles of these in registers, and blocks a multiprocessor.
    look_ahead {
        inverse f32: 48 6 3 16, 80 4 5 4, 96 4 6 4, 112 2 7 3, 128 3 8 2, 144 2 7 2, 160 2 6 2, 176 2 6 2;
        inverse f64: 48 6 3 8, 64 3 4 4, 80 2 5 2, 96 4 6 2, 112 2 5 2, 128 3 8 1, 144 3 8 1, 160 3 8 1, 176 2 7 1;
        inverse c32: 48 6 3 8, 80 2 5 2, 96 2 6 2, 112 2 5 2, 128 2 8 1, 144 2 8 1, 160 2 8 1, 176 2 7 1;
        inverse c64: 48 2 3 3, 64 3 4 2, 80 2 5 1, 96 2 6 1, 112 2 6 1, 128 3 4 1;
    }
    // Rows of a lane, panels of a slab, warps at most, and blocks a multiprocessor.
    blocked {
        getrf f32: 1 4 5 4, 2 4 4 3, 2 4 6 2, 2 4 8 1;
        getrf f64: 1 4 5 3, 1 4 6 2, 2 4 8 1;
        getrf c32: 1 2 5 3, 2 2 3 4, 2 4 4 2, 2 2 6 2, 2 4 8 1;
        getrf c64: 1 2 6 2, 2 2 8 1;
        inverse f32: 2 4 6 2, 2 4 8 1;
        inverse c32: 1 3 6 2, 2 2 6 2, 2 4 8 1;
    }
    // The same, from compute capability 9.0 on: ptxas 13.0 fails on these with the matrix instruction of f64 that 8.x
    // has.
    blocked_from_90 {
        inverse f64: 1 4 6 2, 2 4 8 1;
        inverse c64: 1 2 8 1, 1 2 12 1, 2 2 8 1;
    }
    // Panels of a chunk, tiles of a warp, warps at most, and blocks a multiprocessor.
    from_factors {
        getri f32: 8 1 4 4;
        getri f64: 8 1 4 3;
        getri c32: 8 1 4 3;
        getri c64: 4 1 4 3;
        getrs f32: 4 1 4 6, 8 1 4 4;
        getrs f64: 4 1 4 4, 8 1 4 3;
        getrs c32: 4 1 4 4, 8 1 4 3;
        getrs c64: 4 1 4 3;
        trtrs f32: 8 1 4 4;
        trtrs f64: 8 1 4 3;
        trtrs c32: 8 1 4 3;
        trtrs c64: 4 1 4 3;
    }
    // Warps, blocks of a warp at a time, and blocks of threads a multiprocessor; L in shared memory.
    cholesky_in_shared {
        f32: 1 2 16, 2 2 8, 4 2 4, 8 2 2;
        f64: 1 2 16, 2 2 8, 4 2 4, 8 2 2;
        c32: 1 2 16, 2 2 8, 4 2 4, 8 2 2;
        c64: 1 2 12, 2 2 6, 4 2 3, 8 2 1;
    }
    // The same, L in device memory.
    cholesky_in_memory {
        f32: 8 2 2;
        f64: 8 2 2;
        c32: 8 2 2;
        c64: 8 2 1;
    }
    multi_block { f32; f64; c32; c64; }
    // Columns of the triangle at most: fewer where a block may have less shared memory.
    triangles {
        f32: 128;
        f64: 128, 64;
        c32: 128, 64;
        c64: 128, 32;
    }
    // Columns of L of a stage, likewise, and blocks a multiprocessor.
    updates {
        f32: 32 3 2;
        f64: 16 3 2;
        c32: 32 3 1, 16 3 1;
        c64: 16 3 1, 8 2 1;
    }
    // The same of tiles of a quarter.
    small_updates { f32: 32 3 4; f64: 16 3 3; c32: 16 3 2; c64: 16 3 2; }
    // Columns of a strip that are on their way, and warps of a block.
    cluster_per_rhs { f32 32 8; f64 32 8; c32 16 8; c64 16 4; }
    // Columns of a panel, and rows of a lane.
    panels {
        f32 32: 1, 2, 4;
        f32 16: 8;
        f64 32: 1, 2;
        f64 16: 4;
        f64 8: 8;
        c32 32: 1, 2;
        c32 16: 4;
        c32 8: 8;
        c64 16: 1, 2;
        c64 8: 4;
    }
    // Columns of a panel of a slab, and rows of a lane.
    slabs {
        f32 32: 1, 2, 4;
        f64 32: 1, 2;
        c32 32: 1, 2;
        c64 16: 1, 2;
    }
    // Rows of a lane, columns of a panel, panels of a warp, warps at most, and blocks a multiprocessor.
    register_blocked {
        inverse f32: 2 8 4 2 8, 6 8 3 8 1;
        inverse c32: 2 4 4 4 4;
        gesv f32: 5 8 5 4 2, 6 8 3 8 1;
    }
    // The same, below compute capability 8.0 only: from there on matrix instructions do better.
    register_blocked_below_80 {
        getrf f32: 2 8 4 2 8, 4 8 2 8 2, 6 8 3 8 1;
        getrf f64: 2 8 2 4 4, 4 8 2 8 1, 5 4 5 8 1;
        getrf c32: 2 4 4 4 4, 4 4 4 8 1;
        getrf c64: 2 4 2 8 2, 3 4 2 12 1;
        inverse f32: 4 8 2 8 2;
        inverse f64: 2 8 2 4 4, 4 8 2 8 1, 5 4 5 8 1;
        inverse c32: 4 4 4 8 1, 5 4 5 8 1;
        inverse c64: 2 4 2 8 2, 3 4 2 12 1;
    }
    // The largest order, columns of a panel, and blocks a multiprocessor.
    warp_per_rhs {
        getrs f32: 64 8 6, 96 8 6, 128 8 5, 160 4 5, 192 4 4, 256 4 1, 384 4 1, 512 4 1;
        getrs f64: 64 8 6, 96 4 6, 128 4 5, 160 4 5, 192 4 4, 256 8 1, 384 2 1, 512 2 1;
        getrs c32: 64 8 6, 96 4 6, 128 4 5, 160 4 5, 192 4 4, 256 4 1, 384 2 1, 512 2 1;
        getrs c64: 64 4 5, 96 4 4, 128 4 4, 160 2 3, 192 2 3, 256 4 1, 384 2 1, 512 2 1;
        trtrs f32: 64 8 6, 128 8 5, 256 4 1, 512 4 1;
        trtrs f64: 64 8 6, 128 4 5, 256 8 1, 512 2 1;
        trtrs c32: 64 8 6, 128 4 5, 256 4 1, 512 2 1;
        trtrs c64: 64 4 5, 128 4 4, 256 4 1, 512 2 1;
    }
    // Blocks a multiprocessor.
    in_thread {
        getrf f32 8;
        getrf f64 6;
        getrf c32 6;
        getrf c64 4;
        inverse f32 8;
        inverse f64 6;
        inverse c32 6;
        inverse c64 4;
        gesv f32 7;
        gesv f64 5;
        gesv c32 5;
        gesv c64 3;
    }
    // The largest order, lanes of a matrix, rows of a lane, and blocks a multiprocessor.
    in_registers {
        getrf f32: 8 4 2 8, 16 8 2 6, 24 32 1 8, 32 32 1 8;
        getrf f64: 8 8 1 5, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        getrf c32: 8 8 1 5, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        getrf c64: 8 8 1 4, 16 16 1 4, 24 32 1 3, 32 32 1 2;
        getrf_nopiv f32: 4 4 1 8, 8 4 2 8, 16 8 2 6, 24 32 1 8, 32 32 1 8;
        getrf_nopiv f64: 4 4 1 8, 8 8 1 6, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        getrf_nopiv c32: 4 4 1 8, 8 8 1 6, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        getrf_nopiv c64: 4 4 1 6, 8 8 1 5, 16 16 1 4, 24 32 1 3, 32 32 1 2;
        potrf f32: 4 4 1 8, 8 4 2 8, 16 16 1 8, 24 32 1 8, 32 32 1 8;
        potrf f64: 4 4 1 8, 8 8 1 6, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        potrf c32: 4 4 1 8, 8 8 1 6, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        potrf c64: 4 4 1 6, 8 8 1 5, 16 16 1 4, 24 32 1 3, 32 32 1 2;
        inverse f32: 8 4 2 8, 16 8 2 6, 24 8 3 4, 32 16 2 4;
        inverse f64: 8 4 2 5, 16 8 2 4, 24 8 3 2, 32 32 1 4;
        inverse c32: 8 8 1 5, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        inverse c64: 8 8 1 4, 16 16 1 4, 24 32 1 3, 32 32 1 2;
        gesv f32: 8 4 2 8, 16 8 2 6, 24 8 3 4, 32 32 1 8;
        gesv f64: 8 4 2 5, 16 16 1 6, 24 8 3 2, 32 32 1 4;
        gesv c32: 8 8 1 5, 16 16 1 6, 24 32 1 5, 32 32 1 4;
        gesv c64: 8 8 1 4, 16 16 1 4, 24 32 1 3, 32 32 1 2;
    }
    // Kernels that are compiled for all four types: name, family, variant, argument struct; body, shape, threads at
    // most, and blocks that a multiprocessor should have registers for.
    all_types {
        "getrf_global" Getrf Global GetrfArgs: getrf_global::getrf, getrf_global::shape, getrf_global::MAX_THREADS, 2;
        "getrf_nopiv_global" GetrfNopiv Global GetrfNopivArgs: getrf_nopiv::getrf, getrf_nopiv::shape, getrf_global::MAX_THREADS, 2;
        "getri_lane_per_rhs_n4" Getri LanePerRhs { n: 4 } GetriArgs: lane_per_rhs::getri::<_, 4, 4>, lane_per_rhs::getri_shape::<4, 4>, thread_group::THREADS, 1;
        "getri_lane_per_rhs_n8" Getri LanePerRhs { n: 8 } GetriArgs: lane_per_rhs::getri::<_, 8, 8>, lane_per_rhs::getri_shape::<8, 8>, thread_group::THREADS, 1;
        "getri_lane_per_rhs_n16" Getri LanePerRhs { n: 16 } GetriArgs: lane_per_rhs::getri::<_, 16, 16>, lane_per_rhs::getri_shape::<16, 16>, thread_group::THREADS, 1;
        "getri_lane_per_rhs_n24" Getri LanePerRhs { n: 24 } GetriArgs: lane_per_rhs::getri::<_, 24, 32>, lane_per_rhs::getri_shape::<24, 32>, thread_group::THREADS, 1;
        "getri_lane_per_rhs_n32" Getri LanePerRhs { n: 32 } GetriArgs: lane_per_rhs::getri::<_, 32, 32>, lane_per_rhs::getri_shape::<32, 32>, thread_group::THREADS, 1;
        "getri_shared" Getri Shared GetriArgs: getri_block::getri_shared, getri_block::shared_shape, getrf_global::MAX_THREADS, 2;
        "getri_global" Getri Global GetriArgs: getri_block::getri_global, getri_block::global_shape, getrf_global::MAX_THREADS, 2;
        "getrs_lane_per_rhs_n8" Getrs LanePerRhs { n: 8 } GetrsArgs: lane_per_rhs::getrs::<_, 8>, lane_per_rhs::getrs_shape::<8>, lane_per_rhs::MAX_THREADS, 1;
        "getrs_lane_per_rhs_n16" Getrs LanePerRhs { n: 16 } GetrsArgs: lane_per_rhs::getrs::<_, 16>, lane_per_rhs::getrs_shape::<16>, lane_per_rhs::MAX_THREADS, 1;
        "getrs_lane_per_rhs_n24" Getrs LanePerRhs { n: 24 } GetrsArgs: lane_per_rhs::getrs::<_, 24>, lane_per_rhs::getrs_shape::<24>, lane_per_rhs::MAX_THREADS, 1;
        "getrs_lane_per_rhs_n32" Getrs LanePerRhs { n: 32 } GetrsArgs: lane_per_rhs::getrs::<_, 32>, lane_per_rhs::getrs_shape::<32>, lane_per_rhs::MAX_THREADS, 1;
        "getrs_warp_n8" Getrs Warp { n: 8 } GetrsArgs: getrs_warp::getrs::<_, 8>, thread_group::shape::<8>, thread_group::THREADS, 1;
        "getrs_warp_n16" Getrs Warp { n: 16 } GetrsArgs: getrs_warp::getrs::<_, 16>, thread_group::shape::<16>, thread_group::THREADS, 1;
        "getrs_warp_n32" Getrs Warp { n: 32 } GetrsArgs: getrs_warp::getrs::<_, 32>, thread_group::shape::<32>, thread_group::THREADS, 1;
        "trtrs_lane_per_rhs_n8" Trtrs LanePerRhs { n: 8 } GetrsArgs: lane_per_rhs::trtrs::<_, 8>, lane_per_rhs::getrs_shape::<8>, lane_per_rhs::MAX_THREADS, 1;
        "trtrs_lane_per_rhs_n16" Trtrs LanePerRhs { n: 16 } GetrsArgs: lane_per_rhs::trtrs::<_, 16>, lane_per_rhs::getrs_shape::<16>, lane_per_rhs::MAX_THREADS, 1;
        "trtrs_lane_per_rhs_n32" Trtrs LanePerRhs { n: 32 } GetrsArgs: lane_per_rhs::trtrs::<_, 32>, lane_per_rhs::getrs_shape::<32>, lane_per_rhs::MAX_THREADS, 1;
        "trtrs_warp_n8" Trtrs Warp { n: 8 } GetrsArgs: getrs_warp::trtrs::<_, 8>, thread_group::shape::<8>, thread_group::THREADS, 1;
        "trtrs_warp_n16" Trtrs Warp { n: 16 } GetrsArgs: getrs_warp::trtrs::<_, 16>, thread_group::shape::<16>, thread_group::THREADS, 1;
        "trtrs_warp_n32" Trtrs Warp { n: 32 } GetrsArgs: getrs_warp::trtrs::<_, 32>, thread_group::shape::<32>, thread_group::THREADS, 1;
        "trtrs_shared" Trtrs Shared GetrsArgs: getrs_block::trtrs, getrs_block::shape, getrf_global::MAX_THREADS, 1;
        "getrs_shared" Getrs Shared GetrsArgs: getrs_block::getrs, getrs_block::shape, getrf_global::MAX_THREADS, 1;
        "det" Det Only DetArgs: det::det, det::shape, det::THREADS, 1;
        "cholesky_det" CholeskyDet Only CholeskyDetArgs: cholesky_det::det, det::shape, det::THREADS, 1;
        "lu_of_cholesky" LuOfCholesky Only LuOfCholeskyArgs: hermitian::lu_of_cholesky, hermitian::shape, hermitian::THREADS, 1;
        "mirror" Mirror Only MirrorArgs: hermitian::mirror, hermitian::shape, hermitian::THREADS, 1;
        "triangle" Triangle Only TriangleArgs: triangle::triangle, triangle::shape, triangle::THREADS, 1;
        "identity" Identity Only IdentityArgs: identity::identity, identity::shape, identity::THREADS, 1;
        "finish" Finish Only FinishArgs: finish::finish, finish::shape, finish::MAX_THREADS, 1;
        "finish_triangular" FinishTriangular Only FinishArgs: finish::trtrs, finish::shape, finish::MAX_THREADS, 1;
        "refine_residual" Refine Residual RefineArgs: refine::residual, refine::residual_shape, refine::THREADS, 4;
        "refine_component_wise" Refine ComponentWise RefineArgs: refine::component_wise, refine::decision_shape, refine::MAX_THREADS, 1;
    }
    // Tiers, name, kind of the arithmetic, family, variant, argument struct; body, shape, threads and blocks.
    others {
        [70; "widen_f16"; ScalarKind::F32; Family::Widen; F16; ConvertArgs<f16, f32>; widen; convert::shape; convert::THREADS; 1]
        [70; "widen_bf16"; ScalarKind::F32; Family::Widen; Bf16; ConvertArgs<bf16, f32>; widen; convert::shape; convert::THREADS; 1]
        [70; "narrow_f16"; ScalarKind::F32; Family::Narrow; F16; ConvertArgs<f32, f16>; narrow; convert::shape; convert::THREADS; 1]
        [70; "narrow_bf16"; ScalarKind::F32; Family::Narrow; Bf16; ConvertArgs<f32, bf16>; narrow; convert::shape; convert::THREADS; 1]
        [70; "refine_to_single_f64"; ScalarKind::F64; Family::Refine; ToSingle; RefineArgs<f64, f32>; refine::to_single; refine::to_single_shape; refine::THREADS; 4]
        [70; "refine_start_f64"; ScalarKind::F64; Family::Refine; Start; RefineArgs<f64, f32>; refine::start; refine::decision_shape; refine::MAX_THREADS; 1]
        [70; "refine_residual_of_single_f64"; ScalarKind::F64; Family::Refine; ResidualOfSingle; RefineArgs<f64, f32>; refine::residual; refine::residual_shape; refine::THREADS; 4]
        [70; "refine_norm_wise_f64"; ScalarKind::F64; Family::Refine; NormWise; RefineArgs<f64, f32>; refine::norm_wise; refine::decision_shape; refine::MAX_THREADS; 1]
        [70; "refine_to_single_c64"; ScalarKind::C64; Family::Refine; ToSingle; RefineArgs<c64, c32>; refine::to_single; refine::to_single_shape; refine::THREADS; 4]
        [70; "refine_start_c64"; ScalarKind::C64; Family::Refine; Start; RefineArgs<c64, c32>; refine::start; refine::decision_shape; refine::MAX_THREADS; 1]
        [70; "refine_residual_of_single_c64"; ScalarKind::C64; Family::Refine; ResidualOfSingle; RefineArgs<c64, c32>; refine::residual; refine::residual_shape; refine::THREADS; 4]
        [70; "refine_norm_wise_c64"; ScalarKind::C64; Family::Refine; NormWise; RefineArgs<c64, c32>; refine::norm_wise; refine::decision_shape; refine::MAX_THREADS; 1]
        [90; "cluster_probe_u32"; ScalarKind::F32; Family::ClusterProbe; Only; ClusterProbeArgs; cluster_probe::probe; cluster_probe::shape; cluster_probe::THREADS; 1]
        [70; "probe_u32"; ScalarKind::F32; Family::Probe; Only; ProbeArgs; probe::probe; probe::shape; probe::THREADS; 1]
    }
}

/// All entry points.
#[cfg(not(target_arch = "nvptx64"))]
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter()
}

/// The entry point of a family, variant and type.
#[cfg(not(target_arch = "nvptx64"))]
#[must_use]
pub fn find(family: Family, variant: Variant, kind: ScalarKind) -> Option<&'static Entry> {
    entries().find(|e| (e.family, e.variant, e.kind) == (family, variant, kind))
}

/// The entry point of a name without its type, such as `getrf_in_registers_n8`, for a type.
#[cfg(not(target_arch = "nvptx64"))]
#[must_use]
pub fn named(name: &str, kind: ScalarKind) -> Option<&'static Entry> {
    entries().find(|e| e.kind == kind && e.base_name() == name)
}
