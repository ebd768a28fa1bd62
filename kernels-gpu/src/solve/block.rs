//! Solve of any order: one block for a matrix and a group of its right-hand sides, which stay in shared memory.

use simt::shared::{self, Shared};
use simt::{block, sync_threads, thread};

use crate::copy::copy;
use crate::lu::block::{leading_dimension, threads};
use crate::lu::panel::NB;
use crate::matrix::{GlobalMatrix, Part, SharedMatrix, View};
use crate::permutation;
use crate::scalar::{Scalar, ScalarKind};
use crate::shape::{Problem, Shape, quotient, shared_bytes};
use crate::solve::SolveArgs;

/// Most right-hand sides of a block.
const MAX_GROUP: u32 = 32;
/// Shared memory that a group fills at most, as far as one right-hand side allows.
const GROUP_BYTES: u32 = 40 * 1024;

/// Right-hand sides of a block, where one takes `column` bytes.
#[inline(always)]
fn group(column: u32, rhs: u32) -> u32 {
    let fit = quotient(GROUP_BYTES, column);
    let fit = if fit > 1 { fit } else { 1 };
    let most = if fit < MAX_GROUP { fit } else { MAX_GROUP };
    if rhs < most { rhs } else { most }
}

/// Shape of [`solve_block`].
#[must_use]
pub fn shape(problem: &Problem, kind: ScalarKind) -> Shape {
    let column = leading_dimension(problem.n) as u64 * kind.size() as u64;
    let group = group(shared_bytes(column), problem.rhs);
    Shape {
        blocks: problem.batch.saturating_mul(problem.rhs.div_ceil(group) as u64),
        threads: threads(problem.n),
        shared_bytes: shared_bytes(group as u64 * column + 4 * problem.n as u64),
    }
}

/// The triangles of op(LU).
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
pub fn solve_block<T: Scalar>(args: SolveArgs<T>) {
    let n = args.n;
    let transposed = args.transposed != 0;
    let group = group(leading_dimension(n) * T::KIND.size(), args.rhs);
    let groups = quotient(args.rhs + group - 1, group); // blocks of a matrix
    let matrix = quotient(block::index(), groups);
    let b = args.first + matrix as u64;
    let column = (block::index() - matrix * groups) * group;
    let columns = if args.rhs - column < group { args.rhs - column } else { group };

    let ld = leading_dimension(n);
    // SAFETY: `shape` asks for these bytes.
    let (elements, permutation) = unsafe { (shared::array(0), shared::array(group * ld * size_of::<T>() as u32)) };
    let x = SharedMatrix { elements, leading_dimension: ld }; // shape (group, ld)
    let from = Part { whole: args.b.matrix(b), row: 0, col: column };
    let to = Part { whole: args.x.matrix(b), row: 0, col: column };
    let rows_first = args.x.matrix(b).rows_are_close();

    permutation::from_pivots(args.pivots.offset(b as i64 * n as i64), permutation, n);
    let good = args.lu_status.load(b as i64) == 0;
    let lu = args.lu.matrix(b);
    if transposed {
        copy(&from, &x, n, columns, rows_first);
    } else {
        copy(&RowsPermuted { view: from, permutation }, &x, n, columns, rows_first);
    }
    sync_threads();
    if good {
        let factors = Factors {
            lu: if transposed { lu.transposed() } else { lu },
            conjugated: args.conjugated != 0,
            unit_lower: !transposed,
        };
        let mut k0 = 0;
        while k0 < n {
            eliminate::<T, true>(&factors, &x, k0, n, columns);
            k0 += NB as u32;
        }
        while k0 > 0 {
            k0 -= NB as u32;
            eliminate::<T, false>(&factors, &x, k0, n, columns);
        }
    }
    let result = OrNan { view: x, good };
    if transposed {
        copy(&result, &RowsPermuted { view: to, permutation }, n, columns, rows_first);
    } else {
        copy(&result, &to, n, columns, rows_first);
    }
}

/// Solves for rows k0.. of a panel and eliminates them from the rows after it (`LOWER`) or before it. Two barriers.
#[inline(always)]
fn eliminate<T: Scalar, const LOWER: bool>(f: &Factors<T>, x: &SharedMatrix<T>, k0: u32, n: u32, columns: u32) {
    let width = if n - k0 < NB as u32 { n - k0 } else { NB as u32 };
    let unit = f.unit_lower == LOWER;

    // A right-hand side a thread.
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

    // A row a thread.
    let (first, end) = if LOWER { (k0 + width, n) } else { (0, k0) };
    let mut i = first + thread::index();
    while i < end {
        let mut l = [T::ZERO; NB]; // row i of the panel
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

/// Row i of the view is row `permutation[i]` of what it views.
#[derive(Clone, Copy)]
struct RowsPermuted<V> {
    view: V,
    permutation: Shared<u32>, // shape (n)
}

impl<T: Scalar, V: View<T>> View<T> for RowsPermuted<V> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        self.view.load(self.permutation.load(i), j)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.view.store(self.permutation.load(i), j, value);
    }
}

/// What it views if that is good, else NaN.
#[derive(Clone, Copy)]
struct OrNan<V> {
    view: V,
    good: bool,
}

impl<T: Scalar, V: View<T>> View<T> for OrNan<V> {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(&self, i: u32, j: u32) -> T {
        if self.good { self.view.load(i, j) } else { T::NAN }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store(&self, i: u32, j: u32, value: T) {
        self.view.store(i, j, value);
    }
}
