//! Substitution by a cluster a right-hand side, for few of them: where it is faster than other kernels.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::table;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::error::Result;

/// Solutions of at most so many right-hand sides are faster by clusters than by a warp each.
const FEW_SOLUTIONS: u64 = 256;

/// The kernel of a family that solves by a cluster a right-hand side, loaded, where the algorithm is warplu's own
/// choice; none where the machine has no clusters, or the system does not fit.
pub(crate) fn clusters(
    backend: &Backend,
    algorithm: Algorithm,
    family: Family,
    kind: ScalarKind,
    size: Problem,
) -> Result<Option<&'static Entry>> {
    let variant = if family == Family::Steps { Variant::SolveUpper } else { Variant::ClusterPerRhs };
    let limits = backend.limits();
    let found = table::find(family, variant, kind).filter(|entry| {
        algorithm.chooses() && size.rhs > 0 && limits.has(entry) && entry.fits(&size, limits.shared_bytes)
    });
    if let Some(entry) = found {
        backend.prepare(entry, entry.shape(&size).shared_bytes)?;
    }
    Ok(found)
}

/// Whether so many solutions are few enough, where a kernel with a warp a right-hand side could do them, too. That
/// gives the same numbers, bit for bit.
pub(crate) fn pays_off(size: Problem) -> bool {
    size.batch.saturating_mul(size.rhs.into()) <= FEW_SOLUTIONS
}
