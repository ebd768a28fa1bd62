//! Where LAPACK's interchanges bring each row. Rows stay in their lanes: only the choice where candidates tie depends on it.

use simt::shared::Shared;
use simt::warp;

use crate::tile::tiles::own_rows;

/// The positions of a lane's rows.
pub struct Positions<const R: usize>(pub [u32; R]);

impl<const R: usize> Positions<R> {
    /// Where they are after so many steps, whose pivot rows these are.
    #[inline(always)]
    pub fn after(steps: u32, pivot_rows: Shared<u32>) -> Self {
        let mut positions = Self(own_rows());
        let mut k = 0;
        while k < steps {
            positions.interchange(k, pivot_rows.load(k));
            k += 1;
        }
        positions
    }

    /// Brings `row` to position `k`.
    #[inline(always)]
    pub fn interchange(&mut self, k: u32, row: u32) {
        let mut own = self.0[0];
        for r in 1..R {
            own = if row / 32 == r as u32 { self.0[r] } else { own };
        }
        let position = warp::shuffle(warp::ALL, own, row % 32);
        for r in 0..R {
            self.0[r] = if self.0[r] == k { position } else { self.0[r] };
            self.0[r] = if row == warp::lane() + 32 * r as u32 { k } else { self.0[r] };
        }
    }
}
