//! Panels between device memory and registers.
//!
//! Lanes hold rows. Where the elements of a column are neighbours in memory, a lane reads its rows' elements directly; else
//! the warp reads pieces of rows, and shared memory turns them. Panels are written by way of shared memory in both cases,
//! because rows go to their final positions then.

use simt::hint::opaque;
use simt::shared::{self, Shared};
use simt::warp;

use crate::matrix::GlobalMatrix;
use crate::scalar::Scalar;
use crate::tile::tiles::{Panel, Tiles};

/// A warp's room to turn a panel in: shape (NB, 32 R + 4). The four more put the pieces of rows into different banks.
#[derive(Clone, Copy)]
pub struct Stage<T, const R: usize, const NB: usize> {
    elements: Shared<T>,
}

impl<T: Scalar, const R: usize, const NB: usize> Stage<T, R, NB> {
    const LEADING_DIMENSION: u32 = 32 * R as u32 + 4;
    /// Rows of which the warp moves pieces at once.
    const PIECES: usize = 32 / NB;

    /// Bytes for so many warps.
    #[must_use]
    pub const fn bytes(warps: u32) -> u32 {
        warps * NB as u32 * Self::LEADING_DIMENSION * size_of::<T>() as u32
    }

    /// This warp's, `offset` bytes into the shared memory.
    ///
    /// # Safety
    /// As for [`shared::array`].
    #[inline(always)]
    pub unsafe fn new(offset: u32) -> Self {
        // SAFETY: the caller's promise.
        Self { elements: unsafe { shared::array(offset + Self::bytes(warp::index())) } }
    }

    /// The one in this room, which is this warp's.
    #[inline(always)]
    pub fn at(elements: Shared<T>) -> Self {
        Self { elements }
    }

    /// This warp's panels of a matrix of `n` rows and columns, and ones on the diagonal beyond. All loads are on their way
    /// before the first is waited for.
    #[inline(always)]
    pub fn load_all<const Q: usize, const S: usize>(
        &self,
        tiles: &mut Tiles<T, R, NB, Q, S>,
        a: &GlobalMatrix<T>,
        n: u32,
    ) {
        for s in 0..Q {
            tiles.panels[s] = Self::fetch(a, tiles.panel(s) * NB as u32, n);
        }
        if !a.column_is_dense() {
            for s in 0..Q {
                tiles.panels[s] = self.turned(&tiles.panels[s]);
            }
        }
    }

    /// Columns `first..` of such a matrix.
    #[inline(always)]
    pub fn load(&self, a: &GlobalMatrix<T>, first: u32, n: u32) -> Panel<T, R, NB> {
        let x = Self::fetch(a, first, n);
        if a.column_is_dense() { x } else { self.turned(&x) }
    }

    /// Columns `first..`, rows in their lanes where columns are dense, else by pieces of rows: lane l has element l % NB of
    /// row l / NB of each piece.
    #[inline(always)]
    fn fetch(a: &GlobalMatrix<T>, first: u32, n: u32) -> Panel<T, R, NB> {
        let lane = opaque(warp::lane()); // else addresses for all panels are computed ahead
        let mut x = [[T::ZERO; NB]; R];
        if !a.column_is_dense() {
            let (i, j) = (lane / NB as u32, first + lane % NB as u32);
            let (from, step) = (a.at(i, j), a.row_stride() * Self::PIECES as i64);
            for e in 0..R * NB {
                let i = i + (Self::PIECES * e) as u32;
                x[e / NB][e % NB] = if i == j { T::ONE } else { T::ZERO };
                if i < n && j < n {
                    x[e / NB][e % NB] = from.load(step * e as i64);
                }
            }
        } else if first + NB as u32 <= n {
            for c in 0..NB {
                let column = a.at(lane, first + c as u32);
                for r in 0..R {
                    if lane + (32 * r as u32) < n {
                        x[r][c] = column.load(32 * r as i64);
                    }
                }
            }
        } else {
            // The last panel, cut by the last column, or one beyond.
            for c in 0..NB {
                let j = first + c as u32;
                let column = a.at(lane, if j < n { j } else { 0 });
                for r in 0..R {
                    let i = lane + 32 * r as u32;
                    x[r][c] = if i == j { T::ONE } else { T::ZERO };
                    if i < n && j < n {
                        x[r][c] = column.load(32 * r as i64);
                    }
                }
            }
        }
        x
    }

    /// The panel that was fetched by pieces of rows, rows in their lanes.
    #[inline(always)]
    pub fn turned(&self, pieces: &Panel<T, R, NB>) -> Panel<T, R, NB> {
        let lane = warp::lane();
        let to = self.elements.offset(lane % NB as u32 * Self::LEADING_DIMENSION + lane / NB as u32);
        for e in 0..R * NB {
            to.store((Self::PIECES * e) as u32, pieces[e / NB][e % NB]);
        }
        warp::sync(warp::ALL);
        let own = self.elements.offset(lane);
        let mut x = [[T::ZERO; NB]; R];
        for r in 0..R {
            for c in 0..NB {
                x[r][c] = own.load(c as u32 * Self::LEADING_DIMENSION + 32 * r as u32);
            }
        }
        warp::sync(warp::ALL);
        x
    }

    /// Stores a panel as columns of a matrix of order `n`: column c is column `to(c)` there, row i is at `positions[i]`.
    /// All lanes ask `to` together.
    #[inline(always)]
    pub fn store_columns(
        &self,
        x: &Panel<T, R, NB>,
        positions: &[u32; R],
        a: &GlobalMatrix<T>,
        to: impl Fn(u32) -> u32,
        n: u32,
    ) {
        let lane = opaque(warp::lane());
        for r in 0..R {
            let row = self.elements.offset(positions[r]);
            for c in 0..NB {
                row.store(c as u32 * Self::LEADING_DIMENSION, x[r][c]);
            }
        }
        warp::sync(warp::ALL);
        if a.column_is_dense() {
            let own = self.elements.offset(lane);
            for c in 0..NB {
                let j = to(c as u32);
                let column = a.at(lane, j);
                for r in 0..R {
                    if lane + (32 * r as u32) < n && j < n {
                        column.store(32 * r as i64, own.load(c as u32 * Self::LEADING_DIMENSION + 32 * r as u32));
                    }
                }
            }
        } else {
            let (i, c) = (lane / NB as u32, lane % NB as u32);
            let j = to(c);
            let (target, step) = (a.at(i, j), a.row_stride() * Self::PIECES as i64);
            let from = self.elements.offset(c * Self::LEADING_DIMENSION + i);
            for e in 0..R * NB {
                if i + ((Self::PIECES * e) as u32) < n && j < n {
                    target.store(step * e as i64, from.load((Self::PIECES * e) as u32));
                }
            }
        }
        warp::sync(warp::ALL);
    }
}
