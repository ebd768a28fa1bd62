//! Which matrices of a batch each of several processes works on.

use std::ops::Range;

/// The matrices that process `rank` of `size` works on, by what each of them costs.
///
/// The ranges of ranks 0, 1, ..., `size` - 1 follow each other and hold each matrix once. A matrix goes to the rank in
/// whose even share of the sum its middle lies, so the cost of a range is within that of the dearest matrix of an even
/// share: `|range - sum / size| <= max`. No other contiguous ranges have a largest cost below half of the largest here.
/// Equal costs make lengths that differ by one at most, those of [`shard_uniform`]; so do costs that are all zero.
///
/// Each process calls it on its own, with the same costs; nothing is communicated. A rank that is not below `size` gets
/// nothing.
///
/// ```
/// use warplu::shard;
///
/// // Inverting takes about n^3.
/// let orders = [[64_u64; 4].as_slice(), &[32; 16]].concat();
/// let costs: Vec<_> = orders.iter().map(|n| n.pow(3)).collect();
/// assert_eq!(shard(0, 2, &costs), 0..3);
/// assert_eq!(shard(1, 2, &costs), 3..20); // sixteen of 32 cost as much as two of 64
/// ```
///
/// On several GPUs a process takes the one of its number on its machine (see `cli/examples/mpi_blocks.rs`, which runs
/// under MPI).
#[must_use]
pub fn shard(rank: usize, size: usize, costs: &[u64]) -> Range<usize> {
    let sum: u128 = costs.iter().map(|&cost| u128::from(cost)).sum();
    if sum == 0 {
        return shard_uniform(rank, size, costs.len());
    }
    ranges(rank, size, costs.len(), |k| {
        let cut = twice_part(sum, k, size);
        // Twice the cost up to a matrix's middle is that of all before and with it.
        let mut with = 0;
        let middles = costs.iter().map(|&cost| {
            let before = with;
            with += u128::from(cost);
            before + with
        });
        middles.take_while(|&twice| twice < cut).count()
    })
}

/// The matrices that process `rank` of `size` works on, of a batch of `count` equal ones: [`shard`] without a list of
/// costs.
///
/// ```
/// use warplu::shard_uniform;
///
/// let ranges: Vec<_> = (0..4).map(|rank| shard_uniform(rank, 4, 10)).collect();
/// assert_eq!(ranges, [0..2, 2..5, 5..7, 7..10]);
/// ```
#[must_use]
pub fn shard_uniform(rank: usize, size: usize, count: usize) -> Range<usize> {
    // Middles are at 1/2, 3/2, ...: so many are before the cut.
    ranges(rank, size, count, |k| (twice_part(count as u128, k, size) / 2) as usize)
}

/// From one cut to the next; `cut` is asked for those within.
fn ranges(rank: usize, size: usize, count: usize, cut: impl Fn(usize) -> usize) -> Range<usize> {
    if rank >= size {
        return count..count;
    }
    let cut = |k| if k == size { count } else { cut(k) };
    cut(rank)..cut(rank + 1)
}

/// `2 sum k / size`, rounded up, for k below `size`; nothing overflows where `sum` is one of `u64`s.
fn twice_part(sum: u128, k: usize, size: usize) -> u128 {
    let (k, size) = (k as u128, size as u128);
    let (whole, rest) = (sum / size, sum % size * k);
    2 * (whole * k + rest / size) + (2 * (rest % size)).div_ceil(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_matrices_leave_some_ranks_without() {
        let lengths = |size, count| (0..size).map(|rank| shard_uniform(rank, size, count).len()).collect::<Vec<_>>();
        assert_eq!(lengths(3, 0), [0, 0, 0]);
        assert_eq!(lengths(4, 1).iter().sum::<usize>(), 1);
        assert_eq!(lengths(3, 2).iter().max(), Some(&1));
        assert_eq!(lengths(1, 5), [5]);
    }

    #[test]
    fn matrices_that_cost_nothing_are_worked_on_too() {
        assert_eq!((shard(0, 2, &[0; 4]), shard(1, 2, &[0; 4])), (0..2, 2..4));
        let costs = [0, 0, 5, 0, 0];
        let (first, second) = (shard(0, 2, &costs), shard(1, 2, &costs));
        assert_eq!((first.start, first.end, second.end), (0, second.start, 5));
        assert_eq!(shard(2, 3, &[]), 0..0);
    }

    #[test]
    fn what_no_machine_has_does_not_overflow() {
        let (last, all) = (shard(usize::MAX - 1, usize::MAX, &[u64::MAX; 3]), usize::MAX);
        assert_eq!(last, 3..3);
        assert_eq!(shard_uniform(all - 1, all, all), all - 1..all);
        assert_eq!(shard_uniform(1, 2, all), all / 2..all);
        assert_eq!((shard(5, 5, &[1; 9]), shard_uniform(0, 0, 9)), (9..9, 9..9));
    }
}
