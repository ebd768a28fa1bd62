//! Both triangles, for the rows of a warp.

use simt::hint::opaque;

use crate::collective::divisors::Divisors;
use crate::collective::mma::Mma;
use crate::schedule::from_factors::ring::Ring;
use crate::schedule::from_factors::rows::Rows;
use crate::schedule::from_factors::steps::{Chunk, rotate, step_lower, step_upper, subtract};
use crate::schedule::from_factors::{min, panels};

/// X = B M1^-1 M2^-1, or with one triangle alone, by all warps of a block, each with its own rows. Returns whether this
/// lane's elements are finite, of both triangles.
///
/// `UPPER_IS_UNIT` and `LOWER_IS_UNIT` tell which triangle has ones on the diagonal: that of multipliers, so that
/// numbers of X, but not of the triangle, may be subnormal.
#[inline(always)]
pub(super) fn solve<
    T: Mma,
    const PANELS: usize,
    const TILES: usize,
    const UPPER_IS_UNIT: bool,
    const LOWER_IS_UNIT: bool,
    const IS_TRIANGLE: bool,
>(
    rows: &impl Rows<T>,
    ring: &mut Ring<T, PANELS, IS_TRIANGLE>,
    divisors: &Divisors<T>,
    is_lower: bool,
    n: u32,
) -> bool {
    let mut x = [[T::ZEROS; PANELS]; TILES];
    if IS_TRIANGLE && is_lower {
        park::<T, TILES>(rows, n);
        let last = (panels(n) - 1) / PANELS as u32 * PANELS as u32;
        return lower::<T, PANELS, TILES, LOWER_IS_UNIT, IS_TRIANGLE>(&mut x, last, rows, ring, divisors, n);
    }
    let last = upper::<T, PANELS, TILES, UPPER_IS_UNIT, IS_TRIANGLE>(&mut x, rows, ring, divisors, n);
    if IS_TRIANGLE {
        store::<T, PANELS, TILES>(rows, &x, last, panels(n) - last);
        return true;
    }
    lower::<T, PANELS, TILES, LOWER_IS_UNIT, IS_TRIANGLE>(&mut x, last, rows, ring, divisors, n)
}

/// Stores all right-hand sides where solutions go.
#[inline(always)]
fn park<T: Mma, const TILES: usize>(rows: &impl Rows<T>, n: u32) {
    let mut p = rows.first_panel();
    while p < panels(n) {
        for t in 0..TILES {
            rows.store(t, p, &rows.right_sides(t, p));
        }
        p += 1;
    }
}

/// The upper triangle, chunk by chunk from left to right. The last chunk stays in registers; returns its first panel.
#[inline(always)]
fn upper<T: Mma, const PANELS: usize, const TILES: usize, const IS_UNIT: bool, const IS_TRIANGLE: bool>(
    x: &mut Chunk<T, PANELS, TILES>,
    rows: &impl Rows<T>,
    ring: &mut Ring<T, PANELS, IS_TRIANGLE>,
    divisors: &Divisors<T>,
    n: u32,
) -> u32 {
    let (all, first, own) = (panels(n), ring.first(), rows.first_panel());
    let mut chunk = first / PANELS as u32 * PANELS as u32;
    loop {
        let live = min(all - chunk, PANELS as u32);
        for t in 0..TILES {
            for s in 0..PANELS {
                x[t][s] = if (s as u32) < live { rows.right_sides(t, chunk + s as u32) } else { T::ZEROS };
            }
        }
        let mut k = first;
        while k < chunk {
            let stage = ring.advance();
            if k >= own {
                subtract::<T, PANELS, TILES, IS_UNIT>(x, &stored::<T, TILES>(rows, k), stage, live);
            }
            k += 1;
        }
        let mut at = 0;
        while at < opaque(PANELS as u32) {
            let k = chunk + at;
            let is_there = at < live && k >= first;
            let stage = if is_there { ring.advance() } else { ring.any_stage() };
            if is_there && k >= own {
                step_upper::<T, PANELS, TILES, IS_UNIT>(x, (stage, divisors), (k, at, live));
            } else {
                rotate::<T, PANELS, TILES, false>(x);
            }
            at += 1;
        }
        if chunk + PANELS as u32 >= all {
            return chunk;
        }
        store(rows, x, chunk, PANELS as u32);
        chunk += PANELS as u32;
    }
}

/// The lower triangle, chunk by chunk from right to left, beginning with the one in registers, or, if there is no other
/// triangle, with what is stored.
#[inline(always)]
fn lower<T: Mma, const PANELS: usize, const TILES: usize, const IS_UNIT: bool, const IS_TRIANGLE: bool>(
    x: &mut Chunk<T, PANELS, TILES>,
    last: u32,
    rows: &impl Rows<T>,
    ring: &mut Ring<T, PANELS, IS_TRIANGLE>,
    divisors: &Divisors<T>,
    n: u32,
) -> bool {
    let (all, own) = (panels(n), rows.first_panel());
    let has_rows = own < all;
    let mut finite = true;
    let mut chunk = last;
    loop {
        let live = min(all - chunk, PANELS as u32);
        if IS_TRIANGLE || chunk < last {
            for t in 0..TILES {
                for s in 0..PANELS {
                    let p = chunk + s as u32;
                    x[t][s] = if p >= own { rows.load(t, p) } else { T::ZEROS };
                }
            }
        }
        let mut k = all;
        while k > chunk + PANELS as u32 {
            k -= 1;
            let stage = ring.advance();
            if has_rows {
                subtract::<T, PANELS, TILES, IS_UNIT>(x, &stored::<T, TILES>(rows, k), stage, live);
            }
        }
        let mut at = opaque(PANELS as u32);
        while at > 0 {
            at -= 1;
            let stage = if at < live { ring.advance() } else { ring.any_stage() };
            if at < live && has_rows {
                step_lower::<T, PANELS, TILES, IS_UNIT>(x, (stage, divisors), (chunk + at, at));
            } else {
                rotate::<T, PANELS, TILES, true>(x);
            }
        }
        for t in 0..TILES {
            for s in 0..PANELS {
                for e in 0..4 {
                    finite &= T::get(&x[t][s], e).is_finite();
                }
            }
        }
        store(rows, x, chunk, live);
        if chunk == 0 {
            return finite;
        }
        chunk -= PANELS as u32;
    }
}

/// Panel `k` of a warp's rows, as it was stored.
#[inline(always)]
fn stored<T: Mma, const TILES: usize>(rows: &impl Rows<T>, k: u32) -> [T::Tile; TILES] {
    let mut tiles = [T::ZEROS; TILES];
    for t in 0..TILES {
        tiles[t] = rows.load(t, k);
    }
    tiles
}

/// Stores `live` panels of a chunk.
#[inline(always)]
fn store<T: Mma, const PANELS: usize, const TILES: usize>(
    rows: &impl Rows<T>,
    x: &Chunk<T, PANELS, TILES>,
    chunk: u32,
    live: u32,
) {
    for t in 0..TILES {
        for s in 0..PANELS {
            if (s as u32) < live {
                rows.store(t, chunk + s as u32, &x[t][s]);
            }
        }
    }
}
