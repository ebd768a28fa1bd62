//! Where a warp's rows come from and go to.

use simt::hint::opaque;

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::from_factors::NB;

/// Rows of a warp.
pub(super) const fn warp_rows(tiles: usize) -> u32 {
    fragment::ROWS * tiles as u32
}

/// The rows of a warp: tile by tile, panel by panel.
pub(super) trait Rows<T: Mma> {
    /// The first panel in which a row is not zero before it is solved; one past the last panel if the warp has no rows.
    fn first_panel(&self) -> u32;
    /// Panel `p` of tile `t` of the right-hand sides.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn right_sides(&self, t: usize, p: u32) -> T::Tile;
    /// What was stored last.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, t: usize, p: u32) -> T::Tile;
    /// Stores panel `p` of tile `t`.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, t: usize, p: u32, x: &T::Tile);
}

/// Calls `f` with the number, row and column of each element of a lane, in panel `p` of tile `t`.
#[inline(always)]
pub(super) fn each_element(t: usize, p: u32, mut f: impl FnMut(usize, u32, u32)) {
    // Opaque, or the addresses of all elements stay in registers from the loads to the stores.
    let (row, column) = (opaque(fragment::ROWS * t as u32 + fragment::row()), opaque(p * NB + fragment::column()));
    for e in 0..4 {
        f(e, row + 8 * (e as u32 / 2), column + e as u32 % 2);
    }
}
