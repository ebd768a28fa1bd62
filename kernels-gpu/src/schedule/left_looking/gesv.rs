//! The kernel that factors and solves (`xGESV`) for one right-hand side, without storing L.

use numbers::status::{NON_FINITE, side_not_finite};
use simt::{block, thread, warp};

use crate::collective::mma::Mma;
use crate::collective::vote::any_thread;
use crate::operation::GesvArgs;
use crate::schedule::left_looking::eliminate::eliminate;
use crate::schedule::left_looking::sink::{PackedUpper, upper_numbers};
use crate::schedule::left_looking::storage::SharedStorage;
use crate::shape::{Problem, Shape};
use numbers::matrix::View;
use numbers::scalar::ScalarKind;

/// Shape of [`gesv`], which takes one right-hand side.
#[must_use]
pub fn shape<T: Mma, const WARPS: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    let bytes = SharedStorage::<T>::bytes(problem.n, WARPS, 1);
    let shared_bytes = if problem.rhs == 1 { bytes } else { u32::MAX };
    Shape { blocks: problem.batch, cluster: 1, threads: WARPS * warp::SIZE, shared_bytes }
}

/// The body of the kernel for orders up to `16 * TILES`, a block a matrix. All warps eliminate and load U; then warp 0
/// substitutes, with `LANE_ROWS` rows a lane.
#[inline(always)]
pub fn gesv<T: Mma, const TILES: usize, const WARPS: u32, const WARP_TILES: usize, const LANE_ROWS: usize>(
    args: GesvArgs<T>,
) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `shape` asks for its bytes; barriers separate writes from other threads' accesses.
    let shared = unsafe { SharedStorage::<T>::new(n, WARPS, 1) };
    let (a, from, to) = (args.a.matrix(b), args.b.matrix(b), args.x.matrix(b));
    let u = PackedUpper(args.work.offset(b as i64 * upper_numbers(n) as i64));

    let mut i = thread::index();
    while i < shared.height(0) {
        shared.rhs(0).store(i, if i < n { from.load(i, 0) } else { T::ZERO });
        i += block::dim();
    }
    let mut zero = 0;
    let finite = eliminate::<T, TILES, WARPS, WARP_TILES, 1>(&shared, &a, &u, n, &mut zero);
    let is_finite = !any_thread(!finite, shared.flags); // all of U is stored, and L is done with
    shared.upper.load(u, n);

    if warp::index() == 0 {
        let mut status = if is_finite { zero as i32 } else { NON_FINITE };
        if status == 0 {
            let mut finite = true;
            shared.upper.substitute::<LANE_ROWS>(n, shared.rhs(0), |i, x| {
                finite &= x.is_finite();
                to.store(i, 0, x);
            });
            if warp::any(warp::ALL, !finite) {
                status = side_not_finite(0);
            }
        }
        if status != 0 {
            warp::sync(warp::ALL); // other lanes may have stored to these rows
            let mut i = warp::lane();
            while i < n {
                to.store(i, 0, T::NAN);
                i += warp::SIZE;
            }
        }
        if warp::lane() == 0 {
            args.status.store(b as i64, status);
        }
    }
}
