//! Solve of n up to 512 and a few right-hand sides: a warp for a matrix and one of its right-hand sides.
//!
//! Lanes hold the rows of the right-hand side: row i is held by lane i % 32. Panel after panel of the factors passes through
//! registers, first those of the lower triangle, then, backwards, those of the upper one.

use simt::hint::opaque;
use simt::{block, shared, warp};

use crate::matrix::{GlobalMatrix, View};
use crate::permutation;
use crate::scalar::{Real, Scalar, ScalarKind};
use crate::shape::{Problem, Shape, quotient, round_up};
use crate::solve::SolveArgs;
use crate::tile::staging::Stage;
use crate::tile::tiles::{Panel, own_rows};

/// Warps of a block, which know nothing of each other.
const WARPS: u32 = 4;
/// Threads of a block.
pub const THREADS: u32 = WARPS * warp::SIZE;
/// Most right-hand sides: beyond, a block that keeps many of them reads the factors less often.
const MAX_RHS: u32 = 4;

/// Bytes of a warp's room to turn a panel in.
const fn turning_bytes<T: Scalar, const R: usize, const NB: usize>() -> u32 {
    round_up(Stage::<T, R, NB>::bytes(1), 16)
}

/// Bytes of shared memory of a warp: that room, and the permutation.
const fn warp_bytes<T: Scalar, const R: usize, const NB: usize>() -> u32 {
    turning_bytes::<T, R, NB>() + 128 * R as u32
}

/// Shape of [`solve_lanes`].
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let fits = problem.n <= 32 * R as u32 && problem.rhs <= MAX_RHS;
    Shape {
        blocks: (problem.batch * problem.rhs as u64).div_ceil(WARPS as u64),
        threads: THREADS,
        shared_bytes: if fits { WARPS * warp_bytes::<T, R, NB>() } else { u32::MAX },
    }
}

/// The body of the kernel for orders up to `32 * R`, with panels of `NB` columns.
#[inline(always)]
pub fn solve_lanes<T: Scalar, const R: usize, const NB: usize>(args: SolveArgs<T>) {
    let n = args.n;
    let transposed = args.transposed != 0;
    let warp = block::index() * WARPS + warp::index();
    let matrix = quotient(warp, args.rhs);
    let column = warp - matrix * args.rhs;
    let b = args.first + matrix as u64;
    if b >= args.end {
        return;
    }
    let memory = warp::index() * warp_bytes::<T, R, NB>();
    // SAFETY: `shape` asks for as many bytes for each warp.
    let (turning, order) =
        unsafe { (shared::array(memory), shared::array::<u32>(memory + turning_bytes::<T, R, NB>())) };
    permutation::from_pivots_by_warp::<R>(args.pivots.offset(b as i64 * n as i64), order, n);

    let (from, to) = (args.b.matrix(b), args.x.matrix(b));
    let rows = own_rows::<R>();
    let mut permuted = rows;
    for r in 0..R {
        permuted[r] = order.load(rows[r]);
    }
    let mut y = [T::ZERO; R];
    for r in 0..R {
        if rows[r] < n {
            y[r] = from.load(if transposed { rows[r] } else { permuted[r] }, column);
        }
    }

    let lu = args.lu.matrix(b);
    let factors = Factors::<T, R, NB> {
        lu: if transposed { lu.transposed() } else { lu },
        conjugated: args.conjugated != 0,
        stage: Stage::at(turning),
        n,
    };
    let panels = n.div_ceil(NB as u32);
    let mut p = 0;
    while p < panels {
        factors.apply::<true>(&mut y, p, !transposed);
        p += 1;
    }
    while p > 0 {
        p -= 1;
        factors.apply::<false>(&mut y, p, transposed);
    }

    let good = args.status.load(b as i64) == 0;
    warp::sync(warp::ALL); // `x` may be `b`, and rows are permuted
    for r in 0..R {
        if rows[r] < n {
            to.store(if transposed { permuted[r] } else { rows[r] }, column, if good { y[r] } else { T::NAN });
        }
    }
}

/// The triangles of op(LU).
struct Factors<T, const R: usize, const NB: usize> {
    lu: GlobalMatrix<T>,
    conjugated: bool,
    stage: Stage<T, R, NB>,
    n: u32,
}

impl<T: Scalar, const R: usize, const NB: usize> Factors<T, R, NB> {
    /// Solves for the rows of panel `p`, and takes its columns below (`LOWER`) or above from the right-hand side. `unit` says
    /// whether the diagonal is one.
    #[inline(always)]
    fn apply<const LOWER: bool>(&self, y: &mut [T; R], p: u32, unit: bool) {
        let first = p * NB as u32;
        let rows = own_rows::<R>();
        let panel = self.load::<LOWER>(first, unit);
        let mut pivot = T::ONE; // of the row in this panel that the lane may hold
        for r in 0..R {
            for c in 0..NB {
                if !unit && rows[r] == first + c as u32 && rows[r] < self.n {
                    pivot = panel[r][c];
                }
            }
        }
        let scale = T::Real::safe_scale(pivot.abs1());
        let reciprocal = pivot.scale(scale).reciprocal();
        for step in 0..NB {
            let c = if LOWER { step } else { NB - 1 - step };
            let k = first + c as u32;
            let mut own = y[0]; // the lane's row in the chunk of row k
            for r in 1..R {
                own = if k / 32 == r as u32 { y[r] } else { own };
            }
            let solved = own.scale(scale) * reciprocal;
            let known = warp::shuffle(warp::ALL, solved, k % 32);
            for r in 0..R {
                y[r] = match (rows[r] == k, if LOWER { rows[r] > k } else { rows[r] < k }) {
                    (true, _) => solved,
                    (_, true) => y[r].sub_mul(panel[r][c], known),
                    _ => y[r],
                };
            }
        }
    }

    /// Columns `first..`, rows in their lanes: what is below (`LOWER`) or above the diagonal, and the diagonal if it is not
    /// all ones. What else there is, is zero.
    #[inline(always)]
    fn load<const LOWER: bool>(&self, first: u32, unit: bool) -> Panel<T, R, NB> {
        let n = self.n;
        let wanted = |i: u32, j: u32| i < n && j < n && (if LOWER { i > j } else { i < j } || i == j && !unit);
        let lane = opaque(warp::lane()); // else the addresses of all elements are kept
        let mut x = [[T::ZERO; NB]; R];
        if self.lu.column_is_dense() {
            for c in 0..NB {
                let j = first + c as u32;
                let from = self.lu.at(lane, if j < n { j } else { 0 });
                for r in 0..R {
                    if wanted(lane + 32 * r as u32, j) {
                        x[r][c] = from.load(32 * r as i64);
                    }
                }
            }
        } else {
            let pieces = warp::SIZE / NB as u32;
            let (i, j) = (lane / NB as u32, first + lane % NB as u32);
            let (from, stride) = (self.lu.at(i, j), self.lu.row_stride() * pieces as i64);
            for e in 0..R * NB {
                if wanted(i + pieces * e as u32, j) {
                    x[e / NB][e % NB] = from.load(stride * e as i64);
                }
            }
            x = self.stage.turned(&x);
        }
        for r in 0..R {
            for c in 0..NB {
                x[r][c] = if self.conjugated { x[r][c].conj() } else { x[r][c] };
            }
        }
        x
    }
}
