//! Products of L, from the workspace, with U, in shared memory: by each warp, for rows and columns of its own.

use simt::shared::Shared;
use simt::warp;

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::multi_block::Workspace;

/// Tiles of a matrix instruction side by side, at most: as many as a panel has, and panels of L as many steps.
pub const TILES: usize = 4;

/// The rows that a lane has elements of: two in each tile, where they are there.
pub type LaneRows<const HEIGHT: usize> = [[Option<u32>; 2]; HEIGHT];

/// Tiles of a warp, or a panel of its rows of L: shape (HEIGHT, TILES).
pub type Tiles<T, const HEIGHT: usize> = [[<T as Mma>::Tile; TILES]; HEIGHT];

/// `c -= L U`, `width` tiles of c, where L is the panels of `NB` columns from column `begin` on, `panels` of them.
///
/// `l` is the first panel of L for the rows of c; afterwards, it is the one of `after`, which is on its way while the
/// last is multiplied. `negated_u` begins with the tiles' first column; from a row to the next there are `row_length`
/// numbers.
#[inline(always)]
pub fn subtract<T: Mma, const NB: usize, const HEIGHT: usize>(
    c: &mut Tiles<T, HEIGHT>,
    width: usize,
    l: &mut Tiles<T, HEIGHT>,
    work: &Workspace<T>,
    (rows, after): (&LaneRows<HEIGHT>, &LaneRows<HEIGHT>),
    (begin, panels): (u32, u32),
    (negated_u, row_length): (Shared<T>, u32),
) {
    let mut t = 0;
    while t < panels {
        let factor = *l;
        let is_last = t + 1 == panels;
        let column = begin + if is_last { 0 } else { (t + 1) * NB as u32 };
        *l = load_l::<T, NB, HEIGHT>(work, if is_last { after } else { rows }, column);
        for step in 0..NB / fragment::COLUMNS {
            let first = t * NB as u32 + 8 * step as u32 + fragment::column();
            for j in 0..width {
                let mut b = T::NO_ROW;
                for half in 0..2 {
                    let at = (first + half as u32) * row_length + 8 * j as u32 + fragment::row();
                    let parts = negated_u.load(at).to_parts();
                    for part in 0..T::PARTS {
                        b.as_mut()[part][half] = parts[part];
                    }
                }
                for i in 0..HEIGHT {
                    T::multiply_parts::<false, true>(&mut c[i][j], &factor[i][step], &b);
                }
            }
        }
        t += 1;
    }
}

/// The panel of L that begins at a column, as left factors: columns 2 j and 2 j + 1 serve as j and j + 4, those of U
/// do, too.
#[inline(always)]
pub fn load_l<T: Mma, const NB: usize, const HEIGHT: usize>(
    work: &Workspace<T>,
    rows: &LaneRows<HEIGHT>,
    column: u32,
) -> Tiles<T, HEIGHT> {
    let mut l = [[T::ZEROS; TILES]; HEIGHT];
    for i in 0..HEIGHT {
        for half in 0..2 {
            if let Some(row) = rows[i][half] {
                let from = work.at(row, column).offset(fragment::column() as i64);
                for step in 0..NB / fragment::COLUMNS {
                    let pair = T::load_global_pair(from.offset(8 * step as i64));
                    T::set(&mut l[i][step], half, pair[0]);
                    T::set(&mut l[i][step], half + 2, pair[1]);
                }
            }
        }
    }
    l
}

/// Tiles of rows in shared memory, `width` side by side; `row` says where row `half` of a lane's in tile `i` begins,
/// with the tiles' first column.
#[inline(always)]
pub fn load<T: Mma, const HEIGHT: usize>(
    rows: &LaneRows<HEIGHT>,
    width: usize,
    row: impl Fn(usize, usize) -> Shared<T>,
) -> Tiles<T, HEIGHT> {
    let mut c = [[T::ZEROS; TILES]; HEIGHT];
    for i in 0..HEIGHT {
        for half in 0..2 {
            if rows[i][half].is_some() {
                for j in 0..width {
                    let pair = T::load_pair(row(i, half).offset(8 * j as u32 + fragment::column()));
                    T::set(&mut c[i][j], 2 * half, pair[0]);
                    T::set(&mut c[i][j], 2 * half + 1, pair[1]);
                }
            }
        }
    }
    c
}

/// Writes them.
#[inline(always)]
pub fn store<T: Mma, const HEIGHT: usize>(
    c: &Tiles<T, HEIGHT>,
    rows: &LaneRows<HEIGHT>,
    width: usize,
    row: impl Fn(usize, usize) -> Shared<T>,
) {
    for i in 0..HEIGHT {
        for half in 0..2 {
            if rows[i][half].is_some() {
                for j in 0..width {
                    let pair = [T::get(&c[i][j], 2 * half), T::get(&c[i][j], 2 * half + 1)];
                    T::store_pair(row(i, half).offset(8 * j as u32 + fragment::column()), pair);
                }
            }
        }
    }
    warp::sync(warp::ALL);
}
