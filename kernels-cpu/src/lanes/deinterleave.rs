//! From interleaved matrices to memory, with columns in order or permuted.

use numbers::scalar::Scalar;

use super::block::Block;
use super::exchange::Exchange;
use super::group::Lanes;
use super::interleave::place;
use super::number::Number;
use super::vector::{MAX_LANES, Stage, Vector};

/// Copies a block into matrices.
///
/// # Safety
/// The matrices may be written, the block has been, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn deinterleave<N: Number>(from: Block<N>, rows: usize, columns: usize, to: &Lanes<N>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Deinterleave { from, rows, columns, to }) }
}

struct Deinterleave<'a, N: Number> {
    from: Block<N>,
    rows: usize,
    columns: usize,
    to: &'a Lanes<N>,
}

impl<N: Number> Stage for Deinterleave<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { from, rows, columns, to } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match to.lines() {
                Some(lines) if lines.are_columns => {
                    if lines.stride == (rows * N::PARTS) as isize && from.column_step() == rows * N::SIZE {
                        return store_line(&Dense { start: from.at(0, 0), step: N::SIZE }, rows * columns, to, 0);
                    }
                    for j in 0..columns {
                        store_line(&Dense { start: from.at(0, j), step: N::SIZE }, rows, to, j as isize * lines.stride);
                    }
                }
                Some(lines) => {
                    for i in 0..rows {
                        let line = Dense { start: from.at(i, 0), step: from.column_step() };
                        store_line(&line, columns, to, i as isize * lines.stride);
                    }
                }
                None => {
                    for j in 0..columns {
                        for i in 0..rows {
                            let element = Dense { start: from.at(i, j), step: N::SIZE };
                            store_square(&element, 0, N::PARTS, to, i as isize * to.row + j as isize * to.column);
                        }
                    }
                }
            }
        }
    }
}

/// Copies a block into square matrices and multiplies them by P from the right, where P is the exchange of rows:
/// columns are exchanged from the last to the first. `order` is room for a permutation.
///
/// # Safety
/// As for [`deinterleave`].
#[inline(always)]
pub(super) unsafe fn deinterleave_exchanged<N: Number>(
    from: Block<N>,
    exchanges: &[Exchange],
    order: &mut [[u32; MAX_LANES]],
    to: &Lanes<N>,
) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(DeinterleaveExchanged { from, exchanges, order, to }) }
}

struct DeinterleaveExchanged<'a, N: Number> {
    from: Block<N>,
    /// Shape (n).
    exchanges: &'a [Exchange],
    /// Shape (n, lanes).
    order: &'a mut [[u32; MAX_LANES]],
    to: &'a Lanes<N>,
}

impl<N: Number> Stage for DeinterleaveExchanged<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { from, exchanges, order, to } = self;
        let n = exchanges.len();
        for (j, lanes) in order.iter_mut().enumerate() {
            lanes.fill(j as u32);
        }
        // SAFETY: the caller's promise; the order is a permutation of the columns.
        unsafe {
            match to.lines() {
                Some(lines) if lines.are_columns => {
                    // Whole columns go to where they belong.
                    for k in 0..n {
                        exchanges[k].exchange::<N>(order, k);
                    }
                    for j in 0..n {
                        store_line(&Dense { start: from.at(0, j), step: N::SIZE }, n, &to.moved(&order[j]), 0);
                    }
                }
                lines => {
                    // Elements of rows are fetched from where they are.
                    for k in (0..n).rev() {
                        exchanges[k].exchange::<N>(order, k);
                    }
                    for columns in order.iter_mut() {
                        for w in 0..N::Vector::LANES {
                            columns[w] = columns[w] * from.column_step() as u32 + w as u32;
                        }
                    }
                    for i in 0..n {
                        if lines.is_some() {
                            store_line(&Permuted { start: from.at(i, 0), order }, n, to, i as isize * to.row);
                        } else {
                            for j in 0..n {
                                let element = Permuted { start: from.at(i, 0), order: &order[j..=j] };
                                store_square(&element, 0, N::PARTS, to, i as isize * to.row + j as isize * to.column);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A line of numbers in a block.
pub(super) trait Line<N: Number> {
    /// Real `e` of the line.
    ///
    /// # Safety
    /// It is there, and the CPU has the instructions.
    unsafe fn real(&self, e: usize) -> N::Vector;
}

/// Numbers `step` reals apart.
pub(super) struct Dense<R> {
    pub(super) start: *mut R,
    pub(super) step: usize,
}

impl<N: Number> Line<N> for Dense<N::Real> {
    #[inline(always)]
    unsafe fn real(&self, e: usize) -> N::Vector {
        // SAFETY: the caller's promise.
        unsafe { <N::Vector as Vector>::load(self.start.add(place::<N>(e, self.step))) }
    }
}

/// Numbers at offsets that differ by lane.
struct Permuted<'a, R> {
    start: *mut R,
    /// Shape (numbers, lanes).
    order: &'a [[u32; MAX_LANES]],
}

impl<N: Number> Line<N> for Permuted<'_, N::Real> {
    #[inline(always)]
    unsafe fn real(&self, e: usize) -> N::Vector {
        // SAFETY: the caller's promise.
        unsafe {
            let offsets = self.order.get_unchecked(e / N::PARTS);
            <N::Vector as Vector>::gather(self.start.add(e % N::PARTS * N::Vector::LANES), offsets)
        }
    }
}

/// Copies a line of `len` elements to `offset` reals from the lanes' starts.
///
/// # Safety
/// As for [`deinterleave`], with these elements.
#[inline(always)]
pub(super) unsafe fn store_line<N: Number>(from: &impl Line<N>, len: usize, to: &Lanes<N>, offset: isize) {
    let (reals, lanes) = (len * N::PARTS, N::Vector::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        let mut first = 0;
        while first + lanes <= reals {
            store_square(from, first, lanes, to, offset);
            first += lanes;
        }
        if first == reals {
            return;
        }
        // The last square begins earlier where it can: what it copies once more is the same.
        if reals > lanes {
            store_square(from, reals - lanes, lanes, to, offset);
        } else {
            store_square(from, 0, reals, to, offset);
        }
    }
}

/// How many squares ahead the lines are fetched that are to be written: so many streams no CPU foresees.
const AHEAD: usize = 4;

/// Copies `count` reals of each lane, at most as many as there are lanes, from real `first` of the line.
///
/// # Safety
/// As for [`deinterleave`], with these reals.
#[inline(always)]
pub(super) unsafe fn store_square<N: Number>(
    from: &impl Line<N>,
    first: usize,
    count: usize,
    to: &Lanes<N>,
    offset: isize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut square = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
        for e in 0..N::Vector::LANES {
            if e < count {
                square[e] = from.real(first + e);
            }
        }
        N::Vector::transpose(&mut square);
        for w in 0..N::Vector::LANES {
            let start = to.starts[w].offset(offset + first as isize);
            N::Vector::prefetch(start.wrapping_add(AHEAD * N::Vector::LANES));
            if count == N::Vector::LANES {
                Vector::store(square[w], start);
            } else {
                square[w].store_first(start, count);
            }
        }
    }
}
