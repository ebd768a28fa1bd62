//! Left-looking: a panel is updated by all finished columns just before it is factored.

use simt::hint::opaque;
use simt::{block, sync_threads, thread};

use super::interchange::{DELAYED, Panel};
use super::{BlockLuArgs, Workspace, begin, bounded, finish, panel, workspace_bytes, write_back};
use kernels_gpu::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Shape of [`left_looking`].
#[must_use]
pub fn shape<const NB: usize>(problem: &Problem, kind: ScalarKind) -> Shape {
    super::shape(problem, workspace_bytes::<NB>(bounded(problem.n), kind))
}

/// The body of the kernel.
#[inline(always)]
pub fn left_looking<T: Scalar, const NB: usize>(args: BlockLuArgs<T>) {
    let (n, delayed) = (args.n, args.interchange == DELAYED);
    let (a, work) = begin::<T, NB>(&args);
    let (mut finite, mut zero_pivot) = (true, 0);
    let mut k0 = 0;
    while k0 < n {
        let width = if n - k0 < NB as u32 { n - k0 } else { NB as u32 };
        load::<T, NB>(&a, &work, k0, width, n, delayed);
        update::<T, NB>(&a, &work, k0, n);
        let zero = panel::factor(&work, k0, width, n);
        if zero_pivot == 0 {
            zero_pivot = zero;
        }
        finite &= write_back::<T, NB>(&work.panel, &a, 0, k0, width, n);

        let interchanges = Panel { k0, width, pivots: work.pivots };
        interchanges.apply::<T, NB>(&a, 0, k0, args.interchange);
        if !delayed {
            interchanges.apply::<T, NB>(&a, k0 + width, n, args.interchange);
        }
        sync_threads();
        k0 += NB as u32;
    }
    finish(&args, &work, finite, zero_pivot);
}

/// All rows of the panel to shared memory; where interchanges are delayed, from where their rows still lie.
#[inline(always)]
fn load<T: Scalar, const NB: usize>(
    a: &GlobalMatrix<T>,
    work: &Workspace<T, NB>,
    k0: u32,
    width: u32,
    n: u32,
    delayed: bool,
) {
    let mut i = thread::index();
    while i < n {
        let k0 = opaque(k0);
        let row = if delayed { work.rows.load(i) } else { i };
        for c in 0..NB as u32 {
            // The last panel is filled up, so that no update has to look at its width.
            work.panel.store(i, c, if c < width { a.load(row, k0 + c) } else { T::ZERO });
        }
        i += block::dim();
    }
}

/// Finished columns one by one, each read once: A01 = L00^-1 A01, and [A11; A21] -= [A10; A20] A01.
#[inline(always)]
fn update<T: Scalar, const NB: usize>(a: &GlobalMatrix<T>, work: &Workspace<T, NB>, k0: u32, n: u32) {
    let mut next = first(a, 0, k0, n);
    let mut k = 0;
    while k < k0 {
        let mut l = next;
        next = first(a, k + 1, k0, n); // on its way while this column is applied
        sync_threads(); // row k of the panel is final
        let mut i = thread::index();
        while i < n {
            if i > k {
                let (row, u) = (work.panel.row(i), work.panel.row(k));
                for c in 0..NB as u32 {
                    row.store(c, row.load(c).sub_mul(l, u.load(c)));
                }
            }
            i += block::dim();
            if i < n {
                l = a.load(i, k);
            }
        }
        k += 1;
    }
}

/// This thread's first element of finished column k.
#[inline(always)]
fn first<T: Scalar>(a: &GlobalMatrix<T>, k: u32, k0: u32, n: u32) -> T {
    let i = thread::index();
    if i < n && k < k0 { a.load(i, k) } else { T::ZERO }
}
