//! Right-looking: after a panel, the whole trailing matrix is updated.

use simt::hint::opaque;
use simt::shared::{self, Shared};
use simt::{block, sync_threads, thread};

use super::interchange::Panel;
use super::{BlockLuArgs, PanelMatrix, Workspace, begin, bounded, finish, panel, workspace_bytes, write_back};
use kernels_gpu::shape::{Problem, Shape};
use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Shape of [`right_looking`].
#[must_use]
pub fn shape<const NB: usize>(problem: &Problem, kind: ScalarKind) -> Shape {
    let upper = problem.n as u64 * NB as u64 * kind.size() as u64;
    super::shape(problem, upper_at::<NB>(bounded(problem.n), kind) + upper)
}

/// Where the block row of U begins in shared memory.
#[inline(always)]
const fn upper_at<const NB: usize>(n: u32, kind: ScalarKind) -> u64 {
    workspace_bytes::<NB>(n, kind).next_multiple_of(16)
}

/// The body of the kernel.
#[inline(always)]
pub fn right_looking<T: Scalar, const NB: usize>(args: BlockLuArgs<T>) {
    let n = args.n;
    // SAFETY: `shape` asks for these bytes.
    let upper: Shared<T> = unsafe { shared::array(upper_at::<NB>(n, T::KIND) as u32) }; // shape (n, NB)
    let (a, work) = begin::<T, NB>(&args);
    let (mut finite, mut zero_pivot) = (true, 0);
    let mut k0 = 0;
    while k0 < n {
        let width = if n - k0 < NB as u32 { n - k0 } else { NB as u32 };
        load::<T, NB>(&a, &work, k0, width, n);
        let zero = panel::factor(&work, k0, width, n);
        if zero_pivot == 0 {
            zero_pivot = zero;
        }
        finite &= write_back::<T, NB>(&work.panel, &a, k0, k0, width, n);

        let interchanges = Panel { k0, width, pivots: work.pivots };
        interchanges.apply::<T, NB>(&a, 0, k0, args.interchange);
        interchanges.apply::<T, NB>(&a, k0 + width, n, args.interchange);
        sync_threads();
        // Where anything is right of it, the panel is of full width.
        finite &= solve::<T, NB>(&a, &work.panel, upper, k0, n);
        sync_threads();
        update::<T, NB>(&a, &work.panel, upper, k0, n);
        sync_threads();
        k0 += NB as u32;
    }
    finish(&args, &work, finite, zero_pivot);
}

/// Rows k0.. of the panel to shared memory.
#[inline(always)]
fn load<T: Scalar, const NB: usize>(a: &GlobalMatrix<T>, work: &Workspace<T, NB>, k0: u32, width: u32, n: u32) {
    let mut i = k0 + thread::index();
    while i < n {
        let k0 = opaque(k0);
        for c in 0..NB as u32 {
            if c < width {
                work.panel.store(i, c, a.load(i, k0 + c));
            }
        }
        i += block::dim();
    }
}

/// U12 = L11^-1 A12, a column a thread: to shared memory and back to A. Whether this thread's are finite.
#[inline(always)]
fn solve<T: Scalar, const NB: usize>(
    a: &GlobalMatrix<T>,
    panel: &PanelMatrix<T, NB>,
    upper: Shared<T>,
    k0: u32,
    n: u32,
) -> bool {
    let mut finite = true;
    let trailing = k0 + NB as u32;
    let mut j = trailing + thread::index();
    while j < n {
        finite &= solve_column::<T, NB>(a, panel, |q, x| upper.store((j - trailing) * NB as u32 + q, x), k0, j);
        j += block::dim();
    }
    finite
}

/// Column j of U12. Whether it is finite.
#[inline(always)]
fn solve_column<T: Scalar, const NB: usize>(
    a: &GlobalMatrix<T>,
    panel: &PanelMatrix<T, NB>,
    upper: impl Fn(u32, T),
    k0: u32,
    j: u32,
) -> bool {
    let k0 = opaque(k0);
    let mut finite = true;
    let mut u = [T::ZERO; NB];
    for q in 0..NB {
        u[q] = a.load(k0 + q as u32, j);
        for r in 0..q {
            u[q] = u[q].sub_mul(panel.row(k0).load(q as u32 * PanelMatrix::<T, NB>::STRIDE + r as u32), u[r]);
        }
        finite &= u[q].is_finite();
        a.store(k0 + q as u32, j, u[q]);
        upper(q as u32, u[q]);
    }
    finite
}

/// A22 -= L21 U12, a row a thread.
#[inline(always)]
fn update<T: Scalar, const NB: usize>(
    a: &GlobalMatrix<T>,
    panel: &PanelMatrix<T, NB>,
    upper: Shared<T>,
    k0: u32,
    n: u32,
) {
    let trailing = k0 + NB as u32;
    let mut i = trailing + thread::index();
    while i < n {
        let mut l = [T::ZERO; NB]; // row i of L21
        for q in 0..NB {
            l[q] = panel.load(i, q as u32);
        }
        let mut j = trailing;
        while j < n {
            let mut x = a.load(i, j);
            let u = upper.offset((j - trailing) * NB as u32);
            for q in 0..NB {
                x = x.sub_mul(l[q], u.load(q as u32));
            }
            a.store(i, j, x);
            j += 1;
        }
        i += block::dim();
    }
}
