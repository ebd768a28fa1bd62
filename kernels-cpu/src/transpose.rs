//! Transposed copies of matrices, square by square in vectors.

#![expect(clippy::needless_range_loop, reason = "numbers of lines and lanes are what the formulas have")]

use numbers::scalar::{Real, Scalar};

use super::columns::{load, store};
use super::lanes::{Isa, LaneScalar, MAX_LANES, Number, Routine, Vector};

/// Lines that are copied together where no vector holds elements so large: those of a line of the cache.
const TOGETHER: usize = 4;

/// Lines of consecutive elements: where the first begins, and the elements from one to the next.
pub(super) type Lines<T> = (*mut T, isize);

/// Copies element j of line i of `from`, for so many lines of so many elements, to element i of line j of `to`.
///
/// # Safety
/// They may be read and written, and are apart.
pub(super) unsafe fn transpose<T: Copy>(from: Lines<T>, to: Lines<T>, lines: usize, len: usize) {
    // Complex numbers need not lie where real ones of their size may.
    let aligned = (from.0.addr() | to.0.addr()).is_multiple_of(size_of::<T>());
    // SAFETY: the caller's promise; bits are moved, whatever numbers they are.
    unsafe {
        match size_of::<T>() {
            4 => in_vectors::<f32>((from.0.cast(), from.1), (to.0.cast(), to.1), lines, len),
            8 if aligned => in_vectors::<f64>((from.0.cast(), from.1), (to.0.cast(), to.1), lines, len),
            _ => one_by_one(from, to, lines, len),
        }
    }
}

/// As [`transpose`], of elements of any size.
///
/// # Safety
/// As there.
unsafe fn one_by_one<T: Copy>(from: Lines<T>, to: Lines<T>, lines: usize, len: usize) {
    for first in (0..lines).step_by(TOGETHER) {
        for j in 0..len {
            for i in first..lines.min(first + TOGETHER) {
                let (from, to) = (at(from, i).wrapping_add(j), at(to, j).wrapping_add(i));
                // SAFETY: the caller's promise.
                unsafe { to.write(*from) };
            }
        }
    }
}

/// Where line i begins.
#[inline(always)]
fn at<T>(lines: Lines<T>, i: usize) -> *mut T {
    lines.0.wrapping_offset(i as isize * lines.1)
}

/// As [`transpose`], of real numbers.
///
/// # Safety
/// As there.
unsafe fn in_vectors<R: LaneScalar + Real>(from: Lines<R>, to: Lines<R>, lines: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { Isa::detect().run(Transpose { from, to, lines, len }) }
}

struct Transpose<R> {
    from: Lines<R>,
    to: Lines<R>,
    lines: usize,
    len: usize,
}

impl<R: LaneScalar + Real> Routine for Transpose<R> {
    type Scalar = R;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = R>>(self) {
        let Self { from, to, lines, len } = self;
        let lanes = N::Vector::LANES;
        for i in (0..lines).step_by(lanes) {
            for j in (0..len).step_by(lanes) {
                // SAFETY: the caller's promise; a real number is its only part.
                unsafe {
                    let mut square = [<N::Vector as Vector>::splat(Scalar::ZERO); MAX_LANES];
                    for w in 0..lanes {
                        if i + w < lines {
                            square[w] = load::<N>(at(from, i + w).wrapping_add(j).cast(), len - j);
                        }
                    }
                    N::Vector::transpose(&mut square);
                    for e in 0..lanes {
                        if j + e < len {
                            store::<N>(square[e], at(to, j + e).wrapping_add(i).cast(), lines - i);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use numbers::scalar::{c32, c64};

    use super::super::testing::{Random, for_all_types};
    use super::*;
    use crate::element::CpuScalar;

    for_all_types!(every_element_moves);

    /// With lines that are longer than their elements, from places aligned as one scalar is.
    fn every_element_moves<T: CpuScalar>() {
        let mut random = Random(1);
        for (lines, len) in [(1, 1), (3, 5), (8, 16), (17, 15), (33, 40), (5, 0), (64, 64)] {
            for skipped in 0..2 {
                let (from_stride, to_stride) = (len + 3, lines + 1);
                let from = random.matrix::<T>(skipped + lines * from_stride, 1);
                let mut from = from.elements().to_vec();
                let untouched = T::from_c64(c64::new(7.0, 0.0));
                let mut to = vec![untouched; skipped + len * to_stride];
                // SAFETY: both are as large as these lines.
                unsafe {
                    let (from, to) = (from.as_mut_ptr().add(skipped), to.as_mut_ptr().add(skipped));
                    transpose((from, from_stride as isize), (to, to_stride as isize), lines, len);
                }
                for (at, &x) in to[skipped..].iter().enumerate() {
                    let (j, i) = (at / to_stride, at % to_stride);
                    let expected = if i < lines { from[skipped + i * from_stride + j] } else { untouched };
                    assert_eq!(x, expected, "element {j} of line {i}, {lines} x {len}, {skipped} skipped");
                }
            }
        }
    }

    #[test]
    fn complex_numbers_need_no_more_alignment_than_their_parts() {
        let (lines, len) = (9, 21);
        let mut from: Vec<f32> = (0..=2 * lines * len).map(|x| x as f32).collect();
        let mut to = vec![0.0; from.len()];
        for skipped in 0..2 {
            // SAFETY: both are as large as these lines.
            unsafe {
                let [from, to] = [&mut from, &mut to].map(|reals| reals.as_mut_ptr().add(skipped).cast::<c32>());
                transpose((from, len as isize), (to, lines as isize), lines, len);
            }
            for i in 0..lines {
                for j in 0..len {
                    let element = |reals: &[f32], at: usize| [reals[skipped + 2 * at], reals[skipped + 2 * at + 1]];
                    assert_eq!(element(&to, j * lines + i), element(&from, i * len + j));
                }
            }
        }
    }
}
