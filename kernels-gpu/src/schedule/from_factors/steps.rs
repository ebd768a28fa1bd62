//! The steps of a warp: products of solved panels, and the rotation of the panels that are held.

use simt::shared::Shared;
use simt::warp;

use crate::collective::divisors::Divisors;
use crate::collective::mma::Mma;
use crate::schedule::from_factors::NB;
use crate::schedule::from_factors::substitute::Diagonal;

/// The panels of a chunk that a warp holds: `[t][s]` is the tile of its rows `16 t ..` in the panel at place s.
pub(super) type Chunk<T, const PANELS: usize, const TILES: usize> = [[<T as Mma>::Tile; PANELS]; TILES];

/// A tile as the left factor of a product that is subtracted.
#[inline(always)]
fn negated_factor<T: Mma>(x: &T::Tile) -> T::Tile {
    let mut factor = T::ZEROS;
    for e in 0..4 {
        // Column 2 j serves as column j, and 2 j + 1 as j + 4; see `fragment`.
        T::set(&mut factor, e % 2 * 2 + e / 2, -T::get(x, e));
    }
    factor
}

/// A block of a row panel as the right factor.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn right_factor<T: Mma>(stage: Shared<T>, block: u32) -> T::Row {
    let pair = T::load_pair(stage.offset(block * NB * NB + 2 * warp::lane()));
    let mut row = T::NO_ROW;
    for half in 0..2 {
        let parts = pair[half].to_parts();
        for part in 0..T::PARTS {
            row.as_mut()[part][half] = parts[part];
        }
    }
    row
}

/// Subtracts the products of solved panels of another chunk with the row panel in `stage`, from `live` panels of this
/// one.
#[inline(always)]
pub(super) fn subtract<T: Mma, const PANELS: usize, const TILES: usize, const IS_DATA: bool>(
    x: &mut Chunk<T, PANELS, TILES>,
    solved: &[T::Tile; TILES],
    stage: Shared<T>,
    live: u32,
) {
    let mut factors = [T::ZEROS; TILES];
    for t in 0..TILES {
        factors[t] = negated_factor::<T>(&solved[t]);
    }
    for s in 0..PANELS {
        if (s as u32) < live {
            let right = right_factor(stage, s as u32);
            for t in 0..TILES {
                T::multiply_parts::<IS_DATA, true>(&mut x[t][s], &factors[t], &right);
            }
        }
    }
}

/// Step `k` of the upper triangle: panel k, at the first place, is solved and moves to the last one; the others move
/// one place on, those of `live` panels that come after k with their update. It is panel `at` of the chunk.
#[inline(always)]
pub(super) fn step_upper<T: Mma, const PANELS: usize, const TILES: usize, const IS_UNIT: bool>(
    x: &mut Chunk<T, PANELS, TILES>,
    (stage, divisors): (Shared<T>, &Divisors<T>),
    (k, at, live): (u32, u32, u32),
) {
    let diagonal = Diagonal::<T, true, IS_UNIT>::load(stage.offset(at * NB * NB), divisors, k);
    let (mut solved, mut factors) = ([T::ZEROS; TILES], [T::ZEROS; TILES]);
    for t in 0..TILES {
        diagonal.substitute(&mut x[t][0]);
        solved[t] = x[t][0];
        factors[t] = negated_factor::<T>(&solved[t]);
    }
    for s in 1..PANELS {
        for t in 0..TILES {
            x[t][s - 1] = x[t][s];
        }
        if at + (s as u32) < live {
            let right = right_factor(stage, at + s as u32);
            for t in 0..TILES {
                T::multiply_parts::<IS_UNIT, true>(&mut x[t][s - 1], &factors[t], &right);
            }
        }
    }
    for t in 0..TILES {
        x[t][PANELS - 1] = solved[t];
    }
}

/// Step `k` of the lower triangle, the same from the right: panel k, at the last place, is solved and moves to the
/// first one; the others move one place back, those of the chunk that come before k with their update.
#[inline(always)]
pub(super) fn step_lower<T: Mma, const PANELS: usize, const TILES: usize, const IS_UNIT: bool>(
    x: &mut Chunk<T, PANELS, TILES>,
    (stage, divisors): (Shared<T>, &Divisors<T>),
    (k, at): (u32, u32),
) {
    let diagonal = Diagonal::<T, false, IS_UNIT>::load(stage.offset(at * NB * NB), divisors, k);
    let (mut solved, mut factors) = ([T::ZEROS; TILES], [T::ZEROS; TILES]);
    for t in 0..TILES {
        diagonal.substitute(&mut x[t][PANELS - 1]);
        solved[t] = x[t][PANELS - 1];
        factors[t] = negated_factor::<T>(&solved[t]);
    }
    for back in 1..PANELS {
        let s = PANELS - 1 - back;
        for t in 0..TILES {
            x[t][s + 1] = x[t][s];
        }
        if at >= back as u32 {
            let right = right_factor(stage, at - back as u32);
            for t in 0..TILES {
                T::multiply_parts::<IS_UNIT, true>(&mut x[t][s + 1], &factors[t], &right);
            }
        }
    }
    for t in 0..TILES {
        x[t][0] = solved[t];
    }
}

/// Moves all panels of a chunk one place on, the first to the last one; if it `IS_BACK`, the other way round.
#[inline(always)]
pub(super) fn rotate<T: Mma, const PANELS: usize, const TILES: usize, const IS_BACK: bool>(
    x: &mut Chunk<T, PANELS, TILES>,
) {
    for t in 0..TILES {
        let from = x[t];
        for s in 0..PANELS {
            x[t][s] = from[(if IS_BACK { s + PANELS - 1 } else { s + 1 }) % PANELS];
        }
    }
}
