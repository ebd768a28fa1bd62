//! The factorization of a panel by a cluster of blocks (`xGETF2`).
//!
//! First, the earlier panels of its block of panels are applied to it ([`catch_up`]). Then each thread holds
//! `LANE_ROWS` candidate rows in registers. For each column:
//!
//! ```text
//! lane     its largest candidate                      registers
//! warp     the largest of 32 lanes                    to shared memory of the block
//! block    the largest of its warps                   to every block of the cluster
//! all      meanwhile: the update of later columns by the pivot row before; the row of the block's candidate follows it
//!          the largest of the blocks: the pivot       multipliers, and the update of the next column
//! ```
//!
//! So from one pivot to the next there is one column's update, and one way through the cluster: by asynchronous stores,
//! without a barrier of it. The search compares all bits, and on a tie positions, as LAPACK does.

pub mod candidates;
pub mod catch_up;
pub mod exchange;
pub mod product;
pub mod rows;
pub mod storage;

use simt::global::Global;
use simt::hint::opaque;
use simt::{block, cluster, sync_threads, thread, warp};

use crate::numbers::mma::Mma;
use crate::numbers::scalar::ScalarKind;
use crate::operation::NON_FINITE;
use crate::schedule::multi_block::{StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use candidates::Candidate;
use catch_up::Earlier;
use exchange::Exchange;
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

    let exchange = Exchange::new(&shared);
    let earlier = Earlier::new(&shared, &work, (args.begin, k));
    load_row_numbers(&work, &shared, (n, k), args.list);
    earlier.load_numbers();
    sync_threads();
    load(&work, &shared, n, k);
    earlier.load();
    simt::pipeline::commit();
    exchange.prepare();
    simt::pipeline::wait_prior::<0>();
    sync_threads();
    exchange.arrive();
    earlier.apply(n);
    let mut rows = PanelRows::<T, NB, LANE_ROWS>::new(&shared, n, k);
    exchange.begin();
    rows.begin(&exchange, (n, k));
    let pivots = args.pivots.offset(b as i64 * n as i64 + k as i64);
    let (zero, finite) = if NB == 32 {
        eliminate_quarters::<T, NB, LANE_ROWS, 32, 24, 16, 8>(&mut rows, &shared, &exchange, (n, k, width), pivots)
    } else if NB == 16 {
        eliminate_quarters::<T, NB, LANE_ROWS, 16, 12, 8, 4>(&mut rows, &shared, &exchange, (n, k, width), pivots)
    } else {
        eliminate_quarters::<T, NB, LANE_ROWS, 8, 8, 4, 4>(&mut rows, &shared, &exchange, (n, k, width), pivots)
    };
    sync_threads();
    store::<T, NB, LANE_ROWS>(&work, &shared, n, k);
    earlier.store((exchange.rank, exchange.blocks));
    rows.store_lists(&shared, &work, (n, k, width), args.next_list);
    if cluster::rank() == 0 && thread::index() == 0 {
        let before = if k == 0 { 0 } else { args.status.load(b as i64) };
        let status = if !finite { NON_FINITE } else { zero as i32 };
        args.status.store(b as i64, if before == 0 || status == NON_FINITE { status } else { before });
    }
    exchange.end();
}

/// Eliminates the columns of the panel, a quarter of them after the other, so that fewer and fewer are updated.
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
    exchange: &Exchange<T, NB>,
    (n, k, width): (u32, u32, u32),
    pivots: Global<u32>,
) -> (u32, bool) {
    let (mut zero, mut finite) = (0, true);
    let mut note = |c: u32, pivot: &Candidate<T>| {
        if cluster::rank() == 0 && thread::index() == 0 {
            pivots.store(c as i64, pivot.position);
        }
        zero = if zero == 0 && pivot.value == T::ZERO { k + c + 1 } else { zero };
        finite &= pivot.value.is_finite();
    };
    let quarter = NB as u32 / 4;
    // All columns but the last; a quarter ends one column before the next begins, for its last one has that many left.
    let (end, mut c) = (width - 1, opaque(0)); // else LLVM unrolls the first loop
    while c < end && c + 1 < quarter {
        let (block, pivot) = rows.advance::<Q1>(exchange, (n, k), c);
        note(c, &pivot);
        rows.update::<Q1>(shared, exchange, (k, c), (block, pivot.index));
        c += 1;
    }
    while c < end && c + 1 < 2 * quarter {
        let (block, pivot) = rows.advance::<Q2>(exchange, (n, k), c);
        note(c, &pivot);
        rows.update::<Q2>(shared, exchange, (k, c), (block, pivot.index));
        c += 1;
    }
    while c < end && c + 1 < 3 * quarter {
        let (block, pivot) = rows.advance::<Q3>(exchange, (n, k), c);
        note(c, &pivot);
        rows.update::<Q3>(shared, exchange, (k, c), (block, pivot.index));
        c += 1;
    }
    while c < end {
        let (block, pivot) = rows.advance::<Q4>(exchange, (n, k), c);
        note(c, &pivot);
        rows.update::<Q4>(shared, exchange, (k, c), (block, pivot.index));
        c += 1;
    }
    note(c, &rows.end(shared, exchange, k, c));
    (zero, finite)
}

/// The position of row `i` of this block's part of the panel: successive ones go to successive threads, blocks, and
/// rows of a lane.
#[inline(always)]
fn position(k: u32, i: u32) -> u32 {
    let (r, t) = (i / THREADS, i % THREADS);
    k + (r * cluster::size() + cluster::rank()) * THREADS + t
}

/// Which rows the candidates are, to shared memory.
#[inline(always)]
fn load_row_numbers<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    (n, k): (u32, u32),
    list: u32,
) {
    let list = work.list(list);
    for r in 0..LANE_ROWS as u32 {
        let i = r * THREADS + thread::index();
        if position(k, i) < n {
            shared.row_numbers.store(i, list.load(position(k, i) as i64));
        }
    }
}

/// Begins to copy the candidates from the workspace to shared memory, successive threads' vectors of the same row.
/// After [`load_row_numbers`] and a barrier.
#[inline(always)]
fn load<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    n: u32,
    k: u32,
) {
    each_vector::<T, NB, LANE_ROWS>(n, k, |i, v| {
        T::copy_vector(shared.row(i), v, work.at(shared.row_numbers.load(i), k), v);
    });
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
