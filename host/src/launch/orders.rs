//! Which orders are for many blocks a matrix.

use kernels_gpu::entry::{Family, Variant};
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

use super::multi_block::Given;
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice::{self, FEW_SIDES};

/// The largest order of positive definite matrices that are factored by a block each, of few matrices: that of a block
/// on the diagonal.
const FEW_DEFINITE: u32 = 128;

/// Whether matrices of this order are too large for one block each, or many blocks are faster, where the choice is that
/// for few matrices.
pub(super) fn is_for_many_blocks(
    backend: &Backend,
    algorithm: Algorithm,
    kind: ScalarKind,
    size: Problem,
    given: Given,
) -> bool {
    if given == Given::Definite {
        return size.n > if algorithm == Algorithm::Latency { FEW_DEFINITE } else { definite(kind) };
    }
    let are_sooner = || match given {
        Given::Factors => size.rhs > FEW_SIDES && size.n >= sooner_from_factors(kind),
        _ => size.n >= sooner(kind) && backend.limits().tier >= 90, // by clusters, that is
    };
    !fits_a_block(backend, kind, size.n) || algorithm == Algorithm::Latency && are_sooner()
}

/// Whether there is a kernel that factors matrices of this order by a block each, other than in device memory.
pub(crate) fn fits_a_block(backend: &Backend, kind: ScalarKind, n: u32) -> bool {
    let found = choice::find(Algorithm::Auto, Family::Getrf, kind, &Problem { n, batch: 1, rhs: 1 }, backend.limits());
    found.is_some_and(|entry| entry.variant != Variant::Global)
}

/// The largest order of positive definite matrices that are factored by a block each, of many matrices: measured on an
/// H100. Real ones of a larger order do not stay in shared memory.
fn definite(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::F32 => 336,
        ScalarKind::F64 | ScalarKind::C32 => 240,
        ScalarKind::C64 => 512,
    }
}

/// The order from which on many blocks are faster for one matrix, from factors: where one block takes several chunks.
fn sooner_from_factors(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::F32 | ScalarKind::F64 | ScalarKind::C32 => 65,
        ScalarKind::C64 => 96,
    }
}

/// The same from the matrix itself.
fn sooner(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::F32 | ScalarKind::F64 | ScalarKind::C32 => 208,
        ScalarKind::C64 => 176,
    }
}

/// Columns of a block of panels: more of them read and write the trailing matrix less often, fewer wait less for each
/// other.
pub(super) fn block(n: u32) -> u32 {
    match n {
        ..8192 => 128,
        8192..16384 => 256,
        _ => 512,
    }
}
