//! The factorization of a panel by blocks that cannot wait for each other (`xGETF2`): a launch a column, whose end is
//! their barrier. For GPUs without clusters, and for more rows than clusters have lanes.
//!
//! ```text
//! launch c     all       the offers of the launch before        the largest is the pivot of column c - 1
//!              lane      16 bytes of each of its rows           multipliers, and the update of later columns
//!              block     its largest candidate for column c     to the workspace: its offer
//! ```
//!
//! So a panel of 32 columns takes 33 launches: the first one only offers, the last one only finds multipliers, and
//! leaves the lists of rows. Each element is updated by column after column, as [`panel`](super::panel) does it.

pub mod offer;

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{thread, warp};

use crate::collective::mma::Mma;
use crate::schedule::multi_block::args::POSITIONS;
use crate::schedule::multi_block::outcome::Outcome;
use crate::schedule::multi_block::pivot::{Pivot, words};
use crate::schedule::multi_block::share::Share;
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;
use offer::{Offer, WORDS};

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
const WARPS: u32 = THREADS / warp::SIZE;
/// Rows of which a lane has a vector each.
const LANE_ROWS: usize = 4;

/// Lanes that share a row of a panel, a vector of 16 bytes each.
const fn row_lanes<T>() -> u32 {
    COLUMNS * size_of::<T>() as u32 / 16
}

/// Blocks for so many candidates.
#[must_use]
pub const fn blocks<T>(rows: u32) -> u32 {
    rows.div_ceil(LANE_ROWS as u32 * THREADS / row_lanes::<T>())
}

/// The largest candidates of warps, in two searches: shape (WARPS, WORDS) each.
#[inline(always)]
fn shared_storage(layout: &mut Layout) -> [Shared<u32>; 2] {
    [layout.array(WARPS * WORDS), layout.array(WARPS * WORDS)]
}

/// The launch for `batch` matrices and so many candidates.
#[must_use]
pub fn shape<T>(rows: u32, batch: u64) -> Shape {
    let blocks = batch.saturating_mul(blocks::<T>(rows).into());
    Shape { blocks, threads: THREADS, shared_bytes: Layout::bytes(shared_storage), cluster: 1 }
}

/// As [`shape`], for the first panel.
#[must_use]
pub fn entry_shape<T>(problem: &Problem, _: ScalarKind) -> Shape {
    shape::<T>(problem.n, problem.batch)
}

/// The body of the kernel: column `column` of the panel from column `begin` to `end_column`, which is a block of
/// columns or the beginning of one; its candidates are those of the list from position `begin` on.
#[inline(always)]
pub fn column<T: Mma>(args: StepArgs<T>) {
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let [of_pivot, of_offer] = unsafe { Layout::place(shared_storage) };
    let (n, k, column, end) = (args.n, args.begin, args.column, args.end_column);
    let blocks = blocks::<T>(n - k);
    let (b, rank) = args.share(blocks);
    let work = args.workspace(b);
    let share = Share { begin: k, end: n, blocks, rank, lanes: THREADS / row_lanes::<T>() };

    let is_first = column == k;
    let offered = if is_first { Offer::NONE } else { offered(&work, blocks, column - 1) };
    let mut rows = LaneRows::new(work, share, if is_first { None } else { Some(POSITIONS) }, args.list);
    if is_first {
        rows.load(k);
    } else {
        let c = column - 1;
        rows.load(c);
        let pivot = rows.eliminate(c, offered.of_block(of_pivot));
        let is_noted = rank == 0 && thread::index() == 0;
        let mut outcome = Outcome::new(args.pivots.offset(b as i64 * n as i64), is_noted);
        outcome.add(c, &pivot);
        outcome.store(args.status.offset(b as i64), c == 0);
    }
    if column < end {
        let own = rows.offer(column).of_block(of_offer);
        if thread::index() == 0 {
            work.offers(column).store(rank as i64, own.to_vector());
        }
        rows.each(|at, _, position| work.list(POSITIONS).store(at as i64, position));
    } else {
        rows.each(|_, number, position| work.leave(number, position, end, args.next_list));
    }
}

/// The largest of what so many blocks offered for column `c`, this thread's share of them. Of one, nothing is looked at
/// yet, so that what follows need not wait for it.
#[inline(always)]
fn offered<T: Mma>(work: &Workspace<T>, blocks: u32, c: u32) -> Offer {
    let offer = |i: u32| Offer::of_vector(work.offers(c).load(i as i64));
    let mut own = if thread::index() < blocks { offer(thread::index()) } else { Offer::NONE };
    let mut i = thread::index() + THREADS;
    while i < blocks {
        own = own.or(offer(i));
        i += THREADS;
    }
    own
}

/// A lane's part of the panel: of each of its rows, the same vector.
struct LaneRows<T> {
    work: Workspace<T>,
    share: Share,
    /// The column of the vectors' first number.
    first: u32,
    /// Which rows of the workspace they are.
    numbers: [u32; LANE_ROWS],
    /// Where LAPACK's interchanges have moved them by now; beyond all positions where there is no row.
    positions: [u32; LANE_ROWS],
    /// The vectors, their [`VECTOR`](crate::memory::vector::Vectorized::VECTOR) numbers first.
    x: [[T; 4]; LANE_ROWS],
    /// The rows' elements in the column that is eliminated.
    current: [T; LANE_ROWS],
}

impl<T: Mma> LaneRows<T> {
    /// Those of a list; `positions` is the one of their positions, if they have been moved.
    #[inline(always)]
    fn new(work: Workspace<T>, share: Share, positions: Option<u32>, list: u32) -> Self {
        let first = share.begin + thread::index() % row_lanes::<T>() * T::VECTOR as u32;
        let (numbers, x, current) = ([0; LANE_ROWS], [[T::ZERO; 4]; LANE_ROWS], [T::ZERO; LANE_ROWS]);
        let mut rows = Self { work, share, first, numbers, positions: [u32::MAX; LANE_ROWS], x, current };
        for r in 0..LANE_ROWS {
            let at = rows.at(r);
            if at < share.end {
                rows.numbers[r] = work.list(list).load(at as i64);
                rows.positions[r] = match positions {
                    Some(positions) => work.list(positions).load(at as i64),
                    None => at,
                };
            }
        }
        rows
    }

    /// Where row `r` is in the list.
    #[inline(always)]
    fn at(&self, r: usize) -> u32 {
        self.share.position(r as u32 * self.share.lanes + thread::index() / row_lanes::<T>())
    }

    /// Whether row `r` is one of the candidates from position `first` on.
    #[inline(always)]
    fn is_candidate(&self, r: usize, first: u32) -> bool {
        self.positions[r].wrapping_sub(first) < self.share.end - first
    }

    /// Whether the vectors have numbers of column `c`, or right of it.
    #[inline(always)]
    fn reaches(&self, c: u32) -> bool {
        c < self.first + T::VECTOR as u32
    }

    /// Takes what column `c` and those right of it have of the candidates for column `c`.
    #[inline(always)]
    fn load(&mut self, c: u32) {
        for r in 0..LANE_ROWS {
            if self.is_candidate(r, c) && self.reaches(c) {
                self.x[r] = T::load_global_vector(self.work.at(self.numbers[r], self.first), 0);
                self.current[r] = self.work.at(self.numbers[r], c).load(0);
            }
        }
    }

    /// Divides column `c` by its pivot, updates those right of it by the pivot's row, and returns the pivot.
    #[inline(always)]
    fn eliminate(&mut self, c: u32, best: Offer) -> Pivot<T> {
        // Both are on their way before one is looked at.
        let value = self.work.at(best.row, c).load(0);
        let u = T::load_global_vector(self.work.at(best.row, self.first), 0);
        let pivot = Pivot { position: best.position, value, reciprocal: value.reciprocal() };
        let l = pivot.divide(self.current);
        for r in 0..LANE_ROWS {
            if self.is_candidate(r, c) && self.positions[r] != pivot.position && self.reaches(c) {
                for e in 0..T::VECTOR {
                    let (column, x) = (self.first + e as u32, self.x[r][e]);
                    let updated = if column > c { x.sub_mul(l[r], u[e]) } else { x };
                    self.x[r][e] = if column == c { l[r] } else { updated };
                }
                T::store_global_vector(self.work.at(self.numbers[r], self.first), 0, self.x[r]);
            }
            self.positions[r] = pivot.interchange(self.positions[r], c);
        }
        pivot
    }

    /// The lane's largest candidate for a column.
    #[inline(always)]
    fn offer(&self, column: u32) -> Offer {
        let mut own = Offer::NONE;
        for r in 0..LANE_ROWS {
            let mut value = T::ZERO;
            for e in 0..T::VECTOR {
                value = if self.first + e as u32 == column { self.x[r][e] } else { value };
            }
            let is_here = self.first <= column && self.reaches(column);
            if is_here && self.is_candidate(r, column) {
                own = own.or(Offer { words: words(value), position: self.positions[r], row: self.numbers[r] });
            }
        }
        own
    }

    /// Calls `f` with where each row is in the list, which row of the workspace it is, and its position; by one of the
    /// row's lanes.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(u32, u32, u32)) {
        for r in 0..LANE_ROWS {
            if self.first == self.share.begin && self.at(r) < self.share.end {
                f(self.at(r), self.numbers[r], self.positions[r]);
            }
        }
    }
}
