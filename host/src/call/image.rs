//! How the copied arrays of a chunk lie in memory, one after the other, so that a chunk crosses the bus in one piece.

use std::ops::Range;

/// Every array begins at a multiple of this, as GPU memory does. Pieces are cut there too, so that none cuts an
/// element.
pub(super) const ALIGNMENT: usize = 256;

/// Arrays one after the other.
#[derive(Debug, Default)]
pub(super) struct Image {
    /// Where each begins and ends.
    arrays: Vec<Range<usize>>,
}

/// A part of an array, and where it is in a piece.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Which array.
    pub(super) array: usize,
    /// Which of its bytes.
    pub(super) bytes: Range<usize>,
    /// Where these are in the piece.
    pub(super) at: usize,
}

impl Image {
    /// Arrays of so many bytes, from `start` on.
    pub(super) fn new(start: usize, arrays: impl IntoIterator<Item = usize>) -> Self {
        let mut end = start;
        let place = |bytes: usize| {
            let first = end;
            end = (first + bytes).next_multiple_of(ALIGNMENT);
            first..first + bytes
        };
        Self { arrays: arrays.into_iter().map(place).collect() }
    }

    /// Where an array begins.
    pub(super) fn offset(&self, array: usize) -> usize {
        self.arrays[array].start
    }

    /// Where the last array ends; 0 without any.
    pub(super) fn end(&self) -> usize {
        self.arrays.last().map_or(0, |last| last.end)
    }

    /// From the first array's begin to the last one's end, cut into pieces of at most `most` bytes.
    pub(super) fn pieces(&self, most: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (start, end) = (self.arrays.first().map_or(0, |first| first.start), self.end());
        let most = most / ALIGNMENT * ALIGNMENT;
        (start..end).step_by(most.max(ALIGNMENT)).map(move |first| first..end.min(first + most.max(ALIGNMENT)))
    }

    /// What a piece holds of the arrays.
    pub(super) fn parts(&self, piece: Range<usize>) -> impl Iterator<Item = Part> {
        self.arrays.iter().enumerate().filter_map(move |(array, own)| {
            let (first, end) = (own.start.max(piece.start), own.end.min(piece.end));
            (first < end).then(|| Part { array, bytes: first - own.start..end - own.start, at: first - piece.start })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_byte_once() {
        for (start, arrays) in [(0, vec![1000, 3, 0, 512]), (512, vec![5000]), (256, vec![])] {
            let image = Image::new(start, arrays.clone());
            for most in [256, 300, 1024, 1 << 20] {
                let mut seen: Vec<Vec<u32>> = arrays.iter().map(|&bytes| vec![0; bytes]).collect();
                for piece in image.pieces(most) {
                    assert!(piece.len() <= most && piece.start % ALIGNMENT == 0);
                    for Part { array, bytes, at } in image.parts(piece.clone()) {
                        assert_eq!((image.offset(array) + bytes.start, bytes.start % ALIGNMENT), (piece.start + at, 0));
                        seen[array][bytes].iter_mut().for_each(|times| *times += 1);
                    }
                }
                assert!(seen.iter().flatten().all(|&times| times == 1));
            }
        }
    }
}
