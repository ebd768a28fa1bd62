//! X = U^-1 B for a few right-hand sides in the workspace, by a cluster each (`xTRSV`).
//!
//! As [`cluster_per_rhs`](crate::operation::getrs::cluster_per_rhs) does, but where the rows of U lie in the workspace.

use simt::layout::Layout;
use simt::{block, cluster, sync_threads, warp};

use crate::memory::vector::Vectorized;
use crate::operation::getrs::cluster_per_rhs::factors::{Rows, System};
use crate::operation::getrs::cluster_per_rhs::solver::{Solver, Sweeps, shared_storage};
use crate::operation::getrs::cluster_per_rhs::strips::STRIP;
use crate::operation::getrs::cluster_per_rhs::sweep::{BACKWARD, Sweep};
use crate::schedule::multi_block::{COLUMNS, StepArgs, Workspace};
use crate::shape::quotient;
use numbers::scalar::Scalar;

/// The body of the kernel: columns `begin..end_column`, in the pivot rows. Its launch is that of
/// [`cluster_per_rhs`](crate::operation::getrs::cluster_per_rhs::shape) for as many right-hand sides.
#[inline(always)]
pub fn solve_upper<T: Vectorized, const WIDTH: usize, const WARPS: usize>(args: StepArgs<T>) {
    let solution = quotient(block::index(), cluster::size());
    let rhs = args.end_column - args.begin;
    let matrix = quotient(solution, rhs);
    // SAFETY: the launch asks for this layout's bytes; what is sent is read after its mbarrier, and each warp has the
    // rest for itself.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T, WIDTH, WARPS>(layout, args.n)) };
    let solver = Solver::<T, WIDTH>::new(&shared, args.n);
    solver.exchange.prepare();
    sync_threads();
    solver.exchange.arrive();
    let system = InWorkspace {
        work: args.workspace(args.first + matrix as u64),
        column: args.begin + (solution - matrix * rhs),
        n: args.n,
    };
    solver.exchange.begin();
    let sweeps = Sweeps { first: BACKWARD, last: BACKWARD, lower_is_unit: true, is_conjugated: false };
    solver.solve::<_, true>(&system, &sweeps);
    solver.exchange.end();
}

/// U x = b in a workspace, x in the place of b.
#[derive(Clone, Copy)]
struct InWorkspace<T> {
    work: Workspace<T>,
    column: u32,
    n: u32,
}

impl<T: Scalar> InWorkspace<T> {
    /// The pivot row of this lane's row of a strip, if there is one.
    #[inline(always)]
    fn pivot_row(&self, strip: u32) -> Option<u32> {
        let row = strip * STRIP + warp::lane();
        if row < self.n { Some(self.work.pivot_rows().load(row as i64)) } else { None }
    }
}

impl<T: Scalar> System<T> for InWorkspace<T> {
    type Rows = RowsInWorkspace<T>;

    #[inline(always)]
    fn rows(&self, sweep: &Sweep, strip: u32) -> RowsInWorkspace<T> {
        let own = self.pivot_row(strip).unwrap_or_default();
        RowsInWorkspace { work: self.work, own, first: strip * STRIP, sweep: *sweep }
    }

    #[inline(always)]
    fn load(&self, strip: u32) -> T {
        match self.pivot_row(strip) {
            Some(row) => self.work.at(row, self.column).load(0),
            None => T::ZERO,
        }
    }

    #[inline(always)]
    fn store(&self, strip: u32, x: T) {
        if let Some(row) = self.pivot_row(strip) {
            self.work.at(row, self.column).store(0, x);
        }
    }
}

/// The rows of a strip, which are the pivot rows of as many columns.
#[derive(Clone, Copy)]
struct RowsInWorkspace<T> {
    work: Workspace<T>,
    /// This lane's row of the workspace.
    own: u32,
    first: u32,
    sweep: Sweep,
}

impl<T: Scalar> Rows<T> for RowsInWorkspace<T> {
    #[inline(always)]
    fn own<const N: usize>(&self, turn: u32) -> [T; N] {
        let n = self.sweep.n;
        let mut part = [T::ZERO; N];
        for q in 0..N {
            let column = self.sweep.row(turn + q as u32);
            if self.first + warp::lane() < n && column < n {
                part[q] = self.work.at(self.own, column).load(0);
            }
        }
        part
    }

    #[inline(always)]
    fn column<const N: usize>(&self, turn: u32, lane: u32) -> [T; N] {
        let (column, n) = (self.sweep.row(turn), self.sweep.n);
        let from = self.work.at(0, column);
        let mut part = [T::ZERO; N];
        for q in 0..N {
            let lane = lane + q as u32;
            let row = warp::shuffle(warp::ALL, self.own, lane);
            if self.first + lane < n && column < n {
                part[q] = from.load((row * COLUMNS) as i64);
            }
        }
        part
    }
}
