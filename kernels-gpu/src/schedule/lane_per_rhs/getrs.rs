//! Solution with several right-hand sides: the kernel, and the shape of a launch.

use numbers::status::side_not_finite;
use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread, warp};

use super::factors::{Factors, Op};
use crate::collective::permutation;
use crate::collective::vote::smallest;
use crate::memory::vector::Vectorized;
use crate::operation::GetrsArgs;
use crate::shape::{Problem, Shape};
use numbers::matrix::View;
use numbers::scalar::ScalarKind;

/// Threads of a block at most.
pub const MAX_THREADS: u32 = 128;

/// What a block keeps in shared memory.
struct SharedStorage<T: Vectorized, const N: usize> {
    factors: Factors<T, N>,
    permutation: Shared<u32>, // shape (N)
    flags: Shared<u32>,       // shape (32)
}

#[inline(always)]
fn shared_storage<T: Vectorized, const N: usize>(layout: &mut Layout) -> SharedStorage<T, N> {
    SharedStorage {
        factors: Factors::array(layout, 1),
        permutation: layout.packed(N as u32),
        flags: layout.packed(warp::SIZE),
    }
}

/// The shape of a launch: a block a matrix, a thread a right-hand side, as far as threads go.
#[must_use]
pub fn shape<const N: usize>(problem: &Problem, kind: ScalarKind) -> Shape {
    let shared_bytes = with_scalar!(kind, T => Layout::bytes(shared_storage::<T, N>));
    let threads = problem.rhs.clamp(1, MAX_THREADS).next_multiple_of(warp::SIZE);
    Shape { blocks: problem.batch, cluster: 1, threads, shared_bytes }
}

/// The body of the kernel for orders up to `N`.
#[inline(always)]
pub fn getrs<T: Vectorized, const N: usize>(args: GetrsArgs<T>) {
    solve::<T, N, false>(args);
}

/// The same for a triangle alone.
#[inline(always)]
pub fn trtrs<T: Vectorized, const N: usize>(args: GetrsArgs<T>) {
    solve::<T, N, true>(args);
}

#[inline(always)]
fn solve<T: Vectorized, const N: usize, const IS_TRIANGLE: bool>(args: GetrsArgs<T>) {
    let (n, b) = (args.n, args.first + block::index() as u64);
    let op = Op { is_transposed: args.transposed != 0, is_conjugated: args.conjugated != 0 };
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let shared = unsafe { Layout::place(|layout| shared_storage::<T, N>(layout)) };
    shared.factors.load::<{ warp::SIZE as usize }>(&args.lu.matrix(b), n, op, (thread::index(), block::dim()));
    if IS_TRIANGLE {
        sync_threads();
    } else {
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), shared.permutation, n);
    }
    let (forward, backward) = args.substitutions::<IS_TRIANGLE>();

    let (from, to) = (args.b.matrix(b), args.x.matrix(b));
    let before = args.lu_status_of::<IS_TRIANGLE>(b);
    let mut first_bad = args.rhs;
    let mut column = thread::index();
    while column < args.rhs {
        let mut x = [T::ZERO; N];
        for i in 0..N as u32 {
            if i < n {
                x[i as usize] =
                    from.load(if op.is_transposed || IS_TRIANGLE { i } else { shared.permutation.load(i) }, column);
            }
        }
        if forward {
            shared.factors.forward(&mut x, op);
        }
        if backward {
            shared.factors.back(&mut x, op);
        }
        let mut is_finite = true;
        for i in 0..N {
            is_finite &= x[i].is_finite(); // zeros after row n
        }
        if !is_finite && column < first_bad {
            first_bad = column;
        }
        for i in 0..N as u32 {
            if i < n {
                let value = if is_finite && before == 0 { x[i as usize] } else { T::NAN };
                to.store(if op.is_transposed && !IS_TRIANGLE { shared.permutation.load(i) } else { i }, column, value);
            }
        }
        column += block::dim();
    }

    let first_bad = smallest(first_bad, shared.flags);
    if thread::index() == 0 {
        let is_bad = before == 0 && first_bad < args.rhs;
        args.status.store(b as i64, if is_bad { side_not_finite(first_bad) } else { before }); // which may be `lu_status`
    }
}
