//! The factorization of a panel by one warp, whose lanes hold whole rows.

use simt::hint::opaque;
use simt::shared::Shared;
use simt::warp;

use crate::collective::mma::Mma;
use crate::memory::vector::Vectorized;
use crate::schedule::look_ahead::NB;
use crate::schedule::look_ahead::find_pivot::{MAGNITUDE_BITS, Pivot, find_pivot, find_pivot_exact, lane_row};
use crate::schedule::look_ahead::storage::{SharedStorage, paired};
use numbers::scalar::Scalar;

/// A lane's rows of a panel.
pub struct PanelRows<T, const LANE_ROWS: usize> {
    /// Row `32 r + lane`. The first column is eliminated next; once it is, it moves to the end.
    x: [[T; NB]; LANE_ROWS],
    /// [`MAGNITUDE_BITS`] for candidates, 0 for all other rows.
    candidate_masks: [u32; LANE_ROWS],
    lane: u32,
    /// Lane c: the pivot row of the panel's column c.
    pivot_row: u32,
    /// Whether all pivots were finite.
    pub finite: bool,
    /// The first step with a zero pivot, counted from 1, or 0.
    zero_pivot: u32,
}

impl<T: Mma, const LANE_ROWS: usize> PanelRows<T, LANE_ROWS> {
    /// The state before the first panel: rows of the matrix are candidates, those of the padding are not.
    #[inline(always)]
    pub fn new(n: u32) -> Self {
        let lane = opaque(warp::lane());
        let mut candidate_masks = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            candidate_masks[r] = if lane_row(r, lane) < n { MAGNITUDE_BITS } else { 0 };
        }
        Self { x: [[T::ZERO; NB]; LANE_ROWS], candidate_masks, lane, pivot_row: 0, finite: true, zero_pivot: 0 }
    }

    /// The number of this lane's row `r`.
    #[inline(always)]
    fn row(&self, r: usize) -> u32 {
        lane_row(r, self.lane)
    }

    /// The column to be eliminated.
    #[inline(always)]
    fn first_column(&self) -> [T; LANE_ROWS] {
        let mut column = [T::ZERO; LANE_ROWS];
        for r in 0..LANE_ROWS {
            column[r] = self.x[r][0];
        }
        column
    }

    /// Loads the panel that the updating warps have sent.
    #[inline(always)]
    pub fn load<const TILES: usize, const PANELS: usize>(&mut self, shared: &SharedStorage<T, TILES, PANELS>) {
        for r in 0..LANE_ROWS {
            if self.row(r) < SharedStorage::<T, TILES, PANELS>::ROWS {
                self.x[r] = load_row(|part| shared.next_panel(part, self.row(r)));
            }
        }
    }

    /// Publishes row `row` as the pivot row of step `k`. A sync of the warp must follow.
    #[inline(always)]
    fn publish_pivot_row<const TILES: usize, const PANELS: usize>(
        &self,
        shared: &SharedStorage<T, TILES, PANELS>,
        k: u32,
        row: u32,
    ) {
        for r in 0..LANE_ROWS {
            if self.row(r) == row {
                for part in 0..T::PARTS {
                    T::Real::store_row(shared.panel_pivot_row(k, part), &self.x[r].map(|x| x.to_parts()[part]), 0);
                }
            }
        }
    }

    /// Stores panel `p`, whose `eliminated` columns have moved to the end.
    #[inline(always)]
    fn store<const TILES: usize, const PANELS: usize>(
        &self,
        shared: &SharedStorage<T, TILES, PANELS>,
        p: u32,
        eliminated: u32,
    ) {
        for r in 0..LANE_ROWS {
            if self.row(r) < SharedStorage::<T, TILES, PANELS>::ROWS {
                for c in 0..NB {
                    let parts = self.x[r][c].to_parts();
                    for part in 0..T::PARTS {
                        let column = shared.factored(p, part, (c as u32 + eliminated) % NB as u32);
                        column.store(paired(self.row(r)), parts[part]);
                    }
                }
            }
        }
    }

    /// Factors panel `p`, which it has loaded, of a matrix of order `n`, and stores it. A barrier must follow.
    #[inline(always)]
    pub fn factor<const TILES: usize, const PANELS: usize>(
        &mut self,
        shared: &SharedStorage<T, TILES, PANELS>,
        p: u32,
        n: u32,
    ) {
        let first = p * NB as u32;
        let columns = if n - first < NB as u32 { n - first } else { NB as u32 };
        let mut pivot = find_pivot(&self.first_column(), &self.candidate_masks, self.lane);
        let mut c = 0;
        while c < opaque(columns) {
            pivot = self.eliminate(shared, first + c, pivot);
            c += 1;
        }
        self.store(shared, p, columns);
        if self.lane < columns {
            shared.pivot_rows.store(first + self.lane, self.pivot_row);
            shared.set_pivot_step(self.pivot_row, first + self.lane);
        }
        if self.lane == 0 {
            shared.zero_pivot.store(0, self.zero_pivot);
        }
    }

    /// Eliminates column `k`. In its place comes that of the inverse, less the unit matrix and the division by pivots.
    ///
    /// Returns the pivot of the next column: its search and the update of the other columns hide each other's latency.
    #[inline(always)]
    fn eliminate<const TILES: usize, const PANELS: usize>(
        &mut self,
        shared: &SharedStorage<T, TILES, PANELS>,
        k: u32,
        mut pivot: Pivot<T>,
    ) -> Pivot<T> {
        let mut l = [T::ZERO; LANE_ROWS];
        if pivot.is_moderate {
            self.publish_pivot_row(shared, k, pivot.row);
            if self.lane == pivot.row % warp::SIZE {
                shared.negated_reciprocals.store(k, pivot.negated_reciprocal);
            }
            warp::sync(warp::ALL);
            let reciprocal = shared.negated_reciprocals.load(k);
            for r in 0..LANE_ROWS {
                l[r] = T::ZERO.sub_mul(-self.x[r][0], reciprocal);
            }
        } else {
            pivot.row = find_pivot_exact(&self.first_column(), &self.candidate_masks, self.lane);
            self.publish_pivot_row(shared, k, pivot.row);
            warp::sync(warp::ALL);
            let value = load_row::<T>(|part| shared.panel_pivot_row(k, part))[0];
            let ((scale, reciprocal), is_zero) = (value.scaled_reciprocal(), value == T::ZERO);
            let reciprocal = if is_zero { T::ONE } else { -reciprocal };
            if self.lane == 0 {
                shared.scales.store(k, scale);
                shared.negated_reciprocals.store(k, reciprocal);
            }
            for r in 0..LANE_ROWS {
                l[r] = if is_zero { T::ZERO } else { self.x[r][0].scale(scale) * reciprocal };
            }
            self.finite &= value.is_finite();
            self.zero_pivot = if is_zero && self.zero_pivot == 0 { k + 1 } else { self.zero_pivot };
        }
        self.pivot_row = if self.lane == k % NB as u32 { pivot.row } else { self.pivot_row };
        let row: [T; NB] = load_row(|part| shared.panel_pivot_row(k, part));
        let mut next = [T::ZERO; LANE_ROWS];
        for r in 0..LANE_ROWS {
            let is_pivot = self.row(r) == pivot.row;
            self.candidate_masks[r] = opaque(if is_pivot { 0 } else { self.candidate_masks[r] });
            l[r] = if is_pivot { T::ZERO } else { l[r] };
            next[r] = self.x[r][1].sub_mul(-l[r], row[1]);
        }
        let pivot = find_pivot(&next, &self.candidate_masks, self.lane);
        for r in 0..LANE_ROWS {
            self.x[r][0] = next[r];
            for i in 2..NB {
                self.x[r][i - 1] = self.x[r][i].sub_mul(-l[r], row[i]);
            }
            self.x[r][NB - 1] = l[r];
        }
        pivot
    }
}

/// A row of a panel, from its parts.
#[inline(always)]
fn load_row<T: Mma>(part: impl Fn(usize) -> Shared<T::Real>) -> [T; NB] {
    let mut parts = [[T::Real::ZERO; NB]; 2];
    for i in 0..T::PARTS {
        parts[i] = T::Real::load_row(part(i), 0);
    }
    let mut row = [T::ZERO; NB];
    for c in 0..NB {
        row[c] = T::of_parts([parts[0][c], parts[1][c]]);
    }
    row
}
