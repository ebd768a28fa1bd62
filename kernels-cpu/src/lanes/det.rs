//! Determinants for many matrices.

use std::ptr;

use numbers::det_product::{DetParts, LogProduct};
use numbers::element::RealOf;
use numbers::matrix::Matrices;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

use super::block::Block;
use super::group::{Lanes, groups};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::log_product::LogProducts;
use super::number::{DoublesOf, Number};
use super::operation::{self, Operation, statuses, with_small_order, write_statuses};
use super::room::Room;
use super::small::{MAX_ORDER, Small};
use super::vector::Vector;
use super::widened::widened;
use super::workspace::Workspace;
use super::{eliminate, single, square};
use crate::det::write;
use crate::element::Element;

/// Determinants; their phases are exactly 1 or -1 for real types.
///
/// Those of singular matrices are 0, of order 0 they are 1, and factors that are not finite give NaN. Statuses are as
/// [`factor`](super::factor())'s: shape (matrices).
///
/// # Safety
/// `a` may be read, n x n, as many matrices as there are statuses, and nobody writes them meanwhile; `det` has room for
/// as many, which nobody else touches.
///
/// # Panics
/// If the workspace was made for less.
pub(crate) unsafe fn det<E: Element>(
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
                if single::suits::<N>(group.len(), n) {
                    // The diagonals are put where they are in a group, behind the matrix.
                    let diagonals = block.at(0, 0).add(2 * n * n * N::PARTS);
                    let mut odd = 0;
                    for (w, b) in group.clone().enumerate() {
                        let (a, _, pivots) = single::room(room, n);
                        single::load(self.a, (b, 0), n, a);
                        self.status[b] = N::Vector::call(single::Factor { a: &mut *a, pivots: &mut *pivots });
                        for k in 0..n {
                            let parts = ptr::from_ref(&a[k * n + k]).cast::<N::Real>();
                            for part in 0..N::PARTS {
                                *diagonals.add(k * N::SIZE + part * N::Vector::LANES + w) = *parts.add(part);
                            }
                            odd ^= u32::from(pivots[k] as usize != k) << w;
                        }
                    }
                    return self.write::<N>(group.start, n, |k| diagonals.add(k * N::SIZE), odd);
                }
                interleave(&Lanes::<N>::of(&self.a, group.clone()), n, n, block);
                let factored = eliminate::factor::<N>(block, room.exchanges);
                let statuses = statuses::<N>(factored.first_zero, factored.finite);
                write_statuses::<N>(statuses, &mut self.status[group.clone()]);
                let odd = (0..n).fold(0, |odd, k| odd ^ room.exchanges[k].moved::<N>(k));
                self.write::<N>(group.start, n, |k| block.at(k, k), odd);
            }
        }
    }
}

impl<S: LaneScalar> Det<'_, S> {
    /// Writes the results of a group that has its statuses, from U's diagonals, of which number k is at `diagonal(k)`,
    /// and from whether the numbers of exchanges are odd, a bit a lane.
    ///
    /// # Safety
    /// The diagonals have been written, and the CPU has the instructions.
    #[inline(always)]
    unsafe fn write<N: Number<Scalar = S>>(
        &mut self,
        first: usize,
        n: usize,
        diagonal: impl Fn(usize) -> *mut N::Real,
        odd: u32,
    ) {
        let lanes = DoublesOf::<N>::LANES;
        let last = self.status.len().min(first + N::Vector::LANES);
        for group in (first..last).step_by(lanes) {
            // SAFETY: the caller's promise.
            let logs = unsafe {
                let zero = <DoublesOf<N> as Vector>::splat(0.0);
                let mut product = factor::<N>(diagonal(0).add(group - first), zero);
                for k in 1..n {
                    product = product.combine(factor::<N>(diagonal(k).add(group - first), zero));
                }
                product.logs()
            };
            for b in group..last.min(group + lanes) {
                let sign = if odd >> (b - first) & 1 == 0 { 1.0 } else { -1.0 };
                // SAFETY: the caller's promise.
                unsafe {
                    match self.status[b] {
                        0 => logs.write(b - group, sign, self.det, b),
                        NON_FINITE => write(self.det, b, LogProduct::NAN),
                        _ => write(self.det, b, LogProduct::ZERO),
                    }
                }
            }
        }
    }
}

/// As many elements of a diagonal as there are lanes of doubles, as products.
///
/// # Safety
/// They have been written, and the CPU has the instructions.
#[inline(always)]
unsafe fn factor<N: Number>(at: *const N::Real, zero: DoublesOf<N>) -> LogProducts<DoublesOf<N>> {
    // SAFETY: the caller's promise.
    unsafe {
        let re = N::Vector::load_doubles(at);
        if N::PARTS == 1 {
            return LogProducts::new(re, None, zero);
        }
        LogProducts::new(re, Some(N::Vector::load_doubles(at.add(N::Vector::LANES))), zero)
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
            let statuses = statuses::<N>(factors.first_zero, factors.is_finite());
            write_statuses::<N>(statuses, &mut det.status[group.clone()]);
            let mut diagonal = [factors.first_zero; 2 * MAX_ORDER];
            let diagonal = diagonal.as_mut_ptr();
            for k in 0..M {
                factors.factors()[k][k].store(diagonal.add(k * N::PARTS).cast());
            }
            det.write::<N>(group.start, M, |k| diagonal.add(k * N::PARTS).cast(), factors.is_odd());
        }
    }
}
