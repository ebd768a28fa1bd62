//! This warp: 32 lanes in step, which exchange values without memory.
//!
//! Each collective takes the mask of the lanes that take part, as CUDA's `_sync` functions do: all of them, and no other
//! lane, must call it at the same place with the same mask. Only [`sync`] orders memory: after it, lanes see each other's
//! earlier writes.

use crate::{Pod, machine};

/// Lanes in a warp.
pub const SIZE: u32 = 32;

/// The mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// Index of this thread in its warp.
#[inline(always)]
#[must_use]
pub fn lane() -> u32 {
    machine::thread_index() % SIZE
}

/// Index of this warp in its block.
#[inline(always)]
#[must_use]
pub fn index() -> u32 {
    machine::thread_index() / SIZE
}

/// Waits for the lanes in `mask`, `__syncwarp`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync(mask: u32) {
    machine::sync_warp(mask);
}

/// The value that lane `source` (modulo 32) passes in, `__shfl_sync`. Values of 4, 8 or 16 bytes.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn shuffle<T: Pod>(mask: u32, value: T, source: u32) -> T {
    const { assert!(matches!(size_of::<T>(), 4 | 8 | 16), "shuffles move 4, 8 or 16 bytes") };
    machine::shuffle(mask, value, source)
}

/// The value that lane `lane() ^ distance` passes in, `__shfl_xor_sync`. Values of 4, 8 or 16 bytes.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn shuffle_xor<T: Pod>(mask: u32, value: T, distance: u32) -> T {
    const { assert!(matches!(size_of::<T>(), 4 | 8 | 16), "shuffles move 4, 8 or 16 bytes") };
    machine::shuffle_xor(mask, value, distance)
}

/// Bit `l` says whether lane `l` of `mask` passes `true`, `__ballot_sync`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn ballot(mask: u32, predicate: bool) -> u32 {
    machine::ballot(mask, predicate)
}

/// Whether any lane of `mask` passes `true`, `__any_sync`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn any(mask: u32, predicate: bool) -> bool {
    machine::any(mask, predicate)
}

/// Whether all lanes of `mask` pass `true`, `__all_sync`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn all(mask: u32, predicate: bool) -> bool {
    machine::ballot(mask, !predicate) == 0
}

/// The largest value that a lane of `mask` passes, `__reduce_max_sync`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn max_u32(mask: u32, value: u32) -> u32 {
    machine::max_u32(mask, value)
}

/// `c + a * b`, where a is 16 x 8, b 8 x 8, and c 16 x 8; all lanes take part (`mma.m16n8k8`).
///
/// Lane 4 i + j has elements (i, j), (i + 8, j), (i, j + 4) and (i + 8, j + 4) of a, (j, i) and (j + 4, i) of b, and
/// (i, 2 j), (i, 2 j + 1), (i + 8, 2 j) and (i + 8, 2 j + 1) of c and of the result. Tensor cores do it from compute capability
/// 8.0 on: in one instruction from 9.0 on, before in four (`mma.m8n8k4`). Older ones have nothing like it.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn multiply_f64(c: [f64; 4], a: [f64; 4], b: [f64; 2]) -> [f64; 4] {
    machine::multiply(c, a, b)
}

/// `c + a * b` of such fragments of f32, of whose factors the lower 13 bits are not looked at (`mma.m16n8k8` of TF32).
///
/// Tensor cores do it from compute capability 8.0 on; their sums round towards zero.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
#[inline(always)]
#[must_use]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn multiply_tf32(c: [f32; 4], a: [f32; 4], b: &[f32; 2]) -> [f32; 4] {
    machine::multiply_tf32(c, a, b)
}
