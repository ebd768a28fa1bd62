//! The two triangular steps of an inverse, a panel of `NB` columns at a time.
//!
//! A thread has a row of the panel of W in its registers while the finished columns of W stream by; where there are
//! more rows than threads, every `block::dim()`-th row follows. The panel of U or L is in shared memory. Where the last
//! panel is narrower, it goes on as that of the identity, so that no loop has to look at its width.

use simt::hint::opaque;
use simt::{block, sync_threads, thread, warp};

use crate::memory::row_panel::RowPanel;
use crate::memory::vector::Vectorized;
use numbers::matrix::{GlobalMatrix, View};

/// A panel of U^-1, from column `j0` on: W1 = (I1 - W0 U01) U11^-1. Ends with a barrier.
#[inline(always)]
pub(super) fn solve_upper<T: Vectorized, const NB: usize>(
    lu: &GlobalMatrix<T>,
    w: &impl View<T>,
    panel: &RowPanel<T, NB>,
    j0: u32,
    n: u32,
) {
    let mut k = thread::index();
    while k < j0 + NB as u32 {
        let mut row = lu.load_part(k, j0, T::ZERO, |column| k <= column && column < n);
        if k >= n {
            set_one(&mut row, k - j0);
        }
        panel.store_row(k, &row);
        k += block::dim();
    }
    sync_threads();

    let mut i = thread::index();
    while i < n && i < j0 + NB as u32 {
        let j0 = opaque(j0);
        let mut row = [T::ZERO; NB]; // row i of the panel of W
        // W0 is upper triangular: a warp begins where its first row does.
        let mut k = (i - warp::lane()) / NB as u32 * NB as u32;
        while k < j0 {
            subtract(&mut row, &w.load_part(i, k, T::ZERO, |k| k >= i), &panel.from_row(k));
            k += NB as u32;
        }
        set_one(&mut row, i.wrapping_sub(j0));
        for c in 0..NB {
            let u = panel.load_row(j0 + c as u32);
            row[c] = row[c].divide(u[c].divisor());
            for d in c + 1..NB {
                row[d] = row[d].sub_mul(row[c], u[d]);
            }
            let column = j0 + c as u32;
            if i <= column && column < n {
                w.store(i, column, row[c]);
            }
        }
        i += block::dim();
    }
    sync_threads();
}

/// A panel of U^-1 L^-1, columns `j0..end`: W1 = (W1 - W2 L21) L11^-1. Ends with a barrier.
///
/// Returns whether this thread's elements are finite.
#[inline(always)]
pub(super) fn solve_lower<T: Vectorized, const NB: usize>(
    lu: &GlobalMatrix<T>,
    w: &impl View<T>,
    panel: &RowPanel<T, NB>,
    (j0, end): (u32, u32),
    n: u32,
) -> bool {
    // Rows of L11, then those of L21, whose number is a multiple of NB.
    let nb = NB as u32;
    let mut k = thread::index();
    while k < nb + n - end {
        let below = if k < nb { j0 + k } else { end + k - nb };
        panel.store_row(
            k,
            &lu.load_part(below, j0, T::ZERO, |column| column < below && column < end && (k >= nb || below < end)),
        );
        k += block::dim();
    }
    sync_threads();

    let mut finite = true;
    let mut i = thread::index();
    while i < n {
        // Row i of the panel of W.
        let mut row: [T; NB] = w.load_part(i, j0, T::ZERO, |column| i <= column && column < end);
        let mut k = end;
        while k < n {
            subtract(&mut row, &w.load_part(i, k, T::ZERO, |_| true), &panel.from_row(nb + k - end));
            k += nb;
        }
        for c in (0..NB).rev() {
            let l = panel.load_row(c as u32);
            for d in 0..c {
                row[d] = row[d].sub_mul(row[c], l[d]);
            }
            let column = j0 + c as u32;
            if column < end {
                finite &= row[c].is_finite();
                w.store(i, column, row[c]);
            }
        }
        i += block::dim();
    }
    sync_threads();
    finite
}

/// Makes element c of a row 1, if there is one.
#[inline(always)]
fn set_one<T: Vectorized, const NB: usize>(row: &mut [T; NB], c: u32) {
    for e in 0..NB {
        if e as u32 == c {
            row[e] = T::ONE;
        }
    }
}

/// `row -= x P`, where P is the first `NB` rows of a panel.
#[inline(always)]
fn subtract<T: Vectorized, const NB: usize>(row: &mut [T; NB], x: &[T; NB], panel: &RowPanel<T, NB>) {
    for q in 0..NB {
        let factors = panel.load_row(q as u32);
        for c in 0..NB {
            row[c] = row[c].sub_mul(x[q], factors[c]);
        }
    }
}
