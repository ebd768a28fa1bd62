//! Which kernel for which operation, type and order.

mod cholesky;
mod latency;
mod tuned;

use std::mem::discriminant;

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::table;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

use crate::error::{Error, Result};
use latency::LATENCY;
use tuned::TUNED;

use crate::algorithm::Algorithm;

/// Family and type, and their kernels: each with the largest order that it is for (from that of the one before).
type Rows = (Family, ScalarKind, &'static [(u32, Variant)]);
/// The rows of each tier of GPUs.
type Tiers = &'static [(u32, &'static [Rows])];

/// What a machine has that decides which kernels it can run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The tier of its kernels: the compute capability that they ask for, times 10.
    pub(crate) tier: u32,
    /// Shared memory that a block may have, in bytes.
    pub(crate) shared_bytes: u32,
}

impl Limits {
    /// What both of two machines have.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { tier: self.tier.min(other.tier), shared_bytes: self.shared_bytes.min(other.shared_bytes) }
    }

    /// Whether it can run the kernel at all.
    pub(crate) fn has(self, entry: &Entry) -> bool {
        entry.tiers.contains(&self.tier)
    }
}

/// Kernels by preference, where the tuned ones are missing or do not fit.
const PREFERENCE: [Variant; 13] = [
    Variant::InThread,
    Variant::InRegisters { n: 4 },
    Variant::InRegisters { n: 8 },
    Variant::InRegisters { n: 16 },
    Variant::InRegisters { n: 24 },
    Variant::InRegisters { n: 32 },
    Variant::LanePerRhs { n: 4 },
    Variant::LanePerRhs { n: 8 },
    Variant::LanePerRhs { n: 16 },
    Variant::LanePerRhs { n: 24 },
    Variant::LanePerRhs { n: 32 },
    Variant::Shared,
    Variant::Global,
];

/// Up to this order a warp or less works on a matrix, whether there are few or many.
const ALIKE: u32 = 32;
/// The most right-hand sides that have a warp each.
pub(crate) const FEW_SIDES: u32 = 4;

/// The kernel of a family for matrices of order `n`, by warplu's choice for many matrices or for few; none where no
/// kernel fits, or where the family has no kernels.
pub(crate) fn find(
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    problem: &Problem,
    limits: Limits,
) -> Option<&'static Entry> {
    let is_latency = algorithm == Algorithm::Latency && problem.n > ALIKE;
    let latency = if is_latency { rows_for(LATENCY, limits.tier) } else { &[] };
    let rows = latency.iter().chain(rows_for(TUNED, limits.tier)).filter(|rows| (rows.0, rows.1) == (family, kind));
    let tuned = rows.flat_map(|rows| rows.2).filter(|row| problem.n <= row.0).map(|row| row.1);
    let cholesky = cholesky::variants(family, kind, problem.n);
    let variants = from_factors(family, kind, problem).into_iter().chain(cholesky).chain(tuned).chain(PREFERENCE);
    let mut entries = variants.filter_map(|variant| table::find(family, variant, kind));
    entries.find(|entry| limits.has(entry) && entry.fits(problem, limits.shared_bytes))
}

/// The kernel that inverts, or solves with several right-hand sides, from factors: by a lane each where they are short,
/// else by matrix instructions, with the narrowest chunks of those that take the fewest of them.
fn from_factors(family: Family, kind: ScalarKind, problem: &Problem) -> Option<Variant> {
    match family {
        Family::Getrs if problem.rhs <= FEW_SIDES => return None,
        Family::Getri | Family::Getrs => {}
        _ => return None,
    }
    let entries = table::entries().filter(|entry| (entry.family, entry.kind) == (family, kind));
    let chunks = entries.filter_map(|entry| match entry.variant {
        Variant::LanePerRhs { n } if problem.n <= n.into() => Some((0, n, entry.variant)),
        Variant::FromFactors { panels, .. } => Some((problem.n.div_ceil(8 * u32::from(panels)), panels, entry.variant)),
        _ => None,
    });
    chunks.min_by_key(|&(chunks, panels, _)| (chunks, panels)).map(|(.., variant)| variant)
}

/// The rows of the highest tier that is not above this one.
fn rows_for(tables: Tiers, tier: u32) -> &'static [Rows] {
    tables.iter().filter(|(of, _)| *of <= tier).max_by_key(|(of, _)| *of).map_or(&[], |(_, rows)| rows)
}

/// As [`find`], for a family that should have a kernel.
pub(crate) fn choose(
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    problem: &Problem,
    limits: Limits,
) -> Result<&'static Entry> {
    find(algorithm, family, kind, problem, limits).ok_or_else(|| {
        let of_order = table::entries()
            .filter(|entry| (entry.family, entry.kind) == (family, kind) && problem.n <= entry.variant.largest_order());
        let needed = of_order.map(|entry| entry.shape(problem).shared_bytes).min().unwrap_or(0);
        Error::TooLarge { n: problem.n as usize, bytes: needed.into(), limit: limits.shared_bytes }
    })
}

/// The kernel that solves with a triangle: the one that the algorithm names if that is of the family, else one of the kind
/// that solves so many systems from factors, for the lowest orders.
pub(crate) fn triangular(
    algorithm: Algorithm,
    kind: ScalarKind,
    problem: &Problem,
    limits: Limits,
) -> Result<&'static Entry> {
    let algorithm = match algorithm {
        Algorithm::Kernel(name) if family(name) == Some(Family::Trtrs) => return named(name, kind, problem, limits),
        Algorithm::Latency => algorithm,
        _ => Algorithm::Auto,
    };
    let like = choose(algorithm, Family::Getrs, kind, problem, limits)?.variant;
    let is_alike = |entry: &&Entry| {
        (entry.family, entry.kind) == (Family::Trtrs, kind)
            && (discriminant(&entry.variant) == discriminant(&like) || entry.variant == Variant::Shared)
            && limits.has(entry)
            && entry.fits(problem, limits.shared_bytes)
    };
    let found = table::entries().filter(is_alike).min_by_key(|entry| entry.variant.largest_order());
    found.ok_or_else(|| Error::Unsupported(format!("there is no kernel for triangular matrices of {}", kind.name())))
}

/// The kernel of a family that has but one of each variant.
pub(crate) fn only(family: Family, variant: Variant, kind: ScalarKind) -> Result<&'static Entry> {
    table::find(family, variant, kind)
        .ok_or_else(|| Error::Unsupported(format!("there is no {} kernel for {}", family.name(), kind.name())))
}

/// What the kernels of a name do.
pub(crate) fn family(name: &str) -> Option<Family> {
    table::entries().find(|entry| entry.base_name() == name).map(|entry| entry.family)
}

/// The kernel of a name without its type, which must take the problem.
pub(crate) fn named(name: &str, kind: ScalarKind, problem: &Problem, limits: Limits) -> Result<&'static Entry> {
    let entry = table::named(name, kind).ok_or_else(|| {
        Error::Unsupported(format!(
            "there is no kernel {name} for {}: `warplu info` lists those there are",
            kind.name()
        ))
    })?;
    let (n, largest) = (problem.n, entry.variant.largest_order());
    if n > largest {
        return Err(Error::Unsupported(format!(
            "the kernel {name} takes matrices up to order {largest}, not of order {n}: use another, or the algorithm \
             `auto`"
        )));
    }
    if entry.shape(problem).shared_bytes == u32::MAX {
        return Err(Error::Unsupported(format!(
            "the kernel {name} does not take order {n} with {} right-hand sides: use another, or the algorithm `auto`",
            problem.rhs
        )));
    }
    fit(entry, problem, limits)
}

/// The kernel, if a block of its launch has the shared memory that it needs.
pub(crate) fn fit(entry: &'static Entry, problem: &Problem, limits: Limits) -> Result<&'static Entry> {
    if !limits.has(entry) {
        let capability = |tier: u32| format!("{}.{}", tier / 10, tier % 10);
        let there = capability(limits.tier);
        let needs = if limits.tier < entry.tiers.start {
            format!("needs the instructions of compute capability {}", capability(entry.tiers.start))
        } else {
            format!("is for compute capabilities below {}", capability(entry.tiers.end))
        };
        return Err(Error::Unsupported(format!(
            "the kernel {} {needs}, and this device runs kernels for {there}: use another, or the algorithm `auto`",
            entry.name
        )));
    }
    let limit = limits.shared_bytes;
    let bytes = entry.shape(problem).shared_bytes;
    if bytes <= limit {
        return Ok(entry);
    }
    Err(Error::AlgorithmTooLarge { kernel: entry.name, n: problem.n as usize, bytes, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the smallest supported GPU (sm_70) has.
    const SMALLEST: Limits = Limits { tier: 70, shared_bytes: 96 * 1024 };
    /// What the newest has.
    const LARGEST: Limits = Limits { tier: 90, shared_bytes: 227 * 1024 };

    fn problem(n: u32) -> Problem {
        Problem { n, batch: 1, rhs: 1 }
    }

    /// The tables of both choices.
    const TABLES: [(Algorithm, Tiers); 2] = [(Algorithm::Auto, TUNED), (Algorithm::Latency, LATENCY)];

    /// All rows, with their algorithms and tiers.
    fn rows() -> impl Iterator<Item = (Algorithm, u32, Family, ScalarKind, u32, Variant)> {
        let tables = TABLES.into_iter().flat_map(|(of, tiers)| tiers.iter().map(move |(tier, rows)| (of, *tier, rows)));
        let groups = tables.flat_map(|(of, tier, groups)| groups.iter().map(move |group| (of, tier, group)));
        groups.flat_map(|(of, tier, &(family, kind, rows))| {
            rows.iter().map(move |&(largest, variant)| (of, tier, family, kind, largest, variant))
        })
    }

    #[test]
    fn every_operation_has_a_kernel_up_to_order_1024() {
        for family in [Family::Getrf, Family::Getri, Family::Getrs] {
            for kind in ScalarKind::ALL {
                for n in 1..=1024 {
                    for rhs in [1, 7, 1000] {
                        for algorithm in [Algorithm::Auto, Algorithm::Latency] {
                            choose(algorithm, family, kind, &Problem { n, batch: 1, rhs }, SMALLEST).unwrap();
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn tuned_rows_name_kernels_that_take_their_orders() {
        for (_, tier, family, kind, largest, variant) in rows() {
            let entry = table::find(family, variant, kind);
            assert!(
                entry.is_some_and(|entry| entry.tiers.contains(&tier)),
                "no {family:?} {kind:?} {variant:?} for {tier}"
            );
            assert!(largest <= variant.largest_order(), "{family:?} {kind:?} {largest} {variant:?}");
        }
    }

    #[test]
    fn tuned_rows_are_together_and_their_orders_ascend() {
        for (_, groups) in TABLES.into_iter().flat_map(|(_, tiers)| tiers) {
            for (at, (family, kind, rows)) in groups.iter().enumerate() {
                assert!(rows.is_sorted_by(|a, b| a.0 < b.0), "{rows:?}");
                assert!(groups[..at].iter().all(|other| (other.0, other.1) != (*family, *kind)), "{rows:?}");
            }
        }
    }

    #[test]
    fn the_tuned_row_is_taken_where_it_fits() {
        for (algorithm, tier, family, kind, largest, variant) in rows() {
            let limits = Limits { tier, shared_bytes: u32::MAX };
            assert_eq!(find(algorithm, family, kind, &problem(largest), limits).unwrap().variant, variant);
        }
        // Without shared memory only what works in registers or device memory is left.
        let found = find(Algorithm::Auto, Family::Getri, ScalarKind::F64, &problem(500), SMALLEST);
        assert_eq!(found.unwrap().variant, Variant::Global);
    }

    #[test]
    fn a_named_kernel_must_take_the_order() {
        let fault = |name, n, limit| named(name, ScalarKind::F32, &problem(n), limit).unwrap_err().to_string();
        assert_eq!(
            named("getrf_in_registers_n8", ScalarKind::C64, &problem(8), SMALLEST).unwrap().name,
            "getrf_in_registers_n8_c64"
        );
        assert!(fault("getrf_in_registers_n8", 9, SMALLEST).contains("up to order 8, not of order 9"));
        assert!(fault("getrf_global", 40, Limits { shared_bytes: 16, ..SMALLEST }).contains("getrf_global_f32"));
        assert!(fault("lu", 8, SMALLEST).contains("no kernel lu for f32"));
        let sides = Problem { rhs: 2, ..problem(40) };
        let fault = named("gesv_left_looking_n48_w1", ScalarKind::F32, &sides, LARGEST).unwrap_err().to_string();
        assert!(fault.contains("order 40 with 2 right-hand sides"), "{fault}");
        let fault = named("gesv_left_looking_n48_w1", ScalarKind::F32, &problem(40), SMALLEST).unwrap_err().to_string();
        assert!(fault.contains("needs the instructions of compute capability 8.0"), "{fault}");
        let fault =
            named("getrf_register_blocked_r2_p4", ScalarKind::F32, &problem(40), LARGEST).unwrap_err().to_string();
        assert!(fault.contains("is for compute capabilities below 8.0"), "{fault}");
    }
}
