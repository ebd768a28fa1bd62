//! Ranges of a batch for several processes.

use proptest::collection::vec;
use proptest::prelude::*;
use warplu::{shard, shard_uniform};

/// Checks that the ranges of all ranks are the whole batch, one after the other.
fn expect_all(count: usize, size: usize, range: impl Fn(usize) -> std::ops::Range<usize>) -> Result<(), TestCaseError> {
    let mut end = 0;
    for rank in 0..size {
        let range = range(rank);
        prop_assert_eq!(range.start, end);
        prop_assert!(range.end >= range.start);
        end = range.end;
    }
    prop_assert_eq!(end, count);
    prop_assert!(range(size).is_empty());
    Ok(())
}

/// The least that the largest cost can be, found by trying.
fn best(costs: &[u64], size: usize) -> u64 {
    let ranges = |most: u64| {
        let (mut ranges, mut held) = (1, 0);
        for &cost in costs {
            if held + cost > most {
                (ranges, held) = (ranges + 1, 0);
            }
            held += cost;
        }
        ranges
    };
    let (mut least, mut enough) = (costs.iter().copied().max().unwrap_or(0), costs.iter().sum::<u64>());
    while least < enough {
        let middle = least.midpoint(enough);
        if ranges(middle) <= size { enough = middle } else { least = middle + 1 }
    }
    enough
}

proptest! {
    #[test]
    fn each_matrix_is_in_one_range_and_costs_are_balanced(
        costs in vec(prop_oneof![Just(0), 0..10_u64, 0..100_000_u64], 0..80),
        size in 1..12_usize,
    ) {
        expect_all(costs.len(), size, |rank| shard(rank, size, &costs))?;
        let (sum, dearest) = (costs.iter().sum::<u64>(), costs.iter().copied().max().unwrap_or(0));
        let of = |rank| costs[shard(rank, size, &costs)].iter().sum::<u64>();
        for rank in 0..size {
            prop_assert!((of(rank) * size as u64).abs_diff(sum) <= dearest * size as u64, "{} of {}", of(rank), sum);
        }
        let largest = (0..size).map(of).max().unwrap_or(0);
        prop_assert!(largest <= 2 * best(&costs, size), "{} and {}", largest, best(&costs, size));
    }

    #[test]
    fn equal_costs_make_even_ranges(count in 0..5000_usize, size in 1..70_usize, cost in any::<u64>()) {
        expect_all(count, size, |rank| shard_uniform(rank, size, count))?;
        for rank in 0..size {
            let range = shard_uniform(rank, size, count);
            prop_assert!(range.len() == count / size || range.len() == count.div_ceil(size));
            prop_assert_eq!(shard(rank, size, &vec![cost; count]), range);
        }
    }

    #[test]
    fn nothing_overflows(costs in vec(any::<u64>(), 0..20), size in any::<usize>(), count in any::<usize>()) {
        let size = size.max(1);
        for rank in [0, size / 2, size - 1] {
            let (some, uniform) = (shard(rank, size, &costs), shard_uniform(rank, size, count));
            prop_assert!(some.start <= some.end && some.end <= costs.len());
            prop_assert!(uniform.len() == count / size || uniform.len() == count.div_ceil(size));
        }
    }
}
