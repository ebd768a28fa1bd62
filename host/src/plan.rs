//! Which kernel for which operation, type and order: the one tuning table.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::scalar::ScalarKind;
use kernels_gpu::shape::Problem;

use crate::error::{Error, Result};

/// Kernels by preference: the first whose order limit and shared memory fit is taken.
const PREFERENCE: [(Variant, usize); 5] = [
    (Variant::Warp8, 8),
    (Variant::Warp16, 16),
    (Variant::Warp32, 32),
    (Variant::Shared, usize::MAX),
    (Variant::Global, usize::MAX),
];

/// The kernel of a family for matrices of order `n`, where a block may have `shared_limit` bytes of shared memory.
pub(crate) fn choose(family: Family, kind: ScalarKind, problem: &Problem, shared_limit: u32) -> Result<&'static Entry> {
    let n = problem.n as usize;
    let mut needed = 0;
    for (variant, largest) in PREFERENCE {
        let Some(entry) = Entry::find(family, variant, kind) else { continue };
        let bytes = entry.shape(problem).shared_bytes;
        if n <= largest && bytes <= shared_limit {
            return Ok(entry);
        }
        needed = bytes;
    }
    Err(Error::TooLarge { n, bytes: needed.into(), limit: shared_limit })
}

/// The kernel of a family that has but one of each variant.
pub(crate) fn only(family: Family, variant: Variant, kind: ScalarKind) -> Result<&'static Entry> {
    Entry::find(family, variant, kind)
        .ok_or_else(|| Error::Unsupported(format!("there is no {} kernel for {}", family.name(), kind.name())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_kernel_up_to_order_1024() {
        // 96 KiB is what the smallest supported GPU (sm_70) gives a block.
        for family in [Family::Lu, Family::Inverse, Family::Solve] {
            for kind in ScalarKind::ALL {
                for n in 1..=1024 {
                    for rhs in [1, 7, 1000] {
                        choose(family, kind, &Problem { n, batch: 1, rhs }, 96 * 1024).unwrap();
                    }
                }
            }
        }
    }
}
