//! What becomes of the pivots: LAPACK's interchanges and `info`.

use simt::global::Global;

use crate::collective::mma::Mma;
use crate::schedule::multi_block::pivot::Pivot;
use numbers::status::NON_FINITE;

/// The pivots of some columns, as one thread notes them.
pub struct Outcome {
    /// Sequential row interchanges of the matrix: shape (n).
    pivots: Global<u32>,
    /// Whether this is the thread that writes.
    writes: bool,
    /// The first column with a zero pivot, counted from 1, or 0.
    zero: u32,
    finite: bool,
}

impl Outcome {
    /// Of no pivots.
    #[inline(always)]
    pub fn new(pivots: Global<u32>, writes: bool) -> Self {
        Self { pivots, writes, zero: 0, finite: true }
    }

    /// Adds that of a column.
    #[inline(always)]
    pub fn add<T: Mma>(&mut self, column: u32, pivot: &Pivot<T>) {
        if self.writes {
            self.pivots.store(column as i64, pivot.position);
        }
        self.zero = if self.zero == 0 && pivot.value == T::ZERO { column + 1 } else { self.zero };
        self.finite &= pivot.value.is_finite();
    }

    /// Writes the status, unless earlier columns have left one; `is_first` says that there are none.
    #[inline(always)]
    pub fn store(&self, to: Global<i32>, is_first: bool) {
        if self.writes {
            let before = if is_first { 0 } else { to.load(0) };
            let status = if self.finite { self.zero as i32 } else { NON_FINITE };
            to.store(0, if before == 0 || status == NON_FINITE { status } else { before });
        }
    }
}
