//! Launch shapes of orders that no GPU holds: shared memory is what a wide sum says, or "does not take the problem".

#![cfg(not(target_arch = "nvptx64"))]

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::table;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

const ORDERS: [u32; 7] = [1 << 20, (1 << 27) + 1, 1 << 28, 1 << 30, (1 << 31) + 5, u32::MAX - 31, u32::MAX];

fn problem(n: u32, rhs: u32) -> Problem {
    Problem { n, batch: 1, rhs }
}

/// The least multiple of `step` that is not below `x`.
fn round_up(x: u128, step: u128) -> u128 {
    x.div_ceil(step) * step
}

/// What an entry needs for an order that is far beyond all memory, or nothing if that does not depend on the order.
fn exact(entry: &Entry, n: u128) -> Option<u128> {
    let size = entry.kind.size() as u128;
    Some(match (entry.family, entry.variant) {
        // Panels of one column; three squares of 16 columns, or 128 bytes; candidates of two searches: a magnitude and
        // a row of up to 32 warps; without interchanges, a magnitude of each.
        (Family::Getrf | Family::GetrfNopiv, Variant::Global) => {
            let real = if matches!(entry.kind, ScalarKind::F32 | ScalarKind::C32) { 4 } else { 8 };
            let columns = 16.min(128 / size);
            let panels = 3 * columns * (columns * size + 16) + n * size;
            let interchanges = entry.family == Family::Getrf;
            panels + if interchanges { 64 * (real + 4) + 4 * (16 + n + 32) } else { 32 * real }
        }
        (Family::Getri, Variant::Shared) => round_up(n * size + 4 * (n + 32), 16) + n * (n | 1) * size,
        (Family::Getri, Variant::Global) => n * size + 4 * (n + 32),
        // One right-hand side a block.
        (Family::Getrs | Family::Trtrs, Variant::Shared) => (n | 1) * size + 4 * n,
        (Family::Steps, Variant::PivotRows) => 4 * n,
        // No shared memory holds the factors of such orders.
        (_, Variant::CholeskyInShared { .. }) => u128::MAX,
        _ => return None,
    })
}

#[test]
fn shared_memory_of_any_order_is_exact_or_refused() {
    for entry in table::entries() {
        for n in ORDERS {
            for rhs in [1, u32::MAX] {
                let asked = entry.shape(&problem(n, rhs)).shared_bytes;
                if let Some(exact) = exact(entry, n.into()) {
                    assert_eq!(asked, u32::try_from(exact).unwrap_or(u32::MAX), "{} of order {n}", entry.name);
                } else if n > entry.variant.largest_order() {
                    assert_eq!(asked, u32::MAX, "{} of order {n}", entry.name);
                }
            }
        }
    }
}

/// All others need the same for every order that they take at all.
#[test]
fn what_does_not_grow_stays() {
    let others = |entry: &&Entry| {
        entry.variant.largest_order() == u32::MAX
            && entry.family != Family::ClusterProbe // its order is the size of a cluster
            && exact(entry, 1 << 20).is_none()
    };
    for entry in table::entries().filter(others) {
        let bytes = |n| entry.shape(&problem(n, 1)).shared_bytes;
        assert!(ORDERS.iter().all(|&n| bytes(n) == bytes(1 << 20)), "{}", entry.name);
        // GPUs with clusters have more; others have steps that take less.
        let with_clusters = entry.family == Family::Steps;
        let most = if with_clusters { 227 << 10 } else { 64 << 10 };
        assert!(bytes(1 << 20) <= most, "{}", entry.name);
    }
}

#[test]
fn blocks_and_threads_of_any_problem_are_within_bounds() {
    for entry in table::entries() {
        for n in ORDERS {
            for batch in [1, u64::MAX] {
                let shape = entry.shape(&Problem { n, batch, rhs: 3 });
                assert!(shape.threads <= entry.max_threads, "{} of order {n}", entry.name);
                assert!(shape.blocks > 0, "{} of order {n}", entry.name);
            }
        }
    }
}
