//! The update that all algorithms spend their time in: columns lose multiples of other columns.

use std::ops::Range;

use super::block::Block;
use super::number::Number;

/// Columns of a panel.
pub(super) const PANEL: usize = 4;

/// In `rows`, column `to + c` loses column `from[p]` times `factors[p][c]`, for each p in order.
///
/// # Safety
/// All of these elements are in the block and have been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn subtract<N: Number, const P: usize, const C: usize>(
    a: Block<N>,
    rows: Range<usize>,
    from: [usize; P],
    to: usize,
    factors: &[[N; C]; P],
) {
    // SAFETY: the caller's promise.
    unsafe {
        for i in rows {
            let mut x = [a.get(i, to); C];
            for c in 1..C {
                x[c] = a.get(i, to + c);
            }
            for p in 0..P {
                let l = a.get(i, from[p]);
                for c in 0..C {
                    x[c] = x[c].sub_mul(l, factors[p][c]);
                }
            }
            for c in 0..C {
                a.set(i, to + c, x[c]);
            }
        }
    }
}

/// Rows from i on of some columns, `x`, less each column k of `known` times what row k has in the columns from
/// `factors` on.
///
/// # Safety
/// All of these elements are in the block and have been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn subtract_tile<N: Number, const R: usize, const C: usize>(
    mut x: [[N; C]; R],
    a: Block<N>,
    i: usize,
    known: impl Iterator<Item = usize>,
    factors: usize,
) -> [[N; C]; R] {
    // SAFETY: the caller's promise.
    unsafe {
        for k in known {
            let mut y = [a.get(i, k); R];
            for r in 1..R {
                y[r] = a.get(i + r, k);
            }
            for c in 0..C {
                let factor = a.get(k, factors + c);
                for r in 0..R {
                    x[r][c] = x[r][c].sub_mul(y[r], factor);
                }
            }
        }
        x
    }
}

/// What is done to `C` columns from column j on.
pub(super) trait ByColumns<N: Number> {
    /// Does it.
    ///
    /// # Safety
    /// The columns are there, and the CPU has the instructions.
    unsafe fn run<const C: usize>(&self, j: usize);
}

/// Runs over the columns, as many together as registers allow.
///
/// # Safety
/// As for [`ByColumns::run`].
#[inline(always)]
pub(super) unsafe fn by_columns<N: Number>(columns: Range<usize>, body: &impl ByColumns<N>) {
    let mut j = columns.start;
    while j < columns.end {
        let left = columns.end - j;
        // SAFETY: the caller's promise.
        j += unsafe {
            if N::COLUMNS >= 4 && left >= 4 {
                body.run::<4>(j);
                4
            } else if N::COLUMNS >= 2 && left >= 2 {
                body.run::<2>(j);
                2
            } else {
                body.run::<1>(j);
                1
            }
        };
    }
}
