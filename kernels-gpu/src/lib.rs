//! The GPU kernels of warplu: batched LU, solve, inverse and determinant, as `no_std` Rust.
//!
//! The same source becomes PTX (target `nvptx64-nvidia-cuda`) and runs in the emulator of [`simt`]. Bodies are generic
//! over the [scalar](numbers::scalar::Scalar); [`table`] lists the entry points, each with the sizes that it is
//! compiled for.
//!
//! # Levels
//!
//! ```text
//! table       one line an operation and type: which kernels there are
//! schedule    who does what when, from the first load to the last store
//! operation   argument structs, and kernels from factors or of any order
//! collective  what a warp or a block does together: pivot search, votes, matrix instructions and their fragments
//! memory      moving matrices, 16 bytes at a time
//! ```
//!
//! Each level uses those below it. A schedule reads: who owns what, load, work, store.
//!
//! # Schedules
//!
//! ```text
//! in_thread         n <= 4           a thread a matrix; warps move them in pieces of 16 bytes
//!
//! in_registers      n <= 32          some lanes a matrix, all of it in registers
//!                   lane 0: row 0    every step: vote for the pivot, share its row, eliminate
//!                   lane 1: row 1    in registers; rows never move
//!
//! left_looking      LU, solve        one warp a matrix (or four); panels of 8 columns pass through
//!                   n <= 144         registers from left to right, L stays in shared memory,
//!                   [L L L|p . . .]  U is stored as it comes up
//!
//! look_ahead        inverse          one block a matrix, all of it on chip; one warp factors panel
//!                   n <= 176         p + 1 while the others apply panel p (Gauss-Jordan, in place)
//!
//! blocked           LU, inverse      one block a matrix; a slab of columns in registers at a time,
//!                   n <= 512         the panels before it come back from device memory
//!
//! lane_per_rhs      from factors:    a lane a right-hand side, or a row of the inverse, in registers; the factors
//!                   n <= 32          are in shared memory, where all lanes read the same numbers at a time
//!
//! from_factors      the same,        a warp 16 of these, in registers; the row panels of both triangles pass
//!                   n <= 512         through shared memory, each read once for all warps
//!
//! multi_block       all, and from    many blocks a matrix, a launch a step: a cluster factors a panel (or one launch
//!                   factors, n > 512 a column), the other blocks update the trailing matrix meanwhile
//!
//! register_blocked  all three        one block a matrix, panels spread over the warps' registers;
//!                   n <= 192         no matrix instructions
//! ```
//!
//! From compute capability 8.0 on, `left_looking`, `look_ahead`, `blocked`, `from_factors` and `multi_block` have
//! matrix instructions; below, they do not exist. Clusters of blocks are there from 9.0 on.
//!
//! # Words
//!
//! | | |
//! |---|---|
//! | panel | 8 columns (or as many as a name says) that are factored together |
//! | tile | 16 x 8 elements: what one matrix instruction adds a product to |
//! | slab | some panels, side by side |
//! | trailing | what lies to the right of a panel, and below |
//! | candidate | a row that has not been a pivot row yet |
//! | pivot step | the step in which a row was the pivot row |
//! | moderate | a magnitude whose square and reciprocal neither overflow nor underflow; others take a slower path |
//! | tier | the compute capability that kernels ask for, times 10: 70, 80, 90 |
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_gpu_kernel))]
// Register arrays are indexed by loops that LLVM unrolls; iterators would hide the index that lanes compare with.
#![allow(clippy::needless_range_loop, clippy::manual_memcpy)]

#[macro_use]
mod macros;

pub mod collective;
pub mod memory;
pub mod operation;
pub mod schedule;
pub mod shape;
#[cfg(any(not(target_arch = "nvptx64"), feature = "entries"))]
pub mod table;

#[cfg(any(target_arch = "nvptx64", test))]
#[doc(hidden)]
pub mod only;

#[cfg(not(target_arch = "nvptx64"))]
pub mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub mod ptx;

/// Nothing here panics; LLVM removes every path to this, and the build checks that it did.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
