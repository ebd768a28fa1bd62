//! Plain values that move through memory and between lanes.

use half::{bf16, f16};
use num_complex::Complex;

/// A plain value: any bit pattern of its size is a value, and it holds no pointer to borrow-checked data.
///
/// # Safety
/// The type is `repr(C)` or primitive, without padding, and valid for every bit pattern.
pub unsafe trait Pod: Copy + Send + Sync + 'static {}

// SAFETY: primitives and repr(C) pairs or arrays of them, without padding.
unsafe impl Pod for u8 {}
// SAFETY: as above.
unsafe impl Pod for u16 {}
// SAFETY: as above.
unsafe impl Pod for u32 {}
// SAFETY: as above.
unsafe impl Pod for i32 {}
// SAFETY: as above.
unsafe impl Pod for u64 {}
// SAFETY: as above.
unsafe impl Pod for i64 {}
// SAFETY: as above.
unsafe impl Pod for f32 {}
// SAFETY: as above.
unsafe impl Pod for f64 {}
// SAFETY: as above.
unsafe impl Pod for f16 {}
// SAFETY: as above.
unsafe impl Pod for bf16 {}
// SAFETY: as above.
unsafe impl<T: Pod> Pod for Complex<T> {}
// SAFETY: as above.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}
