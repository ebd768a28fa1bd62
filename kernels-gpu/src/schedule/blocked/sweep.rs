//! The elimination of a matrix, slab after slab.

use core::ops::Range;

use simt::hint::opaque;
use simt::sync_threads;

use crate::collective::mma::Mma;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::apply::{apply_first, apply_panels, prefetch_first};
use crate::schedule::blocked::panel::factor;
use crate::schedule::blocked::slab::{Slab, load_panel, own_pivot_steps, store_panel};
use crate::schedule::blocked::storage::SharedStorage;
use numbers::matrix::GlobalMatrix;

/// Eliminates `a` and stores L and U in `output`, or with `JORDAN` the factor of each panel; rows stay where they were.
/// Returns whether this lane's numbers are finite, and the first step with a zero pivot, counted from 1, or 0.
#[inline(always)]
pub fn eliminate<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    a: &GlobalMatrix<T>,
    output: &GlobalMatrix<T>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    n: u32,
) -> (bool, u32) {
    let panels = n.div_ceil(NB);
    let (mut finite, mut zero_pivot) = (true, 0);
    let mut first = 0;
    while first < panels {
        let before = 0..first;
        let mut slab = load_updated::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(a, output, shared, first, before, n);
        let end = if first + (PANELS as u32) < panels { first + PANELS as u32 } else { panels };
        let mut p = first;
        while p < opaque(end) {
            factor::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(&mut slab[0], shared, p, n, &mut zero_pivot);
            for i in 0..8 * LANE_ROWS {
                finite &= slab[0][i / 8][i / 4 % 2][i % 4].is_finite();
            }
            store_panel(&slab[0], output, p, n);
            if p + 1 < end {
                let steps = own_pivot_steps(shared);
                apply_first::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(&mut slab, shared, &steps, p);
            }
            p += 1;
        }
        sync_threads();
        first = end;
    }
    (finite, zero_pivot)
}

/// Loads the slab of `a` that begins with panel `first`, and applies these `panels` of the output to it.
#[inline(always)]
pub fn load_updated<T: Mma, const LANE_ROWS: usize, const PANELS: usize, const WARPS: usize, const JORDAN: bool>(
    a: &GlobalMatrix<T>,
    output: &GlobalMatrix<T>,
    shared: &SharedStorage<T, LANE_ROWS, PANELS, WARPS>,
    first: u32,
    panels: Range<u32>,
    n: u32,
) -> Slab<T, LANE_ROWS, PANELS> {
    let steps = own_pivot_steps(shared);
    prefetch_first::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(shared, &steps, output, &panels, n);
    let mut slab = [[[[T::ZERO; 4]; 2]; LANE_ROWS]; PANELS];
    for s in 0..PANELS {
        let tiles = load_panel(a, first + s as u32, n);
        slab[s] = tiles.map(|rows| rows.map(|tile| tile.map(|x| shared.split_re_im(x))));
    }
    apply_panels::<T, LANE_ROWS, PANELS, WARPS, JORDAN>(&mut slab, shared, &steps, output, (first, panels), n);
    slab
}
