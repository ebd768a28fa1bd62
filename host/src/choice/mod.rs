//! Which kernel for which operation, type and order.

mod tuned;

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::scalar::ScalarKind;
use kernels_gpu::shape::Problem;
use kernels_gpu::table::ENTRIES;

use crate::error::{Error, Result};
use tuned::TUNED;

/// Kernels by preference, where the tuned ones are missing or do not fit.
const PREFERENCE: [Variant; 7] = [
    Variant::Warp4,
    Variant::Warp8,
    Variant::Warp16,
    Variant::Warp24,
    Variant::Warp32,
    Variant::Shared,
    Variant::Global,
];

/// The kernel of a family for matrices of order `n`, where a block may have `shared_limit` bytes of shared memory; none
/// where no kernel fits, or where the family has no kernels.
pub(crate) fn find(family: Family, kind: ScalarKind, problem: &Problem, shared_limit: u32) -> Option<&'static Entry> {
    let tuned = TUNED.iter().filter(|row| (row.0, row.1) == (family, kind) && problem.n <= row.2).map(|row| row.3);
    let mut entries = tuned.chain(PREFERENCE).filter_map(|variant| Entry::find(family, variant, kind));
    entries.find(|entry| entry.fits(problem, shared_limit))
}

/// As [`find`], for a family that should have a kernel.
pub(crate) fn choose(family: Family, kind: ScalarKind, problem: &Problem, shared_limit: u32) -> Result<&'static Entry> {
    find(family, kind, problem, shared_limit).ok_or_else(|| {
        let of_order = ENTRIES
            .iter()
            .filter(|entry| (entry.family, entry.kind) == (family, kind) && problem.n <= entry.variant.largest_order());
        let needed = of_order.map(|entry| entry.shape(problem).shared_bytes).min().unwrap_or(0);
        Error::TooLarge { n: problem.n as usize, bytes: needed.into(), limit: shared_limit }
    })
}

/// The kernel of a family that has but one of each variant.
pub(crate) fn only(family: Family, variant: Variant, kind: ScalarKind) -> Result<&'static Entry> {
    Entry::find(family, variant, kind)
        .ok_or_else(|| Error::Unsupported(format!("there is no {} kernel for {}", family.name(), kind.name())))
}

/// What the kernels of a name do.
pub(crate) fn family(name: &str) -> Option<Family> {
    ENTRIES.iter().find(|entry| entry.base_name() == name).map(|entry| entry.family)
}

/// The kernel of a name without its type, which must take the problem.
pub(crate) fn named(name: &str, kind: ScalarKind, problem: &Problem, shared_limit: u32) -> Result<&'static Entry> {
    let entry = Entry::named(name, kind).ok_or_else(|| {
        Error::Unsupported(format!(
            "there is no kernel {name} for {}: `warplu info` lists those there are",
            kind.name()
        ))
    })?;
    let (n, largest) = (problem.n, entry.variant.largest_order());
    if n > largest {
        return Err(Error::Unsupported(format!(
            "the kernel {name} takes matrices up to order {largest}, not of order {n}: use another, or the algorithm `auto`"
        )));
    }
    if entry.shape(problem).shared_bytes == u32::MAX {
        return Err(Error::Unsupported(format!(
            "the kernel {name} does not take order {n} with {} right-hand sides: use another, or the algorithm `auto`",
            problem.rhs
        )));
    }
    fit(entry, problem, shared_limit)
}

/// The kernel, if a block of its launch has the shared memory that it needs.
pub(crate) fn fit(entry: &'static Entry, problem: &Problem, limit: u32) -> Result<&'static Entry> {
    let bytes = entry.shape(problem).shared_bytes;
    if bytes <= limit {
        return Ok(entry);
    }
    Err(Error::AlgorithmTooLarge { kernel: entry.name, n: problem.n as usize, bytes, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the smallest supported GPU (sm_70) gives a block.
    const SMALLEST: u32 = 96 * 1024;

    fn problem(n: u32) -> Problem {
        Problem { n, batch: 1, rhs: 1 }
    }

    #[test]
    fn every_operation_has_a_kernel_up_to_order_1024() {
        for family in [Family::Lu, Family::Inverse, Family::Solve] {
            for kind in ScalarKind::ALL {
                for n in 1..=1024 {
                    for rhs in [1, 7, 1000] {
                        choose(family, kind, &Problem { n, batch: 1, rhs }, SMALLEST).unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn tuned_rows_name_kernels_that_take_their_orders() {
        for &(family, kind, largest, variant) in TUNED {
            let entry = Entry::find(family, variant, kind);
            assert!(entry.is_some(), "no {family:?} {kind:?} {variant:?}");
            assert!(largest <= variant.largest_order(), "{family:?} {kind:?} {largest} {variant:?}");
        }
    }

    #[test]
    fn tuned_rows_are_together_and_their_orders_ascend() {
        let of = |row: &(Family, ScalarKind, u32, Variant)| (row.0, row.1);
        let groups: Vec<_> = TUNED.chunk_by(|a, b| of(a) == of(b)).collect();
        for (at, group) in groups.iter().enumerate() {
            assert!(group.is_sorted_by(|a, b| a.2 < b.2), "{group:?}");
            assert!(groups[..at].iter().all(|other| of(&other[0]) != of(&group[0])), "{group:?}");
        }
    }

    #[test]
    fn the_tuned_row_is_taken_where_it_fits() {
        for &(family, kind, largest, variant) in TUNED {
            assert_eq!(find(family, kind, &problem(largest), u32::MAX).unwrap().variant, variant);
        }
        // Without shared memory only what works in registers or device memory is left.
        assert_eq!(find(Family::Inverse, ScalarKind::F64, &problem(500), SMALLEST).unwrap().variant, Variant::Global);
    }

    #[test]
    fn a_named_kernel_must_take_the_order() {
        let fault = |name, n, limit| named(name, ScalarKind::F32, &problem(n), limit).unwrap_err().to_string();
        assert_eq!(named("lu_small8", ScalarKind::C64, &problem(8), SMALLEST).unwrap().name, "lu_small8_c64");
        assert!(fault("lu_small8", 9, SMALLEST).contains("up to order 8, not of order 9"));
        assert!(fault("lu_global", 40, 16).contains("lu_global_f32"));
        assert!(fault("lu", 8, 0).contains("no kernel lu for f32"));
        let sides = Problem { rhs: 2, ..problem(40) };
        let fault = named("factor_solve_stream_b3_w1", ScalarKind::F32, &sides, SMALLEST).unwrap_err().to_string();
        assert!(fault.contains("order 40 with 2 right-hand sides"), "{fault}");
    }
}
