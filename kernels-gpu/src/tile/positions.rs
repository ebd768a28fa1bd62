//! Where LAPACK's interchanges bring each row. Rows stay in their lanes: only the pivots that LU returns depend on it, and the
//! choice where candidates tie.

use simt::shared::Shared;
use simt::warp;

use crate::scalar::Scalar;
use crate::tile::board::Board;
use crate::tile::tiles::own_rows;

/// Carries out the interchanges of panel `p` of a matrix of order `n`, and notes them. By a warp.
#[inline(always)]
pub fn interchange<T: Scalar, const R: usize, const NB: usize, const Q: usize>(
    board: &Board<T, R, NB, Q>,
    p: u32,
    n: u32,
) {
    let (positions, occupants) = (board.positions(), board.occupants());
    let first = p * NB as u32;
    let end = if first + (NB as u32) < n { first + NB as u32 } else { n };
    let mut k = first;
    while warp::lane() == 0 && k < end {
        let (row, other) = (board.pivot_rows().load(k), occupants.load(k));
        let position = positions.load(row);
        occupants.store(position, other);
        positions.store(other, position);
        positions.store(row, k);
        board.interchanges().store(k, position);
        k += 1;
    }
    warp::sync(warp::ALL);
}

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
