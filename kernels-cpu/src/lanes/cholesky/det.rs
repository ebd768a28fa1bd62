//! Determinants of many matrices.

use std::ptr;

use numbers::det_product::{DetParts, LogProduct};
use numbers::element::RealOf;
use numbers::matrix::Matrices;
use numbers::scalar::Scalar;

use super::registers::Small;
use super::{load, single, triangle};
use crate::det::write;
use crate::element::Element;
use crate::lanes::block::Block;
use crate::lanes::group::{Lanes, groups};
use crate::lanes::isa::{Isa, LaneScalar};
use crate::lanes::log_product::LogProducts;
use crate::lanes::number::{DoublesOf, Number};
use crate::lanes::operation::{self, Operation, with_small_order, write_statuses};
use crate::lanes::room::Room;
use crate::lanes::single as by_itself;
use crate::lanes::small::MAX_ORDER;
use crate::lanes::square;
use crate::lanes::vector::Vector;
use crate::lanes::widened::widened;
use crate::lanes::workspace::Workspace;

/// Determinants; NaN where a status is not 0.
///
/// Statuses are as [`cholesky`](super::cholesky())'s: shape (matrices).
///
/// # Safety
/// `a` may be read, n x n, as many matrices as there are statuses, and nobody writes them meanwhile; `det` has room for
/// as many, which nobody else touches.
///
/// # Panics
/// If the workspace was made for less.
pub(crate) unsafe fn cholesky_det<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    n: usize,
    det: DetParts<E::Scalar, RealOf<E>>,
    status: &mut [i32],
) {
    let (mut room, copies) = workspace.room::<E>(isa, n, 0, status.len());
    if n == 0 {
        for b in 0..status.len() {
            // SAFETY: the caller's promise.
            unsafe { write(det, b, LogProduct::ONE) };
        }
        return status.fill(0);
    }
    for some in operation::at_once::<E>(isa, status.len()) {
        let det = det.from(some.start as i64);
        // SAFETY: the caller's promise, and the workspace has room.
        unsafe {
            let a = widened(a, some.clone(), n, n, copies);
            operation::run(isa, Det { a, n, det, status: &mut status[some] }, &mut room);
        }
    }
}

struct Det<'a, S: Scalar> {
    a: Matrices<S>,
    /// Order of the matrices.
    n: usize,
    det: DetParts<S, S::Real>,
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for Det<'_, S> {
    type Scalar = S;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(mut self, room: &mut Room<'_>) {
        let n = self.n;
        let block = Block::<N>::new(room.block.cast(), n);
        if n <= MAX_ORDER {
            // SAFETY: the caller's promise.
            return unsafe { with_small_order!(n, det_small::<N>(&mut self, block)) };
        }
        for group in groups::<N>(self.status.len()) {
            // SAFETY: the caller's promise.
            unsafe {
                if by_itself::suits::<N>(group.len(), n) {
                    // The diagonals are put where they are in a group, behind the matrix.
                    let diagonals = block.at(0, 0).add(2 * n * n * N::PARTS);
                    for (w, b) in group.clone().enumerate() {
                        let (a, ..) = by_itself::room(room, n);
                        by_itself::load(self.a, (b, 0), n, a);
                        self.status[b] = N::Vector::call(single::Factor { a: &mut *a, n });
                        for k in 0..n {
                            *diagonals.add(k * N::SIZE + w) = *ptr::from_ref(&a[k * n + k]).cast::<N::Real>();
                        }
                    }
                    return self.write::<N>(group.start, n, |k| diagonals.add(k * N::SIZE));
                }
                load(&Lanes::<N>::of(&self.a, group.clone()), n, block);
                write_statuses::<N>(triangle::factor(block, n), &mut self.status[group.clone()]);
                self.write::<N>(group.start, n, |k| block.at(k, k));
            }
        }
    }
}

impl<S: LaneScalar> Det<'_, S> {
    /// Writes the results of a group that has its statuses, from L's diagonals, of which number k is at `diagonal(k)`.
    ///
    /// # Safety
    /// The diagonals have been written, and the CPU has the instructions.
    #[inline(always)]
    unsafe fn write<N: Number<Scalar = S>>(
        &mut self,
        first: usize,
        n: usize,
        diagonal: impl Fn(usize) -> *mut N::Real,
    ) {
        let lanes = DoublesOf::<N>::LANES;
        let last = self.status.len().min(first + N::Vector::LANES);
        for group in (first..last).step_by(lanes) {
            // SAFETY: the caller's promise.
            let logs = unsafe {
                let zero = <DoublesOf<N> as Vector>::splat(0.0);
                let mut product = LogProducts::new(N::Vector::load_doubles(diagonal(0).add(group - first)), None, zero);
                for k in 1..n {
                    let factor = N::Vector::load_doubles(diagonal(k).add(group - first));
                    product = product.combine(LogProducts::new(factor, None, zero));
                }
                // Of L and of L^H.
                product.combine(product).logs()
            };
            for b in group..last.min(group + lanes) {
                // SAFETY: the caller's promise.
                unsafe {
                    match self.status[b] {
                        0 => logs.write(b - group, 1.0, self.det, b),
                        _ => write(self.det, b, LogProduct::NAN),
                    }
                }
            }
        }
    }
}

/// Loads and factors in registers.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn det_small<N: Number, const M: usize>(det: &mut Det<'_, N::Scalar>, block: Block<N>)
where
    N::Scalar: LaneScalar,
{
    for group in groups::<N>(det.status.len()) {
        // SAFETY: the caller's promise.
        unsafe {
            let factors = Small::<N, M>::factor(square::load(&det.a, &group, block));
            write_statuses::<N>(factors.statuses, &mut det.status[group.clone()]);
            let mut diagonal = [factors.statuses; 2 * MAX_ORDER];
            let diagonal = diagonal.as_mut_ptr();
            for k in 0..M {
                factors.diagonal(k).store(diagonal.add(k * N::PARTS).cast());
            }
            det.write::<N>(group.start, M, |k| diagonal.add(k * N::PARTS).cast());
        }
    }
}
