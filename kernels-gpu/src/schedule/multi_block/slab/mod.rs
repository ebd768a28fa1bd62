//! The factorization of a slab, some panels side by side, by a cluster of blocks that keeps it in shared memory.
//!
//! ```text
//! load      the workspace -> shared memory       each block its share of the rows, all columns of the slab
//! panel     shared memory -> registers           as in [`panel`](super::panel); each warp sends candidates of its own,
//!                                                as few warps have rows
//! apply     A12 of the pivot rows -> U12         every block fetches these rows from the others and substitutes
//!           A22 -= L21 U12                       matrix instructions, each block its rows
//!           U12 -> the workspace                 each block some columns
//! store     shared memory -> the workspace       all else
//! ```
//!
//! Between panels there is one barrier of the cluster, and no launch. A slab is as wide as shared memory allows.

pub mod apply;
#[cfg(not(target_arch = "nvptx64"))]
pub mod division;
pub mod storage;

use simt::layout::Layout;
use simt::{cluster, pipeline, sync_threads, thread, warp};

use crate::collective::mma::Mma;
use crate::schedule::multi_block::outcome::Outcome;
use crate::schedule::multi_block::panel::eliminate::eliminate;
use crate::schedule::multi_block::panel::exchange::Exchange;
use crate::schedule::multi_block::panel::rows::PanelRows;
use crate::schedule::multi_block::panel::{MAX_BLOCKS, THREADS, WARPS};
use crate::schedule::multi_block::share::{Share, rows};
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::{Problem, Shape, quotient, round_up};
use apply::Apply;
use numbers::scalar::ScalarKind;
use storage::{SharedStorage, shared_storage};

/// Warps of the cluster that send candidates, at most: a lane reads that of one.
pub const MAX_SENDERS: u32 = warp::SIZE;
/// Threads of a block that hold rows, at most.
pub const MAX_LANES: u32 = THREADS;

/// Threads of a block that can hold rows in a cluster of `blocks`, a power of two.
#[inline(always)]
const fn lanes(blocks: u32) -> u32 {
    let warps = quotient(MAX_SENDERS, blocks);
    warp::SIZE * if warps < WARPS { warps } else { WARPS }
}

fn bytes<T: Mma, const NB: usize>(rows: u32, columns: u32, lane_rows: u32) -> u32 {
    Layout::bytes(|layout| shared_storage::<T, NB>(layout, (rows, columns), lane_rows))
}

/// The launch for the narrowest slab of matrices.
#[must_use]
pub fn entry_shape<T: Mma, const NB: usize, const LANE_ROWS: usize>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = bytes::<T, NB>(rows(problem.n, MAX_BLOCKS), COLUMNS, LANE_ROWS as u32);
    let blocks = problem.batch.saturating_mul(MAX_BLOCKS as u64);
    Shape { blocks, threads: THREADS, shared_bytes, cluster: MAX_BLOCKS }
}

/// The body of the kernel: columns `column..end_column`, of all candidates in the list.
#[inline(always)]
pub fn slab<T: Mma, const NB: usize, const LANE_ROWS: usize>(args: StepArgs<T>) {
    let (blocks, rank) = (cluster::size(), cluster::rank());
    let (b, _) = args.share(blocks);
    let (n, k, end) = (args.n, args.column, args.end_column);
    let (work, columns) = (args.workspace(b), round_up(end - k, NB as u32));
    let own = rows(n - k, blocks);
    let warps = own.min(lanes(blocks)).div_ceil(warp::SIZE);
    let share = Share { begin: k, end: n, blocks, rank, lanes: warps * warp::SIZE };
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads of other threads.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T, NB>(layout, (own, columns), LANE_ROWS as u32)) };

    let mut exchange = Exchange::<T, NB, true>::new(shared.exchange, MAX_SENDERS, (blocks, rank, warps));
    exchange.prepare(warps);
    load(&work, &shared, share, (args.list, columns));
    sync_threads();
    exchange.arrive();
    let mut rows = PanelRows::<T, NB, LANE_ROWS>::new(share, shared.rows(columns));
    let mut outcome = Outcome::new(args.pivots.offset(b as i64 * n as i64), rank == 0 && thread::index() == 0);
    exchange.begin();
    let mut column = 0;
    loop {
        let first = k + column;
        if warp::index() < warps {
            rows.load(column);
            let width = (end - first).min(NB as u32);
            eliminate(&mut rows, &exchange, (first, column, width), |c, pivot| {
                outcome.add(first + c, &pivot.as_pivot());
                if thread::index() == 0 {
                    shared.places.store(c, pivot.place.0);
                }
            });
            rows.each(|i, at| shared.positions.store(i, at));
        }
        sync_threads();
        if column + NB as u32 >= columns {
            break;
        }
        exchange.next_panel();
        exchange.arrive();
        exchange.begin();
        let apply = Apply { shared: &shared, work: &work, share, column, columns };
        apply.fetch();
        apply.run();
        column += NB as u32;
    }
    store(&work, &shared, share, (end, columns));
    if warp::index() < warps {
        rows.each(|i, at| work.leave(shared.row_numbers.load(i), at, end, args.next_list));
    }
    outcome.store(args.status.offset(b as i64), k == 0);
    exchange.end();
}

/// The rows' numbers and elements, from the workspace to shared memory: a warp a row, lanes vectors of it.
#[inline(always)]
fn load<T: Mma, const NB: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB>,
    share: Share,
    (list, columns): (u32, u32),
) {
    let mut i = thread::index();
    while share.position(i) < share.end {
        shared.row_numbers.store(i, work.list(list).load(share.position(i) as i64));
        i += THREADS;
    }
    sync_threads();
    let mut i = warp::index();
    while share.position(i) < share.end {
        let number = shared.row_numbers.load(i);
        let (to, mut v) = (shared.rows(columns).part(i, 0).first, warp::lane());
        while v < columns / T::VECTOR as u32 {
            T::copy_vector(to, v, work.at(number, share.begin + v * T::VECTOR as u32), 0);
            v += warp::SIZE;
        }
        i += WARPS;
    }
    pipeline::commit();
    pipeline::wait_prior::<0>();
}

/// The rows from shared memory to the workspace; of a pivot row, the columns right of its panel are there already.
#[inline(always)]
fn store<T: Mma, const NB: usize>(
    work: &Workspace<T>,
    shared: &SharedStorage<T, NB>,
    share: Share,
    (end, columns): (u32, u32),
) {
    let mut i = warp::index();
    while share.position(i) < share.end {
        let (number, at) = (shared.row_numbers.load(i), shared.positions.load(i));
        let columns_here = if at < end { round_up(at - share.begin + 1, NB as u32) } else { columns };
        let (from, mut v) = (shared.rows(columns).part(i, 0).first, warp::lane());
        while v < columns_here / T::VECTOR as u32 {
            let to = work.at(number, share.begin + v * T::VECTOR as u32);
            T::store_global_vector(to, 0, T::load_vector(from, v));
            v += warp::SIZE;
        }
        i += WARPS;
    }
}
