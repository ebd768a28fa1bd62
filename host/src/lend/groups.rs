//! A ragged batch as groups of matrices of one size, which are uniform batches.

use std::cmp::{Ordering, Reverse};

use super::turns;
use crate::device::Device;
use crate::error::{Error, Result};
use kernels_cpu::fresh::filled;

/// Tells the order and the number of right-hand sides of a matrix.
type Size<'a> = &'a dyn Fn(usize) -> (usize, usize);

/// The matrices of a batch by size: the numbers of those of each group, in order; the group that takes longest first.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    batch: usize,
    groups: Vec<Vec<usize>>,
}

impl Groups {
    /// Those of `batch` matrices, of equal keys; `size` tells the order and the number of right-hand sides of a matrix.
    ///
    /// # Errors
    /// There is too little memory.
    pub(crate) fn new<K: Ord>(
        batch: usize,
        key: impl Fn(usize) -> K,
        size: impl Fn(usize) -> (usize, usize),
    ) -> Result<Self> {
        let mut keys = Vec::new();
        let refused = |_| Error::HostMemory { bytes: batch.saturating_mul(size_of::<K>()) };
        keys.try_reserve_exact(batch).map_err(refused)?;
        keys.extend((0..batch).map(key));
        Self::ordered(batch, &|a, b| keys[a].cmp(&keys[b]), &size)
    }

    /// The same by how keys compare. Through pointers, so that sorting is compiled once, and not for each key.
    fn ordered(batch: usize, compare: &dyn Fn(usize, usize) -> Ordering, size: Size<'_>) -> Result<Self> {
        let mut all = Vec::new();
        let refused = |_| Error::HostMemory { bytes: batch.saturating_mul(size_of::<usize>()) };
        all.try_reserve_exact(batch).map_err(refused)?;
        all.extend(0..batch);
        all.sort_by(|&a, &b| compare(a, b)); // stable
        let equal = |&a: &usize, &b: &usize| compare(a, b).is_eq();
        let mut groups: Vec<_> = all.chunk_by(equal).map(<[usize]>::to_vec).collect();
        groups.sort_by(|a, b| cost(b, size).total_cmp(&cost(a, size)));
        Ok(Self { batch, groups })
    }

    /// The same, with the largest order first.
    pub(crate) fn by_order(mut self, size: Size<'_>) -> Self {
        self.groups.sort_by_key(|group| Reverse(size(group[0])));
        self
    }

    pub(crate) fn as_slice(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// Works on each group, on several at once; returns what the work on each does. `bytes` are those that a matrix and
    /// what belongs to it take on their way to the device and back.
    ///
    /// # Errors
    /// The first of any group; then some of the groups have not been worked on.
    pub(crate) fn each<R: Send>(
        &self,
        device: &Device,
        bytes: impl Fn(usize) -> usize + Sync,
        work: impl Fn(&[usize]) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let bytes = |group: usize| bytes(self.groups[group][0]).saturating_mul(self.groups[group].len());
        turns::each(device, self.groups.len(), bytes, |group| work(&self.groups[group]))
    }

    /// What groups have for each of their matrices, in the order of the batch. Those of no group have `other`.
    pub(crate) fn in_order<T: Copy>(&self, parts: &[Vec<T>], other: T) -> Result<Vec<T>> {
        let mut all = filled(other, self.batch)?;
        for (group, part) in self.groups.iter().zip(parts) {
            group.iter().zip(part).for_each(|(&b, &x)| all[b] = x);
        }
        Ok(all)
    }
}

/// Multiplications, as good as.
fn cost(group: &[usize], size: Size<'_>) -> f64 {
    let (n, rhs) = size(group[0]);
    let (n, rhs) = (n as f64, rhs as f64);
    group.len() as f64 * n * n * (n + 3.0 * rhs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_of_one_size_and_the_dearest_comes_first() {
        let orders = [3, 9, 3, 0, 40, 3, 9];
        let groups = Groups::new(orders.len(), |b| orders[b], |b| (orders[b], 1)).unwrap();
        assert_eq!(groups.as_slice(), [vec![4], vec![1, 6], vec![0, 2, 5], vec![3]]);
        let parts: Vec<Vec<usize>> =
            groups.as_slice().iter().map(|group| group.iter().map(|&b| 10 * b).collect()).collect();
        assert_eq!(groups.in_order(&parts, 1).unwrap(), [0, 10, 20, 30, 40, 50, 60]);
        let orders = [2, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
        let size = |b: usize| (orders[b], 1);
        let groups = Groups::new(orders.len(), |b| orders[b], size).unwrap();
        assert_eq!((groups.as_slice()[0].len(), groups.by_order(&size).as_slice()[0].len()), (19, 1));
    }
}
