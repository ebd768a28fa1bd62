//! Numbers: the four arithmetic types, their matrix instructions, and 16 bytes of them at a time.

pub mod boost;
pub mod det_product;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub mod mma;
pub mod scalar;
pub mod vector;
