//! The matrices of a batch that are singular, not positive definite or not finite, whichever rank has worked on them.

use warplu::Status;

use crate::failure::Result;
use crate::ranks::{self, Part};

/// The bad matrices of the whole batch.
#[derive(Debug)]
pub(crate) struct Bads<'a> {
    /// The statuses of this rank's part.
    own: &'a [Status],
    part: Part,
    /// Of all matrices, in an archive.
    names: Option<&'a [String]>,
    /// Those of the other ranks, by index.
    others: Vec<(usize, Status)>,
}

impl<'a> Bads<'a> {
    /// From the statuses of this rank's part; all ranks call it at the same time.
    pub(crate) fn of_all_ranks(own: &'a [Status], part: Part, names: Option<&'a [String]>) -> Result<Self> {
        let mut all = Self { own, part, names, others: Vec::new() };
        if ranks::size() > 1 {
            let told: Vec<_> = all.own().map(|(b, status)| [b as i64, status.code().into()]).collect();
            let heard = ranks::gather(&told)?.into_iter().flatten();
            let heard = heard.map(|[b, code]| (b as usize, Status::from_code(code as i32)));
            all.others = heard.filter(|&(b, _)| part.find(b).is_none()).collect();
        }
        Ok(all)
    }

    /// By index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Status)> {
        let (before, after) = self.others.split_at(self.others.partition_point(|&(b, _)| b < self.part.first));
        before.iter().copied().chain(self.own()).chain(after.iter().copied())
    }

    /// The name of matrix `index`, in an archive.
    pub(crate) fn name(&self, index: usize) -> Option<&'a str> {
        self.names.map(|names| names[index].as_str())
    }

    pub(crate) fn count(&self) -> usize {
        self.others.len() + self.own().count()
    }

    /// How many matrices are good.
    pub(crate) fn goods(&self) -> usize {
        self.part.of - self.count()
    }

    /// `count` of the good ones, spread over the batch: where those of this rank are in its part.
    pub(crate) fn sample_of_goods(&self, count: usize) -> Vec<usize> {
        let goods = self.goods();
        let mut bad = self.iter().map(|(b, _)| b).peekable();
        let good = (0..self.part.of).filter(|b| bad.next_if_eq(b).is_none());
        let mut wanted = (0..count).map(|i| i * goods / count).peekable();
        let sample = good.enumerate().filter_map(|(at, b)| wanted.next_if_eq(&at).map(|_| b));
        sample.filter_map(|b| self.part.find(b)).collect()
    }

    fn own(&self) -> impl Iterator<Item = (usize, Status)> {
        let first = self.part.first;
        self.own.iter().enumerate().filter(|(_, status)| !status.is_ok()).map(move |(b, &status)| (first + b, status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGULAR: Status = Status::Singular(1);

    /// Ten matrices, of which 3 to 6 are this rank's.
    fn some(own: &[Status]) -> Bads<'_> {
        let part = Part { first: 3, count: 4, of: 10 };
        Bads { own, part, names: None, others: vec![(1, SINGULAR), (8, Status::NonFinite)] }
    }

    #[test]
    fn are_in_the_order_of_the_batch() {
        let own = [Status::Ok, SINGULAR, Status::Ok, Status::Ok];
        let bad = some(&own);
        assert_eq!(bad.iter().collect::<Vec<_>>(), [(1, SINGULAR), (4, SINGULAR), (8, Status::NonFinite)]);
        assert_eq!((bad.count(), bad.goods()), (3, 7));
    }

    #[test]
    fn a_sample_is_of_good_ones_and_parts_share_it() {
        let own = [Status::Ok, SINGULAR, Status::Ok, Status::Ok];
        // Good are 0, 2, 3, 5, 6, 7, 9, of which 3, 5 and 6 are here.
        assert_eq!(some(&own).sample_of_goods(7), [0, 2, 3]);
        assert_eq!(some(&own).sample_of_goods(3), [0, 3]);
        assert_eq!(some(&[SINGULAR; 4]).sample_of_goods(5), [0; 0]);
    }
}
