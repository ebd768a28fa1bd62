//! Solve for any order: one thread block for a matrix and up to 32 of its right-hand sides.
//!
//! The right-hand sides are in shared memory, the factors in device memory. For each panel of `NB` columns, threads
//! solve with the diagonal block, one right-hand side each, and then update the rows beyond it, one row each.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{block, sync_threads, thread};

use crate::collective::permutation;
use crate::memory::copy::copy;
use crate::operation::GetrsArgs;
use crate::operation::getrf::global::{leading_dimension, threads};
use crate::shape::{Problem, Shape, quotient, shared_bytes};
use numbers::matrix::{GlobalMatrix, Part, RowsPermuted, SharedMatrix, View};
use numbers::scalar::{Scalar, ScalarKind};

/// Columns of a panel.
const NB: usize = 8;
/// Most right-hand sides of a block.
const MAX_RHS: u32 = 32;
/// The shared memory that several right-hand sides may take; one may take more.
const RHS_BYTES: u32 = 40 * 1024;

/// Right-hand sides of a block, if one takes `column` bytes.
#[inline(always)]
fn rhs_per_block(column: u32, rhs: u32) -> u32 {
    let fit = quotient(RHS_BYTES, column);
    let fit = if fit > 1 { fit } else { 1 };
    let most = if fit < MAX_RHS { fit } else { MAX_RHS };
    if rhs < most { rhs } else { most }
}

/// What a block keeps in shared memory.
struct SharedStorage<T> {
    x: SharedMatrix<T>,       // right-hand sides, then solutions: shape (rhs, leading_dimension)
    permutation: Shared<u32>, // shape (n)
}

#[inline(always)]
fn shared_storage<T: Scalar>(layout: &mut Layout, n: u32, rhs: u32) -> SharedStorage<T> {
    let ld = leading_dimension(n);
    SharedStorage {
        x: SharedMatrix { elements: layout.packed(rhs * ld), leading_dimension: ld },
        permutation: layout.packed(n),
    }
}

/// The launch shape of [`getrs`].
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let n = problem.n;
    let column = leading_dimension(n) as u64 * kind.size() as u64;
    let rhs = rhs_per_block(shared_bytes(column), problem.rhs);
    Shape {
        blocks: problem.batch.saturating_mul(problem.rhs.div_ceil(rhs) as u64),
        cluster: 1,
        threads: threads(n),
        shared_bytes: with_scalar!(kind, T => Layout::bytes(|layout| shared_storage::<T>(layout, n, rhs))),
    }
}

/// The triangular factors of op(LU).
#[derive(Clone, Copy)]
struct Factors<T> {
    lu: GlobalMatrix<T>,
    conjugated: bool,
    /// Whether the lower triangle has the unit diagonal (else the upper one).
    unit_lower: bool,
}

impl<T: Scalar> Factors<T> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        let x = self.lu.load(i, j);
        if self.conjugated { x.conj() } else { x }
    }
}

/// The body of the kernel.
#[inline(always)]
pub fn getrs<T: Scalar>(args: GetrsArgs<T>) {
    solve::<T, false>(args);
}

/// The same for a triangle alone.
#[inline(always)]
pub fn trtrs<T: Scalar>(args: GetrsArgs<T>) {
    solve::<T, true>(args);
}

#[inline(always)]
fn solve<T: Scalar, const IS_TRIANGLE: bool>(args: GetrsArgs<T>) {
    let n = args.n;
    let transposed = args.transposed != 0;
    let most = rhs_per_block(leading_dimension(n) * T::KIND.size(), args.rhs);
    let blocks = quotient(args.rhs + most - 1, most); // of a matrix
    let matrix = quotient(block::index(), blocks);
    let b = args.first + matrix as u64;
    let column = (block::index() - matrix * blocks) * most;
    let columns = if args.rhs - column < most { args.rhs - column } else { most };

    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let SharedStorage { x, permutation } = unsafe { Layout::place(|layout| shared_storage::<T>(layout, n, most)) };
    let from = Part { whole: args.b.matrix(b), row: 0, col: column };
    let to = Part { whole: args.x.matrix(b), row: 0, col: column };
    let rows_first = args.x.matrix(b).rows_are_close();

    if !IS_TRIANGLE {
        permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), permutation, n);
    }
    let is_regular = args.lu_status_of::<IS_TRIANGLE>(b) == 0;
    let lu = args.lu.matrix(b);
    if transposed || IS_TRIANGLE {
        copy(&from, &x, n, columns, rows_first);
    } else {
        copy(&RowsPermuted { view: from, permutation }, &x, n, columns, rows_first);
    }
    sync_threads();
    if is_regular {
        let factors = Factors {
            lu: if transposed { lu.transposed() } else { lu },
            conjugated: args.conjugated != 0,
            unit_lower: !transposed,
        };
        let (forward, backward) = args.substitutions::<IS_TRIANGLE>();
        let mut k0 = if forward { 0 } else { n.next_multiple_of(NB as u32) };
        while k0 < n {
            solve_panel::<T, true>(&factors, &x, k0, n, columns);
            k0 += NB as u32;
        }
        while backward && k0 > 0 {
            k0 -= NB as u32;
            solve_panel::<T, false>(&factors, &x, k0, n, columns);
        }
    }
    let result = OrNan { view: x, is_good: is_regular };
    if transposed && !IS_TRIANGLE {
        copy(&result, &RowsPermuted { view: to, permutation }, n, columns, rows_first);
    } else {
        copy(&result, &to, n, columns, rows_first);
    }
}

/// Solves with the panel of columns from `k0` on, and updates the rows after (`LOWER`) or before it. Two barriers.
#[inline(always)]
fn solve_panel<T: Scalar, const LOWER: bool>(f: &Factors<T>, x: &SharedMatrix<T>, k0: u32, n: u32, columns: u32) {
    let width = if n - k0 < NB as u32 { n - k0 } else { NB as u32 };
    let unit = f.unit_lower == LOWER;

    // Each thread takes right-hand sides.
    let mut c = thread::index();
    while c < columns {
        let mut y = [T::ZERO; NB];
        for step in 0..NB {
            let q = if LOWER { step } else { NB - 1 - step };
            if (q as u32) < width {
                y[q] = x.load(k0 + q as u32, c);
                for done in 0..step {
                    let r = if LOWER { done } else { NB - 1 - done };
                    if (r as u32) < width {
                        y[q] = y[q].sub_mul(f.load(k0 + q as u32, k0 + r as u32), y[r]);
                    }
                }
                if !unit {
                    y[q] = y[q].divide(f.load(k0 + q as u32, k0 + q as u32).divisor());
                }
                x.store(k0 + q as u32, c, y[q]);
            }
        }
        c += block::dim();
    }
    sync_threads();

    // Each thread takes rows.
    let (first, end) = if LOWER { (k0 + width, n) } else { (0, k0) };
    let mut i = first + thread::index();
    while i < end {
        let mut l = [T::ZERO; NB]; // row i of the panel: shape (NB)
        for q in 0..NB {
            if (q as u32) < width {
                l[q] = f.load(i, k0 + q as u32);
            }
        }
        let mut c = 0;
        while c < columns {
            let mut y = x.load(i, c);
            for q in 0..NB {
                if (q as u32) < width {
                    y = y.sub_mul(l[q], x.load(k0 + q as u32, c));
                }
            }
            x.store(i, c, y);
            c += 1;
        }
        i += block::dim();
    }
    sync_threads();
}

/// A view that reads as NaN if its matrix is not good.
#[derive(Clone, Copy)]
struct OrNan<V> {
    view: V,
    is_good: bool,
}

impl<T: Scalar, V: View<T>> View<T> for OrNan<V> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        if self.is_good { self.view.load(i, j) } else { T::NAN }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.view.store(i, j, value);
    }
}
