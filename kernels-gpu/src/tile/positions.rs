//! Where LAPACK's interchanges would have brought each row.

use simt::shared::Shared;
use simt::warp;

/// The positions of a lane's rows, and how a panel's interchanges change them.
pub struct Positions<const R: usize>(pub [u32; R]);

impl<const R: usize> Positions<R> {
    /// From shared memory: shape (32 R).
    #[inline(always)]
    pub fn load(from: Shared<u32>) -> Self {
        let mut positions = [0; R];
        for r in 0..R {
            positions[r] = from.load(warp::lane() + 32 * r as u32);
        }
        Self(positions)
    }

    /// To shared memory.
    #[inline(always)]
    pub fn store(&self, to: Shared<u32>) {
        for r in 0..R {
            to.store(warp::lane() + 32 * r as u32, self.0[r]);
        }
    }

    /// Brings `row` to position `k`. The position it had before.
    #[inline(always)]
    pub fn interchange(&mut self, k: u32, row: u32) -> u32 {
        let mut own = self.0[0];
        for r in 1..R {
            own = if row / 32 == r as u32 { self.0[r] } else { own };
        }
        let position = warp::shuffle(warp::ALL, own, row % 32);
        for r in 0..R {
            self.0[r] = if self.0[r] == k { position } else { self.0[r] };
            self.0[r] = if row == warp::lane() + 32 * r as u32 { k } else { self.0[r] };
        }
        position
    }
}
