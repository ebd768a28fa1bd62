//! How much is tested.

use std::mem::discriminant;

use kernels_gpu::entry::{Entry, Variant};

/// Whether every kernel is to be run at all of its limits, with `WARPLU_TESTS=all` in the environment, as `cargo xtask
/// ci` has it. Else it is each schedule by its smallest and its largest kernel.
pub(crate) fn is_exhaustive() -> bool {
    std::env::var_os("WARPLU_TESTS").is_some_and(|value| value == "all")
}

/// Which of some orders are tested: else it is the first and the last.
pub(crate) fn orders(all: Vec<usize>) -> Vec<usize> {
    if is_exhaustive() || all.len() < 2 { all } else { vec![all[0], all[all.len() - 1]] }
}

/// The kernels to be run.
pub(crate) fn selected(entries: impl Iterator<Item = &'static Entry>) -> Vec<&'static Entry> {
    let all: Vec<_> = entries.collect();
    if is_exhaustive() {
        return all;
    }
    let order = |entry: &Entry| entry.variant.largest_order();
    let of_same = |variant: Variant| {
        let same = all.iter().filter(move |entry| discriminant(&entry.variant) == discriminant(&variant));
        same.map(|entry| order(entry))
    };
    let is_limit = |entry: &&&Entry| {
        let orders = || of_same(entry.variant);
        orders().min() == Some(order(entry)) || orders().max() == Some(order(entry))
    };
    all.iter().filter(is_limit).copied().collect()
}
