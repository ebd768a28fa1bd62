//! What the kernels that decide have in common.

use numbers::scalar::{Real, Scalar, ScalarKind};
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, warp};

use super::{MAX_THREADS, worst};
use crate::shape::{Problem, Shape, row_threads};

/// What a block keeps in shared memory.
pub(super) fn shared_storage<R: Real>(layout: &mut Layout) -> Shared<R> {
    layout.packed(4 * warp::SIZE)
}

/// The launch of the kernels that decide: a block a matrix.
#[must_use]
pub fn decision_shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(shared_storage::<<T as Scalar>::Real>));
    let n = if problem.n > 0 { problem.n } else { 1 };
    Shape { blocks: problem.batch, cluster: 1, threads: row_threads(n, MAX_THREADS), shared_bytes }
}

/// The worst of two numbers of all threads of a block. One barrier. `turn` is another one than in the call before.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub(super) fn worst_of_two<R: Real>(mut a: R, mut b: R, shared: Shared<R>, turn: u32) -> (R, R) {
    let mut distance = 1;
    while distance < warp::SIZE {
        a = worst(a, warp::shuffle_xor(warp::ALL, a, distance));
        b = worst(b, warp::shuffle_xor(warp::ALL, b, distance));
        distance *= 2;
    }
    let shared = shared.offset(turn % 2 * 2 * warp::SIZE);
    if warp::lane() == 0 {
        shared.store(2 * warp::index(), a);
        shared.store(2 * warp::index() + 1, b);
    }
    sync_threads();
    let mut i = 0;
    while i < block::dim() / warp::SIZE {
        a = worst(a, shared.load(2 * i));
        b = worst(b, shared.load(2 * i + 1));
        i += 1;
    }
    (a, b)
}
