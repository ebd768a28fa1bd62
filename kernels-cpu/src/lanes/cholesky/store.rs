//! From factored matrices to memory: L, with zeros above.

use std::ops::Range;

use numbers::scalar::Scalar;

use crate::lanes::block::Block;
use crate::lanes::deinterleave::{Dense, Line, store_line, store_square};
use crate::lanes::group::Lanes;
use crate::lanes::number::Number;
use crate::lanes::vector::{Stage, Vector};

/// Copies the lower triangles of a block of order n into matrices, with zeros above.
///
/// # Safety
/// The matrices may be written, the block's lower triangles have been, and the CPU has the instructions.
#[inline(always)]
pub(super) unsafe fn store<N: Number>(from: Block<N>, n: usize, to: &Lanes<N>) {
    // SAFETY: the caller's promise.
    unsafe { N::Vector::call(Store { from, n, to }) }
}

struct Store<'a, N: Number> {
    from: Block<N>,
    n: usize,
    to: &'a Lanes<N>,
}

impl<N: Number> Stage for Store<'_, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { from, n, to } = self;
        for k in 0..n {
            // SAFETY: the caller's promise.
            unsafe {
                match to.lines() {
                    Some(lines) if lines.are_columns => {
                        let column = Dense { start: from.at(0, k), step: N::SIZE };
                        store_line(
                            &Part { line: column, reals: k * N::PARTS..n * N::PARTS },
                            n,
                            to,
                            k as isize * to.column,
                        );
                    }
                    Some(_) => {
                        let row = Dense { start: from.at(k, 0), step: from.column_step() };
                        store_line(&Part { line: row, reals: 0..(k + 1) * N::PARTS }, n, to, k as isize * to.row);
                    }
                    None => {
                        for j in 0..n {
                            let reals = if j <= k { 0..N::PARTS } else { 0..0 };
                            let element = Part { line: Dense { start: from.at(k, j), step: N::SIZE }, reals };
                            store_square(&element, 0, N::PARTS, to, k as isize * to.row + j as isize * to.column);
                        }
                    }
                }
            }
        }
    }
}

/// A line of which only some reals count: the others are zero.
struct Part<R> {
    line: Dense<R>,
    reals: Range<usize>,
}

impl<N: Number> Line<N> for Part<N::Real> {
    #[inline(always)]
    unsafe fn real(&self, e: usize) -> N::Vector {
        // SAFETY: the caller's promise.
        unsafe {
            if self.reals.start <= e && e < self.reals.end {
                Line::<N>::real(&self.line, e)
            } else {
                <N::Vector as Vector>::splat(Scalar::ZERO)
            }
        }
    }
}
