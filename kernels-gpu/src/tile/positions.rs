//! Where LAPACK's interchanges bring each row. Rows stay in their lanes, so only ties of the pivot search ask for it, and the
//! pivots that LU returns.

use simt::shared::Shared;
use simt::warp;

use crate::scalar::Scalar;
use crate::tile::board::Board;

/// Carries out the interchanges before step `end`, as far as they have not been. By one warp.
#[inline(always)]
pub fn interchange_until<T: Scalar, const R: usize, const NB: usize, const Q: usize>(
    board: &Board<T, R, NB, Q>,
    end: u32,
) {
    let (positions, occupants) = (board.positions(), board.occupants());
    if warp::lane() == 0 {
        let mut k = board.settled().load(0);
        while k < end {
            let (row, other) = (board.pivot_rows().load(k), occupants.load(k));
            let position = positions.load(row);
            occupants.store(position, other);
            positions.store(other, position);
            positions.store(row, k);
            board.interchanges().store(k, position);
            k += 1;
        }
        board.settled().store(0, k);
    }
    warp::sync(warp::ALL);
}

/// The positions of a lane's rows.
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
