//! Back-substitution with U in shared memory.
//!
//! Panel by panel from the right, all lanes solve with the diagonal block, and then each updates its own rows above.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, pipeline, sync_threads, thread, warp};

use crate::collective::fragment::COLUMNS;
use crate::collective::mma::Mma;
use crate::memory::vector::Vectorized;
use crate::schedule::left_looking::NB;
use crate::schedule::left_looking::sink::{PackedUpper, rows_before, upper_numbers};
use crate::schedule::left_looking::swizzled_panel::SwizzledPanel;

/// U in shared memory, and the reciprocals of its diagonal.
#[derive(Clone, Copy)]
pub struct Upper<T: Mma> {
    /// In the order of [`PackedUpper`]: shape (rows_before(panels), NB).
    rows: SwizzledPanel<T>,
    /// Reciprocals of the scaled pivots: shape (8 panels).
    reciprocals: Shared<T>,
    /// What pivots, and the numbers to be divided by them, are scaled by first: shape (8 panels).
    scales: Shared<T::Real>,
}

impl<T: Mma> Upper<T> {
    /// The arrays for a matrix of order `n`.
    #[inline(always)]
    pub fn layout(layout: &mut Layout, n: u32) -> Self {
        let padded = n.div_ceil(NB) * NB;
        Self {
            rows: SwizzledPanel::new(layout.array(upper_numbers(n))),
            reciprocals: layout.array(padded),
            scales: layout.array(padded),
        }
    }

    /// Loads U of a matrix of order `n`. By all threads; two barriers.
    #[inline(always)]
    pub fn load(self, from: PackedUpper<T>, n: u32) {
        let mut v = thread::index();
        while v < upper_numbers(n) / T::VECTOR as u32 {
            self.rows.copy_part(SwizzledPanel::<T>::swizzled(v), from.0, v);
            v += block::dim();
        }
        pipeline::commit();
        pipeline::wait_prior::<0>();
        sync_threads(); // U is there
        let mut i = thread::index();
        while i < n.div_ceil(NB) * NB {
            let pivot = if i < n { self.rows.load(rows_before(i / NB) + i, i % NB) } else { T::ONE };
            let (scale, reciprocal) = pivot.scaled_reciprocal();
            self.scales.store(i, scale);
            self.reciprocals.store(i, reciprocal);
            i += block::dim();
        }
        sync_threads(); // the reciprocals are there
    }

    /// Solves U x = y for order `n`, and passes each row and its number of x to `found`. By a warp, with up to
    /// `LANE_ROWS` rows a lane. `y` is overwritten, and zero after row `n`: shape (8 panels).
    #[inline(always)]
    pub fn substitute<const LANE_ROWS: usize>(&self, n: u32, y: Shared<T>, mut found: impl FnMut(u32, T)) {
        let lane = warp::lane();
        let panels = n.div_ceil(NB);
        let mut own = [T::ZERO; LANE_ROWS];
        for r in 0..LANE_ROWS {
            if warp::SIZE * (r as u32) + lane < NB * panels {
                own[r] = y.load(warp::SIZE * r as u32 + lane);
            }
        }
        let mut p = panels;
        while p > 0 {
            p -= 1;
            let (first, panel) = (NB * p, self.rows.skip(rows_before(p) / NB));
            let diagonal = panel.skip(p);
            for r in 0..LANE_ROWS {
                if warp::SIZE * (r as u32) + lane - lane % NB == first {
                    y.store(warp::SIZE * r as u32 + lane, own[r]);
                }
            }
            warp::sync(warp::ALL);
            let mut x: [T; COLUMNS] = T::load_row(y.offset(first), 0);
            let scales: [T::Real; COLUMNS] = T::Real::load_row(self.scales.offset(first), 0);
            let reciprocals: [T; COLUMNS] = T::load_row(self.reciprocals.offset(first), 0);
            for c in (0..COLUMNS).rev() {
                x[c] = x[c].scale(scales[c]) * reciprocals[c];
                for i in 0..c {
                    x[i] = x[i].sub_mul(diagonal.load_row(i as u32)[c], x[c]);
                }
            }
            let mut mine = x[0];
            for c in 1..COLUMNS {
                mine = if lane == c as u32 { x[c] } else { mine };
            }
            if lane < NB && first + lane < n {
                found(first + lane, mine);
            }
            for r in 0..LANE_ROWS {
                let i = warp::SIZE * r as u32 + lane;
                if i < first {
                    let u = panel.load_row(i);
                    for c in 0..COLUMNS {
                        own[r] = own[r].sub_mul(u[c], x[c]);
                    }
                }
            }
        }
    }
}
