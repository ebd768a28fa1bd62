//! A panel's row interchanges in the columns left of it, all at once: what ends up in a row is read from where it was.

use simt::shared::Shared;
use simt::{block, warp};

use numbers::matrix::{GlobalMatrix, View};
use numbers::scalar::Scalar;

/// Columns of a group that are on their way together.
const IN_FLIGHT: usize = 4;

/// Interchanges row `k0 + q` with `pivots[q]`, q = 0..width, in columns `0..k0`.
///
/// A column is a group's of `NB` lanes; lane q brings what ends up in row `k0 + q` and in row `pivots[q]`.
#[inline(always)]
pub(super) fn apply<T: Scalar, const NB: usize>(a: &GlobalMatrix<T>, k0: u32, width: u32, pivots: Shared<u32>) {
    let (group, q) = (warp::lane() / NB as u32, warp::lane() % NB as u32);
    let upper = k0 + q;
    let lower = if q < width { pivots.load(q) } else { upper };
    let (from_upper, from_lower) = (source(upper, k0, width, pivots), source(lower, k0, width, pivots));
    let moves_upper = q < width && from_upper != upper;
    // Of several lanes with the same lower row, the first brings it; the panel's own rows are upper rows.
    let mut moves_lower = q < width && lower >= k0 + width;
    let mut r = 0;
    while r < width {
        moves_lower &= r >= q || pivots.load(r) != lower;
        r += 1;
    }

    let groups = warp::SIZE / NB as u32; // of a warp
    let step = block::dim() / warp::SIZE * groups;
    let mut first = warp::index() * groups;
    while first < k0 {
        let column = |u: usize| first + group + u as u32 * step;
        let (mut x, mut y) = ([T::ZERO; IN_FLIGHT], [T::ZERO; IN_FLIGHT]);
        for u in 0..IN_FLIGHT {
            if moves_upper && column(u) < k0 {
                x[u] = a.load(from_upper, column(u));
            }
            if moves_lower && column(u) < k0 {
                y[u] = a.load(from_lower, column(u));
            }
        }
        warp::sync(warp::ALL);
        for u in 0..IN_FLIGHT {
            if moves_upper && column(u) < k0 {
                a.store(upper, column(u), x[u]);
            }
            if moves_lower && column(u) < k0 {
                a.store(lower, column(u), y[u]);
            }
        }
        first += IN_FLIGHT as u32 * step;
    }
}

/// The row whose content all interchanges bring to `row`.
#[inline(always)]
fn source(row: u32, k0: u32, width: u32, pivots: Shared<u32>) -> u32 {
    let mut from = row;
    let mut q = width;
    while q > 0 {
        q -= 1;
        let (upper, lower) = (k0 + q, pivots.load(q));
        if from == upper {
            from = lower;
        } else if from == lower {
            from = upper;
        }
    }
    from
}
