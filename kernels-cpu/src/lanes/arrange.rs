//! The rows of L in the order that all exchanges give them.

use super::block::Block;
use super::exchange::Exchange;
use super::number::Number;
use super::subtract::PANEL;
use super::vector::{MAX_LANES, Stage, Vector};

/// Brings the rows of the panels of L, which [`factor`](super::eliminate::factor) has left in the order of its own
/// exchanges, in that of all: each element moves once. The column after the matrix is room, as `order` is, for a
/// permutation.
///
/// # Safety
/// The block has that room, it and the exchanges are those of a factorization, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn arrange<N: Number>(a: Block<N>, exchanges: &[Exchange], order: &mut [[u32; MAX_LANES]]) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Arrange { a, exchanges, order }) }
}

struct Arrange<'a, N: Number> {
    a: Block<N>,
    /// Shape (n).
    exchanges: &'a [Exchange],
    /// Shape (n, lanes).
    order: &'a mut [[u32; MAX_LANES]],
}

impl<N: Number> Stage for Arrange<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { a, exchanges, order } = self;
        let n = exchanges.len();
        for (i, lanes) in order.iter_mut().enumerate() {
            for w in 0..N::Vector::LANES {
                lanes[w] = (i * N::SIZE + w) as u32;
            }
        }
        let mut moves = false;
        // From the last panel, which no exchange follows, to the first. The order says where rows go: an exchange that
        // comes before others exchanges two of their places.
        let last = n.saturating_sub(1) / PANEL * PANEL;
        for start in (0..last).step_by(PANEL).rev() {
            let end = start + PANEL;
            for k in (end..n.min(end + PANEL)).rev() {
                exchanges[k].exchange::<N>(order, k);
                moves |= exchanges[k].moves();
            }
            if !moves {
                continue;
            }
            for j in start..end {
                // SAFETY: the caller's promise; the order is a permutation of the rows from `end` on.
                unsafe {
                    for part in 0..N::PARTS {
                        let (from, to) =
                            (a.at(0, j).add(part * N::Vector::LANES), a.at(0, n).add(part * N::Vector::LANES));
                        for i in end..n {
                            for w in 0..N::Vector::LANES {
                                *to.add(order[i][w] as usize) = *from.add(i * N::SIZE + w);
                            }
                        }
                    }
                    for i in end..n {
                        a.set(i, j, a.get(i, n));
                    }
                }
            }
        }
    }
}
