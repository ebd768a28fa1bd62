//! The statuses of matrices, as kernels write them.

/// The status of a matrix whose factors, inverse or solution contain NaN or infinity.
pub const NON_FINITE: i32 = -1;

/// The status of a Hermitian matrix whose leading minor of order `k`, counted from 1, is not positive.
#[must_use]
pub const fn not_positive(k: u32) -> i32 {
    NON_FINITE - k as i32
}
