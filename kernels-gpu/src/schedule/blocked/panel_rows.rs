//! A panel while it is factored: lanes hold whole rows.

use simt::warp;

use crate::collective::fragment::{self, COLUMNS};
use crate::collective::mma::Mma;
use crate::schedule::blocked::CANDIDATE;
use crate::schedule::blocked::slab::PanelTiles;
use crate::schedule::blocked::storage::{SharedStorage, panel_stride};

/// A lane's rows of a panel.
pub struct PanelRows<T, const LANE_ROWS: usize> {
    /// Row `32 * (warp * LANE_ROWS + r) + lane`.
    pub x: [[T; COLUMNS]; LANE_ROWS],
    /// All ones for candidates, 0 for all other rows.
    pub candidate_masks: [u32; LANE_ROWS],
}

impl<T: Mma, const LANE_ROWS: usize> PanelRows<T, LANE_ROWS> {
    /// The number of this lane's row `r`.
    #[inline(always)]
    pub fn row(&self, r: usize) -> u32 {
        (warp::index() * LANE_ROWS as u32 + r as u32) * 32 + warp::lane()
    }

    /// The rows of a panel, from its tiles.
    #[inline(always)]
    pub fn from_tiles<const PANELS: usize, const WARPS: usize>(
        tiles: &PanelTiles<T, LANE_ROWS>,
        shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    ) -> Self {
        let (buffer, stride) = (shared.transpose_buffer(), panel_stride::<T>());
        let to = buffer.offset(fragment::row() * stride + fragment::column());
        for i in 0..4 * LANE_ROWS {
            let pair = [0, 1].map(|c| shared.split_re_im(tiles[i / 4][i / 2 % 2][i % 2 * 2 + c]));
            T::store_pair(to.offset(8 * i as u32 * stride), pair);
        }
        warp::sync(warp::ALL);
        let mut rows = Self { x: [[T::ZERO; COLUMNS]; LANE_ROWS], candidate_masks: [0; LANE_ROWS] };
        for r in 0..LANE_ROWS {
            rows.x[r] = T::load_row(buffer.offset((32 * r as u32 + warp::lane()) * stride), 0);
            let is_candidate = shared.pivot_steps.load(rows.row(r)) == CANDIDATE;
            rows.candidate_masks[r] = if is_candidate { u32::MAX } else { 0 };
        }
        rows
    }

    /// The tiles of these rows.
    #[inline(always)]
    pub fn to_tiles<const PANELS: usize, const WARPS: usize>(
        &self,
        shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    ) -> PanelTiles<T, LANE_ROWS> {
        let (buffer, stride) = (shared.transpose_buffer(), panel_stride::<T>());
        for r in 0..LANE_ROWS {
            T::store_row(buffer.offset((32 * r as u32 + warp::lane()) * stride), &self.x[r], 0);
        }
        warp::sync(warp::ALL);
        let from = buffer.offset(fragment::row() * stride + fragment::column());
        let mut tiles = [[[T::ZERO; 4]; 2]; LANE_ROWS];
        for i in 0..4 * LANE_ROWS {
            let pair = T::load_pair(from.offset(8 * i as u32 * stride));
            for c in 0..2 {
                tiles[i / 4][i / 2 % 2][i % 2 * 2 + c] = shared.split_re_im(pair[c]);
            }
        }
        warp::sync(warp::ALL);
        tiles
    }
}
