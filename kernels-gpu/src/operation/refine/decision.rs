//! What the kernels that decide have in common.

use numbers::scalar::{Real, Scalar, ScalarKind};
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use super::{MAX_THREADS, worst};
use crate::shape::{Problem, Shape, row_threads};

/// Most numbers that [`worst_of`] takes.
const MOST: u32 = 3;

/// What a block keeps in shared memory: shape (turns, warps, numbers).
pub(super) fn shared_storage<R: Real>(layout: &mut Layout) -> Shared<R> {
    layout.packed(2 * MOST * warp::SIZE)
}

/// The launch of the kernels that decide: a block a matrix.
#[must_use]
pub fn decision_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(shared_storage::<<T as Scalar>::Real>));
    let n = if problem.n > 0 { problem.n } else { 1 };
    Shape { blocks: problem.batch, cluster: 1, threads: row_threads(n, MAX_THREADS), shared_bytes }
}

/// The worst of each of some numbers of all threads of a block. One barrier. `turn` is odd where it was even in the call
/// before.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub(super) fn worst_of<R: Real, const N: usize>(mut numbers: [R; N], shared: Shared<R>, turn: u32) -> [R; N] {
    let mut distance = 1;
    while distance < warp::SIZE {
        for k in 0..N {
            numbers[k] = worst(numbers[k], warp::shuffle_xor(warp::ALL, numbers[k], distance));
        }
        distance *= 2;
    }
    let shared = shared.offset(turn % 2 * MOST * warp::SIZE);
    if warp::lane() == 0 {
        for k in 0..N {
            shared.store(MOST * warp::index() + k as u32, numbers[k]);
        }
    }
    sync_threads();
    let mut i = 0;
    while i < block::dim() / warp::SIZE {
        for k in 0..N {
            numbers[k] = worst(numbers[k], shared.load(MOST * i + k as u32));
        }
        i += 1;
    }
    numbers
}
