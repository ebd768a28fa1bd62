//! The factorization kernel (`xGETRF`).

use numbers::status::NON_FINITE;
use simt::{block, sync_threads, warp};

use crate::collective::mma::Mma;
use crate::collective::vote::any_thread;
use crate::operation::GetrfArgs;
use crate::schedule::left_looking::eliminate::eliminate;
use crate::schedule::left_looking::storage::SharedStorage;
use crate::schedule::left_looking::store_factors::store_lower;
use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// Shape of [`getrf`].
#[must_use]
pub fn shape<T: Mma, const WARPS: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = SharedStorage::<T>::bytes(problem.n, WARPS, 0);
    Shape { blocks: problem.batch, cluster: 1, threads: WARPS * warp::SIZE, shared_bytes }
}

/// The body of the kernel for orders up to `16 * TILES`, a block a matrix.
#[inline(always)]
pub fn getrf<T: Mma, const TILES: usize, const WARPS: u32, const WARP_TILES: usize>(args: GetrfArgs<T>) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes; barriers separate writes from other threads' accesses.
    let shared = unsafe { SharedStorage::<T>::new(n, WARPS, 0) };
    let (a, lu) = (args.a.matrix(b), args.lu.matrix(b));

    let mut zero = 0;
    let mut finite = eliminate::<T, TILES, WARPS, WARP_TILES, 0>(&shared, &a, &lu, n, &mut zero);
    sync_threads(); // L is complete
    finite &= store_lower(&shared, &lu, n);

    let is_finite = !any_thread(!finite, shared.flags);
    if warp::index() == 0 {
        let mut k = warp::lane();
        while k < n {
            let pivot = if is_finite { shared.ipiv.load(k) } else { k };
            args.pivots.store(b as i64 * n as i64 + k as i64, pivot);
            k += warp::SIZE;
        }
        if warp::lane() == 0 {
            args.status.store(b as i64, if is_finite { zero as i32 } else { NON_FINITE });
        }
    }
}
