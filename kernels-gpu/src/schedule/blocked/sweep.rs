//! The elimination of a matrix, one slab after the other.

use core::ops::Range;

use simt::hint::opaque;
use simt::sync_threads;

use crate::memory::matrix::GlobalMatrix;
use crate::numbers::mma::Mma;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::apply::{Slab, apply_first, own_steps, replay, request_first};
use crate::schedule::blocked::fragment::Place;
use crate::schedule::blocked::panel::factor;
use crate::schedule::blocked::storage::SharedStorage;

/// Eliminates the panels of `a`, of order `n`, each with what is before it: LU's, or, where `JORDAN`, Gauss-Jordan's, in which a panel
/// is then what all others need of it. Rows of the output are where they were. Whether all numbers of this lane are finite,
/// and the first zero pivot, counted from 1, or 0.
#[inline(always)]
pub fn sweep<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    a: &GlobalMatrix<T>,
    output: &GlobalMatrix<T>,
    board: &SharedStorage<T, R, S, W>,
    n: u32,
) -> (bool, u32) {
    let panels = n.div_ceil(NB as u32);
    let (mut finite, mut zero) = (true, 0);
    let mut first = 0;
    while first < panels {
        let mut slab = with_panels::<T, R, S, W, JORDAN>(a, output, board, first, 0..first, n);
        let end = if first + (S as u32) < panels { first + S as u32 } else { panels };
        let mut p = first;
        while p < opaque(end) {
            factor::<T, R, S, W, JORDAN>(&mut slab[0], board, p, n, &mut zero);
            for i in 0..8 * R {
                finite &= slab[0][i / 8][i / 4 % 2][i % 4].is_finite();
            }
            Place::own::<R>().store(&slab[0], output, p, n);
            if p + 1 < end {
                apply_first::<T, R, S, W, JORDAN>(&mut slab, board, &own_steps(board), p);
            }
            p += 1;
        }
        sync_threads();
        first = end;
    }
    (finite, zero)
}

/// The slab of `a` that begins with panel `first`, and to which these `panels` of the output have been applied.
#[inline(always)]
pub fn with_panels<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    a: &GlobalMatrix<T>,
    output: &GlobalMatrix<T>,
    board: &SharedStorage<T, R, S, W>,
    first: u32,
    panels: Range<u32>,
    n: u32,
) -> Slab<T, R, S> {
    let steps = own_steps(board);
    request_first::<T, R, S, W, JORDAN>(board, &steps, output, &panels, n);
    let mut slab = [[[[T::ZERO; 4]; 2]; R]; S];
    for s in 0..S {
        slab[s] = Place::own::<R>().load(a, first + s as u32, n).map(|rows| rows.map(|x| x.map(|x| board.apart(x))));
    }
    replay::<T, R, S, W, JORDAN>(&mut slab, board, &steps, output, (first, panels), n);
    slab
}
