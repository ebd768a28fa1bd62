//! What a block of threads keeps in shared memory.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::{pipeline, warp};

use crate::collective::fragment;
use crate::collective::mma::Mma;
use crate::schedule::cholesky::BLOCK;
use crate::schedule::cholesky::blocks::Block;
use numbers::matrix::Strided;

/// Numbers of a tile of 16 x 8.
const TILE: u32 = BLOCK * fragment::COLUMNS as u32;

/// The arrays.
#[derive(Clone, Copy)]
pub(super) struct SharedStorage<T: Mma, const IN_SHARED: bool> {
    /// Tiles of -L left of the diagonal blocks, block row after block row, each as the lanes hold it: shape
    /// (blocks(panels), 2, TILE), or nothing.
    tiles: Shared<T>,
    /// Multipliers of the diagonal block, conjugated, column after column, with zeros on the diagonal and above: shape
    /// (BLOCK, BLOCK).
    pub(super) diagonal: Shared<T>,
    /// The reciprocals of its diagonal: shape (BLOCK).
    pub(super) reciprocals: Shared<T::Real>,
    /// A diagonal block on its way from tiles to rows: shape (BLOCK, [`row_length`]).
    pub(super) scratch: Shared<T>,
    /// The status: shape (1).
    pub(super) failure: Shared<u32>,
}

/// From a row of [`SharedStorage::scratch`] to the next: vectors of neighbouring rows are in different banks.
pub(super) const fn row_length<T: Mma>() -> u32 {
    BLOCK + T::VECTOR as u32
}

/// Blocks left of the diagonal ones, in so many rows of blocks.
const fn blocks(rows: u32) -> u32 {
    rows * (rows - 1) / 2
}

/// Bytes for order `n`: `u32::MAX`, which no GPU has, where a u32 does not count them.
pub(super) fn bytes<T: Mma, const IN_SHARED: bool>(n: u32) -> u32 {
    const MOST: u32 = 4096; // rows, whose tiles no shared memory holds
    if IN_SHARED && n > MOST {
        return u32::MAX;
    }
    Layout::bytes(|layout| SharedStorage::<T, IN_SHARED>::new(layout, n))
}

impl<T: Mma, const IN_SHARED: bool> SharedStorage<T, IN_SHARED> {
    #[inline(always)]
    pub(super) fn new(layout: &mut Layout, n: u32) -> Self {
        let panels = n.div_ceil(BLOCK);
        Self {
            tiles: layout.array(if IN_SHARED && panels > 0 { blocks(panels) * 2 * TILE } else { 0 }),
            diagonal: layout.array(BLOCK * BLOCK),
            reciprocals: layout.array(BLOCK),
            scratch: layout.array(BLOCK * row_length::<T>()),
            failure: layout.array(1),
        }
    }

    /// The same with another place for what substitutions need.
    #[inline(always)]
    pub(super) fn with_diagonal(self, diagonal: Shared<T>, reciprocals: Shared<T::Real>) -> Self {
        Self { diagonal, reciprocals, ..self }
    }

    /// Where tile `k` of row `i` of blocks is.
    #[inline(always)]
    fn place(&self, (i, k): (u32, u32)) -> Shared<T> {
        self.tiles.offset((2 * blocks(i) + k) * TILE)
    }

    /// Tile `k`, of 8 columns, of row `i` of blocks: of -L, or of L where that is in device memory.
    #[inline(always)]
    pub(super) fn tile(&self, l: &impl Strided<T>, n: u32, (i, k): (u32, u32)) -> T::Tile {
        let mut tile = T::ZEROS;
        if IN_SHARED {
            let from = self.place((i, k));
            for v in 0..4 / T::VECTOR {
                let part = T::load_vector(from, v as u32 * warp::SIZE + warp::lane());
                for e in 0..T::VECTOR {
                    T::set(&mut tile, v * T::VECTOR + e, part[e]);
                }
            }
        } else {
            for half in 0..2 {
                let row = i * BLOCK + fragment::row() + 8 * half;
                for e in 0..2 {
                    if row < n {
                        let x = l.load(row, k * fragment::COLUMNS as u32 + fragment::column() + e);
                        T::set(&mut tile, (2 * half + e) as usize, x);
                    }
                }
            }
        }
        tile
    }

    /// Tile `h` of block (i, k), of those that are in shared memory.
    #[inline(always)]
    pub(super) fn kept(&self, (i, k): (u32, u32), h: u32) -> T::Tile {
        let (mut tile, from) = (T::ZEROS, self.place((i, 2 * k + h)));
        for v in 0..4 / T::VECTOR {
            let part = T::load_vector(from, v as u32 * warp::SIZE + warp::lane());
            for e in 0..T::VECTOR {
                T::set(&mut tile, v * T::VECTOR + e, part[e]);
            }
        }
        tile
    }

    /// Begins to copy block (i, k) of the matrix to where block `to` is kept; zeros where the matrix has ended. Each lane
    /// copies what it holds of the block.
    #[inline(always)]
    pub(super) fn begin_copy(&self, a: &impl Strided<T>, n: u32, (i, k): (u32, u32), to: (u32, u32)) {
        let (row, column) = (i * BLOCK + fragment::row(), k * BLOCK + fragment::column());
        let first = a.at(row, column);
        for h in 0..2 {
            let tile = self.place((to.0, 2 * to.1 + h));
            for e in 0..4 {
                let (down, right) = (8 * (e / 2), 8 * h + e % 2);
                let from = first.offset(down as i64 * a.row_stride() + right as i64 * a.col_stride());
                let place = e / T::VECTOR as u32 * warp::SIZE + warp::lane();
                pipeline::copy(tile, place * T::VECTOR as u32 + e % T::VECTOR as u32, from, row + down < n);
            }
        }
    }

    /// Keeps block (i, p) of -L for later panels.
    #[inline(always)]
    pub(super) fn keep(&self, (i, p): (u32, u32), block: &Block<T>) {
        if IN_SHARED {
            for h in 0..2 {
                let to = self.place((i, 2 * p + h as u32));
                let numbers = [0, 1, 2, 3].map(|e| T::get(&block[h], e));
                for v in 0..4 / T::VECTOR {
                    T::store_vector(to, v as u32 * warp::SIZE + warp::lane(), &numbers, v * T::VECTOR);
                }
            }
        }
    }
}
