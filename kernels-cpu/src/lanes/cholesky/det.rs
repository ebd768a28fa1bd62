//! Determinants of many matrices.

use std::ptr;

use numbers::matrix::Matrices;
use numbers::scalar::{Real, Scalar};

use super::registers::Small;
use super::{load, single, triangle};
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
use crate::lanes::vector::{MAX_LANES, Vector};
use crate::lanes::widened::widened;
use crate::lanes::workspace::Workspace;

/// det A as (1, log det A): shape (matrices) each; NaN for both where a status is not 0.
///
/// Statuses are as [`cholesky`](super::cholesky())'s: shape (matrices).
///
/// # Safety
/// `a` may be read, n x n, as many matrices as there are statuses, and nobody writes them meanwhile.
///
/// # Panics
/// If the workspace was made for less, or the slices are not of their shapes.
pub(crate) unsafe fn cholesky_det<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Matrices<E>,
    n: usize,
    phase: &mut [E::Scalar],
    log_abs: &mut [<E::Scalar as Scalar>::Real],
    status: &mut [i32],
) {
    let count = status.len();
    assert!(phase.len() == count && log_abs.len() == count, "there are results for each matrix");
    let (mut room, copies) = workspace.room::<E>(isa, n, 0);
    if n == 0 {
        phase.fill(Scalar::ONE);
        log_abs.fill(Scalar::ZERO);
        return status.fill(0);
    }
    for some in operation::at_once::<E>(isa, count) {
        let log_abs = &mut log_abs[some.clone()];
        // SAFETY: the caller's promise, and the workspace has room.
        unsafe {
            let a = widened(a, some.clone(), n, n, copies);
            operation::run(isa, Det { a, n, log_abs, status: &mut status[some] }, &mut room);
        }
    }
    for (phase, &status) in phase.iter_mut().zip(&*status) {
        *phase = if status == 0 { Scalar::ONE } else { Scalar::NAN };
    }
}

struct Det<'a, S: Scalar> {
    a: Matrices<S>,
    /// Order of the matrices.
    n: usize,
    /// Shape (matrices).
    log_abs: &'a mut [S::Real],
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
            let mut log = [0.0; MAX_LANES];
            // SAFETY: the caller's promise.
            unsafe {
                let zero = <DoublesOf<N> as Vector>::splat(0.0);
                let mut product = LogProducts::new(N::Vector::load_doubles(diagonal(0).add(group - first)), None, zero);
                for k in 1..n {
                    let factor = N::Vector::load_doubles(diagonal(k).add(group - first));
                    product = product.combine(LogProducts::new(factor, None, zero));
                }
                Vector::store(product.log_abs(), log.as_mut_ptr());
            }
            for b in group..last.min(group + lanes) {
                // Of L and of L^H.
                let value = Real::from_f64(2.0 * log[b - group]);
                self.log_abs[b] = if self.status[b] == 0 { value } else { Scalar::NAN };
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
