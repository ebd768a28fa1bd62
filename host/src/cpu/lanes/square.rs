//! Small matrices straight from memory to registers and back: lines of a few reals a lane are cut into pieces whose
//! lengths are powers of two, and squares of as many pieces are transposed in registers.

use std::mem::MaybeUninit;

use kernels_gpu::numbers::scalar::Scalar;

use super::group::Lanes;
use super::number::Number;
use super::small::MAX_ORDER;
use super::vector::{MAX_LANES, Vector};

/// Loads the columns of matrices.
///
/// # Safety
/// The matrices may be read, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn load<N: Number, const M: usize>(from: &Lanes<N>) -> [[N; M]; M] {
    let (mut buffer, length) = (Buffer::new(), M * N::PARTS);
    // SAFETY: the caller's promise; all elements of the buffer have been loaded when they are read.
    unsafe {
        let Some(lines) = from.lines() else {
            for j in 0..M {
                for i in 0..M {
                    let offset = i as isize * from.row + j as isize * from.column;
                    buffer.load_line((j * M + i) * N::PARTS, N::PARTS, from, offset);
                }
            }
            return buffer.columns(true);
        };
        if lines.stride == length as isize {
            buffer.load_line(0, M * length, from, 0);
        } else {
            for line in 0..M {
                buffer.load_line(line * length, length, from, line as isize * lines.stride);
            }
        }
        buffer.columns(lines.are_columns)
    }
}

/// Stores the columns of matrices.
///
/// # Safety
/// The matrices may be written.
#[inline(always)]
pub(super) unsafe fn store<N: Number, const M: usize>(a: &[[N; M]; M], to: &Lanes<N>) {
    let (mut buffer, length) = (Buffer::new(), M * N::PARTS);
    // SAFETY: the caller's promise; numbers show that the CPU has the instructions.
    unsafe {
        let Some(lines) = to.lines() else {
            buffer.set_columns(a, true);
            for j in 0..M {
                for i in 0..M {
                    let offset = i as isize * to.row + j as isize * to.column;
                    buffer.store_line((j * M + i) * N::PARTS, N::PARTS, to, offset);
                }
            }
            return;
        };
        buffer.set_columns(a, lines.are_columns);
        if lines.stride == length as isize {
            buffer.store_line(0, M * length, to, 0);
        } else {
            for line in 0..M {
                buffer.store_line(line * length, length, to, line as isize * lines.stride);
            }
        }
    }
}

/// Loads the first column of matrices.
///
/// # Safety
/// It may be read, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn load_column<N: Number, const M: usize>(from: &Lanes<N>) -> [N; M] {
    let mut buffer = Buffer::new();
    // SAFETY: the caller's promise; all elements of the buffer have been loaded when they are read.
    unsafe {
        if from.row == N::PARTS as isize {
            buffer.load_line(0, M * N::PARTS, from, 0);
        } else {
            for i in 0..M {
                buffer.load_line(i * N::PARTS, N::PARTS, from, i as isize * from.row);
            }
        }
        let mut column = [buffer.get(0); M];
        for i in 1..M {
            column[i] = buffer.get(i);
        }
        column
    }
}

/// Stores the first column of matrices.
///
/// # Safety
/// It may be written.
#[inline(always)]
pub(super) unsafe fn store_column<N: Number, const M: usize>(x: &[N; M], to: &Lanes<N>) {
    let mut buffer = Buffer::new();
    // SAFETY: the caller's promise; numbers show that the CPU has the instructions.
    unsafe {
        for i in 0..M {
            buffer.set(i, x[i]);
        }
        if to.row == N::PARTS as isize {
            buffer.store_line(0, M * N::PARTS, to, 0);
        } else {
            for i in 0..M {
                buffer.store_line(i * N::PARTS, N::PARTS, to, i as isize * to.row);
            }
        }
    }
}

/// Interleaved elements of up to a small matrix, line by line: shape (elements, parts). Registers, where all goes well.
struct Buffer<N: Number>([MaybeUninit<N::Vector>; 2 * MAX_ORDER * MAX_ORDER]);

impl<N: Number> Buffer<N> {
    #[inline(always)]
    fn new() -> Self {
        Self([MaybeUninit::uninit(); 2 * MAX_ORDER * MAX_ORDER])
    }

    /// Element e.
    ///
    /// # Safety
    /// It has been loaded, and the CPU has the instructions.
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

    /// The columns of a matrix that has been loaded column by column, or row by row.
    ///
    /// # Safety
    /// The CPU has the instructions.
    #[inline(always)]
    unsafe fn columns<const M: usize>(&self, are_columns: bool) -> [[N; M]; M] {
        // SAFETY: the caller's promise.
        unsafe {
            // Not by functions of arrays: these may stay functions, and are not compiled for the instructions then.
            let mut a = [[self.get(0); M]; M];
            if are_columns {
                for j in 0..M {
                    for i in 0..M {
                        a[j][i] = self.get(j * M + i);
                    }
                }
            } else {
                for j in 0..M {
                    for i in 0..M {
                        a[j][i] = self.get(i * M + j);
                    }
                }
            }
            a
        }
    }

    /// Writes the columns of a matrix, column by column or row by row.
    #[inline(always)]
    fn set_columns<const M: usize>(&mut self, a: &[[N; M]; M], are_columns: bool) {
        // SAFETY: there is room for a matrix.
        unsafe {
            if are_columns {
                for j in 0..M {
                    for i in 0..M {
                        self.set(j * M + i, a[j][i]);
                    }
                }
            } else {
                for j in 0..M {
                    for i in 0..M {
                        self.set(i * M + j, a[j][i]);
                    }
                }
            }
        }
    }

    /// Loads `length` reals a lane, `offset` from the lanes' starts, to vector `first` of the buffer and after it.
    ///
    /// # Safety
    /// They may be read, they fit, and the CPU has the instructions.
    #[inline(always)]
    unsafe fn load_line(&mut self, first: usize, length: usize, from: &Lanes<N>, offset: isize) {
        let mut done = 0;
        // SAFETY: the caller's promise.
        unsafe {
            self.load_squares::<16>(first, &mut done, length, from, offset);
            self.load_squares::<8>(first, &mut done, length, from, offset);
            self.load_squares::<4>(first, &mut done, length, from, offset);
            self.load_squares::<2>(first, &mut done, length, from, offset);
            self.load_squares::<1>(first, &mut done, length, from, offset);
        }
    }

    /// Loads what is left of a line as long as there are pieces of `Q`.
    ///
    /// # Safety
    /// As for [`load_line`](Self::load_line).
    #[inline(always)]
    unsafe fn load_squares<const Q: usize>(
        &mut self,
        first: usize,
        done: &mut usize,
        length: usize,
        from: &Lanes<N>,
        offset: isize,
    ) {
        while Q <= N::Vector::LANES && *done + Q <= length {
            // SAFETY: the caller's promise.
            unsafe {
                let mut rows = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
                for i in 0..Q {
                    rows[i] = N::Vector::load_pieces::<Q>(&from.starts[i..], offset + *done as isize);
                }
                N::Vector::transpose_squares::<Q>(&mut rows);
                for e in 0..Q {
                    self.0.get_unchecked_mut(first + *done + e).write(rows[e]);
                }
            }
            *done += Q;
        }
    }

    /// The inverse of [`load_line`](Self::load_line).
    ///
    /// # Safety
    /// The reals may be written, and the buffer's have been.
    #[inline(always)]
    unsafe fn store_line(&self, first: usize, length: usize, to: &Lanes<N>, offset: isize) {
        let mut done = 0;
        // SAFETY: the caller's promise.
        unsafe {
            self.store_squares::<16>(first, &mut done, length, to, offset);
            self.store_squares::<8>(first, &mut done, length, to, offset);
            self.store_squares::<4>(first, &mut done, length, to, offset);
            self.store_squares::<2>(first, &mut done, length, to, offset);
            self.store_squares::<1>(first, &mut done, length, to, offset);
        }
    }

    /// Stores what is left of a line as long as there are pieces of `Q`.
    ///
    /// # Safety
    /// As for [`store_line`](Self::store_line).
    #[inline(always)]
    unsafe fn store_squares<const Q: usize>(
        &self,
        first: usize,
        done: &mut usize,
        length: usize,
        to: &Lanes<N>,
        offset: isize,
    ) {
        while Q <= N::Vector::LANES && *done + Q <= length {
            // SAFETY: the caller's promise.
            unsafe {
                let mut rows = [self.0.get_unchecked(first + *done).assume_init(); MAX_LANES];
                for e in 1..Q {
                    rows[e] = self.0.get_unchecked(first + *done + e).assume_init();
                }
                N::Vector::transpose_squares::<Q>(&mut rows);
                for i in 0..Q {
                    rows[i].store_pieces::<Q>(&to.starts[i..], offset + *done as isize);
                }
            }
            *done += Q;
        }
    }
}
