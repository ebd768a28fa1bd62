//! A panel in shared memory, swizzled against bank conflicts.
//!
//! A row consists of 16-byte parts. Part j is stored as part j ^ s, where s differs among rows that share banks, so
//! that rows, columns and tiles are all accessed with few conflicts.

use simt::global::Global;
use simt::pipeline;
use simt::shared::Shared;

use crate::collective::fragment::COLUMNS;
use crate::memory::vector::Vectorized;
use crate::schedule::left_looking::NB;

/// Rows of 8 numbers: shape (rows, NB).
#[derive(Clone, Copy)]
pub struct SwizzledPanel<T> {
    numbers: Shared<T>,
}

impl<T: Vectorized> SwizzledPanel<T> {
    /// 16-byte parts of a row.
    pub const PARTS: u32 = NB / T::VECTOR as u32;

    /// The panel whose rows begin at `numbers`.
    #[inline(always)]
    pub fn new(numbers: Shared<T>) -> Self {
        Self { numbers }
    }

    /// The panel from row `8 * blocks` on.
    #[inline(always)]
    #[must_use]
    pub fn skip(self, blocks: u32) -> Self {
        Self { numbers: self.numbers.offset(NB * NB * blocks) }
    }

    /// Where part `part` of row `i` is stored.
    #[inline(always)]
    pub fn part(i: u32, part: u32) -> u32 {
        i * Self::PARTS + (part ^ (i * Self::PARTS / 8 % Self::PARTS))
    }

    /// Where part `v`, counted over all rows, is stored.
    #[inline(always)]
    pub fn swizzled(v: u32) -> u32 {
        v ^ (v / 8 % Self::PARTS)
    }

    /// Where element (i, j) is stored.
    #[inline(always)]
    fn index(i: u32, j: u32) -> u32 {
        let vector = T::VECTOR as u32;
        Self::part(i, j / vector) * vector + j % vector
    }

    /// Element (i, j).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load(self, i: u32, j: u32) -> T {
        self.numbers.load(Self::index(i, j))
    }

    /// Stores element (i, j).
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(self, i: u32, j: u32, x: T) {
        self.numbers.store(Self::index(i, j), x);
    }

    /// Begins to copy `from` to element (i, j), zero if it is not wanted.
    #[inline(always)]
    pub fn copy(self, i: u32, j: u32, from: Global<T>, is_wanted: bool) {
        pipeline::copy(self.numbers, Self::index(i, j), from, is_wanted);
    }

    /// Elements (i, j) and (i, j + 1), for even `j`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_pair(self, i: u32, j: u32) -> [T; 2] {
        if T::VECTOR == 1 {
            return [self.numbers.load(Self::index(i, j)), self.numbers.load(Self::index(i, j + 1))];
        }
        T::load_pair(self.numbers.offset(Self::index(i, j)))
    }

    /// Elements j and j + 1, for even `j`, of the row whose first part is stored as part `first`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_pair_of(self, first: u32, j: u32) -> [T; 2] {
        let vector = T::VECTOR as u32;
        if vector == 1 {
            return [self.numbers.load(first ^ j), self.numbers.load(first ^ (j + 1))];
        }
        T::load_pair(self.numbers.offset((first ^ (j / vector)) * vector + j % vector))
    }

    /// Stores elements (i, j) and (i, j + 1), for even `j`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_pair(self, i: u32, j: u32, pair: [T; 2]) {
        if T::VECTOR == 1 {
            self.numbers.store(Self::index(i, j), pair[0]);
            self.numbers.store(Self::index(i, j + 1), pair[1]);
            return;
        }
        T::store_pair(self.numbers.offset(Self::index(i, j)), pair);
    }

    /// Row `i`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_row(self, i: u32) -> [T; COLUMNS] {
        self.load_first(i, COLUMNS)
    }

    /// The first `count` numbers of row `i`, rounded up to whole parts, then zeros.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_first(self, i: u32, count: usize) -> [T; COLUMNS] {
        let mut row = [T::ZERO; COLUMNS];
        for part in 0..COLUMNS / T::VECTOR {
            if part * T::VECTOR < count {
                let numbers = T::load_vector(self.numbers, Self::part(i, part as u32));
                for e in 0..T::VECTOR {
                    row[part * T::VECTOR + e] = numbers[e];
                }
            }
        }
        row
    }

    /// The part that is stored as part `at`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn load_part(self, at: u32) -> [T; 4] {
        T::load_vector(self.numbers, at)
    }

    /// Stores a part as part `at`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store_part(self, at: u32, part: &[T; 4]) {
        T::store_vector(self.numbers, at, part, 0);
    }

    /// Begins to copy part `v` of `from` to part `at`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn copy_part(self, at: u32, from: Global<T>, v: u32) {
        T::copy_vector(self.numbers, at, from, v);
    }
}
