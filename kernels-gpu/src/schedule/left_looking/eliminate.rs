//! The elimination, by one warp; several warps have [`multi_warp`].

use simt::{pipeline, warp};

use crate::collective::mma::Mma;
use crate::schedule::left_looking::laswp::{compose_interchanges, laswp_panels, laswp_permutation};
use crate::schedule::left_looking::panel::factor;
use crate::schedule::left_looking::sink::Sink;
use crate::schedule::left_looking::storage::SharedStorage;
use crate::schedule::left_looking::store_factors::store_diagonal_block;
use crate::schedule::left_looking::tiles::{Tiles, request_panel};
use crate::schedule::left_looking::{NB, multi_warp};
use numbers::matrix::GlobalMatrix;

/// Factors a matrix: stores U, leaves L in shared memory, updates right-hand sides. By all threads of a block. Returns
/// whether the stored part is finite; warp 0 sets `zero` to the first zero pivot, counted from 1, if there is one.
#[inline(always)]
pub fn eliminate<T: Mma, const TILES: usize, const WARPS: u32, const WARP_TILES: usize, const RHS: usize>(
    shared: &SharedStorage<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
    zero: &mut u32,
) -> bool {
    match WARPS {
        1 => eliminate_by_one_warp::<T, TILES, RHS>(shared, a, to, n, zero),
        _ => multi_warp::eliminate::<T, TILES, WARPS, WARP_TILES, RHS>(shared, a, to, n, zero),
    }
}

#[inline(always)]
fn eliminate_by_one_warp<T: Mma, const TILES: usize, const RHS: usize>(
    shared: &SharedStorage<T>,
    a: &GlobalMatrix<T>,
    to: &impl Sink<T>,
    n: u32,
    zero: &mut u32,
) -> bool {
    let mut finite = true;
    load_first_panel(shared, a, n);
    let mut p = 0;
    while p * NB < n {
        if p > 0 {
            pipeline::wait_prior::<0>();
            warp::sync(warp::ALL);
            let mut tiles = Tiles::<T, TILES>::load_staged(shared, a, p, n);
            finite &= tiles.apply(shared, to, 0..p, p, n);
            tiles.store(shared, p, p);
        }
        factor::<T, TILES, RHS>(shared, p, n, zero);
        warp::sync(warp::ALL);
        let own = compose_interchanges(shared, p, n);
        laswp_permutation(shared, p, own);
        laswp_panels(shared, p);
        finite &= store_diagonal_block(shared, to, p, n);
        p += 1;
    }
    finite
}

/// Loads panel 0 to its place in L, and requests panel 1.
#[inline(always)]
fn load_first_panel<T: Mma>(shared: &SharedStorage<T>, a: &GlobalMatrix<T>, n: u32) {
    request_panel(shared.panel(0), shared.height(0), a, 0, n);
    let rows = if n > NB { shared.height(0) } else { 0 }; // with one panel, the staging is panel 0 itself
    request_panel(shared.staging, rows, a, 1, n);
    shared.clear();
    pipeline::wait_prior::<1>();
    warp::sync(warp::ALL);
}
