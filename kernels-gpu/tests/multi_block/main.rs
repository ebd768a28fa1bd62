//! Operations by many blocks a matrix, in the emulator: every kernel, at the limits of panels and tiles (with
//! `WARPLU_TESTS=all` of larger orders, too), and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "../common/mod.rs"]
#[allow(dead_code)]
mod common;
mod check;
mod definite;
mod operations;
mod work;

use check::{check, check_factors, check_lu};
use common::cases::{CASES, Case, matrix};
use common::extent::is_exhaustive;
use common::measure::bits;
use kernels_gpu::collective::mma::Mma;
use numbers::scalar::{c32, c64};
use operations::{lu, lu_by_slabs};
use work::{How, NO_CLUSTERS};

/// Orders around the ends of panels of `nb` columns, of blocks of columns, and of tiles; by one block and by clusters.
fn panels(nb: usize, check: impl Fn(usize, How, &[Case])) {
    check(1, (1, 32), &CASES);
    check(7, (2, 32), &CASES);
    check(nb, (1, 64), &CASES);
    check(nb + 1, (2, 32), &CASES[1..4]);
    check(2 * nb + 3, (1, 64), if is_exhaustive() { &CASES } else { &CASES[..4] });
    check(63, (4, 128), &CASES[2..3]);
    if is_exhaustive() {
        check(97, (1, 32), &CASES[7..]);
        check(161, (2, 96), &CASES[..1]);
    }
}

/// Solutions and inverses are those of the first kernel only: how many rows a lane has is nothing to them.
#[test]
fn f32_by_panels() {
    panels(32, check::<f32, 32, 1>);
    panels(32, check_lu::<f32, 32, 2>);
    panels(32, check_lu::<f32, 32, 4>);
    panels(16, check_lu::<f32, 16, 8>);
}

#[test]
fn f64_by_panels() {
    panels(32, check::<f64, 32, 1>);
    panels(32, check_lu::<f64, 32, 2>);
    panels(16, check_lu::<f64, 16, 4>);
    panels(8, check_lu::<f64, 8, 8>);
}

#[test]
fn c32_by_panels() {
    panels(32, check::<c32, 32, 1>);
    panels(32, check_lu::<c32, 32, 2>);
    panels(16, check_lu::<c32, 16, 4>);
    panels(8, check_lu::<c32, 8, 8>);
}

#[test]
fn c64_by_panels() {
    panels(16, check::<c64, 16, 1>);
    panels(16, check_lu::<c64, 16, 2>);
    panels(8, check_lu::<c64, 8, 4>);
}

/// One right-hand side, which a cluster solves for.
#[test]
fn single_sides() {
    check::<f32, 32, 1>(35, (1, 64), &CASES);
    check::<f64, 32, 1>(35, (1, 64), &CASES);
    check::<c32, 32, 1>(35, (1, 64), &CASES);
    check::<c64, 16, 1>(70, (4, 32), &CASES[..1]);
}

/// As many rows as need several blocks, and several rows a lane; and blocks of more columns than a triangle has.
#[test]
fn tall_panels() {
    check::<f32, 32, 2>(290, (2, 256), &[Case::Random]);
    check_lu::<c64, 8, 4>(137, (16, 192), &[Case::Random]);
    if is_exhaustive() {
        check_lu::<f64, 32, 1>(530, (1, 128), &[Case::Random, Case::Ties]);
        check_lu::<f32, 32, 2>(530, (2, 128), &[Case::Ties]);
    }
}

/// More rows than a block has lanes, which have several rows therefore.
#[test]
fn rows_of_a_lane() {
    check_lu::<f32, 16, 8>(262, (1, 128), &[Case::Random]);
    check_lu::<c64, 16, 2>(262, (1, 128), &[Case::Random]);
    if is_exhaustive() {
        check_lu::<f32, 32, 4>(262, (1, 128), &[Case::Random]);
        check_lu::<f64, 32, 2>(262, (1, 128), &[Case::Random]);
        check_lu::<f64, 16, 4>(262, (1, 128), &[Case::Random]);
        check_lu::<f64, 8, 8>(262, (1, 128), &[Case::Random]);
        check_lu::<c32, 32, 2>(262, (1, 128), &[Case::Random]);
        check_lu::<c32, 16, 4>(262, (1, 128), &[Case::Random]);
        check_lu::<c32, 8, 8>(262, (1, 128), &[Case::Random]);
        check_lu::<c64, 8, 4>(262, (1, 128), &[Case::Random]);
    }
}

/// Panels that several others of their block come before, and triangles of as many columns as there are at most.
#[test]
fn blocks_of_panels() {
    check_lu::<f32, 16, 8>(100, (2, 128), &[Case::Random]);
    check::<f64, 8, 8>(130, (1, 128), &[Case::Random]);
    check_lu::<c32, 8, 8>(75, (2, 64), &[Case::Random]);
    check_lu::<c64, 8, 4>(70, (4, 32), &[Case::Random]);
    if is_exhaustive() {
        check::<f32, 32, 1>(203, (1, 128), &[Case::Random, Case::Ties]);
        check_lu::<f64, 32, 2>(161, (2, 96), &[Case::Random]);
        check::<c32, 32, 1>(130, (1, 128), &[Case::Random]);
        check::<c64, 16, 2>(130, (1, 128), &[Case::Random, Case::Ties]);
    }
}

/// How many blocks a cluster has does not matter, bit for bit, ties included.
#[test]
fn clusters_agree() {
    for case in [Case::Random, Case::Ties] {
        let a = [matrix::<f64>(case, 75, 1)];
        let [one, others @ ..] = [1, 2, 4, 16].map(|blocks| lu::<f64, 16, 4>(75, (blocks, 32), &a, [0; 2]));
        for other in others {
            assert_eq!(bits(&one.0[0]), bits(&other.0[0]));
            assert_eq!(one.1, other.1);
        }
    }
}

/// Slabs: of one panel's columns more than fit, of all columns, of matrices of which a part is left to panels.
fn check_slabs<T: Mma, const NB: usize>(n: usize, columns: u32, blocks: u32, cases: &[Case]) {
    let what = format!("slabs of {columns} by {blocks} blocks");
    check_factors((&what, n), cases, |a| lu_by_slabs::<T, NB>(n, (blocks, columns), a));
}

fn check_all_slabs<T: Mma, const NB: usize>() {
    check_slabs::<T, NB>(1, 64, 1, &CASES);
    check_slabs::<T, NB>(33, 64, 2, &CASES);
    check_slabs::<T, NB>(64, 64, 1, &CASES[..3]);
    check_slabs::<T, NB>(97, 128, 4, &CASES[2..5]);
    check_slabs::<T, NB>(100, 64, 1, &CASES[5..]);
    check_slabs::<T, NB>(161, 192, 16, &CASES[..1]);
}

#[test]
fn f32_by_slabs() {
    check_all_slabs::<f32, 32>();
    check_slabs::<f32, 32>(330, 352, 8, &[Case::Random]);
}

#[test]
fn f64_by_slabs() {
    check_all_slabs::<f64, 32>();
    check_slabs::<f64, 32>(290, 128, 1, &[Case::Random]);
}

#[test]
fn c32_by_slabs() {
    check_all_slabs::<c32, 32>();
}

#[test]
fn c64_by_slabs() {
    check_all_slabs::<c64, 16>();
}

/// Panels by launches a column: orders around the ends of panels and of blocks' shares of rows.
fn columns(check: impl Fn(usize, How, &[Case])) {
    check(1, (NO_CLUSTERS, 32), &CASES);
    check(7, (NO_CLUSTERS, 32), &CASES);
    check(31, (NO_CLUSTERS, 64), &CASES[1..3]);
    check(32, (NO_CLUSTERS, 32), &CASES[5..8]);
    check(33, (NO_CLUSTERS, 64), &CASES[..7]);
    check(64, (NO_CLUSTERS, 64), &CASES[8..10]);
    check(65, (NO_CLUSTERS, 128), &CASES[4..6]);
    if is_exhaustive() {
        check(100, (NO_CLUSTERS, 96), &CASES[2..3]);
        check(133, (NO_CLUSTERS, 128), &CASES[..1]);
    }
}

/// The other kernels of f32 are the same without clusters.
#[test]
fn f32_by_columns() {
    columns(check_lu::<f32, 32, 1>);
}

#[test]
fn f64_by_columns() {
    columns(check::<f64, 32, 1>);
}

#[test]
fn c32_by_columns() {
    columns(if is_exhaustive() { check::<c32, 32, 1> } else { check_lu::<c32, 32, 1> });
}

#[test]
fn c64_by_columns() {
    columns(check::<c64, 32, 1>);
}

/// A panel's factors are those of a cluster, bit for bit, ties included.
#[test]
fn columns_and_clusters_agree() {
    for case in [Case::Random, Case::Ties, Case::Tiny, Case::Subnormal, Case::ZeroColumn, Case::Huge] {
        let a = [matrix::<c32>(case, 32, 1)];
        let [columns, cluster] = [NO_CLUSTERS, 2].map(|blocks| lu::<c32, 32, 1>(32, (blocks, 32), &a, [0; 2]));
        assert_eq!(bits(&columns.0[0]), bits(&cluster.0[0]), "{case:?}");
        assert_eq!((columns.1, columns.2), (cluster.1, cluster.2), "{case:?}");
    }
}
