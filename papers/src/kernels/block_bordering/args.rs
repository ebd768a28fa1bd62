//! The arguments of all steps, how many blocks of threads each has, and the memory that they share.

use simt::global::Global;
use simt::math::Fused;
use simt::{Pod, block};

use crate::kernels::block_bordering::SQUARE;
use crate::kernels::block_bordering::schur::CHUNK;
use kernels_gpu::schedule::multi_block::update::{TILE_COLUMNS, TILE_ROWS};
use kernels_gpu::schedule::multi_block::{COLUMNS, ColumnBlocks};
use kernels_gpu::shape::{quotient, round_up};
use numbers::matrix::Matrices;

/// Blocks of threads that a GPU of 132 multiprocessors runs at a time, two on each.
const RESIDENT: u32 = 264;
/// Slices of a product at most.
const MAX_SLICES: u32 = 8;
/// Columns of X that take as long as what a block of threads does besides.
const OVERHEAD: u32 = 128;

/// A step: a border of `width` columns around the leading k x k block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Division {
    /// Order of the matrices.
    pub n: u32,
    /// Columns of a border, a multiple of [`COLUMNS`].
    pub block: u32,
    /// Order of the leading block, a multiple of `block`.
    pub k: u32,
    /// Columns of this border: `block`, or what is left of the matrix.
    pub width: u32,
    /// Columns of X in a slice of the product, a multiple of [`COLUMNS`].
    pub slice: u32,
}

/// A kernel of a step, or one of those before and after all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kernel {
    Pack,
    Product,
    Schur,
    Sum,
    Scale,
    Update,
    Unpack,
    Status,
    Fill,
}

impl Division {
    /// The step that borders the leading k x k block of matrices of order `n`.
    #[must_use]
    pub fn new(n: u32, block: u32, k: u32) -> Self {
        let step = Self { n, block, k, width: block.min(n - k), slice: k };
        let tiles = step.row_tiles() * step.column_tiles();
        let slice = |slices: u32| round_up(k.div_ceil(slices), COLUMNS).max(COLUMNS);
        // The blocks of threads take turns; the matrices of a batch are divided alike, whatever their number.
        let turns = |slices: u32| (tiles * k.div_ceil(slice(slices))).div_ceil(RESIDENT);
        let best = (1..=MAX_SLICES).min_by_key(|&slices| turns(slices) * (slice(slices) + OVERHEAD));
        Self { slice: slice(best.unwrap_or(1)), ..step }
    }

    /// Blocks of threads of a kernel for a matrix.
    #[inline(always)]
    #[must_use]
    pub fn blocks(&self, kernel: Kernel) -> u64 {
        let blocks = match kernel {
            Kernel::Pack | Kernel::Unpack | Kernel::Fill => self.copies(),
            Kernel::Product => self.row_tiles() * self.column_tiles() * self.slices(),
            Kernel::Schur => self.chunks() * self.column_tiles() * self.corner_tiles(),
            Kernel::Sum => self.padded() * self.padded() / COLUMNS,
            Kernel::Scale => (self.row_tiles() + self.corner_tiles()) * self.column_tiles(),
            Kernel::Update => 2 * triangular(self.k.div_ceil(SQUARE)),
            Kernel::Status => 1,
        };
        blocks.into()
    }

    /// Columns of this border, in whole blocks of columns.
    #[inline(always)]
    #[must_use]
    pub const fn padded(&self) -> u32 {
        round_up(self.width, COLUMNS)
    }

    /// Tiles of the rows of W.
    #[inline(always)]
    #[must_use]
    pub const fn row_tiles(&self) -> u32 {
        self.k.div_ceil(TILE_ROWS)
    }

    /// Tiles of the columns of W, and of S.
    #[inline(always)]
    #[must_use]
    pub const fn column_tiles(&self) -> u32 {
        self.width.div_ceil(TILE_COLUMNS)
    }

    /// Tiles of the rows of S.
    #[inline(always)]
    #[must_use]
    pub const fn corner_tiles(&self) -> u32 {
        self.width.div_ceil(TILE_ROWS)
    }

    /// Slices of the product.
    #[inline(always)]
    #[must_use]
    pub const fn slices(&self) -> u32 {
        quotient(self.k + self.slice - 1, self.slice)
    }

    /// Parts of B^H W.
    #[inline(always)]
    #[must_use]
    pub const fn chunks(&self) -> u32 {
        self.k.div_ceil(CHUNK)
    }

    /// Tiles of [`COLUMNS`] x [`COLUMNS`] that are copied.
    #[inline(always)]
    #[must_use]
    pub const fn copies(&self) -> u32 {
        triangular(self.n.div_ceil(COLUMNS))
    }
}

/// Tiles on and above the diagonal, of so many rows and columns of them.
const fn triangular(tiles: u32) -> u32 {
    tiles * (tiles + 1) / 2
}

/// Row and column of tile `index` of those on and above the diagonal, which are counted column after column.
#[inline(always)]
#[must_use]
pub fn upper_tile(index: u32) -> (u32, u32) {
    // The root is rounded, so the column may be one too many, or one too few.
    let mut column = (Fused::sqrt(2.0 * index as f32 + 0.25) - 0.5) as u32;
    if triangular(column) > index {
        column -= 1;
    }
    if triangular(column + 1) <= index {
        column += 1;
    }
    (index - triangular(column), column)
}

/// Arguments of the kernels. Arrays that kernels share are aligned to 16 bytes; what is said to have a size of a step
/// is laid out anew in each.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BlockArgs<T: Pod> {
    /// Hermitian matrices, n x n; the upper triangle is read, and of the diagonal the real part.
    pub a: Matrices<T>,
    /// Their inverses, n x n. May be `a`.
    pub inverse: Matrices<T>,
    /// The workspace, X in its leading k x k block: shape (batch, column blocks, n, COLUMNS).
    pub work: Global<T>,
    /// W: shape (batch, block / COLUMNS, n, COLUMNS).
    pub w: Global<T>,
    /// Slices of W, of a step: shape (batch, slices, block / COLUMNS, k, COLUMNS).
    pub slices: Global<T>,
    /// Parts of B^H W, of a step: shape (batch, chunks, block, block).
    pub parts: Global<T>,
    /// S, and then its inverse, row after row: shape (batch, block, block).
    pub corner: Global<T>,
    /// What the inversion of S says: shape (batch).
    pub corner_status: Global<i32>,
    /// 1 where a tile of the inverse is not finite: shape (batch, copies).
    pub flags: Global<u32>,
    /// 0, the order of the first leading block that is singular, of those with whole borders, or
    /// [`NON_FINITE`](numbers::status::NON_FINITE): shape (batch). Set in the first step, then kept up.
    pub status: Global<i32>,
    /// First matrix of this launch.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// The step.
    pub step: Division,
}

impl<T: Pod> BlockArgs<T> {
    /// The matrix that this block of threads works on, where `blocks` of them share one, and this one's number among
    /// these.
    #[inline(always)]
    pub(super) fn share(&self, blocks: u32) -> (u64, u32) {
        let matrix = quotient(block::index(), blocks);
        (self.first + matrix as u64, block::index() - matrix * blocks)
    }

    /// Array `index` of those of `numbers` each.
    #[inline(always)]
    fn array(array: Global<T>, index: u64, numbers: u64) -> Global<T> {
        array.offset((index * numbers) as i64)
    }

    /// The workspace of matrix `b`: n x n.
    #[inline(always)]
    pub(super) fn x(&self, b: u64) -> ColumnBlocks<T> {
        let n = self.step.n;
        ColumnBlocks { first: Self::array(self.work, b, n as u64 * round_up(n, COLUMNS) as u64), rows: n }
    }

    /// W of matrix `b`: n x block.
    #[inline(always)]
    pub(super) fn w(&self, b: u64) -> ColumnBlocks<T> {
        let n = self.step.n;
        ColumnBlocks { first: Self::array(self.w, b, n as u64 * self.step.block as u64), rows: n }
    }

    /// A slice of W of matrix `b`: k x block.
    #[inline(always)]
    pub(super) fn slice(&self, b: u64, slice: u32) -> ColumnBlocks<T> {
        let Division { k, block, .. } = self.step;
        let index = b * self.step.slices() as u64 + slice as u64;
        ColumnBlocks { first: Self::array(self.slices, index, k as u64 * block as u64), rows: k }
    }

    /// A part of B^H W of matrix `b`: shape (block, block).
    #[inline(always)]
    pub(super) fn part(&self, b: u64, chunk: u32) -> Global<T> {
        let block = self.step.block as u64;
        Self::array(self.parts, b * self.step.chunks() as u64 + chunk as u64, block * block)
    }

    /// S of matrix `b`, or its inverse: shape (block, block).
    #[inline(always)]
    pub(super) fn corner(&self, b: u64) -> Global<T> {
        let block = self.step.block as u64;
        Self::array(self.corner, b, block * block)
    }

    /// The flags of matrix `b`: shape (copies).
    #[inline(always)]
    pub(super) fn flags(&self, b: u64) -> Global<u32> {
        self.flags.offset((b * self.step.copies() as u64) as i64)
    }
}
