//! A panel of columns in shared memory, row after row: a thread reads a row of its own, or all threads the same one,
//! 16 bytes at a time.

use simt::shared::Shared;

use crate::memory::vector::Vectorized;

/// Most columns of a panel, whose rows take up to 32 registers of a thread.
#[inline(always)]
const fn most_columns(element_bytes: u32) -> u32 {
    if element_bytes < 8 { 16 } else { 128 / element_bytes }
}

/// The shared memory that a panel and a word for each row of the matrix may take, so that a block gets by with 48 KiB.
pub const BYTES: u32 = 39 * 1024;

/// From a row to the next, in bytes: neighbours' first 16 bytes are in different banks.
#[inline(always)]
const fn stride_bytes(columns: u32, element_bytes: u32) -> u32 {
    let row = columns * element_bytes;
    if row > 16 { row + 16 } else { row }
}

/// What a panel may take beside a word for each of `n` rows.
#[inline(always)]
const fn left_of(bytes: u32, n: u32) -> u32 {
    if n < bytes / 4 { bytes - 4 * n } else { 0 }
}

/// Whether a panel of `rows` rows may have so many columns, if it may take `bytes` together with a word for each of the
/// matrix's `n` rows.
#[inline(always)]
#[must_use]
pub const fn fits<T: Vectorized>(columns: u32, rows: u32, n: u32, bytes: u32) -> bool {
    let size = T::KIND.size();
    columns <= most_columns(size) && rows as u64 * stride_bytes(columns, size) as u64 <= left_of(bytes, n) as u64
}

/// Numbers that the panels of a matrix of order `n` take, each as wide as [`fits`] lets it be, with its rows rounded up
/// to a multiple of its columns.
#[must_use]
pub const fn numbers<T: Vectorized>(n: u32, bytes: u32) -> u32 {
    let size = T::KIND.size();
    let columns = most_columns(size);
    let widest = (n as u64 + columns as u64 - 1) * stride_bytes(columns, size) as u64;
    let most = left_of(bytes, n) as u64;
    let wide = if widest < most { widest } else { most } as u32 / size;
    if wide < n { n } else { wide } // one column is always possible
}

/// Numbers of a square of as many rows as panels have columns, at most.
#[must_use]
pub const fn square_numbers<T: Vectorized>() -> u32 {
    let size = T::KIND.size();
    let columns = most_columns(size);
    columns * stride_bytes(columns, size) / size
}

/// `$body` for a panel of as many columns as a condition admits, which it knows as the constant `$nb`; one always is.
macro_rules! with_panel_columns {
    (|$columns:ident| $condition:expr, $nb:ident => $body:expr) => {
        $crate::memory::row_panel::with_panel_columns! { @ $columns, $condition, $nb, $body; 16 8 4 2 1 }
    };
    (@ $columns:ident, $condition:expr, $nb:ident, $body:expr; 1) => {{
        const $nb: usize = 1;
        $body
    }};
    (@ $columns:ident, $condition:expr, $nb:ident, $body:expr; $most:tt $($fewer:tt)+) => {{
        let $columns: u32 = $most;
        if $condition {
            const $nb: usize = $most;
            $body
        } else {
            $crate::memory::row_panel::with_panel_columns! { @ $columns, $condition, $nb, $body; $($fewer)+ }
        }
    }};
}

pub(crate) use with_panel_columns;

/// A panel of `NB` columns.
#[derive(Clone, Copy, Debug)]
pub struct RowPanel<T, const NB: usize> {
    elements: Shared<T>, // shape (rows, STRIDE)
}

impl<T: Vectorized, const NB: usize> RowPanel<T, NB> {
    const SIZE: u32 = T::KIND.size();
    const STRIDE: u32 = stride_bytes(NB as u32, Self::SIZE) / Self::SIZE;
    /// Columns that move in vectors; where a row is less than one, they move alone.
    const IN_VECTORS: usize = NB / T::VECTOR * T::VECTOR;

    /// The one that begins an array, at a multiple of 16 bytes.
    #[inline(always)]
    #[must_use]
    pub fn new(elements: Shared<T>) -> Self {
        Self { elements }
    }

    /// The panel from row i on.
    #[inline(always)]
    #[must_use]
    pub fn from_row(&self, i: u32) -> Self {
        Self { elements: self.elements.offset(i * Self::STRIDE) }
    }

    /// Element (i, c).
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(&self, i: u32, c: u32) -> T {
        self.elements.load(i * Self::STRIDE + c)
    }

    /// Writes element (i, c).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(&self, i: u32, c: u32, value: T) {
        self.elements.store(i * Self::STRIDE + c, value);
    }

    /// Row i.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_row(&self, i: u32) -> [T; NB] {
        self.load_row_from(i, 0)
    }

    /// Columns `first..NB` of row i, and perhaps some before; others are 0.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_row_from(&self, i: u32, first: u32) -> [T; NB] {
        let from = self.elements.offset(i * Self::STRIDE);
        let mut row = [T::ZERO; NB];
        for v in 0..NB / T::VECTOR {
            if first < ((v + 1) * T::VECTOR) as u32 {
                let part = T::load_vector(from, v as u32);
                for e in 0..T::VECTOR {
                    row[v * T::VECTOR + e] = part[e];
                }
            }
        }
        for c in Self::IN_VECTORS..NB {
            row[c] = from.load(c as u32);
        }
        row
    }

    /// Writes row i.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_row(&self, i: u32, row: &[T; NB]) {
        self.store_row_from(i, row, 0);
    }

    /// Writes what [`load_row_from`](Self::load_row_from) reads.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_row_from(&self, i: u32, row: &[T; NB], first: u32) {
        let to = self.elements.offset(i * Self::STRIDE);
        for v in 0..NB / T::VECTOR {
            if first < ((v + 1) * T::VECTOR) as u32 {
                T::store_vector(to, v as u32, row, v * T::VECTOR);
            }
        }
        for c in Self::IN_VECTORS..NB {
            to.store(c as u32, row[c]);
        }
    }
}
