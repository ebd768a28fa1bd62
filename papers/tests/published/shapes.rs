//! Launch shapes of orders that no GPU holds: shared memory is what a wide sum says.

use kernels_gpu::entry::Entry;
use numbers::problem::Problem;
use papers::kernels::table::ENTRIES;

const ORDERS: [u32; 7] = [1 << 20, (1 << 27) + 1, 1 << 28, 1 << 30, (1 << 31) + 5, u32::MAX - 31, u32::MAX];

fn problem(n: u32, rhs: u32) -> Problem {
    Problem { n, batch: 1, rhs }
}

/// The least multiple of `step` that is not below `x`.
fn round_up(x: u128, step: u128) -> u128 {
    x.div_ceil(step) * step
}

/// What an entry needs for an order that is far beyond all memory, or nothing if that does not depend on the order.
fn exact(entry: &Entry, n: u128, rhs: u128) -> Option<u128> {
    let size = entry.kind.size() as u128;
    let name = entry.base_name();
    let (kernel, columns) = name.rsplit_once("_nb").map_or((name, 0), |(kernel, nb)| (kernel, nb.parse().unwrap()));
    // Panel, keys, and four words a row.
    let workspace = round_up(n, 4) * (columns | 1) * size + 8 * round_up(n, 2) + 4 * (3 * n + 32);
    Some(match kernel {
        "left_looking" => workspace,
        "right_looking" => round_up(workspace, 16) + n * columns * size,
        "upper_timely" | "upper_delayed" | "lower_timely" | "lower_delayed" => {
            128 + round_up(n, columns) * columns * size
        }
        "columns_swap" | "columns_gather" => 4 * n,
        "eliminate_columns_shared" => (n + rhs) * size,
        _ => return None,
    })
}

/// Whether a kernel keeps a right-hand side in shared memory.
fn substitutes(entry: &Entry) -> bool {
    entry.name.starts_with("substitute_")
}

#[test]
fn shared_memory_of_any_order_is_exact() {
    for (entry, n) in ENTRIES.iter().flat_map(|entry| ORDERS.map(|n| (entry, n))) {
        for rhs in [1, u32::MAX] {
            let asked = entry.shape(&problem(n, rhs)).shared_bytes;
            if let Some(exact) = exact(entry, n.into(), rhs.into()) {
                assert_eq!(asked, u32::try_from(exact).unwrap_or(u32::MAX), "{} of order {n}", entry.name);
            }
        }
    }
}

#[test]
fn substitution_keeps_a_right_hand_side_in_shared_memory() {
    for entry in ENTRIES.iter().filter(|entry| substitutes(entry)) {
        let size = entry.kind.size() as u64;
        let bytes = |n| entry.shape(&problem(n, 1)).shared_bytes;
        let rest = u64::from(bytes(1 << 20)) - (size << 20);
        for n in ORDERS {
            let exact = rest + u64::from(n) * size;
            assert_eq!(bytes(n), u32::try_from(exact).unwrap_or(u32::MAX), "{} of order {n}", entry.name);
        }
    }
}

/// All others need the same for every order.
#[test]
fn what_does_not_grow_stays() {
    for entry in ENTRIES.iter().filter(|entry| !substitutes(entry) && exact(entry, 1 << 20, 1).is_none()) {
        let bytes = |n| entry.shape(&problem(n, 1)).shared_bytes;
        assert!(ORDERS.iter().all(|&n| bytes(n) == bytes(1 << 20)), "{}", entry.name);
        // GPUs with clusters have more.
        let most = if entry.tiers.start >= 90 { 227 << 10 } else { 64 << 10 };
        assert!(bytes(1 << 20) <= most, "{}", entry.name);
    }
}

#[test]
fn blocks_and_threads_of_any_problem_are_within_bounds() {
    for (entry, n) in ENTRIES.iter().flat_map(|entry| ORDERS.map(|n| (entry, n))) {
        for batch in [1, u64::MAX] {
            let shape = entry.shape(&Problem { n, batch, rhs: 3 });
            assert!(shape.threads <= entry.max_threads && shape.blocks > 0, "{} of order {n}", entry.name);
        }
    }
}
