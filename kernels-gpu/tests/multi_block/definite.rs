//! Cholesky factors of positive definite matrices, at the limits of blocks and tiles.

use kernels_gpu::collective::mma::Mma;
use numbers::scalar::{Scalar, c32, c64};
use numbers::status::{NON_FINITE, not_positive};

use crate::common::batch::{Batch, LAYOUTS};
use crate::common::cases::Random;
use crate::common::measure::{bits, is_single};
use crate::work::{How, NO_CLUSTERS, Work};

/// A positive definite matrix, row-major, with NaN above the diagonal.
fn definite<T: Scalar>(n: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let mut a = vec![T::NAN; n * n];
    for i in 0..n {
        (0..i).for_each(|j| a[i * n + j] = random.number());
        a[i * n + i] = T::from_c64(c64::new(1.5 * n as f64, 0.0));
    }
    a
}

fn cholesky<T: Mma>(n: usize, how: How, a: &[Vec<T>], layouts: [usize; 2]) -> (Vec<Vec<T>>, Vec<i32>) {
    let mut work = Work::<T, 8, 1>::new(n, 0, a.len(), how);
    work.together = if layouts[0].is_multiple_of(2) { u64::MAX } else { 2 };
    let from = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&work.memory, a.len(), n, n, layouts[1]);
    work.cholesky(a, (&from, if layouts[0] == layouts[1] { &from } else { &other }))
}

/// `max |A - L L^H| / (n u |L| |L^H|)` in the lower triangle; infinite unless L is lower triangular.
fn ratio<T: Scalar>(a: &[T], l: &[T], n: usize) -> f64 {
    let u = if is_single::<T>() { 2_f64.powi(-24) } else { 2_f64.powi(-53) };
    let at = |x: &[T], i: usize, j: usize| x[i * n + j].to_c64();
    let mut worst = 0.0_f64;
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        if j > i {
            worst = if l[i * n + j] == T::ZERO { worst } else { f64::INFINITY };
            continue;
        }
        let (mut rest, mut size) = (at(a, i, j), 0.0);
        for k in 0..=j {
            let term = at(l, i, k) * at(l, j, k).conj();
            (rest, size) = (rest - term, size + term.re.hypot(term.im));
        }
        worst = worst.max(rest.re.hypot(rest.im) / (n as f64 * u * size));
    }
    worst
}

/// Three matrices of which the second has no factor, for each reason, and the third alone has the same.
fn check<T: Mma>(n: usize, how: How) {
    let layouts = [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS];
    let k = n / 2;
    for (pivot, status) in [(-1.0, not_positive(k as u32 + 1)), (f64::NAN, NON_FINITE), (f64::INFINITY, NON_FINITE)] {
        let mut a: Vec<Vec<T>> = (0..3).map(|i| definite(n, 7 * n as u64 + i)).collect();
        a[1][k * n + k] = T::from_c64(c64::new(pivot, 0.0));
        let what = format!("{} n = {n}, {how:?}, {pivot}", T::KIND.name());
        let (l, statuses) = cholesky(n, how, &a, layouts);
        assert_eq!(statuses, [0, status, 0], "{what}");
        assert!(l[1].iter().all(|x| !x.is_finite()), "{what}");
        for i in [0, 2] {
            let ratio = ratio(&a[i], &l[i], n);
            assert!(ratio < 4.0, "{what}, matrix {i}: {ratio}");
        }
        let (alone, _) = cholesky(n, how, &a[2..], layouts);
        assert_eq!(bits(&alone[0]), bits(&l[2]), "{what}: the batch matters");
        if n > 70 {
            return; // others would say no more of large ones
        }
    }
}

/// Orders around the ends of blocks of columns, of triangles and of tiles; with most shared memory and with least.
fn all<T: Mma>() {
    for clusters in [1, NO_CLUSTERS] {
        check::<T>(1, (clusters, 128));
        check::<T>(17, (clusters, 128));
        check::<T>(33, (clusters, 128));
        check::<T>(66, (clusters, 128));
    }
    check::<T>(97, (NO_CLUSTERS, 128));
    check::<T>(128, (1, 128));
    check::<T>(150, (1, 128));
    check::<T>(161, (NO_CLUSTERS, 128));
}

#[test]
fn definite_f32() {
    all::<f32>();
    check::<f32>(290, (1, 256));
}

#[test]
fn definite_f64() {
    all::<f64>();
    check::<f64>(400, (1, 128));
}

#[test]
fn definite_c32() {
    all::<c32>();
    check::<c32>(260, (1, 128));
}

#[test]
fn definite_c64() {
    all::<c64>();
    check::<c64>(200, (NO_CLUSTERS, 128));
}

/// Pivots beyond those whose reciprocal roots are computed at once: their blocks are factored again.
fn pivots_of_any_magnitude<T: Mma>() {
    let (n, far) = (150, if is_single::<T>() { 70 } else { 520 });
    for exponent in [-far, far] {
        let scale = T::from_c64(c64::new(2.0_f64.powi(exponent), 0.0));
        let a = [definite::<T>(n, 11).into_iter().map(|x| x * scale).collect::<Vec<T>>()];
        for layouts in [[0, 0], [1, 1]] {
            let (l, status) = cholesky(n, (1, 128), &a, layouts);
            let ratio = ratio(&a[0], &l[0], n);
            assert!(status == [0] && ratio < 4.0, "{} 2^{exponent}: {status:?}, {ratio}", T::KIND.name());
        }
    }
}

#[test]
fn pivots_of_any_magnitude_of_any_type() {
    pivots_of_any_magnitude::<f32>();
    pivots_of_any_magnitude::<f64>();
    pivots_of_any_magnitude::<c32>();
    pivots_of_any_magnitude::<c64>();
}

/// Numbers are the same whatever the tiles that they are updated in.
fn tiles_do_not_matter<T: Mma>() {
    let n = 165;
    let a = [definite::<T>(n, 5)];
    let work = |clusters, is_small: bool| {
        let mut work = Work::<T, 8, 1>::new(n, 0, 1, (clusters, 64));
        work.small_tiles = [is_small; 2];
        let batch = Batch::new::<T>(&work.memory, 1, n, n, 0);
        (work, batch)
    };
    for clusters in [1, NO_CLUSTERS] {
        let [small, large] = [true, false].map(|is_small| {
            let (work, batch) = work(clusters, is_small);
            bits(&work.cholesky(&a, (&batch, &batch)).0[0])
        });
        assert_eq!(small, large, "{}", T::KIND.name());
    }
    let full = [(0..n * n).map(|e| a[0][(e / n).max(e % n) * n + (e / n).min(e % n)]).collect::<Vec<T>>()];
    let [small, large] = [true, false].map(|is_small| {
        let (work, batch) = work(NO_CLUSTERS, is_small);
        bits(&work.factor(&full, (&batch, &batch)).0[0])
    });
    assert_eq!(small, large, "LU, {}", T::KIND.name());
}

#[test]
fn tiles_do_not_matter_to_any_type() {
    tiles_do_not_matter::<f32>();
    tiles_do_not_matter::<f64>();
    tiles_do_not_matter::<c32>();
    tiles_do_not_matter::<c64>();
}

/// Where diagonal blocks are of several sizes, the last one's minor is counted from the first column.
#[test]
fn any_block_may_fail() {
    for k in [0, 63, 64, 127, 128, 200, 209] {
        let n = 210;
        let mut a = vec![definite::<f64>(n, 3)];
        a[0][k * n + k] = -1.0;
        for how in [(1, 128), (NO_CLUSTERS, 128), (NO_CLUSTERS, 64)] {
            assert_eq!(cholesky(n, how, &a, [1, 1]).1, [not_positive(k as u32 + 1)], "{k}, {how:?}");
        }
    }
}
