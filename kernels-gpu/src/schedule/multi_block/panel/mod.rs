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
pub mod eliminate;
pub mod exchange;
pub mod product;
pub mod rows;
pub mod storage;

use simt::{block, cluster, sync_threads, thread, warp};

use crate::collective::mma::Mma;
use crate::schedule::multi_block::outcome::Outcome;
use crate::schedule::multi_block::share::Share;
use crate::schedule::multi_block::{StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use catch_up::Earlier;
use eliminate::eliminate;
use exchange::Exchange;
use numbers::scalar::ScalarKind;
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

    let (blocks, rank) = (cluster::size(), cluster::rank());
    let share = Share { begin: k, end: n, blocks, rank, lanes: THREADS };
    let exchange = Exchange::<T, NB, false>::new(shared.exchange, MAX_BLOCKS, (blocks, rank, WARPS));
    let earlier = Earlier::new(&shared, &work, share, args.begin);
    load_row_numbers(&work, &shared, share, args.list);
    earlier.load_numbers();
    sync_threads();
    load(&work, &shared, share);
    earlier.load();
    simt::pipeline::commit();
    exchange.prepare(WARPS);
    simt::pipeline::wait_prior::<0>();
    sync_threads();
    exchange.arrive();
    earlier.apply();
    let mut rows = PanelRows::<T, NB, LANE_ROWS>::new(share, shared.rows());
    rows.load(0);
    exchange.begin();
    let mut outcome = Outcome::new(args.pivots.offset(b as i64 * n as i64), rank == 0 && thread::index() == 0);
    eliminate(&mut rows, &exchange, (k, 0, width), |c, pivot| outcome.add(k + c, &pivot.as_pivot()));
    sync_threads();
    store::<T, NB, LANE_ROWS>(&work, &shared, share);
    earlier.store((rank, blocks));
    rows.each(|i, at| work.leave(shared.row_numbers.load(i), at, k + width, args.next_list));
    outcome.store(args.status.offset(b as i64), k == 0);
    exchange.end();
}

/// Which rows the candidates are, to shared memory.
#[inline(always)]
fn load_row_numbers<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    share: Share,
    list: u32,
) {
    let list = work.list(list);
    for r in 0..LANE_ROWS as u32 {
        let i = r * THREADS + thread::index();
        if share.position(i) < share.end {
            shared.row_numbers.store(i, list.load(share.position(i) as i64));
        }
    }
}

/// Begins to copy the candidates from the workspace to shared memory, successive threads' vectors of the same row.
/// After [`load_row_numbers`] and a barrier.
#[inline(always)]
fn load<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    share: Share,
) {
    each_vector::<T, NB, LANE_ROWS>(share, |i, v| {
        T::copy_vector(shared.row(i), v, work.at(shared.row_numbers.load(i), share.begin), v);
    });
}

/// The factored panel from shared memory to the workspace.
#[inline(always)]
fn store<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    share: Share,
) {
    each_vector::<T, NB, LANE_ROWS>(share, |i, v| {
        let to = work.at(shared.row_numbers.load(i), share.begin);
        T::store_global_vector(to, v, T::load_vector(shared.row(i), v));
    });
}

/// Calls `f` with each row of this block's part that there is, and each of its vectors that are this thread's.
#[inline(always)]
fn each_vector<T: Mma, const NB: usize, const LANE_ROWS: usize>(share: Share, mut f: impl FnMut(u32, u32)) {
    let vectors = (NB / T::VECTOR) as u32;
    let mut e = thread::index();
    while e < LANE_ROWS as u32 * THREADS * vectors {
        let (i, v) = (e / vectors, e % vectors);
        if share.position(i) < share.end {
            f(i, v);
        }
        e += block::dim();
    }
}
