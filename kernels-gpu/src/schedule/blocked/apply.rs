//! Panels that are done applied to the slab in registers.

use core::ops::Range;

use simt::hint::opaque;
use simt::{pipeline, sync_threads, warp};

use crate::memory::matrix::GlobalMatrix;
use crate::numbers::mma::Mma;
use crate::schedule::blocked::NB;
use crate::schedule::blocked::fragment::{Place, Steps, Tile};
use crate::schedule::blocked::storage::SharedStorage;

/// The slab of a warp.
pub type Slab<T, const R: usize, const S: usize> = [Tile<T, R>; S];

/// The steps of this lane's rows.
#[inline(always)]
pub fn own_steps<T: Mma, const R: usize, const S: usize, const W: usize>(
    board: &SharedStorage<T, R, S, W>,
) -> Steps<R> {
    let own = board.steps.offset(Place::own::<R>().row);
    let mut steps = [[0; 4]; R];
    for i in 0..4 * R {
        steps[i / 4][i % 4] = own.load(8 * i as u32);
    }
    steps
}

/// Applies panels of a matrix of order `n`, which are in `matrix`, to the slab that begins with panel `held`: panels before it to
/// all of it, others to the panels before them. One barrier a panel.
#[inline(always)]
pub fn replay<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    slab: &mut Slab<T, R, S>,
    board: &SharedStorage<T, R, S, W>,
    steps: &Steps<R>,
    matrix: &GlobalMatrix<T>,
    (held, panels): (u32, Range<u32>),
    n: u32,
) {
    let mut p = panels.start;
    while p < panels.end {
        let is_concerned = |s: usize| !JORDAN || p < held || p > held + s as u32;
        send_rows::<T, R, S, W, JORDAN>(slab, board, steps, p, is_concerned);
        match SharedStorage::<T, R, S, W>::STAGES {
            2 => pipeline::wait_prior::<0>(),
            _ => pipeline::wait_prior::<1>(),
        }
        sync_threads();
        request::<T, R, S, W, JORDAN>(board, steps, matrix, p + SharedStorage::<T, R, S, W>::STAGES - 1, panels.end, n);
        let mut u = factors::<T, R, S, W, JORDAN>(board, p, 0);
        for s in 0..S {
            u[s] = if is_concerned(s) { u[s] } else { [T::ZERO; 2] };
        }
        let from = board.incoming(p).offset(2 * warp::lane());
        for i in 0..2 * R {
            let first = T::load_pair(from.offset(128 * i as u32)).map(|x| board.apart(x));
            let second = T::load_pair(from.offset(128 * i as u32 + 64)).map(|x| board.apart(x));
            for s in 0..S {
                let x = &mut slab[s][i / 2][i % 2];
                *x = T::multiply::<false>(*x, [first[0], first[1], second[0], second[1]], u[s]);
            }
        }
        p += 1;
    }
    warp::sync(warp::ALL); // all lanes have what came back
}

/// Sends for the first of these panels of a matrix of order `n`.
#[inline(always)]
pub fn request_first<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    board: &SharedStorage<T, R, S, W>,
    steps: &Steps<R>,
    matrix: &GlobalMatrix<T>,
    panels: &Range<u32>,
    n: u32,
) {
    for ahead in 0..SharedStorage::<T, R, S, W>::STAGES - 1 {
        request::<T, R, S, W, JORDAN>(board, steps, matrix, panels.start + ahead, panels.end, n);
    }
}

/// Sends for panel `p`, if it is before `end`: of this lane's rows the multipliers, zeros instead of U; or all, where `JORDAN`.
#[inline(always)]
fn request<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    board: &SharedStorage<T, R, S, W>,
    steps: &Steps<R>,
    matrix: &GlobalMatrix<T>,
    p: u32,
    end: u32,
    n: u32,
) {
    if p < end {
        let place = Place::own::<R>();
        let to = board.incoming(p).offset(2 * warp::lane());
        let column = p * NB as u32 + place.column;
        let mut first = matrix.at(opaque(place.row), column);
        for c in 0..2 {
            matrix.walk::<8>(first, |i, from| {
                if i < 4 * R {
                    let is_wanted = if JORDAN { column + c < n } else { steps[i / 4][i % 4] > column + c };
                    pipeline::copy(
                        to,
                        128 * (i as u32 / 2) + 64 * c + i as u32 % 2,
                        from,
                        is_wanted && place.row + (8 * i as u32) < n,
                    );
                }
            });
            first = first.offset(matrix.col_stride());
        }
    }
    pipeline::commit();
}

/// Applies panel `p`, which the slab has just had factored in its first tile, to the tiles after that, and moves them up.
/// One barrier.
#[inline(always)]
pub fn apply_first<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    slab: &mut Slab<T, R, S>,
    board: &SharedStorage<T, R, S, W>,
    steps: &Steps<R>,
    p: u32,
) {
    send_rows::<T, R, S, W, JORDAN>(slab, board, steps, p, |s| s > 0);
    sync_threads();
    let u = factors::<T, R, S, W, JORDAN>(board, p, 1);
    let column = p * NB as u32 + Place::own::<R>().column;
    for i in 0..2 * R {
        let mut l = slab[0][i / 2][i % 2];
        for e in 0..4 {
            let is_multiplier = JORDAN || steps[i / 2][i % 2 * 2 + e / 2] > column + (e % 2) as u32;
            l[e] = if is_multiplier { l[e] } else { T::ZERO };
        }
        for s in 1..S {
            slab[s - 1][i / 2][i % 2] = T::multiply::<false>(slab[s][i / 2][i % 2], [l[0], l[2], l[1], l[3]], u[s]);
        }
    }
}

/// Publishes the pivot rows of panel `p`, as they are in the tiles of the slab that are concerned. Where `JORDAN`, nothing is left of
/// them there: what they become is a product with M, the panel's part of the inverse, as all other rows' is a sum with one.
#[inline(always)]
fn send_rows<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    slab: &mut Slab<T, R, S>,
    board: &SharedStorage<T, R, S, W>,
    steps: &Steps<R>,
    p: u32,
    is_concerned: impl Fn(usize) -> bool,
) {
    let to = board.pivots(p).offset(Place::own::<R>().column);
    for i in 0..4 * R {
        let k = steps[i / 4][i % 4].wrapping_sub(p * NB as u32);
        if k < NB as u32 {
            let row = to.offset(k * SharedStorage::<T, R, S, W>::ROW);
            for s in 0..S {
                if is_concerned(s) {
                    let tile = &mut slab[s][i / 4][i / 2 % 2];
                    let pair = [board.apart(tile[i % 2 * 2]), board.apart(tile[i % 2 * 2 + 1])];
                    T::store_pair(row.offset((NB * s) as u32), pair);
                    if JORDAN {
                        tile[i % 2 * 2] = T::ZERO;
                        tile[i % 2 * 2 + 1] = T::ZERO;
                    }
                }
            }
        }
    }
}

/// What panel `p` is multiplied with in each tile from `first` on: minus the rows of U, which are the pivot rows that were sent
/// times the inverse of the panel's triangle of L; or the pivot rows themselves, where `JORDAN`.
#[inline(always)]
fn factors<T: Mma, const R: usize, const S: usize, const W: usize, const JORDAN: bool>(
    board: &SharedStorage<T, R, S, W>,
    p: u32,
    first: usize,
) -> [[T; 2]; S] {
    let row = SharedStorage::<T, R, S, W>::ROW;
    let from = board.pivots(p).offset(Place::own::<R>().column * row + warp::lane() / 4);
    let mut u = [[T::ZERO; 2]; S];
    for s in first..S {
        u[s] = [from.load((NB * s) as u32), from.load((NB * s) as u32 + row)];
    }
    if JORDAN {
        return u;
    }
    let inverse = T::load_pair(board.inverse(p).offset(2 * warp::lane()));
    for pair in first / 2..S.div_ceil(2) {
        // Two tiles at once, of which the second may be none.
        let (a, b) = (u[2 * pair], if 2 * pair + 1 < S { u[2 * pair + 1] } else { [T::ZERO; 2] });
        let both = T::multiply::<true>([T::ZERO; 4], [a[0], b[0], a[1], b[1]], inverse);
        u[2 * pair] = [both[0], both[1]];
        if 2 * pair + 1 < S {
            u[2 * pair + 1] = [both[2], both[3]];
        }
    }
    u
}
