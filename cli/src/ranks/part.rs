//! What a rank has to do of a batch.

use std::ops::Range;

use warplu::{shard, shard_uniform};

/// The matrices of a batch that are this rank's: all of them where it is alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// The number of the first of them.
    pub(crate) first: usize,
    /// How many these are.
    pub(crate) count: usize,
    /// How many the batch has.
    pub(crate) of: usize,
}

impl Part {
    /// That of this rank.
    pub(crate) fn own(batch: usize) -> Self {
        let range = shard_uniform(super::rank(), super::size(), batch);
        Self { first: range.start, count: range.len(), of: batch }
    }

    /// That of this rank, of matrices that cost so much.
    pub(crate) fn by_cost(costs: &[u64]) -> Self {
        let range = shard(super::rank(), super::size(), costs);
        Self { first: range.start, count: range.len(), of: costs.len() }
    }

    /// The numbers of its matrices.
    pub(crate) fn range(self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Where matrix `index` of the batch is in this part, if it is.
    pub(crate) fn find(self, index: usize) -> Option<usize> {
        index.checked_sub(self.first).filter(|&at| at < self.count)
    }

    /// How many of the batch are done if each rank is as far as this one with `done`.
    pub(crate) fn scaled(self, done: usize) -> u64 {
        (done as u128 * self.of as u128 / self.count.max(1) as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_rank_is_all() {
        let part = Part::own(7);
        assert_eq!((part, part), (Part { first: 0, count: 7, of: 7 }, Part::by_cost(&[3; 7])));
        assert_eq!((part.find(6), part.find(7), part.scaled(3)), (Some(6), None, 3));
    }

    #[test]
    fn progress_ends_with_all() {
        let part = Part { first: 2, count: 3, of: 10 };
        assert_eq!((0..=3).map(|done| part.scaled(done)).collect::<Vec<_>>(), [0, 3, 6, 10]);
        assert_eq!([1, 2, 4, 5].map(|index| part.find(index)), [None, Some(0), Some(2), None]);
        assert_eq!(Part { first: 0, count: 0, of: 0 }.scaled(0), 0);
    }
}
