//! The factorization of a panel by a cluster of blocks (`xGETF2`).
//!
//! Each thread holds `LANE_ROWS` candidate rows in registers. For each column:
//!
//! ```text
//! lane     its largest candidate                      registers
//! warp     the largest of 32 lanes, its row           to shared memory of the block
//! block    the largest of its warps                   row and key to every block of the cluster
//! all      the largest of the blocks: the pivot row   multipliers, update of the next column first
//! ```
//!
//! The exchange between blocks is one asynchronous store a column and destination, without a barrier of the cluster: each block waits
//! until it has the candidates of all. The search compares all bits, and on a tie positions, as LAPACK does.

pub mod candidates;
pub mod catch_up;
pub mod rows;
pub mod storage;

use simt::global::Global;
use simt::{block, cluster, sync_threads, thread, warp};

use crate::numbers::mma::Mma;
use crate::numbers::scalar::ScalarKind;
use crate::operation::NON_FINITE;
use crate::schedule::multi_block::{StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use candidates::{Candidates, Pivot};
use catch_up::catch_up;
use rows::PanelRows;
use storage::{SharedStorage, shared_storage};

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
pub const WARPS: u32 = THREADS / warp::SIZE;
/// Blocks of a cluster at most; from 9 on a GPU has to be asked for it.
pub const MAX_BLOCKS: u32 = 16;

/// The launch for `batch` matrices, by `blocks` blocks each, for up to `256 * LANE_ROWS * blocks` candidates.
#[must_use]
pub fn shape<T: Mma, const NB: usize, const LANE_ROWS: usize>(blocks: u32, batch: u64) -> Shape {
    let shared_bytes = simt::layout::Layout::bytes(shared_storage::<T, NB, LANE_ROWS>);
    Shape { blocks: batch * blocks as u64, threads: THREADS, shared_bytes, cluster: blocks }
}

/// As [`shape`], for the first panel.
#[must_use]
pub fn entry_shape<T: Mma, const NB: usize, const LANE_ROWS: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let blocks = blocks(problem.n, LANE_ROWS as u32);
    Shape { blocks: problem.batch.saturating_mul(blocks as u64), ..shape::<T, NB, LANE_ROWS>(blocks, 1) }
}

/// The blocks of a cluster that has lanes for so many rows: a power of two.
#[must_use]
pub const fn blocks(rows: u32, lane_rows: u32) -> u32 {
    rows.div_ceil(THREADS * lane_rows).next_power_of_two()
}

/// The body of the kernel.
#[inline(always)]
pub fn panel<T: Mma, const NB: usize, const LANE_ROWS: usize>(args: StepArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; each array says when it is written.
    let shared = unsafe { simt::layout::Layout::place(shared_storage::<T, NB, LANE_ROWS>) };
    let (b, _) = args.share(cluster::size());
    let (n, k) = (args.n, args.column);
    let work = args.workspace(b);
    let width = if n - k < NB as u32 { n - k } else { NB as u32 };

    let candidates = Candidates::new(&shared);
    load(&work, &shared, n, k);
    sync_threads();
    let mut rows = PanelRows::<T, NB, LANE_ROWS>::new(&shared, n, k);
    if k > 0 {
        catch_up(&mut rows, &shared, &args, &work, b);
    }
    candidates.begin();
    let pivots = args.pivots.offset(b as i64 * n as i64 + k as i64);
    let (zero, finite) = if NB == 32 {
        eliminate_quarters::<T, NB, LANE_ROWS, 32, 24, 16, 8>(&mut rows, &shared, &candidates, (k, width), pivots)
    } else if NB == 16 {
        eliminate_quarters::<T, NB, LANE_ROWS, 16, 12, 8, 4>(&mut rows, &shared, &candidates, (k, width), pivots)
    } else {
        eliminate_quarters::<T, NB, LANE_ROWS, 8, 8, 4, 4>(&mut rows, &shared, &candidates, (k, width), pivots)
    };
    sync_threads();
    store::<T, NB, LANE_ROWS>(&work, &shared, n, k);
    rows.store_lists(&shared, &work, (n, k, width), k / NB as u32 + 1);
    if cluster::rank() == 0 && thread::index() == 0 {
        let before = if k == 0 { 0 } else { args.status.load(b as i64) };
        let status = if !finite { NON_FINITE } else { zero as i32 };
        args.status.store(b as i64, if before == 0 || status == NON_FINITE { status } else { before });
    }
    candidates.end();
}

/// Eliminates the columns of the panel, a quarter of them after the other, so that fewer and fewer columns are updated.
///
/// Returns the first zero pivot, counted from the matrix's first column and 1, or 0; and whether all pivots are finite.
#[inline(always)]
fn eliminate_quarters<
    T: Mma,
    const NB: usize,
    const LANE_ROWS: usize,
    const Q1: usize,
    const Q2: usize,
    const Q3: usize,
    const Q4: usize,
>(
    rows: &mut PanelRows<T, NB, LANE_ROWS>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    candidates: &Candidates<T, NB>,
    (k, width): (u32, u32),
    pivots: Global<u32>,
) -> (u32, bool) {
    let (mut zero, mut finite) = (0, true);
    let mut note = |c: u32, pivot: &Pivot<T>| {
        if cluster::rank() == 0 && thread::index() == 0 {
            pivots.store(c as i64, pivot.position);
        }
        zero = if zero == 0 && pivot.value == T::ZERO { k + c + 1 } else { zero };
        finite &= pivot.value.is_finite();
    };
    let quarter = NB as u32 / 4;
    let mut c = 0;
    while c < width && c < quarter {
        note(c, &rows.eliminate::<Q1>(shared, candidates, k, c));
        c += 1;
    }
    while c < width && c < 2 * quarter {
        note(c, &rows.eliminate::<Q2>(shared, candidates, k, c));
        c += 1;
    }
    while c < width && c < 3 * quarter {
        note(c, &rows.eliminate::<Q3>(shared, candidates, k, c));
        c += 1;
    }
    while c < width {
        note(c, &rows.eliminate::<Q4>(shared, candidates, k, c));
        c += 1;
    }
    (zero, finite)
}

/// The position of row `i` of this block's part of the panel: successive ones go to successive threads, blocks, and rows of a lane.
#[inline(always)]
fn position(k: u32, i: u32) -> u32 {
    let (r, t) = (i / THREADS, i % THREADS);
    k + (r * cluster::size() + cluster::rank()) * THREADS + t
}

/// The candidates, and which rows they are, from the workspace to shared memory: a warp a row at a time.
#[inline(always)]
fn load<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    n: u32,
    k: u32,
) {
    let list = work.candidates(k / NB as u32);
    for r in 0..LANE_ROWS as u32 {
        let i = r * THREADS + thread::index();
        if position(k, i) < n {
            shared.row_numbers.store(i, list.load(position(k, i) as i64));
        }
    }
    sync_threads();
    each_vector::<T, NB, LANE_ROWS>(n, k, |i, v| {
        T::copy_vector(shared.row(i), v, work.at(shared.row_numbers.load(i), k), v);
    });
    simt::pipeline::commit();
    simt::pipeline::wait_prior::<0>();
}

/// The factored panel from shared memory to the workspace.
#[inline(always)]
fn store<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    n: u32,
    k: u32,
) {
    each_vector::<T, NB, LANE_ROWS>(n, k, |i, v| {
        let to = work.at(shared.row_numbers.load(i), k);
        T::store_global_vector(to, v, T::load_vector(shared.row(i), v));
    });
}

/// Calls `f` with each row of this block's part that there is, and each of its vectors that are this thread's.
#[inline(always)]
fn each_vector<T: Mma, const NB: usize, const LANE_ROWS: usize>(n: u32, k: u32, mut f: impl FnMut(u32, u32)) {
    let vectors = (NB / T::VECTOR) as u32;
    let mut e = thread::index();
    while e < LANE_ROWS as u32 * THREADS * vectors {
        let (i, v) = (e / vectors, e % vectors);
        if position(k, i) < n {
            f(i, v);
        }
        e += block::dim();
    }
}
