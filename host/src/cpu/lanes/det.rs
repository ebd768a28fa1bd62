//! Determinants for a group.

use kernels_gpu::det_product::LogProduct;
use kernels_gpu::lu::NON_FINITE;
use kernels_gpu::scalar::{Real, Scalar};

use super::block::Block;
use super::exchange::Exchange;
use super::group::{Group, Lanes};
use super::interleave::interleave;
use super::isa::{Isa, LaneScalar};
use super::number::{Mask, Number};
use super::operation::{self, Operation, statuses, with_small_order};
use super::small::{self, MAX_ORDER, Small};
use super::vector::Vector;
use super::widened::Widened;
use super::workspace::{Room, Workspace};
use super::{eliminate, single};
use crate::element::Element;

/// det A as (det A / |det A|, log |det A|): shape (matrices) each. The first is exactly 1 or -1 for real types.
///
/// Singular gives (0, -inf), order 0 gives (1, 0), and factors that are not finite give NaN for both. Statuses are as
/// [`factor`](super::factor())'s: shape (matrices).
///
/// # Safety
/// `a` may be read, n x n, from one to `isa.lanes()` matrices, and nobody writes them meanwhile.
///
/// # Panics
/// If the workspace was made for less, or the slices are not of their shapes.
pub(crate) unsafe fn det<E: Element>(
    isa: Isa,
    workspace: &mut Workspace,
    a: Group<'_, E>,
    n: usize,
    phase: &mut [E::Scalar],
    log_abs: &mut [<E::Scalar as Scalar>::Real],
    status: &mut [i32],
) {
    let counts = [a.starts.len(), phase.len(), log_abs.len(), status.len()];
    operation::count(isa.lanes::<E::Scalar>(), &counts);
    let (room, copies) = workspace.room::<E>(isa, n, 0);
    if n == 0 {
        phase.fill(Scalar::ONE);
        log_abs.fill(Scalar::ZERO);
        return status.fill(0);
    }
    // SAFETY: the caller's promise, and the workspace has room.
    unsafe {
        let a = Widened::of(&a, n, n, copies);
        operation::run(isa, Det { a: a.group(), n, phase, log_abs, status }, room);
    }
}

struct Det<'a, S: Scalar> {
    a: Group<'a, S>,
    /// Order of the matrices.
    n: usize,
    /// Shape (matrices).
    phase: &'a mut [S],
    /// Shape (matrices).
    log_abs: &'a mut [S::Real],
    /// Shape (matrices).
    status: &'a mut [i32],
}

impl<S: LaneScalar> Operation for Det<'_, S> {
    type Scalar = S;

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = S>>(self, mut room: Room<'_>) {
        if single::suits::<N>(self.status.len(), self.n) {
            let n = self.n;
            for w in 0..self.status.len() {
                // SAFETY: the caller's promise.
                unsafe {
                    let (a, _, pivots) = single::room(&mut room, n);
                    single::load(&self.a, (w, 0), n, a);
                    self.status[w] = N::Vector::call(single::Factor { a: &mut *a, pivots: &mut *pivots });
                    (self.phase[w], self.log_abs[w]) =
                        parts(self.status[w], (0..n).map(|k| (a[k * n + k], pivots[k] as usize == k)));
                }
            }
            return;
        }
        let (n, from) = (self.n, self.a.lanes::<N>());
        let block = Block::<N>::new(room.block.cast(), n);
        // SAFETY: the caller's promise.
        let (first_zero, finite) = unsafe {
            if n <= MAX_ORDER {
                with_small_order!(n, factor_small::<N>(&from, block, room.exchanges))
            } else {
                interleave(&from, n, n, block);
                let first_zero = eliminate::factor::<N, false>(block, room.exchanges);
                (first_zero, block.is_finite(n, 0..n))
            }
        };
        let statuses = statuses::<N>(first_zero, finite);
        self.status.copy_from_slice(&statuses[..self.status.len()]);
        for w in 0..self.status.len() {
            // SAFETY: the diagonal has been written.
            let factor = |k: usize| (unsafe { block.lane(k, k, w) }, room.exchanges[k].row::<N>(w) == k);
            (self.phase[w], self.log_abs[w]) = parts(self.status[w], (0..n).map(factor));
        }
    }
}

/// Phase and logarithm of a determinant, from the status, U's diagonal, and whether each of its rows stayed where it was.
#[inline(always)]
fn parts<S: Scalar>(status: i32, diagonal: impl Iterator<Item = (S, bool)>) -> (S, S::Real) {
    if status == NON_FINITE {
        return (S::NAN, S::Real::NAN);
    }
    let product = diagonal.fold(LogProduct::ONE, |product, (u, stayed)| {
        let product = product.times(u.to_c64());
        if stayed { product } else { product.negate() }
    });
    (S::from_c64(product.phase()), S::Real::from_f64(product.log_abs()))
}

/// Loads and factors in registers, and writes the diagonal to the block.
///
/// # Safety
/// As for [`Operation::run`].
#[inline(always)]
unsafe fn factor_small<N: Number, const M: usize>(
    from: &Lanes<N>,
    block: Block<N>,
    exchanges: &mut [Exchange],
) -> (N::Vector, Mask<N>) {
    // SAFETY: the caller's promise.
    unsafe {
        let factors = Small::<N, M>::factor(small::load(from, block));
        exchanges.copy_from_slice(&factors.exchanges());
        for k in 0..M {
            block.set(k, k, factors.factors()[k][k]);
        }
        (factors.first_zero, factors.is_finite())
    }
}
