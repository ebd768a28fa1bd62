//! Right-hand sides of small matrices, each solved for in registers.

use std::ops::Range;

use numbers::matrix::Matrices;
use numbers::scalar::Scalar;

use super::block::Block;
use super::number::{Mask, Number};
use super::room::SIDES;
use super::small::probe;
use super::square::{Contiguous, gather, scatter};
use super::vector::Vector;

/// Solves for the right-hand sides of a group, `rhs` for each matrix, and returns where the solutions are finite. Columns
/// that are contiguous stay in registers; others go by way of the block, which has room for [`SIDES`] of them.
///
/// # Safety
/// `b` may be read and `x` written, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn each<N: Number, const M: usize>(
    (b, x): (&Matrices<N::Scalar>, &Matrices<N::Scalar>),
    group: &Range<usize>,
    rhs: usize,
    block: Block<N>,
    solve: impl Fn([N; M]) -> [N; M],
) -> Mask<N> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = <N::Vector as Vector>::splat(Scalar::ZERO);
        let contiguous = Contiguous::columns::<M>(b, group, block).zip(Contiguous::columns::<M>(x, group, block));
        for j in 0..rhs {
            let (first, k) = (j - j % SIDES, j % SIDES);
            let side = match &contiguous {
                Some((b, _)) => b.load_column(j),
                None => {
                    if k == 0 {
                        gather(b, group, M, first..rhs.min(first + SIDES), block);
                    }
                    let mut side = [block.get(0, k); M];
                    for i in 1..M {
                        side[i] = block.get(i, k);
                    }
                    side
                }
            };
            let side = solve(side);
            sum = probe(side, sum);
            match &contiguous {
                Some((_, x)) => x.store_column(j, &side),
                None => {
                    for i in 0..M {
                        block.set(i, k, side[i]);
                    }
                    if j + 1 == rhs || k + 1 == SIDES {
                        scatter(block, M, x, group, first..j + 1);
                    }
                }
            }
        }
        sum.equal(sum)
    }
}
