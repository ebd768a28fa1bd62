//! The GPU kernels of warplu: batched LU, inverse, solve and determinant, as `no_std` Rust.
//!
//! The same source becomes PTX (target `nvptx64-nvidia-cuda`) and runs in the emulator of [`simt`]. A kernel reads: who
//! owns what, load, work, store. Its body is generic over the [scalar](scalar::Scalar); its entry points stand in [`table`].
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_gpu_kernel))]
// Register arrays are indexed by loops that LLVM unrolls; iterators would hide the index that lanes compare with.
#![allow(clippy::needless_range_loop)]

pub mod ahead;
pub mod classic;
pub mod convert;
pub mod copy;
pub mod copy_batch;
pub mod det;
pub mod det_product;
pub mod fill;
pub mod inverse;
pub mod lu;
pub mod matrix;
pub mod permutation;
pub mod probe;
pub mod product;
pub mod scalar;
pub mod scatter;
pub mod shape;
pub mod slab;
pub mod small;
pub mod solve;
pub mod stream;
pub mod table;
pub mod team;
pub mod tile;
pub mod vote;
pub mod wide;

#[cfg(not(target_arch = "nvptx64"))]
pub mod entry;
#[cfg(feature = "ptx")]
pub mod ptx;

/// Nothing here panics; LLVM removes every path to this, and the build checks that it did.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
