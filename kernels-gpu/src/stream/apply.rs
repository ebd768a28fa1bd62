//! Panels before a panel applied to it.

use core::ops::Range;

use simt::global::Global;
use simt::hint::opaque;
use simt::{pipeline, warp};

use crate::matrix::GlobalMatrix;
use crate::product::Product;
use crate::stream::board::{Board, TILE};
use crate::stream::strip::Strip;
use crate::stream::upper::Sink;
use crate::stream::{NB, Place};

/// Sends for panel `p` of a matrix of order `n`, as it is in A, zeros beyond up to row `height`.
#[inline(always)]
pub fn request<T: Product>(to: Strip<T>, height: u32, a: &GlobalMatrix<T>, p: u32, n: u32) {
    let first = p * NB as u32;
    if a.rows_are_close() {
        let mut i = opaque(warp::lane());
        while i < height {
            if first + NB as u32 <= n {
                copy_row(to, i, a, first, |_| i < n);
            } else {
                copy_row(to, i, a, first, |c| i < n && first + c < n);
            }
            i += warp::SIZE;
        }
    } else {
        let (mut i, c) = (warp::lane() / NB as u32, warp::lane() % NB as u32);
        while i < height {
            to.copy(i, c, a.at(i, first + c), i < n && first + c < n);
            i += warp::SIZE / NB as u32;
        }
    }
    pipeline::commit();
}

/// Begins to copy row `i` from column `first` on, zeros where it is not wanted.
#[inline(always)]
fn copy_row<T: Product>(to: Strip<T>, i: u32, a: &GlobalMatrix<T>, first: u32, is_wanted: impl Fn(u32) -> bool) {
    let mut from = a.at(i, first);
    for c in 0..NB as u32 {
        to.copy(i, c, from, is_wanted(c));
        from = from.offset(a.col_stride());
    }
}

/// A panel as tiles of 16 rows. When two panels have been applied, their rows are done, and tiles move up by one.
pub struct Tiles<T: Product, const B: usize> {
    pub(super) x: [T::Tile; B],
}

impl<T: Product, const B: usize> Tiles<T, B> {
    /// Panel `p`, which came in, its rows where interchanges have brought them. Sends for the next one.
    #[inline(always)]
    pub fn take(board: &Board<T>, a: &GlobalMatrix<T>, p: u32, n: u32) -> Self {
        let place = Place::own();
        let mut x = [T::ZEROS; B];
        for t in 0..B {
            if (t as u32) < board.tiles(0) {
                for h in 0..2 {
                    let origin = board.origins.load(TILE * t as u32 + 8 * h as u32 + place.i);
                    let pair = board.stage.load_pair_of(origin, place.j);
                    T::set(&mut x[t], 2 * h, pair[0]);
                    T::set(&mut x[t], 2 * h + 1, pair[1]);
                }
            }
        }
        warp::sync(warp::ALL); // all lanes have read it
        if (p + 1) * (NB as u32) < n {
            request(board.stage, board.height(0), a, p + 1, n);
        }
        Self { x }
    }

    /// Columns 2 j and 2 j + 1 of row i of half `h` of tile `t`.
    #[inline(always)]
    pub fn pair(&self, t: usize, h: usize) -> [T; 2] {
        [T::get(&self.x[t], 2 * h), T::get(&self.x[t], 2 * h + 1)]
    }

    /// Applies panels `panels` to panel `p`, and stores their rows of U. Whether these are finite.
    #[inline(always)]
    pub fn apply(&mut self, board: &Board<T>, to: &impl Sink<T>, panels: Range<u32>, p: u32, n: u32) -> bool {
        let (mut finite, mut q) = (true, panels.start);
        let (mut at, step) = (place_of_u(to, (q, p)), NB as i64 * to.row_step());
        let mut next = || {
            let this = at;
            at = at.offset(opaque(step)); // else there is a pointer for each element
            this
        };
        if q % 2 == 1 && q < panels.end {
            finite &= self.apply_one::<1>(board, to, next(), (q, p), n);
            q += 1;
        }
        while q < panels.end {
            finite &= self.apply_one::<0>(board, to, next(), (q, p), n);
            if q + 1 < panels.end {
                finite &= self.apply_one::<1>(board, to, next(), (q + 1, p), n);
            }
            q += 2;
        }
        finite
    }

    /// Tiles to which a panel is applied at once: products are chains, which a warp alone has to hide itself. Others have fewer registers.
    const fn at_once(warps: u32) -> usize {
        match (warps, T::PARTS, size_of::<T>()) {
            (1, ..) => B.div_ceil(2),
            (_, 1, 8) => 2,
            _ => 1,
        }
    }

    /// Applies panel `q` to panel `p`. Its pivot rows are half `H` of the first tile; this lane's part of U goes to `at`.
    #[inline(always)]
    fn apply_one<const H: usize>(
        &mut self,
        board: &Board<T>,
        to: &impl Sink<T>,
        at: Global<T>,
        (q, p): (u32, u32),
        n: u32,
    ) -> bool {
        let (place, panel) = (Place::own(), board.panel(q));
        let rows = board.rows(q);
        T::store_pair(rows.offset(place.i * Board::<T>::ROW + place.j), self.pair(0, H));
        warp::sync(warp::ALL);
        let from = rows.offset(place.i);
        let u = rows_of_u(|k| from.load(k as u32 * Board::<T>::ROW), |k| panel.load_first(k as u32, k));
        let finite = store_u(u, to, at, p, n);
        let factor = factor(u);
        let (tiles, at_once) = (board.tiles(q), Self::at_once(board.warps()));
        for first in H..B {
            if (first - H).is_multiple_of(at_once) && (first as u32) < tiles {
                let group = first..B.min(first + at_once);
                let mut l = [[[T::ZERO; 2]; 2]; B];
                for t in group.clone() {
                    // Of a tile that is not there the product does not matter.
                    let at = if t == first { t as u32 } else { (t as u32).min(tiles - 1) };
                    let lower = panel.skip(2 * at + 1 - H as u32).load_pair(place.i, place.j);
                    // The pivot rows are done: what is added to them does not matter.
                    let upper = if t == 0 { lower } else { panel.skip(2 * at - H as u32).load_pair(place.i, place.j) };
                    l[t] = [upper, lower];
                }
                for t in group {
                    self.x[t - H] = add_product(self.x[t], l[t], &factor);
                }
            }
        }
        finite
    }

    /// Puts panel `p`, to which `applied` panels have been applied, all before it or all but one, into its place. Rows stay where they are.
    #[inline(always)]
    pub fn put(&self, board: &Board<T>, applied: u32, p: u32) {
        let place = Place::own();
        for t in 0..B {
            if (t as u32) < board.tiles(applied) {
                for h in 0..2 {
                    let eight = (2 * t + h) as u32;
                    if eight >= applied % 2 {
                        let eight = eight - applied % 2;
                        let strip = if applied == p { board.panel(p).skip(eight) } else { board.next(p, eight) };
                        strip.store_pair(place.i, place.j, self.pair(t, h));
                    }
                }
            }
        }
        warp::sync(warp::ALL);
    }
}

/// Rows j and j + 1 of U in column i of a panel, by substitution: element k of the pivot rows, and row k of the triangle of L. Four lanes
/// do the same: what each needs is there then.
#[inline(always)]
pub fn rows_of_u<T: Product>(row: impl Fn(usize) -> T, l: impl Fn(usize) -> [T; NB]) -> [T; 2] {
    let mut u = [T::ZERO; NB];
    for k in 0..NB {
        u[k] = row(k);
    }
    for k in 1..NB {
        let l = l(k);
        for c in 0..k {
            u[k] = u[k].sub_mul(l[c], u[c]);
        }
    }
    let j = Place::own().j as usize;
    let mut own = [u[0], u[1]];
    for k in 1..NB / 2 {
        own = if j == 2 * k { [u[2 * k], u[2 * k + 1]] } else { own };
    }
    own
}

/// Where this lane's part of U goes, rows of panel `q` in the columns of panel `p`.
#[inline(always)]
pub fn place_of_u<T: Product>(to: &impl Sink<T>, (q, p): (u32, u32)) -> Global<T> {
    let place = Place::own();
    to.place(q * NB as u32 + place.j, p * NB as u32 + place.i)
}

/// Stores it there, if panel `p` has the column. Whether it is finite.
#[inline(always)]
pub fn store_u<T: Product, S: Sink<T>>(u: [T; 2], to: &S, at: Global<T>, p: u32, n: u32) -> bool {
    if S::WHOLE || p * NB as u32 + Place::own().i < n {
        at.store(0, u[0]);
        at.store(to.row_step(), u[1]);
    }
    u[0].is_finite() & u[1].is_finite()
}

/// Minus them, as the factor of products with L.
#[inline(always)]
pub fn factor<T: Product>(u: [T; 2]) -> T::Row {
    let mut factor = T::NO_ROW;
    for e in 0..2 {
        let parts = (-u[e]).to_parts();
        for part in 0..T::PARTS {
            factor.as_mut()[part][e] = parts[part];
        }
    }
    factor
}

/// `x + l * u`, where l are pairs of rows i and i + 8.
#[inline(always)]
pub fn add_product<T: Product>(x: T::Tile, l: [[T; 2]; 2], u: &T::Row) -> T::Tile {
    let (mut sum, mut factor) = (x, T::ZEROS);
    for h in 0..2 {
        for e in 0..2 {
            T::set(&mut factor, 2 * e + h, l[h][e]);
        }
    }
    T::multiply_parts::<false>(&mut sum, &factor, u);
    sum
}
