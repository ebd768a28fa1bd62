//! Row interchanges outside the panel, in device memory.

use simt::shared::Shared;
use simt::{block, thread, warp};

use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::Scalar;

/// One interchange after the other, a thread a column.
pub const SEQUENTIAL: u32 = 0;
/// A column a group of threads of a warp, which make its interchanges together.
pub const GROUPED: u32 = 1;
/// As [`GROUPED`] left of the panel; right of it rows are interchanged when a panel is loaded.
pub const DELAYED: u32 = 2;

/// Interchanges of a panel: row `k0 + q` with `pivots[k0 + q]`, q = 0..width.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    pub(super) k0: u32,
    pub(super) width: u32,
    pub(super) pivots: Shared<u32>,
}

impl Panel {
    /// Interchanges rows of columns `first..end`.
    #[inline(always)]
    pub(super) fn apply<T: Scalar, const NB: usize>(self, a: &GlobalMatrix<T>, first: u32, end: u32, how: u32) {
        if how == SEQUENTIAL {
            self.sequential(a, first, end);
        } else {
            self.grouped::<T, NB>(a, first, end);
        }
    }

    #[inline(always)]
    fn sequential<T: Scalar>(self, a: &GlobalMatrix<T>, first: u32, end: u32) {
        let mut j = first + thread::index();
        while j < end {
            let mut row = self.k0;
            while row < self.k0 + self.width {
                let pivot = self.pivots.load(row);
                let (x, y) = (a.load(row, j), a.load(pivot, j));
                a.store(row, j, y);
                if pivot != row {
                    a.store(pivot, j, x);
                }
                row += 1;
            }
            j += block::dim();
        }
    }

    /// Thread q of a group brings what ends up in rows `k0 + q` and `pivots[k0 + q]`.
    #[inline(always)]
    fn grouped<T: Scalar, const NB: usize>(self, a: &GlobalMatrix<T>, first: u32, end: u32) {
        let groups = warp::SIZE / NB as u32; // of a warp
        let (group, q) = (warp::lane() / NB as u32, warp::lane() % NB as u32);
        let works = group < groups && q < self.width;
        let upper = self.k0 + q;
        let lower = if works { self.pivots.load(upper) } else { upper };
        let (from_upper, from_lower) = (self.source(upper), self.source(lower));
        // Of several threads with the same lower row, the first stores it; the panel's own rows are upper rows.
        let mut stores_lower = works && lower >= self.k0 + self.width;
        let mut s = 0;
        while s < self.width {
            stores_lower &= s >= q || self.pivots.load(self.k0 + s) != lower;
            s += 1;
        }

        let step = block::dim() / warp::SIZE * groups;
        let mut next = first + warp::index() * groups; // the warp's first column
        while next < end {
            let j = next + group;
            let active = works && j < end;
            let (mut x, mut y) = (T::ZERO, T::ZERO);
            if active {
                x = a.load(from_upper, j);
                y = a.load(from_lower, j);
            }
            warp::sync(warp::ALL);
            if active {
                a.store(upper, j, x);
            }
            if active && stores_lower {
                a.store(lower, j, y);
            }
            next += step;
        }
    }

    /// The row whose content all interchanges bring to `row`.
    #[inline(always)]
    fn source(self, row: u32) -> u32 {
        let mut from = row;
        let mut q = self.width;
        while q > 0 {
            q -= 1;
            let (upper, lower) = (self.k0 + q, self.pivots.load(self.k0 + q));
            if from == upper {
                from = lower;
            } else if from == lower {
                from = upper;
            }
        }
        from
    }
}
