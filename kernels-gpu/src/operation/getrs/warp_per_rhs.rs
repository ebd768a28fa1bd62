//! Solve for n up to 512 and a few right-hand sides: one warp per right-hand side.
//!
//! The lanes hold the right-hand side, row i in lane i % 32. Panels of `NB` columns of the factors are loaded into
//! registers one by one and used once: those of the lower triangle from left to right (forward substitution), then
//! those of the upper one from right to left (back substitution). So the factors are read once for each right-hand
//! side; more than `MAX_RHS` are left to [`block`](super::block), which reads the factors once for up to 32 of them.
//!
//! - `LANE_ROWS`: rows of a lane; the largest order is `32 * LANE_ROWS`
//! - `NB`: columns of a panel

use simt::hint::opaque;
use simt::layout::Layout;
use simt::{block, warp};

use crate::collective::permutation;
use crate::memory::transpose_buffer::{Panel, TransposeBuffer, lane_rows};
use crate::operation::GetrsArgs;
use crate::shape::{Problem, Shape, quotient};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Warps of a block, which are independent of each other.
const WARPS: u32 = 4;
/// Threads of a block.
pub const THREADS: u32 = WARPS * warp::SIZE;
/// Most right-hand sides of a matrix.
const MAX_RHS: u32 = 4;

/// The launch shape of [`getrs`].
#[must_use]
pub fn shape<T: Scalar, const LANE_ROWS: usize, const NB: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let fits = problem.n <= 32 * LANE_ROWS as u32 && problem.rhs <= MAX_RHS;
    let bytes = Layout::bytes(|layout| TransposeBuffer::<T, LANE_ROWS, NB>::array(layout, WARPS));
    Shape {
        blocks: problem.batch.saturating_mul(problem.rhs as u64).div_ceil(WARPS as u64),
        cluster: 1,
        threads: THREADS,
        shared_bytes: if fits { bytes } else { u32::MAX },
    }
}

/// The body of the kernel for orders up to `32 * LANE_ROWS`, with panels of `NB` columns.
#[inline(always)]
pub fn getrs<T: Scalar, const LANE_ROWS: usize, const NB: usize>(args: GetrsArgs<T>) {
    solve::<T, LANE_ROWS, NB, false>(args);
}

/// The same for a triangle alone.
#[inline(always)]
pub fn trtrs<T: Scalar, const LANE_ROWS: usize, const NB: usize>(args: GetrsArgs<T>) {
    solve::<T, LANE_ROWS, NB, true>(args);
}

#[inline(always)]
fn solve<T: Scalar, const LANE_ROWS: usize, const NB: usize, const IS_TRIANGLE: bool>(args: GetrsArgs<T>) {
    let n = args.n;
    let transposed = args.transposed != 0;
    let warp = block::index() * WARPS + warp::index();
    let matrix = quotient(warp, args.rhs);
    let column = warp - matrix * args.rhs;
    let b = args.first + matrix as u64;
    if b >= args.end {
        return;
    }
    // SAFETY: `shape` asks for this layout's bytes; `warp::sync` separates the accesses to a warp's buffer.
    let buffers = unsafe { Layout::place(|layout| TransposeBuffer::<T, LANE_ROWS, NB>::array(layout, WARPS)) };
    let permuted = if IS_TRIANGLE {
        lane_rows()
    } else {
        permutation::rows_by_warp::<LANE_ROWS>(args.pivots.offset(b as i64 * n as i64), n)
    };

    let (from, to) = (args.b.matrix(b), args.x.matrix(b));
    let rows = lane_rows::<LANE_ROWS>();
    let mut y = [T::ZERO; LANE_ROWS];
    for r in 0..LANE_ROWS {
        if rows[r] < n {
            y[r] = from.load(if transposed { rows[r] } else { permuted[r] }, column);
        }
    }

    let lu = args.lu.matrix(b);
    let factors = Factors::<T, LANE_ROWS, NB> {
        lu: if transposed { lu.transposed() } else { lu },
        conjugated: args.conjugated != 0,
        buffer: TransposeBuffer::of_this_warp(buffers),
        n,
    };
    let (forward, backward) = args.substitutions::<IS_TRIANGLE>();
    let panels = n.div_ceil(NB as u32);
    let mut p = if forward { 0 } else { panels };
    while p < panels {
        factors.solve_panel::<true>(&mut y, p, !transposed);
        p += 1;
    }
    while backward && p > 0 {
        p -= 1;
        factors.solve_panel::<false>(&mut y, p, transposed);
    }

    let is_regular = args.lu_status_of::<IS_TRIANGLE>(b) == 0;
    warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
    for r in 0..LANE_ROWS {
        if rows[r] < n {
            to.store(if transposed { permuted[r] } else { rows[r] }, column, if is_regular { y[r] } else { T::NAN });
        }
    }
}

/// The triangular factors of op(LU).
struct Factors<T, const LANE_ROWS: usize, const NB: usize> {
    lu: GlobalMatrix<T>,
    conjugated: bool,
    buffer: TransposeBuffer<T, LANE_ROWS, NB>,
    n: u32,
}

impl<T: Scalar, const LANE_ROWS: usize, const NB: usize> Factors<T, LANE_ROWS, NB> {
    /// Solves with the diagonal block of panel `p`, and updates the rows below (`LOWER`) or above it.
    ///
    /// `unit` tells whether the diagonal is implicitly one.
    #[inline(always)]
    fn solve_panel<const LOWER: bool>(&self, y: &mut [T; LANE_ROWS], p: u32, unit: bool) {
        let first = p * NB as u32;
        let (chunk, lane) = (first / warp::SIZE, warp::lane());
        let (diagonal, others) = self.load::<LOWER>(first, unit);
        let mut own = y[0]; // of this lane's row in the panel's chunk of 32 rows
        for r in 1..LANE_ROWS {
            own = if chunk == r as u32 { y[r] } else { own };
        }
        let mut pivot = T::ONE; // of this lane's row, if that is in the diagonal block
        if !unit {
            for c in 0..NB {
                pivot = if lane == first % warp::SIZE + c as u32 && first + (c as u32) < self.n {
                    diagonal[c]
                } else {
                    pivot
                };
            }
        }
        let (scale, reciprocal) = pivot.scaled_reciprocal();
        let mut solution = [T::ZERO; NB];
        for step in 0..NB {
            let c = if LOWER { step } else { NB - 1 - step };
            let k = first % warp::SIZE + c as u32;
            let solved = if unit { own } else { own.scale(scale) * reciprocal };
            solution[c] = warp::shuffle(warp::ALL, solved, k);
            own = match (lane == k, if LOWER { lane > k } else { lane < k }) {
                (true, _) => solved,
                (_, true) => own.sub_mul(diagonal[c], solution[c]),
                _ => own,
            };
        }
        for r in 0..LANE_ROWS {
            if chunk == r as u32 {
                y[r] = own;
            } else if is_beyond::<LOWER>(r, chunk) {
                for step in 0..NB {
                    let c = if LOWER { step } else { NB - 1 - step };
                    y[r] = y[r].sub_mul(others[r][c], solution[c]);
                }
            }
        }
    }

    /// Columns `first..first + NB`: this lane's row of the chunk of 32 rows that the diagonal block is in; and its
    /// rows of all chunks, of which only those beyond are valid. Zeros outside the triangle.
    #[inline(always)]
    fn load<const LOWER: bool>(&self, first: u32, unit: bool) -> ([T; NB], Panel<T, LANE_ROWS, NB>) {
        let n = self.n;
        let wanted = |i: u32, j: u32| i < n && j < n && (if LOWER { i > j } else { i < j } || i == j && !unit);
        let lane = opaque(warp::lane()); // or the addresses of all elements stay in registers
        let chunk = first / warp::SIZE;
        let mut diagonal = [T::ZERO; NB];
        let mut x = [[T::ZERO; NB]; LANE_ROWS];
        if self.lu.column_is_dense() {
            for c in 0..NB {
                let j = first + c as u32;
                let from = self.lu.at(lane, if j < n { j } else { 0 });
                let row = chunk * warp::SIZE;
                if wanted(lane + row, j) {
                    diagonal[c] = from.load(row as i64);
                }
                for r in 0..LANE_ROWS {
                    if is_beyond::<LOWER>(r, chunk) && lane + 32 * (r as u32) < n && j < n {
                        x[r][c] = from.load(32 * r as i64);
                    }
                }
            }
        } else {
            let rows = warp::SIZE / NB as u32; // of which the warp loads segments at a time
            let (i, j) = (lane / NB as u32, first + lane % NB as u32);
            let (from, stride) = (self.lu.at(i, j), self.lu.row_stride() * rows as i64);
            for e in 0..LANE_ROWS * NB {
                if wanted(i + rows * e as u32, j) {
                    x[e / NB][e % NB] = from.load(stride * e as i64);
                }
            }
            x = self.buffer.transpose(&x);
            for r in 0..LANE_ROWS {
                for c in 0..NB {
                    diagonal[c] = if chunk == r as u32 { x[r][c] } else { diagonal[c] };
                }
            }
        }
        if self.conjugated {
            for c in 0..NB {
                diagonal[c] = diagonal[c].conj();
                for r in 0..LANE_ROWS {
                    x[r][c] = x[r][c].conj();
                }
            }
        }
        (diagonal, x)
    }
}

/// Whether chunk `r` of 32 rows is below (`LOWER`) or above chunk `chunk`.
#[inline(always)]
fn is_beyond<const LOWER: bool>(r: usize, chunk: u32) -> bool {
    if LOWER { r as u32 > chunk } else { (r as u32) < chunk }
}
