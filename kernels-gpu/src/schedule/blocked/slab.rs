//! How the lanes of a warp hold a slab, and loads and stores of its panels.

use simt::global::Global;
use simt::hint::opaque;
use simt::warp;

use crate::collective::fragment;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::storage::SharedStorage;
use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;

/// A warp's rows of a panel: `[r][m]` is the tile of its rows `32 r + 16 m ..`, held as in [`fragment`].
pub type PanelTiles<T, const LANE_ROWS: usize> = [[[T; 4]; 2]; LANE_ROWS];

/// A warp's rows of a slab.
pub type Slab<T, const LANE_ROWS: usize, const PANELS: usize> = [PanelTiles<T, LANE_ROWS>; PANELS];

/// The pivot steps of a lane's rows of tiles: `[r][2 m + h]` is that of row `32 r + 16 m + 8 h + lane / 4`.
pub type PivotSteps<const LANE_ROWS: usize> = [[u32; 4]; LANE_ROWS];

/// The first row of this lane in the matrix.
#[inline(always)]
#[must_use]
pub fn first_row<const LANE_ROWS: usize>() -> u32 {
    warp::index() * 32 * LANE_ROWS as u32 + fragment::row()
}

/// The pivot steps of this lane's rows.
#[inline(always)]
pub fn own_pivot_steps<T: Scalar, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize>(
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
) -> PivotSteps<LANE_ROWS> {
    let own = shared.pivot_steps.offset(first_row::<LANE_ROWS>());
    let mut steps = [[0; 4]; LANE_ROWS];
    for i in 0..4 * LANE_ROWS {
        steps[i / 4][i % 4] = own.load(8 * i as u32);
    }
    steps
}

/// Loads panel `p` of a matrix of order `n`, with zeros beyond.
#[inline(always)]
pub fn load_panel<T: Scalar, const LANE_ROWS: usize>(a: &GlobalMatrix<T>, p: u32, n: u32) -> PanelTiles<T, LANE_ROWS> {
    let mut tiles = [[[T::ZERO; 4]; 2]; LANE_ROWS];
    for_each_element::<T, LANE_ROWS>(a, p, n, |r, m, e, at| tiles[r][m][e] = at.load(0));
    tiles
}

/// Stores panel `p` of a matrix of order `n`.
#[inline(always)]
pub fn store_panel<T: Scalar, const LANE_ROWS: usize>(
    tiles: &PanelTiles<T, LANE_ROWS>,
    a: &GlobalMatrix<T>,
    p: u32,
    n: u32,
) {
    for_each_element::<T, LANE_ROWS>(a, p, n, |r, m, e, at| at.store(0, tiles[r][m][e]));
}

/// Calls `f` for this lane's elements of panel `p` that the matrix has: with `[r][m][e]`, and where it is in memory.
#[inline(always)]
fn for_each_element<T: Scalar, const LANE_ROWS: usize>(
    a: &GlobalMatrix<T>,
    p: u32,
    n: u32,
    mut f: impl FnMut(usize, usize, usize, Global<T>),
) {
    let row = first_row::<LANE_ROWS>();
    let column = p * NB + fragment::column();
    let mut first = a.at(opaque(row), column); // otherwise LLVM keeps all panels' addresses in registers
    for c in 0..2 {
        let is_column = column + (c as u32) < n;
        a.walk::<16>(first, |i, at| {
            if i < 4 * LANE_ROWS && is_column && row + (8 * i as u32) < n {
                f(i / 4, i / 2 % 2, i % 2 * 2 + c, at);
            }
        });
        first = first.offset(a.col_stride());
    }
}
