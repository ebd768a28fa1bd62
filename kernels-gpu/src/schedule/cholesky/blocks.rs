//! A 16 x 16 block in a warp's registers: two tiles side by side; from and to device memory, and as factors.

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::cholesky::BLOCK;
use numbers::matrix::Strided;

/// This lane's part of a block.
pub(super) type Block<T> = [<T as Mma>::Tile; 2];

/// Calls `f` for each element of this lane in block (i, j), which lies in the matrix but for rows from `n` on: with the
/// tile, the number in the tile, and where it is.
#[inline(always)]
fn each<T: Mma>(
    matrix: &impl Strided<T>,
    n: u32,
    (i, j): (u32, u32),
    mut f: impl FnMut(usize, usize, simt::global::Global<T>),
) {
    let (row, column) = (i * BLOCK + fragment::row(), j * BLOCK + fragment::column());
    let (down, right) = (8 * matrix.row_stride(), matrix.col_stride());
    let first = matrix.at(row, column);
    for half in 0..2 {
        if row + 8 * (half as u32) < n {
            let first = first.offset(half as i64 * down);
            for h in 0..2 {
                for e in 0..2 {
                    f(h, 2 * half + e, first.offset((8 * h + e) as i64 * right));
                }
            }
        }
    }
}

/// Block (i, j) of -A, below the diagonal; zeros where the matrix has ended.
#[inline(always)]
pub(super) fn load<T: Mma>(a: &impl Strided<T>, n: u32, at: (u32, u32)) -> Block<T> {
    let mut block = [T::ZEROS; 2];
    each(a, n, at, |h, e, at| T::set(&mut block[h], e, -at.load(0)));
    block
}

/// Block (p, p), with zeros above the diagonal.
#[inline(always)]
pub(super) fn load_diagonal<T: Mma>(a: &impl Strided<T>, n: u32, p: u32) -> Block<T> {
    let mut block = [T::ZEROS; 2];
    for half in 0..2 {
        for h in 0..2 {
            for e in 0..2 {
                let row = fragment::row() + 8 * half as u32;
                let column = 8 * h as u32 + fragment::column() + e as u32;
                if row >= column && p * BLOCK + row < n {
                    let x = a.load(p * BLOCK + row, p * BLOCK + column);
                    T::set(&mut block[h], 2 * half + e, -x);
                }
            }
        }
    }
    block
}

/// A unit matrix where the matrix of order `n` has ended in block (p, p) of -A.
#[inline(always)]
pub(super) fn extend_diagonal<T: Mma>(block: &mut Block<T>, n: u32, p: u32) {
    for half in 0..2 {
        for h in 0..2 {
            for e in 0..2 {
                let row = fragment::row() + 8 * half as u32;
                let column = 8 * h as u32 + fragment::column() + e as u32;
                if row == column && p * BLOCK + row >= n {
                    T::set(&mut block[h], 2 * half + e, -T::ONE);
                }
            }
        }
    }
}

/// A block, element by element.
#[inline(always)]
pub(super) fn map<T: Mma>(block: &Block<T>, f: impl Fn(T) -> T) -> Block<T> {
    let mut mapped = [T::ZEROS; 2];
    for h in 0..2 {
        for e in 0..4 {
            T::set(&mut mapped[h], e, f(T::get(&block[h], e)));
        }
    }
    mapped
}

/// Stores block (i, j) of L, of which `block` is the negative, below the diagonal.
#[inline(always)]
pub(super) fn store<T: Mma>(l: &impl Strided<T>, n: u32, at: (u32, u32), block: &Block<T>) {
    each(l, n, at, |h, e, at| at.store(0, -T::get(&block[h], e)));
}

/// Stores zeros above the diagonal where the block below is (i, j).
#[inline(always)]
pub(super) fn zero<T: Mma>(l: &impl Strided<T>, n: u32, at: (u32, u32)) {
    each(&l.transposed(), n, at, |_, _, at| at.store(0, T::ZERO));
}

/// The tile as the left factor of a product: its columns in the order in which lanes hold them.
#[inline(always)]
pub(super) fn left<T: Mma>(tile: &T::Tile) -> T::Tile {
    let mut left = T::ZEROS;
    for part in 0..T::PARTS {
        let x = tile.as_ref()[part];
        left.as_mut()[part] = [x[0], x[2], x[1], x[3]];
    }
    left
}

/// The conjugate transpose of the tile's upper or lower 8 rows as the right factor, its rows in the same order.
#[inline(always)]
pub(super) fn right<T: Mma>(tile: &T::Tile, half: usize) -> T::Row {
    let mut right = T::NO_ROW;
    for e in 0..2 {
        let parts = T::get(tile, 2 * half + e).conj().to_parts();
        for part in 0..T::PARTS {
            right.as_mut()[part][e] = parts[part];
        }
    }
    right
}
