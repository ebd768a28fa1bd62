//! Solve for a few right-hand sides of a few matrices: a cluster of blocks a right-hand side.
//!
//! The rows are in strips of 32, each of which one warp solves for, a lane a row. What is solved for goes to the shared
//! memory of all blocks, 8 numbers at a time; there the warps of later strips wait for it:
//!
//! ```text
//! warp of strip s    y = b - L[s, 0] x[0] - ... - L[s, s-1] x[s-1]    as they come; the next 32 columns of L are
//!                                                                     on their way from device memory meanwhile
//!                    x[s] = L[s, s]^-1 y                              8 rows at a time, and each 8 go to all blocks
//! ```
//!
//! and likewise, from the last strip to the first, with U. So from a strip to the next there is one substitution and
//! one way to another warp, mostly of the same block ([`strips`]), and nobody waits for a barrier. That rows wait for
//! single parts of the solution is after J. D. Hogg, "A fast dense triangular solve in CUDA", SIAM J. Sci. Comput. 35
//! (2013), whose blocks wait in device memory.
//!
//! A row's products are subtracted column by column, as [`warp_per_rhs`](super::warp_per_rhs) does: both give the same
//! numbers, and so do clusters of any size.

pub mod exchange;
pub mod factors;
pub mod solver;
pub mod strips;
pub mod sweep;
pub mod triangle;

use numbers::status::side_not_finite;
use simt::layout::Layout;
use simt::{block, cluster, sync_threads, thread, warp};

use crate::collective::permutation;
use crate::collective::vote::any_thread;
use crate::memory::vector::Vectorized;
use crate::operation::GetrsArgs;
use crate::shape::{Problem, Shape, quotient};
use factors::OfMatrix;
use numbers::scalar::ScalarKind;
use solver::{Solver, Sweeps, shared_storage};
use strips::{RUN, STRIP};
use sweep::{BACKWARD, FORWARD};

/// Blocks of a cluster at most; from 9 on a GPU has to be asked for it.
pub const MAX_BLOCKS: u32 = 16;
/// Most right-hand sides of a matrix.
pub const MAX_RHS: u32 = 16;
/// The largest order.
pub const MAX_ORDER: u32 = 1 << 15;

/// Blocks that run at the same time, if they are clusters of 16: seven of these.
const MANY_BLOCKS: u64 = 112;
/// Bytes of a row of the factors that a block reads in the time that a strip takes.
const BYTES_IN_STEP: u64 = 1024;

/// The launch shape of [`getrs`].
#[must_use]
pub fn shape<T: Vectorized, const WIDTH: usize, const WARPS: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let n = problem.n;
    let solutions = problem.batch.saturating_mul(problem.rhs as u64);
    let bytes = Layout::bytes(|layout| shared_storage::<T, WIDTH, WARPS>(layout, n));
    let blocks = blocks::<T>(n, solutions);
    Shape {
        blocks: solutions.saturating_mul(blocks as u64),
        cluster: blocks,
        threads: WARPS as u32 * warp::SIZE,
        shared_bytes: if problem.rhs <= MAX_RHS { bytes } else { u32::MAX },
    }
}

/// The blocks of a cluster: a power of two. As many as read the factors as fast as one strip after the other is solved
/// for, unless there are so many solutions that the clusters have to wait for each other.
fn blocks<T>(n: u32, solutions: u64) -> u32 {
    let pace = (n as u64 * size_of::<T>() as u64).div_ceil(BYTES_IN_STEP).next_power_of_two();
    let with_strips = (n.div_ceil(STRIP).div_ceil(RUN) as u64).next_power_of_two();
    let room = 1 << (MANY_BLOCKS / solutions.clamp(1, MANY_BLOCKS)).ilog2();
    pace.min(with_strips).min(room).min(MAX_BLOCKS as u64) as u32
}

/// The body of the kernel, by `WARPS` warps a block; `WIDTH` columns of a strip are on their way at a time.
#[inline(always)]
pub fn getrs<T: Vectorized, const WIDTH: usize, const WARPS: usize>(args: GetrsArgs<T>) {
    solve::<T, WIDTH, WARPS, false>(args);
}

/// The same for a triangle alone.
#[inline(always)]
pub fn trtrs<T: Vectorized, const WIDTH: usize, const WARPS: usize>(args: GetrsArgs<T>) {
    solve::<T, WIDTH, WARPS, true>(args);
}

#[inline(always)]
fn solve<T: Vectorized, const WIDTH: usize, const WARPS: usize, const IS_TRIANGLE: bool>(args: GetrsArgs<T>) {
    let n = args.n;
    let solution = quotient(block::index(), cluster::size());
    let matrix = quotient(solution, args.rhs);
    let b = args.first + matrix as u64;
    let status = args.lu_status_of::<IS_TRIANGLE>(b);
    // SAFETY: `shape` asks for this layout's bytes; what is sent is read after its mbarrier, and each warp has the rest
    // for itself.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T, WIDTH, WARPS>(layout, n)) };
    let solver = Solver::<T, WIDTH>::new(&shared, n);
    solver.exchange.prepare();
    let pivots = args.pivots.offset(b as i64 * n as i64);
    let any_descends = if IS_TRIANGLE {
        sync_threads();
        false
    } else {
        any_thread(!permutation::are_ascending(pivots, n), shared.flags)
    };
    solver.exchange.arrive();

    let lu = args.lu.matrix(b);
    let system = OfMatrix::<T, IS_TRIANGLE> {
        lu: if args.transposed != 0 { lu.transposed() } else { lu },
        b: args.b.matrix(b),
        x: args.x.matrix(b),
        column: solution - matrix * args.rhs,
        pivots,
        any_descends,
        is_transposed: args.transposed != 0,
        n,
    };
    let (forward, backward) = args.substitutions::<IS_TRIANGLE>();
    let sweeps = Sweeps {
        first: if forward { FORWARD } else { BACKWARD },
        last: if backward { BACKWARD } else { FORWARD },
        lower_is_unit: args.transposed == 0,
        is_conjugated: args.conjugated != 0,
    };
    solver.exchange.begin();
    let is_finite = match (status, system.lu.rows_are_close()) {
        (0, true) => solver.solve::<_, false>(&system, &sweeps),
        (0, false) => solver.solve::<_, true>(&system, &sweeps),
        _ => false,
    };
    if !is_finite {
        solver.store_nan(&system);
    }
    if args.rhs == 1 && cluster::rank() == 0 && thread::index() == 0 {
        args.status.store(b as i64, if status == 0 && !is_finite { side_not_finite(0) } else { status });
    }
    solver.exchange.end();
}
