//! Batches in Fortran order, where the batch index is fastest: all matrices' first elements come first.

use std::io;
use std::ops::Range;

use warplu::Pod;
use warplu::out_of_core::Source;

use super::elements::Elements;
use crate::failure::Failure;
use crate::memory::zeros;

/// Most bytes that a thread reads at a time.
const BUFFER: usize = 4 << 20;
/// Bytes that are sooner read than skipped: a page, which the system reads anyhow.
const GAP: usize = 4096;
/// Matrices that are filled side by side, so that each line of memory that is read is used while it is near.
const ABREAST: usize = 16;

/// A file of `each` runs of `batch` elements, read as matrices of `each` elements, of which the first is number `first`.
#[derive(Debug)]
pub(super) struct BatchFastest {
    pub(super) elements: Elements,
    pub(super) batch: usize,
    pub(super) each: usize,
    pub(super) first: usize,
}

impl<T: Pod> Source<T> for BatchFastest {
    fn read(&self, first: usize, to: &mut [T]) -> io::Result<()> {
        let first = self.first * self.each + first;
        let end = first + to.len();
        let (mut at, mut rest) = (first, to);
        while at < end {
            // Whole matrices as far as they go, parts of one before and after them.
            let (b, k) = (at / self.each, at % self.each);
            let whole = (end - at) / self.each;
            let (matrices, elements) = match k {
                0 if whole > 0 => (b..b + whole, 0..self.each),
                _ => (b..b + 1, k..self.each.min(k + end - at)),
            };
            let len = matrices.len() * elements.len();
            let (part, later) = rest.split_at_mut(len);
            self.gather(matrices, elements, part)?;
            (at, rest) = (at + len, later);
        }
        Ok(())
    }
}

impl BatchFastest {
    /// Fills `to` with those elements of those matrices, matrix by matrix.
    fn gather<T: Pod>(&self, matrices: Range<usize>, elements: Range<usize>, to: &mut [T]) -> io::Result<()> {
        let fits = (BUFFER / size_of::<T>()).min(matrices.len() * elements.len());
        let mut buffer = Vec::new();
        for some in pieces(matrices.clone(), fits) {
            // Runs whose gap is small are read together with it.
            let near = (self.batch - some.len()) * size_of::<T>() <= GAP;
            let abreast = if near { fits.saturating_sub(some.len()) / self.batch + 1 } else { 1 };
            for runs in pieces(elements.clone(), abreast) {
                let span = (runs.len() - 1) * self.batch + some.len();
                if buffer.len() < span {
                    buffer =
                        zeros::<T>(span).map_err(|_| Failure::memory(&self.elements.path, span * size_of::<T>()))?;
                }
                self.elements.read(runs.start * self.batch + some.start, &mut buffer[..span])?;
                let part = &mut to[(some.start - matrices.start) * elements.len()..][..some.len() * elements.len()];
                transpose(&buffer[..span], self.batch, part, elements.len(), runs.start - elements.start, runs.len());
            }
        }
        Ok(())
    }
}

/// Element k of matrix b goes from `k * stride + b` to `b * each + first + k`, for all matrices in `to` and `count`
/// elements.
fn transpose<T: Pod>(from: &[T], stride: usize, to: &mut [T], each: usize, first: usize, count: usize) {
    for (some, to) in to.chunks_mut(ABREAST * each).enumerate() {
        for k in 0..count {
            let from = &from[k * stride + some * ABREAST..];
            for (&x, matrix) in from.iter().zip(to.chunks_exact_mut(each)) {
                matrix[first + k] = x;
            }
        }
    }
}

/// A range in pieces of `len`, the last one shorter.
fn pieces(range: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(len).map(move |start| start..end.min(start + len))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::memory::bytes_of;

    /// Every range of a file is what its elements say, whether runs are read together or one by one.
    #[test]
    fn any_range_is_transposed() {
        for (batch, each, step) in [(2, 3, 1), (7, 5, 1), (40, 4, 3), (1500, 6, 97), (70_000, 9, 50_021)] {
            let mut file = tempfile::tempfile().unwrap();
            let data: Vec<u32> = (0..each).flat_map(|k| (0..batch).map(move |b| b * each + k)).collect();
            file.write_all(b"head").unwrap();
            file.write_all(bytes_of(&data)).unwrap();
            let elements = Elements { path: "a.npy".into(), file, start: 4 };
            let (batch, each) = (batch as usize, each as usize);
            let mut source = BatchFastest { elements, batch, each, first: 0 };
            for first in (0..batch * each).step_by(step) {
                for len in [1, each - 1, each, 3 * each + 1, batch * each - first] {
                    let len = len.min(batch * each - first);
                    let mut read = vec![0_u32; len];
                    source.read(first, &mut read).unwrap();
                    assert!(read.iter().zip(first..).all(|(&x, at)| x as usize == at), "{batch} {each} {first} {len}");
                }
            }
            // A part of it, from the second matrix on.
            source.first = 1;
            let mut read = vec![0_u32; (batch - 1) * each];
            source.read(0, &mut read).unwrap();
            assert!(read.iter().zip(each..).all(|(&x, at)| x as usize == at), "{batch} {each}");
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_named() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(100).unwrap();
        let elements = Elements { path: "a.npy".into(), file, start: 0 };
        let source = BatchFastest { elements, batch: 10, each: 4, first: 0 };
        let error = source.read(0, &mut [0_u32; 40]).unwrap_err();
        assert!(error.to_string().starts_with("a.npy: became shorter"), "{error}");
    }
}
