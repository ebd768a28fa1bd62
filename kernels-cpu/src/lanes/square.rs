//! Small matrices straight from memory to registers and back.
//!
//! The matrices of a group are mostly contiguous and at equal distances. Their reals are cut into pieces whose lengths are
//! powers of two, and squares of as many pieces are transposed in registers; those of a group that is not full are first
//! copied to where there is room for a full one. Whatever lies otherwise goes by way of a block, as larger matrices do:
//! one function moves it for all orders and operations.

use std::mem::MaybeUninit;
use std::ops::Range;

use numbers::matrix::Matrices;
use numbers::scalar::Scalar;

use super::block::Block;
use super::deinterleave::deinterleave;
use super::group::Lanes;
use super::interleave::interleave;
use super::number::Number;
use super::small::MAX_ORDER;
use super::vector::{MAX_LANES, Vector};
use crate::transfer::start;

/// Loads the columns of a group of matrices, by way of the block where it must.
///
/// # Safety
/// The matrices may be read, the block has room for them, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn load<N: Number, const M: usize>(
    from: &Matrices<N::Scalar>,
    group: &Range<usize>,
    block: Block<N>,
) -> [[N; M]; M] {
    let mut buffer = Buffer::<N>::new();
    // SAFETY: the caller's promise; all elements have been written when they are read.
    unsafe {
        let by_columns = match Contiguous::<N>::squares::<M>(from, group, block) {
            Some(matrices) => {
                matrices.load(&mut buffer, 0, M * M);
                matrices.by_columns
            }
            None => {
                gather(from, group, M, 0..M, block);
                for j in 0..M {
                    for i in 0..M {
                        buffer.set(j * M + i, block.get(i, j));
                    }
                }
                true
            }
        };
        // Not by functions of arrays: these may stay functions, and are not compiled for the instructions then.
        let mut a = [[buffer.get(0); M]; M];
        if by_columns {
            for j in 0..M {
                for i in 0..M {
                    a[j][i] = buffer.get(j * M + i);
                }
            }
        } else {
            for j in 0..M {
                for i in 0..M {
                    a[j][i] = buffer.get(i * M + j);
                }
            }
        }
        a
    }
}

/// Stores the columns of a group of matrices, by way of the block where it must.
///
/// # Safety
/// The matrices may be written, and the block has room for them.
#[inline(always)]
pub(super) unsafe fn store<N: Number, const M: usize>(
    a: &[[N; M]; M],
    to: &Matrices<N::Scalar>,
    group: &Range<usize>,
    block: Block<N>,
) {
    // SAFETY: the caller's promise; numbers show that the CPU has the instructions.
    unsafe {
        let Some(matrices) = Contiguous::<N>::squares::<M>(to, group, block) else {
            for j in 0..M {
                for i in 0..M {
                    block.set(i, j, a[j][i]);
                }
            }
            return scatter(block, M, to, group, 0..M);
        };
        let mut buffer = Buffer::<N>::new();
        if matrices.by_columns {
            for j in 0..M {
                for i in 0..M {
                    buffer.set(j * M + i, a[j][i]);
                }
            }
        } else {
            for j in 0..M {
                for i in 0..M {
                    buffer.set(i * M + j, a[j][i]);
                }
            }
        }
        matrices.store(&buffer, 0, M * M);
    }
}

/// Contiguous matrices, or columns, of a group.
#[derive(Clone, Copy)]
pub(super) struct Contiguous<N: Number> {
    /// Those of the first lane.
    start: *mut N::Real,
    /// Reals from a lane to the next; 0 where all lanes have the same matrix.
    step: isize,
    /// Whether elements follow each other column by column.
    by_columns: bool,
    /// Reals from a column to the next.
    column: isize,
    /// Where they are and how many, if these are too few for a group: `start` is room for copies of a full one.
    few: Option<(*mut N::Real, usize)>,
}

impl<N: Number> Contiguous<N> {
    /// The squares of a group, if they are contiguous and at equal distances. `room` is for copies of them.
    ///
    /// # Safety
    /// Where there are pointers, there is one for each.
    #[inline(always)]
    unsafe fn squares<const M: usize>(m: &Matrices<N::Scalar>, group: &Range<usize>, room: Block<N>) -> Option<Self> {
        let by_columns = M == 1 || m.row_stride == 1 && m.col_stride == M as i64;
        let by_rows = m.col_stride == 1 && m.row_stride == M as i64;
        // SAFETY: the caller's promise.
        if by_columns || by_rows { unsafe { Self::of(m, group, M * M, by_columns, room) } } else { None }
    }

    /// The columns of a group, if they are contiguous and at equal distances. `room` is for copies of one of each.
    ///
    /// # Safety
    /// Where there are pointers, there is one for each.
    #[inline(always)]
    pub(super) unsafe fn columns<const M: usize>(
        m: &Matrices<N::Scalar>,
        group: &Range<usize>,
        room: Block<N>,
    ) -> Option<Self> {
        // SAFETY: the caller's promise.
        if M == 1 || m.row_stride == 1 { unsafe { Self::of(m, group, M, true, room) } } else { None }
    }

    /// Those of `elements` contiguous elements. Those of a group that is not full follow each other.
    #[inline(always)]
    unsafe fn of(
        m: &Matrices<N::Scalar>,
        group: &Range<usize>,
        elements: usize,
        by_columns: bool,
        room: Block<N>,
    ) -> Option<Self> {
        let (count, parts) = (group.len(), N::PARTS as isize);
        // SAFETY: the caller's promise.
        let start: *mut N::Real = unsafe { start(*m, group.start) }.cast();
        let all = Self { start, step: 0, by_columns, column: m.col_stride as isize * parts, few: None };
        let step = m.batch_stride as isize * parts;
        if count == 1 {
            return Some(all);
        } else if !m.pointers.is_null() {
            return None;
        } else if count == N::Vector::LANES {
            return Some(Self { step, ..all });
        } else if step != Self::tight(elements) {
            return None;
        }
        // SAFETY: a block begins with room for a square of each lane.
        let start = unsafe { room.at(0, 0) };
        Some(Self { start, step, few: Some((all.start, count)), ..all })
    }

    /// Reals from a lane to the next where so many elements of each follow each other.
    #[inline(always)]
    const fn tight(elements: usize) -> isize {
        (elements * N::PARTS) as isize
    }

    /// Loads column j.
    ///
    /// # Safety
    /// It may be read, and the CPU has the instructions.
    #[inline(always)]
    pub(super) unsafe fn load_column<const M: usize>(&self, j: usize) -> [N; M] {
        let mut buffer = Buffer::new();
        // SAFETY: the caller's promise.
        unsafe {
            let offset = j as isize * self.column;
            // With a distance that the compiler knows, less has to be computed.
            if self.step == Self::tight(M) {
                Self { step: Self::tight(M), ..*self }.load(&mut buffer, offset, M);
            } else {
                self.load(&mut buffer, offset, M);
            }
            let mut column = [buffer.get(0); M];
            for i in 1..M {
                column[i] = buffer.get(i);
            }
            column
        }
    }

    /// Stores column j.
    ///
    /// # Safety
    /// It may be written.
    #[inline(always)]
    pub(super) unsafe fn store_column<const M: usize>(&self, j: usize, x: &[N; M]) {
        let mut buffer = Buffer::new();
        // SAFETY: the caller's promise.
        unsafe {
            for i in 0..M {
                buffer.set(i, x[i]);
            }
            let offset = j as isize * self.column;
            if self.step == Self::tight(M) {
                Self { step: Self::tight(M), ..*self }.store(&buffer, offset, M);
            } else {
                self.store(&buffer, offset, M);
            }
        }
    }

    /// Loads so many elements of each lane, at an offset in reals.
    ///
    /// # Safety
    /// They may be read, they fit the buffer, and the CPU has the instructions.
    #[inline(always)]
    unsafe fn load(&self, to: &mut Buffer<N>, offset: isize, elements: usize) {
        let (mut done, reals, mut offset) = (0, elements * N::PARTS, offset);
        // SAFETY: the caller's promise; the room is for a full group, apart from the matrices.
        unsafe {
            if let Some((from, count)) = self.few {
                let from = from.offset(offset);
                offset = 0;
                self.start.copy_from_nonoverlapping(from, count * reals);
                // As everywhere, lanes without a matrix repeat the first one: they may be stored there, too.
                for w in count..N::Vector::LANES {
                    self.start.add(w * reals).copy_from_nonoverlapping(from, reals);
                }
            }
            self.load_squares::<16>(to, offset, &mut done, reals);
            self.load_squares::<8>(to, offset, &mut done, reals);
            self.load_squares::<4>(to, offset, &mut done, reals);
            self.load_squares::<2>(to, offset, &mut done, reals);
            self.load_squares::<1>(to, offset, &mut done, reals);
        }
    }

    /// Loads what is left of so many reals as long as there are pieces of `Q`.
    ///
    /// # Safety
    /// As for [`load`](Self::load).
    #[inline(always)]
    unsafe fn load_squares<const Q: usize>(&self, to: &mut Buffer<N>, offset: isize, done: &mut usize, reals: usize) {
        while Q <= N::Vector::LANES && *done + Q <= reals {
            // SAFETY: the caller's promise.
            unsafe {
                let mut rows = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
                for i in 0..Q {
                    let first = self.start.wrapping_offset(offset + *done as isize + i as isize * self.step);
                    rows[i] = N::Vector::load_pieces::<Q>(first, Q as isize * self.step);
                }
                N::Vector::transpose_squares::<Q>(&mut rows);
                for e in 0..Q {
                    to.0.get_unchecked_mut(*done + e).write(rows[e]);
                }
            }
            *done += Q;
        }
    }

    /// The inverse of [`load`](Self::load).
    ///
    /// # Safety
    /// The elements may be written, and the buffer's have been.
    #[inline(always)]
    unsafe fn store(&self, from: &Buffer<N>, offset: isize, elements: usize) {
        let (mut done, reals) = (0, elements * N::PARTS);
        let (to, offset) = if self.few.is_some() { (offset, 0) } else { (0, offset) };
        // SAFETY: the caller's promise.
        unsafe {
            self.store_squares::<16>(from, offset, &mut done, reals);
            self.store_squares::<8>(from, offset, &mut done, reals);
            self.store_squares::<4>(from, offset, &mut done, reals);
            self.store_squares::<2>(from, offset, &mut done, reals);
            self.store_squares::<1>(from, offset, &mut done, reals);
            if let Some((matrices, count)) = self.few {
                self.start.copy_to_nonoverlapping(matrices.offset(to), count * reals);
            }
        }
    }

    /// Stores what is left of so many reals as long as there are pieces of `Q`.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    #[inline(always)]
    unsafe fn store_squares<const Q: usize>(&self, from: &Buffer<N>, offset: isize, done: &mut usize, reals: usize) {
        while Q <= N::Vector::LANES && *done + Q <= reals {
            // SAFETY: the caller's promise.
            unsafe {
                let mut rows = [from.0.get_unchecked(*done).assume_init(); MAX_LANES];
                for e in 1..Q {
                    rows[e] = from.0.get_unchecked(*done + e).assume_init();
                }
                N::Vector::transpose_squares::<Q>(&mut rows);
                for i in 0..Q {
                    let first = self.start.wrapping_offset(offset + *done as isize + i as isize * self.step);
                    rows[i].store_pieces::<Q>(first, Q as isize * self.step);
                }
            }
            *done += Q;
        }
    }
}

/// Copies columns of matrices that lie anyhow, or of a group that is not full, into a block.
///
/// # Safety
/// The matrices may be read, the block has room for them, and the CPU has the instructions.
#[inline(never)]
pub(super) unsafe fn gather<N: Number>(
    from: &Matrices<N::Scalar>,
    group: &Range<usize>,
    rows: usize,
    columns: Range<usize>,
    block: Block<N>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut lanes = Lanes::<N>::inlined(from, group.clone());
        if columns.start > 0 {
            lanes = lanes.columns_from(columns.start);
        }
        interleave(&lanes, rows, columns.len(), block);
    }
}

/// The inverse of [`gather`].
///
/// # Safety
/// The matrices may be written, the block has been, and the CPU has the instructions.
#[inline(never)]
pub(super) unsafe fn scatter<N: Number>(
    block: Block<N>,
    rows: usize,
    to: &Matrices<N::Scalar>,
    group: &Range<usize>,
    columns: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut lanes = Lanes::<N>::inlined(to, group.clone());
        if columns.start > 0 {
            lanes = lanes.columns_from(columns.start);
        }
        deinterleave(block, rows, columns.len(), &lanes);
    }
}

/// Interleaved elements of up to a small matrix: shape (elements, parts). Registers, where all goes well.
struct Buffer<N: Number>([MaybeUninit<N::Vector>; 2 * MAX_ORDER * MAX_ORDER]);

impl<N: Number> Buffer<N> {
    #[inline(always)]
    fn new() -> Self {
        Self([MaybeUninit::uninit(); 2 * MAX_ORDER * MAX_ORDER])
    }

    /// Element e.
    ///
    /// # Safety
    /// It has been written, and the CPU has the instructions.
    #[inline(always)]
    unsafe fn get(&self, e: usize) -> N {
        // SAFETY: the caller's promise; the parts of an element are next to each other.
        unsafe { N::load(self.0.as_ptr().add(e * N::PARTS).cast()) }
    }

    /// Writes element e.
    ///
    /// # Safety
    /// There is room for it.
    #[inline(always)]
    unsafe fn set(&mut self, e: usize, x: N) {
        // SAFETY: the caller's promise.
        unsafe { x.store(self.0.as_mut_ptr().add(e * N::PARTS).cast()) }
    }
}
