//! What operations from factors begin and end with, a block a matrix: the list of pivot rows, and the status of
//! solutions.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, thread};

use crate::collective::permutation;
use crate::collective::vote::smallest;
use crate::schedule::multi_block::args::SIDES;
use crate::schedule::multi_block::{StepArgs, Workspace};
use crate::shape::{Problem, Shape};
use numbers::scalar::{Scalar, ScalarKind};
use numbers::status::{NON_FINITE, side_not_finite};

/// Threads of a block.
pub const THREADS: u32 = 1024;

/// The permutation of the interchanges: shape (n).
#[inline(always)]
fn permutation(layout: &mut Layout, n: u32) -> Shared<u32> {
    layout.packed(n)
}

/// The launch of [`pivot_rows`].
#[must_use]
pub fn pivot_rows_shape(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(|layout| permutation(layout, problem.n));
    Shape { blocks: problem.batch, threads: THREADS, shared_bytes, cluster: 1 }
}

/// The list of pivot rows, from the interchanges; that of all rows in order, if there are none.
#[inline(always)]
pub fn pivot_rows<T: Scalar>(args: StepArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `pivot_rows_shape` asks for this layout's bytes; barriers separate writes from reads.
    let permutation = unsafe { Layout::place(|layout| permutation(layout, n)) };
    let is_permuted = !args.pivots.is_null();
    if is_permuted {
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), permutation, n);
    }
    let list = args.workspace(b).pivot_rows();
    let mut i = thread::index();
    while i < n {
        list.store(i as i64, if is_permuted { permutation.load(i) } else { i });
        i += block::dim();
    }
}

/// Flags of a vote: shape (32).
#[inline(always)]
fn flags(layout: &mut Layout) -> Shared<u32> {
    layout.packed(32)
}

/// The launch of [`status`].
#[must_use]
pub fn status_shape(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch, threads: THREADS, shared_bytes: Layout::bytes(flags), cluster: 1 }
}

/// Whether solution `j` is finite.
///
/// It looks at the first row only, which is solved for last: an element that is not finite makes all above it so, as
/// these are what remains after a multiple of it was subtracted.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub(super) fn is_finite<T: Scalar>(args: &StepArgs<T>, work: &Workspace<T>, j: u32) -> bool {
    work.at(work.pivot_rows().load(0), args.begin + j).load(0).is_finite()
}

/// The final status, from that of the factors and the solutions in columns `begin..end_column`.
#[inline(always)]
pub fn status<T: Scalar>(args: StepArgs<T>) {
    let b = args.first + block::index() as u64;
    // SAFETY: `status_shape` asks for this layout's bytes; barriers separate writes from reads.
    let flags = unsafe { Layout::place(flags) };
    let work = args.workspace(b);
    let before = args.status.load(b as i64);
    let columns = args.end_column - args.begin;
    let mut first_bad = columns;
    let mut j = thread::index();
    while j < columns && first_bad == columns {
        if !is_finite(&args, &work, j) {
            first_bad = j;
        }
        j += block::dim();
    }
    let first_bad = smallest(first_bad, flags);
    if thread::index() == 0 {
        let found = if args.has(SIDES) { side_not_finite(first_bad) } else { NON_FINITE };
        args.final_status.store(b as i64, if before == 0 && first_bad < columns { found } else { before });
    }
}
