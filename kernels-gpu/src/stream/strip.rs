//! Panels in shared memory.

use simt::global::Global;
use simt::pipeline;
use simt::shared::Shared;

use crate::stream::NB;
use crate::wide::Wide;

/// Rows of 8 numbers: shape (rows, NB).
///
/// The 16-byte parts of a row are in another order in each of the rows that would share banks: so rows, columns and tiles
/// are all read and written with few conflicts.
#[derive(Clone, Copy)]
pub struct Strip<T> {
    numbers: Shared<T>,
}

impl<T: Wide> Strip<T> {
    /// 16-byte parts of a row.
    pub const PARTS: u32 = NB as u32 / T::VECTOR as u32;

    /// The rows that begin there.
    #[inline(always)]
    pub fn new(numbers: Shared<T>) -> Self {
        Self { numbers }
    }

    /// From row `8 * rows` on.
    #[inline(always)]
    #[must_use]
    pub fn skip(self, rows: u32) -> Self {
        Self { numbers: self.numbers.offset(8 * rows * NB as u32) }
    }

    /// Where part `part` of row `i` is.
    #[inline(always)]
    pub fn part(i: u32, part: u32) -> u32 {
        i * Self::PARTS + (part ^ (i * Self::PARTS / 8 % Self::PARTS))
    }

    /// As [`Self::part`], of all rows' parts in turn number `v`.
    #[inline(always)]
    pub fn part_of_all(v: u32) -> u32 {
        v ^ (v / 8 % Self::PARTS)
    }

    /// Where element (i, j) is.
    #[inline(always)]
    fn place(i: u32, j: u32) -> u32 {
        let vector = T::VECTOR as u32;
        Self::part(i, j / vector) * vector + j % vector
    }

    /// Element (i, j).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self, i: u32, j: u32) -> T {
        self.numbers.load(Self::place(i, j))
    }

    /// Stores element (i, j).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, i: u32, j: u32, x: T) {
        self.numbers.store(Self::place(i, j), x);
    }

    /// Begins to copy `from` to element (i, j), or zero.
    #[inline(always)]
    pub fn copy(self, i: u32, j: u32, from: Global<T>, is_wanted: bool) {
        pipeline::copy(self.numbers, Self::place(i, j), from, is_wanted);
    }

    /// Elements (i, j) and (i, j + 1), for even `j`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_pair(self, i: u32, j: u32) -> [T; 2] {
        if T::VECTOR == 1 {
            return [self.numbers.load(Self::place(i, j)), self.numbers.load(Self::place(i, j + 1))];
        }
        T::load_pair(self.numbers.offset(Self::place(i, j)))
    }

    /// Elements j and j + 1, for even `j`, of the row whose first part is there.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_pair_of(self, first: u32, j: u32) -> [T; 2] {
        let vector = T::VECTOR as u32;
        if vector == 1 {
            return [self.numbers.load(first ^ j), self.numbers.load(first ^ (j + 1))];
        }
        T::load_pair(self.numbers.offset((first ^ (j / vector)) * vector + j % vector))
    }

    /// Stores them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_pair(self, i: u32, j: u32, pair: [T; 2]) {
        if T::VECTOR == 1 {
            self.numbers.store(Self::place(i, j), pair[0]);
            self.numbers.store(Self::place(i, j + 1), pair[1]);
            return;
        }
        T::store_pair(self.numbers.offset(Self::place(i, j)), pair);
    }

    /// Row `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_row(self, i: u32) -> [T; NB] {
        self.load_first(i, NB)
    }

    /// The first `count` numbers of row `i`, and perhaps a few after.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_first(self, i: u32, count: usize) -> [T; NB] {
        let mut row = [T::ZERO; NB];
        for part in 0..NB / T::VECTOR {
            if part * T::VECTOR < count {
                let numbers = T::load_vector(self.numbers, Self::part(i, part as u32));
                for e in 0..T::VECTOR {
                    row[part * T::VECTOR + e] = numbers[e];
                }
            }
        }
        row
    }

    /// The part that is there.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_part(self, at: u32) -> [T; 4] {
        T::load_vector(self.numbers, at)
    }

    /// Stores it.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_part(self, at: u32, part: &[T; 4]) {
        T::store_vector(self.numbers, at, part, 0);
    }
}
