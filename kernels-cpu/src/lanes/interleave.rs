//! From matrices in memory to interleaved ones: squares of as many reals of as many matrices as there are lanes are
//! transposed in registers.
//!
//! A complex matrix is one of twice as many reals: the transposition takes the parts apart.

use numbers::scalar::Scalar;

use super::block::Block;
use super::group::Lanes;
use super::number::Number;
use super::vector::{MAX_LANES, Stage, Vector};

/// Copies matrices into a block.
///
/// # Safety
/// The matrices may be read, the block has room for them, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn interleave<N: Number>(from: &Lanes<N>, rows: usize, columns: usize, to: Block<N>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Interleave { from, rows, columns, to }) }
}

struct Interleave<'a, N: Number> {
    from: &'a Lanes<N>,
    rows: usize,
    columns: usize,
    to: Block<N>,
}

impl<N: Number> Stage for Interleave<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { from, rows, columns, to } = self;
        // SAFETY: the caller's promise.
        unsafe {
            let start = to.at(0, 0);
            match from.lines() {
                Some(lines) if lines.are_columns => {
                    if lines.stride == (rows * N::PARTS) as isize && to.column_step() == rows * N::SIZE {
                        return load_line(from, 0, rows * columns, start, N::SIZE);
                    }
                    for j in 0..columns {
                        load_line(from, j as isize * lines.stride, rows, to.at(0, j), N::SIZE);
                    }
                }
                Some(lines) => {
                    for i in 0..rows {
                        load_line(from, i as isize * lines.stride, columns, to.at(i, 0), to.column_step());
                    }
                }
                None => {
                    for j in 0..columns {
                        for i in 0..rows {
                            let offset = i as isize * from.row + j as isize * from.column;
                            load_square(from, offset, N::PARTS, to.at(i, j), N::SIZE);
                        }
                    }
                }
            }
        }
    }
}

/// Copies the lower triangles of square matrices into a block.
///
/// # Safety
/// As for [`interleave`].
#[inline(always)]
pub(super) unsafe fn interleave_lower<N: Number>(from: &Lanes<N>, n: usize, to: Block<N>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(InterleaveLower { from, n, to }) }
}

struct InterleaveLower<'a, N: Number> {
    from: &'a Lanes<N>,
    n: usize,
    to: Block<N>,
}

impl<N: Number> Stage for InterleaveLower<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { from, n, to } = self;
        for k in 0..n {
            // SAFETY: the caller's promise.
            unsafe {
                match from.lines() {
                    Some(lines) if lines.are_columns => {
                        let offset = k as isize * (lines.stride + from.row);
                        load_line(from, offset, n - k, to.at(k, k), N::SIZE);
                    }
                    Some(lines) => {
                        load_line(from, k as isize * lines.stride, k + 1, to.at(k, 0), to.column_step());
                    }
                    None => {
                        for j in 0..k + 1 {
                            let offset = k as isize * from.row + j as isize * from.column;
                            load_square(from, offset, N::PARTS, to.at(k, j), N::SIZE);
                        }
                    }
                }
            }
        }
    }
}

/// Copies `len` elements at `offset` reals from the lanes' starts; in the block they are `step` reals apart.
///
/// # Safety
/// As for [`interleave`], with these elements.
#[inline(always)]
unsafe fn load_line<N: Number>(from: &Lanes<N>, offset: isize, len: usize, to: *mut N::Real, step: usize) {
    let (reals, lanes) = (len * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        let mut first = 0;
        while first + lanes <= reals {
            load_square(from, offset + first as isize, lanes, to.add(first / N::PARTS * step), step);
            first += lanes;
        }
        if first == reals {
            return;
        }
        // The last square begins earlier where it can: what it copies once more is the same.
        if reals > lanes {
            let first = reals - lanes;
            load_square(from, offset + first as isize, lanes, to.add(first / N::PARTS * step), step);
        } else {
            load_square(from, offset, reals, to, step);
        }
    }
}

/// Copies `count` reals of each lane, at most as many as there are lanes.
///
/// # Safety
/// As for [`interleave`], with these reals.
#[inline(always)]
unsafe fn load_square<N: Number>(from: &Lanes<N>, offset: isize, count: usize, to: *mut N::Real, step: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut square = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
        for w in 0..N::Vector::LANES {
            let start = from.starts[w].offset(offset);
            square[w] = if count == N::Vector::LANES {
                <N::Vector as Vector>::load(start)
            } else {
                <N::Vector as Vector>::load_first(start, count)
            };
        }
        N::Vector::transpose(&mut square);
        for e in 0..N::Vector::LANES {
            if e < count {
                Vector::store(square[e], to.add(place::<N>(e, step)));
            }
        }
    }
}

/// Where real `e` of a line is in a block, whose elements are `step` reals apart.
#[inline(always)]
pub(super) fn place<N: Number>(e: usize, step: usize) -> usize {
    e / N::PARTS * step + e % N::PARTS * N::Vector::LANES
}
