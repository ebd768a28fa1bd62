//! Residuals of a few right-hand sides: a lane a row of the matrix.
//!
//! A unit of work is [`ROWS`] rows of a matrix and [`SIDES`] right-hand sides. Up to order [`ALONE`] a warp has a unit,
//! beyond it the warps of a block share one: each takes every fourth tile of [`COLUMNS`] columns, and the first warp
//! adds up what they find. Tiles of rows that are apart in memory pass through shared memory, so that neighbouring
//! lanes read neighbours.

use numbers::refine::{Correction, ROWS, RefineArgs, is_done, row_groups};
use simt::layout::Layout;
use simt::math::Fused;
use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use super::{AHEAD, THREADS, WARPS};
use crate::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::{Real, Scalar, ScalarKind};

/// Columns of a tile.
const COLUMNS: u32 = 16;
/// Right-hand sides that a warp has residuals of.
const SIDES: usize = 4;
/// The largest order whose units have a warp each.
const ALONE: u32 = 64;
/// From a row of a tile in shared memory to the next.
const STRIDE: u32 = COLUMNS + 1;

/// What a warp keeps in shared memory.
#[derive(Clone, Copy)]
struct Tile<T> {
    a: Shared<T>, // shape (ROWS, STRIDE)
    x: Shared<T>, // shape (SIDES, COLUMNS)
}

/// What warps hand to the first one: shape (WARPS, SIDES, lanes).
#[derive(Clone, Copy)]
struct Sums<T: Scalar> {
    residual: Shared<T>,
    magnitude: Shared<T::Real>,
}

#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout) -> (Tile<T>, Sums<T>) {
    let sums = WARPS * SIDES as u32 * warp::SIZE;
    layout.either(
        |layout| Tile { a: layout.packed(WARPS * ROWS * STRIDE), x: layout.packed(WARPS * SIDES as u32 * COLUMNS) },
        |layout| Sums { residual: layout.packed(sums), magnitude: layout.packed(sums) },
    )
}

/// Warps that share a unit.
#[inline(always)]
const fn sharing(n: u32) -> u32 {
    if n <= ALONE { 1 } else { WARPS }
}

/// Units of a matrix.
#[inline(always)]
const fn units(n: u32, rhs: u32) -> u64 {
    row_groups(n) as u64 * rhs.div_ceil(SIDES as u32) as u64
}

/// The launch shape of [`residual`].
#[must_use]
pub fn residual_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let (n, rhs) = (if problem.n > 0 { problem.n } else { 1 }, if problem.rhs > 0 { problem.rhs } else { 1 });
    let units = problem.batch.saturating_mul(units(n, rhs));
    Shape {
        blocks: units.div_ceil((WARPS / sharing(n)) as u64),
        cluster: 1,
        threads: THREADS,
        shared_bytes: with_scalar!(kind, T => Layout::bytes(shared_storage::<T>)),
    }
}

/// The body of the kernel: writes `residual` and `magnitude`.
#[inline(always)]
pub fn residual<T: Scalar, L: Correction<T>>(args: RefineArgs<T, L>) {
    let (n, rhs) = (args.n, args.rhs);
    let shared_by = sharing(n);
    let (share, own) = if shared_by == 1 { (0, warp::index()) } else { (warp::index(), 0) };
    let unit = block::index() as u64 * (WARPS / shared_by) as u64 + own as u64;
    let units = units(n, rhs);
    let offset = unit.checked_div(units).unwrap_or(0);
    let within = (unit - offset * units) as u32;
    let matrix = args.first + offset;
    if matrix >= args.end {
        return;
    }
    let group_of_sides = within.checked_div(row_groups(n)).unwrap_or(0);
    let group = within - group_of_sides * row_groups(n);
    let sides = Sides::new(&args, matrix, group_of_sides * SIDES as u32);
    // All warps that share the unit leave, or none.
    if !sides.any {
        return;
    }

    // SAFETY: `residual_shape` asks for this layout's bytes; barriers separate writes from reads, a warp's own in its
    // own part.
    let (tile, sums) = unsafe { Layout::place(shared_storage::<T>) };
    let tile = Tile {
        a: tile.a.offset(warp::index() * ROWS * STRIDE),
        x: tile.x.offset(warp::index() * SIDES as u32 * COLUMNS),
    };
    let a = args.a.matrix(matrix);
    let rows = Rows {
        matrix,
        a: if args.transposed != 0 { a.transposed() } else { a },
        conjugated: args.conjugated != 0,
        first: group * ROWS,
        n,
    };
    let mut found = Found::<T>::NONE;
    let mut j = share * COLUMNS;
    while j < n {
        rows.add(&mut found, j, &args, &sides, tile);
        j += shared_by * COLUMNS;
    }

    let (row, lane) = (rows.first + warp::lane(), warp::lane());
    if shared_by > 1 {
        sync_threads(); // the tiles' memory is used again
        for c in 0..SIDES {
            let at = (warp::index() * SIDES as u32 + c as u32) * warp::SIZE + lane;
            sums.residual.store(at, found.residual[c]);
            sums.magnitude.store(at, found.magnitude[c]);
        }
        sync_threads();
        if warp::index() > 0 {
            return;
        }
        for c in 0..SIDES {
            for other in 1..WARPS {
                let at = (other * SIDES as u32 + c as u32) * warp::SIZE + lane;
                found.residual[c] = found.residual[c] + sums.residual.load(at);
                found.magnitude[c] = found.magnitude[c] + sums.magnitude.load(at);
            }
        }
    }
    let b = args.b.matrix(matrix);
    for c in 0..SIDES {
        if sides.is_open[c] && row < n {
            let side = sides.first + c as u32;
            let (value, at) = (b.load(row, side), args.row(matrix, side, row));
            args.residual.store(at, value + found.residual[c]);
            args.magnitude.store(at, value.abs1() + found.magnitude[c]);
        }
    }
}

/// The right-hand sides of a unit.
struct Sides<R> {
    first: u32,
    is_open: [bool; SIDES],
    scale: [R; SIDES],
    any: bool,
}

impl<R: Real> Sides<R> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn new<T: Scalar<Real = R>, L: Correction<T>>(args: &RefineArgs<T, L>, matrix: u64, first: u32) -> Self {
        let mut sides = Self { first, is_open: [false; SIDES], scale: [R::from_f64(1.0); SIDES], any: false };
        for c in 0..SIDES {
            let side = first + c as u32;
            if side < args.rhs {
                let at = args.side(matrix, side);
                let is_open = args.is_first != 0 || !is_done(args.state.load(at));
                sides.is_open[c] = is_open;
                sides.any |= is_open;
                if is_open && !args.scale.is_null() {
                    sides.scale[c] = args.scale.load(at);
                }
            }
        }
        sides
    }
}

/// What a lane has found: -op(A) x and |op(A)| |x|.
struct Found<T: Scalar> {
    residual: [T; SIDES],
    magnitude: [T::Real; SIDES],
}

impl<T: Scalar> Found<T> {
    const NONE: Self = Self { residual: [T::ZERO; SIDES], magnitude: [<T::Real as Scalar>::ZERO; SIDES] };
}

/// The rows of a unit.
struct Rows<T> {
    matrix: u64,
    /// op(A), not yet conjugated.
    a: GlobalMatrix<T>,
    conjugated: bool,
    first: u32,
    n: u32,
}

impl<T: Scalar> Rows<T> {
    /// Adds what a tile of columns contributes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add<L: Correction<T>>(
        &self,
        found: &mut Found<T>,
        first_column: u32,
        args: &RefineArgs<T, L>,
        sides: &Sides<T::Real>,
        tile: Tile<T>,
    ) {
        let (lane, rest) = (warp::lane(), self.n - first_column);
        let width = if rest < COLUMNS { rest } else { COLUMNS };
        warp::sync(warp::ALL); // all lanes are done with the tile before
        self.load_solutions(first_column, width, args, sides, tile.x);
        let passes = !self.a.rows_are_close();
        if passes {
            let (half, j) = (lane / COLUMNS, lane % COLUMNS);
            for q in 0..COLUMNS {
                let i = 2 * q + half;
                if j < width && self.first + i < self.n {
                    tile.a.store(i * STRIDE + j, self.a.load(self.first + i, first_column + j));
                }
            }
        }
        warp::sync(warp::ALL);
        let row = self.first + lane;
        if row >= self.n {
            return;
        }
        for part in 0..COLUMNS as usize / AHEAD {
            let mut elements = [T::ZERO; AHEAD];
            for q in 0..AHEAD {
                let j = (part * AHEAD + q) as u32;
                if j < width {
                    elements[q] =
                        if passes { tile.a.load(lane * STRIDE + j) } else { self.a.load(row, first_column + j) };
                }
            }
            for q in 0..AHEAD {
                let j = (part * AHEAD + q) as u32;
                let a = if self.conjugated { elements[q].conj() } else { elements[q] };
                for c in 0..SIDES {
                    let x = tile.x.load(c as u32 * COLUMNS + j); // 0 beyond the matrix
                    found.residual[c] = found.residual[c].sub_mul(a, x);
                    found.magnitude[c] = Fused::mul_add(a.abs1(), x.abs1(), found.magnitude[c]);
                }
            }
        }
    }

    /// The elements of the corrected solutions that a tile is multiplied by; 0 where there are none.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_solutions<L: Correction<T>>(
        &self,
        first_column: u32,
        width: u32,
        args: &RefineArgs<T, L>,
        sides: &Sides<T::Real>,
        to: Shared<T>,
    ) {
        // Half a warp each.
        let (half, j) = (warp::lane() / COLUMNS, warp::lane() % COLUMNS);
        for pair in 0..SIDES / 2 {
            let c = 2 * pair as u32 + half;
            let (is_open, scale) = if half == 0 {
                (sides.is_open[2 * pair], sides.scale[2 * pair])
            } else {
                (sides.is_open[2 * pair + 1], sides.scale[2 * pair + 1])
            };
            let mut x = T::ZERO;
            if j < width && is_open {
                let (row, side) = (first_column + j, sides.first + c);
                x = args.corrected(self.matrix, side, row, scale);
            }
            to.store(c * COLUMNS + j, x);
        }
    }
}
