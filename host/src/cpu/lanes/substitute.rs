//! Back substitution, U X = Y.

use std::ops::Range;

use super::block::Block;
use super::number::Number;
use super::subtract::{ByColumns, PANEL, by_columns, subtract};
use super::vector::{Stage, Vector};

/// Overwrites further columns of a factored block, Y, with X. A zero on the diagonal divides nothing.
///
/// # Safety
/// The block has been written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn back<N: Number>(a: Block<N>, n: usize, columns: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Substitute { columns, back: Back { a, n } }) }
}

struct Substitute<N: Number> {
    columns: Range<usize>,
    back: Back<N>,
}

impl<N: Number> Stage for Substitute<N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's promise.
        unsafe { by_columns(self.columns, &self.back) }
    }
}

struct Back<N: Number> {
    a: Block<N>,
    /// Order of the matrices.
    n: usize,
}

impl<N: Number> ByColumns<N> for Back<N> {
    #[inline(always)]
    unsafe fn run<const C: usize>(&self, j: usize) {
        let Self { a, n } = *self;
        // Panels end at the last row, so that only the topmost, which has no rows above it, may be smaller.
        let mut end = n;
        while end > 0 {
            let start = end.saturating_sub(PANEL);
            // SAFETY: the caller's promise.
            unsafe {
                for k in (start..end).rev() {
                    let divisor = a.get(k, k).divisor();
                    for c in 0..C {
                        let x = a.get(k, j + c).divide(divisor);
                        a.set(k, j + c, x);
                        subtract(a, start..k, [k], j + c, &[[x]]);
                    }
                }
                if start > 0 {
                    let from = [end - 1, end - 2, end - 3, end - 4];
                    let mut x = [[a.get(start, j); C]; PANEL];
                    for p in 0..PANEL {
                        for c in 0..C {
                            x[p][c] = a.get(from[p], j + c);
                        }
                    }
                    subtract(a, 0..start, from, j, &x);
                }
            }
            end = start;
        }
    }
}
