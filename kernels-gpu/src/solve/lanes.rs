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
const fn warp_bytes<T: Scalar, const R: usize, const NB: usize>() -> u32 {
    round_up(Stage::<T, R, NB>::bytes(1), 16)
}

/// Shape of [`solve_lanes`].
#[must_use]
pub fn shape<T: Scalar, const R: usize, const NB: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let fits = problem.n <= 32 * R as u32 && problem.rhs <= MAX_RHS;
    Shape {
        blocks: problem.batch.saturating_mul(problem.rhs as u64).div_ceil(WARPS as u64),
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
    // SAFETY: `shape` asks for as many bytes for each warp.
    let turning = unsafe { shared::array(warp::index() * warp_bytes::<T, R, NB>()) };
    let permuted = permutation::rows_by_warp::<R>(args.pivots.offset(b as i64 * n as i64), n);

    let (from, to) = (args.b.matrix(b), args.x.matrix(b));
    let rows = own_rows::<R>();
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

    let good = args.lu_status.load(b as i64) == 0;
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
        let (chunk, lane) = (first / warp::SIZE, warp::lane());
        let (diagonal, others) = self.load::<LOWER>(first, unit);
        let mut own = y[0]; // the lane's row in the chunk of the panel
        for r in 1..R {
            own = if chunk == r as u32 { y[r] } else { own };
        }
        let mut pivot = T::ONE; // of the row in this panel that the lane may hold
        if !unit {
            for c in 0..NB {
                pivot = if lane == first % warp::SIZE + c as u32 && first + (c as u32) < self.n {
                    diagonal[c]
                } else {
                    pivot
                };
            }
        }
        let scale = T::Real::safe_scale(pivot.abs1());
        let reciprocal = pivot.scale(scale).reciprocal();
        let mut known = [T::ZERO; NB];
        for step in 0..NB {
            let c = if LOWER { step } else { NB - 1 - step };
            let k = first % warp::SIZE + c as u32;
            let solved = if unit { own } else { own.scale(scale) * reciprocal };
            known[c] = warp::shuffle(warp::ALL, solved, k);
            own = match (lane == k, if LOWER { lane > k } else { lane < k }) {
                (true, _) => solved,
                (_, true) => own.sub_mul(diagonal[c], known[c]),
                _ => own,
            };
        }
        for r in 0..R {
            if chunk == r as u32 {
                y[r] = own;
            } else if is_beyond::<LOWER>(r, chunk) {
                for step in 0..NB {
                    let c = if LOWER { step } else { NB - 1 - step };
                    y[r] = y[r].sub_mul(others[r][c], known[c]);
                }
            }
        }
    }

    /// Columns `first..`: this lane's row in the chunk of 32 rows with the diagonal, and in those beyond it. Where there is no column,
    /// or no row, there are zeros.
    #[inline(always)]
    fn load<const LOWER: bool>(&self, first: u32, unit: bool) -> ([T; NB], Panel<T, R, NB>) {
        let n = self.n;
        let wanted = |i: u32, j: u32| i < n && j < n && (if LOWER { i > j } else { i < j } || i == j && !unit);
        let lane = opaque(warp::lane()); // else the addresses of all elements are kept
        let chunk = first / warp::SIZE;
        let mut diagonal = [T::ZERO; NB];
        let mut x = [[T::ZERO; NB]; R];
        if self.lu.column_is_dense() {
            for c in 0..NB {
                let j = first + c as u32;
                let from = self.lu.at(lane, if j < n { j } else { 0 });
                let row = chunk * warp::SIZE;
                if wanted(lane + row, j) {
                    diagonal[c] = from.load(row as i64);
                }
                for r in 0..R {
                    if is_beyond::<LOWER>(r, chunk) && lane + 32 * (r as u32) < n && j < n {
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
            for r in 0..R {
                for c in 0..NB {
                    diagonal[c] = if chunk == r as u32 { x[r][c] } else { diagonal[c] };
                }
            }
        }
        if self.conjugated {
            for c in 0..NB {
                diagonal[c] = diagonal[c].conj();
                for r in 0..R {
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
