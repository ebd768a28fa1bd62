//! Over how many threads a batch is divided, and how much of it a call is given.

use crate::case::Case;

/// Bytes of matrices that a call is given where it takes many: they stay in a core's cache from one call to the next.
const CACHED: usize = 256 << 10;
/// Nanoseconds of a call on a tiny matrix, and those that other threads take to begin; both are rough.
const CALL: f64 = 200.0;
const WAKING: f64 = 30e3;

/// How many threads a case is worth: one if that is done before the others have begun.
pub(super) fn threads(case: &Case) -> usize {
    let nanoseconds = case.batch as f64 * CALL + case.flops() / 4.0;
    if nanoseconds < WAKING { 1 } else { rayon::current_num_threads() }
}

/// Matrices of a call that takes many, of a batch that `threads` threads work on: alone, the library divides the batch
/// itself.
pub(super) fn together<S>(case: &Case, threads: usize) -> usize {
    let cached = CACHED / (case.n * case.n * size_of::<S>());
    if threads == 1 { case.batch } else { cached.clamp(1, case.batch) }
}
