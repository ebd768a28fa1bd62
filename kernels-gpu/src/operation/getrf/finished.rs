//! What finished columns do to a panel: A01 = L00^-1 A01, and [A11; A21] -= [L10; L20] A01.
//!
//! A thread has a row of the panel in its registers while the finished columns stream by, `NB` at a time, each read
//! once. Where there are more rows than threads, every `block::dim()`-th row follows, and finds in device memory what
//! has become of A01.

use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use crate::memory::row_panel::RowPanel;
use crate::memory::vector::Vectorized;
use numbers::matrix::{GlobalMatrix, View};

/// What of a panel is in shared memory.
#[derive(Clone, Copy)]
pub(super) struct PanelStorage<T, const NB: usize> {
    /// Rows k0..n: shape (n - k0, NB).
    pub(super) panel: RowPanel<T, NB>,
    /// A diagonal block of L: shape (NB, NB).
    diagonal: RowPanel<T, NB>,
    /// The block of A01 beside it, in turns: shape (2 NB, NB).
    upper: RowPanel<T, NB>,
}

impl<T: Vectorized, const NB: usize> PanelStorage<T, NB> {
    /// In the memory of the panel, and of three squares.
    #[inline(always)]
    pub(super) fn new(panel: Shared<T>, squares: Shared<T>) -> Self {
        let diagonal = RowPanel::new(squares);
        Self { panel: RowPanel::new(panel), diagonal, upper: diagonal.from_row(NB as u32) }
    }

    /// Applies columns `0..k0` of the factors in `lu` to all `n` rows of the panel, which `row_of` reads. Rows from
    /// `k0` on come to shared memory, and those above to their place. A barrier must follow.
    ///
    /// Returns whether what this thread has of those above is finite.
    #[inline(always)]
    pub(super) fn apply_finished(
        &self,
        lu: &GlobalMatrix<T>,
        k0: u32,
        n: u32,
        row_of: impl Fn(u32) -> [T; NB],
    ) -> bool {
        let nb = NB as u32;
        let mut finite = true;
        let mut first = 0; // row of the first thread
        while first < n {
            let i = first + thread::index();
            let mut row = if i < n { row_of(i) } else { [T::ZERO; NB] };
            // Groups of NB columns, as far as they are left of the diagonal of one of these rows.
            let end = if k0 < first + block::dim() { k0 } else { first + block::dim() };
            let mut k = 0;
            while k < end {
                let mut l = [T::ZERO; NB]; // row i of the group
                if i >= k && i < n {
                    l = lu.load_part(i, k, T::ZERO, |_| true);
                }
                let upper = self.upper.from_row(k & nb); // while some threads still read the one before
                let of_group = i >= k && i < k + nb;
                if k < first {
                    load_square(lu, &upper, k, k0, n);
                } else {
                    // The group's rows are among these: now they become U.
                    if of_group {
                        upper.store_row(i - k, &row);
                        self.diagonal.store_row(i - k, &l);
                    }
                    sync_threads();
                    if thread::index() < nb {
                        substitute(&upper, &self.diagonal, thread::index());
                    }
                }
                sync_threads();
                if of_group {
                    row = upper.load_row(i - k);
                } else if i >= k && i < n {
                    for q in 0..NB {
                        let u = upper.load_row(q as u32);
                        for c in 0..NB {
                            row[c] = row[c].sub_mul(l[q], u[c]);
                        }
                    }
                }
                k += nb;
            }
            if i < k0 {
                finite &= store_row(lu, i, k0, n, &row);
            } else if i < n {
                self.panel.store_row(i - k0, &row);
            }
            first += block::dim();
            if first < n {
                sync_threads(); // U is in place
            }
        }
        finite
    }
}

/// Stores row i of a panel, from column `col` on. Whether it is finite.
#[inline(always)]
pub(super) fn store_row<T: Vectorized, const NB: usize>(
    lu: &GlobalMatrix<T>,
    i: u32,
    col: u32,
    n: u32,
    row: &[T; NB],
) -> bool {
    lu.store_part(i, col, row, |column| column < n);
    let mut finite = true;
    for c in 0..NB {
        finite &= row[c].is_finite(); // beyond the last column there are zeros
    }
    finite
}

/// Rows `row..row + NB` of a panel from device memory.
#[inline(always)]
fn load_square<T: Vectorized, const NB: usize>(
    lu: &GlobalMatrix<T>,
    square: &RowPanel<T, NB>,
    row: u32,
    col: u32,
    n: u32,
) {
    let nb = NB as u32;
    let mut e = thread::index();
    while e < nb * nb {
        let (q, c) = (e % nb, e / nb);
        square.store(q, c, if col + c < n { lu.load(row + q, col + c) } else { T::ZERO });
        e += block::dim();
    }
}

/// Column c of a square: solves with a diagonal block of L.
#[inline(always)]
fn substitute<T: Vectorized, const NB: usize>(square: &RowPanel<T, NB>, diagonal: &RowPanel<T, NB>, c: u32) {
    let mut u = [T::ZERO; NB];
    for q in 0..NB {
        let l = diagonal.load_row(q as u32);
        u[q] = square.load(q as u32, c);
        for r in 0..q {
            u[q] = u[q].sub_mul(l[r], u[r]);
        }
        square.store(q as u32, c, u[q]);
    }
}
