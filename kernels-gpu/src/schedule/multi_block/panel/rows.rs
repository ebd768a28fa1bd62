//! A lane's rows of the panel: the elimination of a column.

use simt::thread;

use crate::collective::pivot::{Key, Ties};
use crate::numbers::mma::Mma;
use crate::numbers::scalar::Real;
use crate::schedule::multi_block::Workspace;
use crate::schedule::multi_block::panel::candidates::{Candidate, Candidates, Pivot};
use crate::schedule::multi_block::panel::storage::SharedStorage;
use crate::schedule::multi_block::panel::{THREADS, position};

/// A lane's rows of a panel.
pub struct PanelRows<T, const NB: usize, const LANE_ROWS: usize> {
    /// Rows `256 r + thread` of the block's part, shifted so that the current column comes first.
    pub x: [[T; NB]; LANE_ROWS],
    /// Where LAPACK's interchanges have moved them by now.
    positions: [u32; LANE_ROWS],
    /// Whether they are rows of the matrix that were not a pivot row yet.
    pub is_candidate: [bool; LANE_ROWS],
}

impl<T: Mma, const NB: usize, const LANE_ROWS: usize> PanelRows<T, NB, LANE_ROWS> {
    /// The rows in shared memory, at the beginning.
    #[inline(always)]
    pub fn new(shared: &SharedStorage<T, NB, LANE_ROWS>, n: u32, k: u32) -> Self {
        let mut rows =
            Self { x: [[T::ZERO; NB]; LANE_ROWS], positions: [0; LANE_ROWS], is_candidate: [false; LANE_ROWS] };
        for r in 0..LANE_ROWS {
            let i = r as u32 * THREADS + thread::index();
            rows.positions[r] = position(k, i);
            rows.is_candidate[r] = rows.positions[r] < n;
            if rows.is_candidate[r] {
                rows.x[r] = T::load_row(shared.row(i), 0);
            }
        }
        rows
    }

    /// Eliminates column `c` of the panel that begins at column `k`, with at most `LEFT` columns left, and returns its pivot.
    #[inline(always)]
    pub fn eliminate<const LEFT: usize>(
        &mut self,
        shared: &SharedStorage<T, NB, LANE_ROWS>,
        candidates: &Candidates<T, NB>,
        k: u32,
        c: u32,
    ) -> Pivot<T> {
        let candidate = self.candidate();
        candidates.publish(c, &candidate, |slot| {
            for r in 0..LANE_ROWS {
                // By the position, which differs from lane to lane: LLVM would make an index of the row's number.
                if self.positions[r] == candidate.position {
                    let mut row = [T::ZERO; LEFT];
                    row.copy_from_slice(&self.x[r][..LEFT]);
                    T::store_row(slot, &row, 0);
                }
            }
        });
        let (pivot, row) = candidates.choose::<LEFT>(c);
        let row: [T; LEFT] = T::load_row(row, 0);
        let mut l = [T::ZERO; LANE_ROWS];
        if pivot.value.is_moderate() {
            for r in 0..LANE_ROWS {
                l[r] = self.x[r][0] * pivot.reciprocal;
            }
        } else {
            let scale = T::Real::safe_scale(pivot.value.abs1());
            let reciprocal = pivot.value.scale(scale).reciprocal();
            for r in 0..LANE_ROWS {
                let is_zero = pivot.value == T::ZERO;
                l[r] = if is_zero { T::ZERO } else { self.x[r][0].scale(scale) * reciprocal };
            }
        }
        for r in 0..LANE_ROWS {
            let stored = shared.row(r as u32 * THREADS + thread::index());
            if self.is_candidate[r] {
                if self.positions[r] == pivot.position {
                    for i in 0..LEFT {
                        if c + (i as u32) < NB as u32 {
                            stored.store(c + i as u32, self.x[r][i]);
                        }
                    }
                    self.is_candidate[r] = false;
                    self.positions[r] = k + c;
                } else {
                    stored.store(c, l[r]);
                    if self.positions[r] == k + c {
                        self.positions[r] = pivot.position;
                    }
                }
            }
            for i in 1..LEFT {
                self.x[r][i - 1] = self.x[r][i].sub_mul(l[r], row[i]);
            }
        }
        pivot
    }

    /// The largest candidate of this lane in the current column.
    #[inline(always)]
    fn candidate(&self) -> Candidate<T> {
        let mut best: Key = (0, 0, 0);
        let (mut position, mut value) = (self.positions[0], self.x[0][0]);
        for r in 0..LANE_ROWS {
            let (upper, lower) = self.x[r][0].abs1().to_words();
            let key = (upper, lower, Ties::First.rank(self.positions[r]));
            if self.is_candidate[r] && key > best {
                (best, position, value) = (key, self.positions[r], self.x[r][0]);
            }
        }
        Candidate { key: best, position, reciprocal: value.reciprocal() }
    }

    /// Writes the list of candidates after the panel, and the pivot rows of its `width` columns.
    #[inline(always)]
    pub fn store_lists(
        &self,
        shared: &SharedStorage<T, NB, LANE_ROWS>,
        work: &Workspace<T>,
        (n, k, width): (u32, u32, u32),
        panels: u32,
    ) {
        for r in 0..LANE_ROWS {
            let i = r as u32 * THREADS + thread::index();
            if position(k, i) < n {
                let (row, at) = (shared.row_numbers.load(i), self.positions[r]);
                let list = if at < k + width { work.pivot_rows() } else { work.candidates(panels) };
                list.store(at as i64, row);
            }
        }
    }
}
