//! The inverse: the kernel, and the shape of a launch.

use numbers::status::NON_FINITE;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use crate::collective::mma::Mma;
use crate::collective::permutation;
use crate::collective::vote::any_thread;
use crate::memory::fill::fill;
use crate::operation::GetriArgs;
use crate::schedule::from_factors::NB;
use crate::schedule::from_factors::ring::Ring;
use crate::schedule::from_factors::rows::{Rows, each_element, warp_rows};
use crate::schedule::from_factors::solve::solve;
use crate::schedule::from_factors::storage::SharedStorage;
use crate::schedule::from_factors::{MAX_ORDER, panels};
use crate::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::ScalarKind;

/// The shape of a launch: a block a matrix, which goes over its rows in groups as even as can be.
#[must_use]
pub fn shape<T: Mma, const PANELS: usize, const TILES: usize, const WARPS: usize>(
    problem: &Problem,
    _: ScalarKind,
) -> Shape {
    let n = problem.n;
    let all = n.div_ceil(warp_rows(TILES));
    let warps = if all > 0 { all.div_ceil(all.div_ceil(WARPS as u32)) } else { 1 };
    let bytes = Layout::bytes(|layout| SharedStorage::<T, PANELS>::layout(layout, n));
    let shared_bytes = if n > MAX_ORDER { u32::MAX } else { bytes };
    Shape { blocks: problem.batch, cluster: 1, threads: 32 * warps, shared_bytes }
}

/// The body of the kernel.
#[inline(always)]
pub fn getri<T: Mma, const PANELS: usize, const TILES: usize, const WARPS: usize>(args: GetriArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| SharedStorage::<T, PANELS>::layout(layout, n)) };
    let (lu, inverse) = (args.lu.matrix(b), args.inverse.matrix(b));
    let mut status = args.lu_status.load(b as i64);
    if status == 0 {
        let group_rows = warp_rows(TILES) * (block::dim() / warp::SIZE);
        let mut finite = true;
        let mut first = 0;
        while first < n {
            let mut ring = Ring::new(lu, shared.ring, first / NB, false, n);
            if first == 0 {
                shared.divisors.prepare(&lu, n, NB * panels(n));
                permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), shared.permutation, n);
            }
            let row = first + warp::index() * warp_rows(TILES);
            let rows = InverseRows { inverse, permutation: shared.permutation, row, n };
            finite &= solve::<T, PANELS, TILES, false, true, false>(&rows, &mut ring, &shared.divisors, false, n);
            sync_threads(); // the ring may be overwritten
            first += group_rows;
        }
        if any_thread(!finite, shared.flags) {
            status = NON_FINITE;
        }
    }
    sync_threads(); // `status` may be `lu_status`, which all threads must have read
    if status != 0 {
        fill(&inverse, T::NAN, n);
    }
    if thread::index() == 0 {
        args.status.store(b as i64, status);
    }
}

/// Rows of the inverse, from `row` on; those of the identity are solved with. Column j of X is column
/// `permutation[j]` of the inverse.
struct InverseRows<T> {
    inverse: GlobalMatrix<T>,
    permutation: Shared<u32>, // shape (n)
    row: u32,
    n: u32,
}

impl<T: Mma> Rows<T> for InverseRows<T> {
    #[inline(always)]
    fn first_panel(&self) -> u32 {
        if self.row < self.n { self.row / NB } else { panels(self.n) }
    }

    #[inline(always)]
    fn right_sides(&self, t: usize, p: u32) -> T::Tile {
        let mut tile = T::ZEROS;
        each_element(t, p, |e, i, j| {
            if self.row + i == j && j < self.n {
                T::set(&mut tile, e, T::ONE);
            }
        });
        tile
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, t: usize, p: u32) -> T::Tile {
        let mut tile = T::ZEROS;
        each_element(t, p, |e, i, j| {
            if self.row + i < self.n && j < self.n {
                T::set(&mut tile, e, self.inverse.load(self.row + i, self.permutation.load(j)));
            }
        });
        tile
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, t: usize, p: u32, x: &T::Tile) {
        each_element(t, p, |e, i, j| {
            if self.row + i < self.n && j < self.n {
                self.inverse.store(self.row + i, self.permutation.load(j), T::get(x, e));
            }
        });
    }
}
