//! Which kernel factors positive definite matrices: measured on an H100, as many of them as fill it.

use kernels_gpu::entry::{Family, Variant};
use numbers::scalar::ScalarKind;

/// Warps of a block, and the largest order that they are for.
type Warps = [(u8, u32); 4];

/// Kernels by preference; those that take fewer columns, or need more shared memory than there is, are passed over.
pub(super) fn variants(family: Family, kind: ScalarKind, n: u32) -> Vec<Variant> {
    if family != Family::Potrf {
        return Vec::new();
    }
    let small = [4, 8, 16, 24, 32].map(|n| Variant::InRegisters { n });
    let warps: Warps = match kind {
        ScalarKind::F32 => [(1, 64), (2, 128), (4, 208), (8, u32::MAX)],
        ScalarKind::F64 => [(1, 56), (2, 112), (4, 144), (8, u32::MAX)],
        ScalarKind::C32 => [(1, 56), (2, 112), (4, 144), (8, u32::MAX)],
        ScalarKind::C64 => [(1, 48), (2, 80), (4, 112), (8, 144)],
    };
    let shared = warps.into_iter().filter(|&(_, largest)| n <= largest);
    let shared = shared.map(|(warps, _)| Variant::CholeskyInShared { warps, rows: 2 });
    let in_memory = Variant::CholeskyInMemory { warps: 8, rows: 2 };
    small.into_iter().chain(shared).chain([in_memory]).collect()
}
