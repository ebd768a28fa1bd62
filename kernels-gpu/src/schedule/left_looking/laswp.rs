//! Row interchanges of a panel (`xLASWP`), all at once.
//!
//! A panel's 8 interchanges are first composed into copies: the pivot rows move to the top, and the rows that were
//! there to places that pivot rows have left, at most 16 [`RowCopy`]s. Wherever they are made, all rows are loaded
//! before one is stored.

use simt::warp;

use crate::collective::mma::Mma;
use crate::schedule::left_looking::storage::{MOVED_ROWS, SharedStorage};
use crate::schedule::left_looking::swizzled_panel::SwizzledPanel;
use crate::schedule::left_looking::{NB, width};

/// A row that is copied, as its places in the panel: the old one in the lower half of a word, the new one in the upper.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RowCopy(u32);

impl RowCopy {
    const NONE: Self = Self(u32::MAX);

    #[inline(always)]
    fn new(from: u32, to: u32) -> Self {
        Self(from | to << 16)
    }

    #[inline(always)]
    fn from(self) -> u32 {
        self.0 & 0xffff
    }

    #[inline(always)]
    fn to(self) -> u32 {
        self.0 >> 16
    }
}

/// Composes the interchanges of panel `p`, stores them and LAPACK's `ipiv`, and returns this lane's copy. By a warp.
#[inline(always)]
pub fn compose_interchanges<T: Mma>(shared: &SharedStorage<T>, p: u32, n: u32) -> RowCopy {
    let (lane, row, columns) = (warp::lane(), warp::lane() % NB, width(p, n));
    let (pivots, first) = (shared.pivot_rows(p).load(), p * NB);
    // Lanes 0..8 have the pivot rows, lanes 8..16 the rows at the top, which these displace.
    let (is_pivot, is_displaced) = (lane < NB, shared.non_pivots(p).load(0) >> row & 1 != 0);
    let is_copied = lane < MOVED_ROWS && row < columns && (is_pivot || is_displaced);
    let (start, steps) = match (is_copied, is_pivot) {
        (true, true) => (pivots.row(row), row),
        (true, false) => (row, columns),
        _ => (columns, columns),
    };
    let position = pivots.position(start, steps);
    if is_copied && is_pivot {
        shared.ipiv.store(first + row, first + position);
    }
    let own = match (is_copied, is_pivot) {
        (true, true) => RowCopy::new(start, row),
        (true, false) => RowCopy::new(start, position),
        _ => RowCopy::NONE,
    };
    if lane < MOVED_ROWS {
        shared.row_copies(p).store(lane, own.0);
    }
    own
}

/// As [`compose_interchanges`], also for the tiles of other warps: see [`SharedStorage::exchange`].
#[inline(always)]
pub fn publish_interchanges<T: Mma>(shared: &SharedStorage<T>, p: u32, n: u32) {
    let mut word = warp::lane();
    while word < NB * shared.tiles(0) {
        shared.exchange(p, 0).store(word, 0);
        word += warp::SIZE;
    }
    warp::sync(warp::ALL); // the pivot rows are known, and the exchange is cleared
    let own = compose_interchanges(shared, p, n);
    if own != RowCopy::NONE {
        let set = |row: u32, byte: u32| {
            let block = p + row / NB;
            let bytes = shared.exchange(p, row % NB).cast::<u8>();
            bytes.store(4 * (block / 2) + block % 2 + byte, (warp::lane() * SharedStorage::<T>::ROW + 1) as u8);
        };
        set(own.from(), 0);
        set(own.to(), 2);
    }
}

/// This lane's copy after panel `p`, if there is one.
#[inline(always)]
pub fn own_row_copy<T: Mma>(shared: &SharedStorage<T>, p: u32) -> RowCopy {
    if warp::lane() < MOVED_ROWS { RowCopy(shared.row_copies(p).load(warp::lane())) } else { RowCopy::NONE }
}

/// Applies panel `p`'s interchanges to the order in which rows of A are loaded. By a warp; `own` is this lane's copy.
#[inline(always)]
pub fn laswp_permutation<T: Mma>(shared: &SharedStorage<T>, p: u32, own: RowCopy) {
    let rows = shared.permutation.offset(p * NB);
    let row_of_a = if own == RowCopy::NONE { 0 } else { rows.load(own.from()) };
    warp::sync(warp::ALL);
    if own != RowCopy::NONE {
        rows.store(own.to(), row_of_a);
    }
    warp::sync(warp::ALL);
}

/// Parts of 16 bytes that a lane has in flight.
const IN_FLIGHT: usize = 4;

/// Parts of one panel that a lane copies.
const fn parts_of_lane<T: Mma>() -> usize {
    SwizzledPanel::<T>::PARTS as usize / 2
}

/// Where in a panel this lane copies parts from and to.
#[inline(always)]
fn own_parts<T: Mma>(shared: &SharedStorage<T>, p: u32) -> [Option<(u32, u32)>; IN_FLIGHT] {
    let mut parts = [None; IN_FLIGHT];
    for h in 0..parts_of_lane::<T>() {
        let e = warp::lane() + warp::SIZE * h as u32;
        let part = e % SwizzledPanel::<T>::PARTS;
        let row = RowCopy(shared.row_copies(p).load(e / SwizzledPanel::<T>::PARTS));
        if row != RowCopy::NONE {
            parts[h] = Some((SwizzledPanel::<T>::part(row.from(), part), SwizzledPanel::<T>::part(row.to(), part)));
        }
    }
    parts
}

/// Applies panel `p`'s interchanges to L up to that panel. By one warp, several panels at a time to hide latency.
#[inline(always)]
pub fn laswp_panels<T: Mma>(shared: &SharedStorage<T>, p: u32) {
    let (parts, at_once) = (own_parts(shared, p), IN_FLIGHT / parts_of_lane::<T>());
    let (mut q, mut panel, mut blocks) = (0, shared.panel(0).skip(p), shared.blocks_to_next_panel());
    while q <= p {
        let mut panels = [None; IN_FLIGHT];
        for m in 0..at_once {
            if q <= p {
                panels[m] = Some(panel);
                panel = panel.skip(blocks);
                (q, blocks) = (q + 1, blocks.wrapping_sub(1));
            }
        }
        let mut x = [[T::ZERO; 4]; IN_FLIGHT];
        for i in 0..IN_FLIGHT {
            if let (Some(panel), Some((from, _))) = (panels[i / parts_of_lane::<T>()], parts[i % parts_of_lane::<T>()])
            {
                x[i] = panel.load_part(from);
            }
        }
        warp::sync(warp::ALL);
        for i in 0..IN_FLIGHT {
            if let (Some(panel), Some((_, to))) = (panels[i / parts_of_lane::<T>()], parts[i % parts_of_lane::<T>()]) {
                panel.store_part(to, &x[i]);
            }
        }
    }
    warp::sync(warp::ALL);
}

/// As [`laswp_panels`], by all `WARPS` warps, each of which takes every `WARPS`th panel.
#[inline(always)]
pub fn laswp_panels_by_warps<T: Mma, const WARPS: u32>(shared: &SharedStorage<T>, p: u32) {
    let parts = own_parts(shared, p);
    let mut q = warp::index();
    while q <= p {
        let panel = shared.panel(q).skip(p - q);
        let mut x = [[T::ZERO; 4]; IN_FLIGHT];
        for h in 0..parts_of_lane::<T>() {
            if let Some((from, _)) = parts[h] {
                x[h] = panel.load_part(from);
            }
        }
        warp::sync(warp::ALL);
        for h in 0..parts_of_lane::<T>() {
            if let Some((_, to)) = parts[h] {
                panel.store_part(to, &x[h]);
            }
        }
        q += WARPS;
    }
    warp::sync(warp::ALL);
}
