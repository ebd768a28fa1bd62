//! Which kernels a machine has.

use super::*;

/// GPUs with so much shared memory for a block: an H100, a consumer's with clusters, an A100, a consumer's without,
/// one without matrix instructions.
const GPUS: [(u32, u32); 5] = [(90, 227 << 10), (120, 99 << 10), (80, 163 << 10), (86, 99 << 10), (75, 64 << 10)];

fn find((tier, shared_bytes): (u32, u32), kind: ScalarKind, n: u32, given: Given) -> Option<MultiBlock> {
    MultiBlock::find(Limits { tier, shared_bytes }, kind, n, given)
}

#[test]
fn every_gpu_with_matrix_instructions_has_kernels() {
    for gpu in GPUS {
        for kind in ScalarKind::ALL {
            let all = [
                (513, Given::Matrices),
                (40_000, Given::Matrices),
                (40_000, Given::Definite),
                (20_000, Given::Factors),
            ];
            for (n, given) in all {
                let found = find(gpu, kind, n, given);
                assert_eq!(found.is_some(), gpu.0 >= 80, "{gpu:?} {kind:?} {n}");
                for (found, entry) in found.iter().flat_map(|found| found.entries().map(move |entry| (found, entry))) {
                    let bytes = shared_bytes(entry, found.order_of(entry));
                    assert!(entry.tiers.contains(&gpu.0) && bytes <= gpu.1, "{}", entry.name);
                }
            }
        }
    }
}

#[test]
fn columns_are_for_what_clusters_do_not_take() {
    let rows = |gpu, kind, n| find(gpu, kind, n, Given::Matrices).map(|found| found.division.cluster_rows);
    let has_columns = |gpu, kind, n| {
        let found = find(gpu, kind, n, Given::Matrices).unwrap();
        found.entries().any(|entry| entry.variant == Variant::Column)
    };
    for kind in ScalarKind::ALL {
        let most = if kind == ScalarKind::C64 { 16_384 } else { 32_768 };
        assert!(rows(GPUS[0], kind, 1000) >= Some(1000) && !has_columns(GPUS[0], kind, most));
        assert_eq!((rows(GPUS[0], kind, 40_000), has_columns(GPUS[0], kind, 40_000)), (Some(most), true));
        assert_eq!((rows(GPUS[2], kind, 1000), has_columns(GPUS[2], kind, 1000)), (Some(0), true));
    }
    // All clusters with lanes for so many rows ask for more shared memory than there is.
    assert_eq!(rows(GPUS[1], ScalarKind::F64, 1000), Some(0));
}

#[test]
fn where_shared_memory_is_there_triangles_are_wide() {
    let widths = |gpu| ScalarKind::ALL.map(|kind| find(gpu, kind, 1000, Given::Factors).unwrap().division.triangle);
    assert_eq!(widths(GPUS[0]), [128; 4]);
    assert_eq!(widths(GPUS[2]), [128, 128, 128, 32]);
    assert_eq!(widths(GPUS[3]), [128, 64, 64, 32]);
}
