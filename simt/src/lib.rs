//! The machine a GPU kernel sees: one API, two machines.
//!
//! Kernels call the free functions of [`thread`], [`block`], [`cluster`], [`warp`], [`shared`], [`remote`],
//! [`mbarrier`], [`layout`], [`global`], [`pipeline`], [`math`] and [`hint`], named as in CUDA (and in Rust-CUDA's
//! `cuda_std`). On `nvptx64` each is an inlined instruction and nothing is checked. On every other target the same
//! kernel runs in the emulator of [`cpu`]: each thread is a coroutine, blocks run in parallel, and races, out-of-bounds
//! accesses, reads of unwritten memory and barriers that not all threads reach are errors.
//!
//! Grids and blocks have one dimension, warps 32 lanes.
//!
//! [`kernels!`] makes kernels of functions; `warplu-simt-build` compiles a crate of them to PTX, whose readme takes a
//! first kernel from an empty folder to a GPU.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(
        link_llvm_intrinsics,
        core_intrinsics,
        gpu_intrinsics,
        gpu_launch_sized_workgroup_mem,
        stdarch_nvptx,
        asm_experimental_arch,
        abi_unadjusted
    ),
    allow(internal_features)
)]

mod kernels;
mod pod;

pub mod block;
pub mod cluster;
pub mod global;
pub mod hint;
pub mod layout;
pub mod math;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod mbarrier;
pub mod pipeline;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
pub mod remote;
pub mod shared;
pub mod thread;
pub mod warp;

#[cfg(not(target_arch = "nvptx64"))]
pub mod cpu;
#[cfg(target_arch = "nvptx64")]
mod gpu;

// The machine behind the API: both modules offer the same functions.
#[cfg(not(target_arch = "nvptx64"))]
use cpu::machine;
#[cfg(target_arch = "nvptx64")]
use gpu as machine;

pub use block::sync_threads;
pub use pod::Pod;
