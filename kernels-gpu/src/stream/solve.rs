//! The kernel that factors and solves: L and the right-hand side stay in shared memory, U comes back from device memory.

use simt::{block, thread, warp};

use crate::lu::NON_FINITE;
use crate::matrix::View;
use crate::product::Product;
use crate::scalar::ScalarKind;
use crate::shape::{Problem, Shape};
use crate::solve::FactorSolveArgs;
use crate::stream::board::Board;
use crate::stream::lu::eliminate;
use crate::stream::upper::{Strips, Upper, upper_numbers};
use crate::vote::any_thread;

/// Shape of [`factor_solve_stream`], by `W` warps, which takes one right-hand side.
#[must_use]
pub fn solve_shape<T: Product, const W: u32>(problem: &Problem, _: ScalarKind) -> Shape {
    let bytes = Board::<T>::bytes(problem.n, W, 1);
    Shape {
        blocks: problem.batch,
        threads: W * warp::SIZE,
        shared_bytes: if problem.rhs == 1 { bytes } else { u32::MAX },
    }
}

/// The body of the kernel for orders up to `16 * B`, by `W` warps; `A` and `H` are the `W`th part and half of `B`, rounded up. A block has a
/// matrix. All warps eliminate and bring U back, then the first one substitutes, and stores rows as it finds them.
#[inline(always)]
pub fn factor_solve_stream<T: Product, const B: usize, const W: u32, const A: usize, const H: usize>(
    args: FactorSolveArgs<T>,
) {
    let n = args.n;
    let b = args.first + block::index() as u64;
    // SAFETY: `solve_shape` asks for its bytes.
    let board = unsafe { Board::<T>::new(n, W) };
    let (a, from, to) = (args.a.matrix(b), args.b.matrix(b), args.x.matrix(b));
    let u = Strips(args.work.offset(b as i64 * upper_numbers(n) as i64));

    let mut i = thread::index();
    while i < board.height(0) {
        board.side(0).store(i, if i < n { from.load(i, 0) } else { T::ZERO });
        i += block::dim();
    }
    let mut zero = 0;
    let finite = eliminate::<T, B, W, A, 1>(&board, &a, &u, n, &mut zero);
    let is_finite = !any_thread(!finite, board.flags); // all of U is there
    let upper = Upper::bring(u, board.all_panels(), n);

    if warp::index() == 0 {
        let mut status = if is_finite { zero as i32 } else { NON_FINITE };
        if status == 0 {
            let mut finite = true;
            upper.substitute::<H>(board.side(0), |i, x| {
                finite &= x.is_finite();
                to.store(i, 0, x);
            });
            if warp::any(warp::ALL, !finite) {
                status = NON_FINITE;
            }
        }
        if status != 0 {
            warp::sync(warp::ALL); // other lanes have stored to these rows
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
