//! The statuses of matrices, as kernels write them.

/// The status of a matrix whose factors or inverse contain NaN or infinity.
pub const NON_FINITE: i32 = -1;

/// Right-hand sides from this one on have its status.
const MOST_SIDES: u32 = 1 << 30;

/// The status of a Hermitian matrix whose leading minor of order `k`, counted from 1, is not positive.
#[must_use]
pub const fn not_positive(k: u32) -> i32 {
    NON_FINITE - k as i32
}

/// The status of a matrix with good factors, of whose solutions that for right-hand side `k`, counted from 0, is the
/// first that contains NaN or infinity.
#[must_use]
pub const fn side_not_finite(k: u32) -> i32 {
    i32::MIN + (if k < MOST_SIDES { k } else { MOST_SIDES }) as i32
}

/// The right-hand side that a status names.
#[must_use]
pub const fn bad_side(status: i32) -> Option<u32> {
    if status <= side_not_finite(MOST_SIDES) { Some(status.wrapping_sub(i32::MIN) as u32) } else { None }
}
