//! Where U is stored block by block as it is computed: in the result of a factorization, or in a solve's workspace.

use simt::global::Global;

use crate::schedule::left_looking::NB;
use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;

/// A place for U in device memory.
pub trait Sink<T>: Copy {
    /// Whether there is room for the rows and columns that the last panel lacks.
    const IS_PADDED: bool;
    /// Where element (i, j) is.
    fn at(&self, i: u32, j: u32) -> Global<T>;
    /// From there to the next row.
    fn row_stride(&self) -> i64;
}

impl<T: Scalar> Sink<T> for GlobalMatrix<T> {
    const IS_PADDED: bool = false;

    #[inline(always)]
    fn at(&self, i: u32, j: u32) -> Global<T> {
        self.at(i, j)
    }

    #[inline(always)]
    fn row_stride(&self) -> i64 {
        self.row_stride()
    }
}

/// U packed by panels, each from row 0 down to its diagonal block: shape (rows_before(panels), NB).
#[derive(Clone, Copy)]
pub struct PackedUpper<T>(pub Global<T>);

/// Packed rows before those of panel `p`.
pub const fn rows_before(p: u32) -> u32 {
    NB / 2 * p * (p + 1)
}

/// Numbers of the packed U of a matrix of order `n`.
#[must_use]
pub const fn upper_numbers(n: u32) -> u32 {
    NB * rows_before(n.div_ceil(NB))
}

impl<T: Scalar> Sink<T> for PackedUpper<T> {
    const IS_PADDED: bool = true;

    #[inline(always)]
    fn at(&self, i: u32, j: u32) -> Global<T> {
        let (p, c) = (j / NB, j % NB);
        self.0.offset(i64::from((rows_before(p) + i) * NB + c))
    }

    #[inline(always)]
    fn row_stride(&self) -> i64 {
        i64::from(NB)
    }
}
