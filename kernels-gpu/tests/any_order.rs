//! The kernels for matrices of any order in device memory, in the emulator: every width of a panel, at its limits and
//! at those of a block, every layout, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

#[macro_use]
#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{Batch, LAYOUTS, array, words};
use common::cases::{CASES, Case, factor, matrix};
use common::extent::is_exhaustive;
use common::ill::{self, ILL, Ill};
use common::measure::{bits, inverse_ratios};
use common::run::problem;
use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::memory::vector::Vectorized;
use kernels_gpu::operation::getrf::global::{shared_bytes, threads, within};
use kernels_gpu::operation::getri::block::{global_bytes, global_within};
use kernels_gpu::operation::{GetrfArgs, GetriArgs};
use kernels_gpu::table;
use numbers::scalar::{ScalarKind, c32, c64};
use numbers::status::NON_FINITE;
use simt::cpu::{Launch, Memory, run};

/// What inverts: an entry point, or the body of one within so many bytes.
#[derive(Clone, Copy)]
enum How {
    Entry(Variant),
    Within,
}

/// Runs a kernel, a block a matrix.
fn launch(memory: &Memory, (n, batch): (usize, usize), bytes: u32, body: impl Fn() + Sync) {
    let launch = Launch {
        kernel: "any_order",
        grid: batch as u32,
        block: threads(n as u32),
        cluster: 1,
        shared_bytes: bytes,
        seed: n as u64,
    };
    run(memory, &launch, body).unwrap_or_else(|fault| panic!("n = {n}: {fault}"));
}

struct Factored<T> {
    factors: Vec<Vec<T>>,
    pivots: Vec<u32>,
    status: Vec<i32>,
    /// None without an inversion.
    inverse: Option<(Vec<Vec<T>>, Vec<i32>)>,
}

/// The layouts of what goes in and of what comes out. Even orders are done in place.
fn layouts(n: usize) -> [usize; 2] {
    [n % LAYOUTS, if n.is_multiple_of(2) { n } else { n / 2 } % LAYOUTS]
}

/// Factors, and inverts by a kernel, if one is named.
fn factor_and_invert<T: Vectorized, const BYTES: u32>(n: usize, a: &[Vec<T>], invert: Option<How>) -> Factored<T> {
    let memory = Memory::new();
    let [from, to] = layouts(n);
    let given = Batch::new::<T>(&memory, a.len(), n, n, from);
    let other = Batch::new::<T>(&memory, a.len(), n, n, to);
    let lu = if from == to { &given } else { &other };
    let (pivots, status) = (memory.allocate(4 * n * a.len()), memory.allocate(4 * a.len()));
    given.write(a);
    let args = GetrfArgs::<T> {
        a: given.matrices(),
        lu: lu.matrices(),
        pivots: array(&pivots),
        status: array(&status),
        first: 0,
        end: a.len() as u64,
        n: n as u32,
    };
    launch(&memory, (n, a.len()), shared_bytes::<T>(n as u32, BYTES), || within::<T, BYTES>(&args));
    let (factors, lu_status) = (lu.read(), words(&status));

    let inverse = invert.map(|how| {
        let x = Batch::new::<T>(&memory, a.len(), n, n, n / 3 % LAYOUTS);
        // Compact, column-major factors may be the room to work.
        let work = Batch::new::<T>(&memory, a.len(), n, n, 1);
        let work = if to == 1 { lu } else { &work };
        let args = GetriArgs::<T> {
            lu: lu.matrices(),
            pivots: array(&pivots),
            lu_status: array(&status),
            inverse: x.matrices(),
            status: array(&status),
            work: work.matrices().base,
            first: 0,
            end: a.len() as u64,
            n: n as u32,
        };
        match how {
            How::Within => {
                launch(&memory, (n, a.len()), global_bytes::<T>(n as u32, BYTES), || global_within::<T, BYTES>(&args));
            }
            How::Entry(variant) => {
                let entry = table::find(Family::Getri, variant, T::KIND).unwrap();
                let bytes = entry.shape(&problem(n, a.len(), 1)).shared_bytes;
                assert!(entry.takes::<GetriArgs<T>>());
                // SAFETY: the type was compared; the buffers are of the problem's size.
                launch(&memory, (n, a.len()), bytes, || unsafe { entry.run(&args) });
            }
        }
        (x.read(), words(&status).iter().map(|&s| s as i32).collect())
    });
    Factored { factors, pivots: words(&pivots), status: lu_status.iter().map(|&s| s as i32).collect(), inverse }
}

/// A batch of all cases for a small order, of a few for others; the first matrix and the last are the same, unless the
/// order is large.
fn cases(n: usize) -> Vec<Case> {
    let one = CASES[1 + n % (CASES.len() - 2)];
    match n {
        ..40 => CASES.to_vec(),
        40..200 => vec![CASES[0], one, Case::Ties, CASES[0]],
        _ if one == Case::Ties => vec![CASES[0], one],
        _ => vec![CASES[0], one, Case::Ties],
    }
}

fn check<T: Vectorized, const BYTES: u32>(n: usize, invert: Option<How>) {
    let cases = cases(n);
    let mut a: Vec<Vec<T>> = cases.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let last = cases.len() - 1;
    if cases[last] == cases[0] {
        a[last] = a[0].clone();
    }
    let result = factor_and_invert::<T, BYTES>(n, &a, invert);
    for (i, &case) in cases.iter().enumerate() {
        let what = format!("{} {BYTES} bytes, n = {n}, {case:?}", T::KIND.name());
        if matches!(case, Case::Nan | Case::Infinite) {
            assert_eq!(result.status[i], NON_FINITE, "{what}");
            continue;
        }
        // The same operations in the same order, so the same bits.
        let (factors, pivots, status) = factor(&a[i], n, |x, pivot| x.divide(pivot.divisor()));
        assert_eq!(result.status[i], status, "{what}");
        assert_eq!(result.pivots[i * n..][..n], pivots, "{what}");
        assert!(bits(&result.factors[i]) == bits(&factors), "{what}");
    }
    let same = |all: &[Vec<T>]| cases[last] != cases[0] || bits(&all[0]) == bits(&all[last]);
    assert!(same(&result.factors), "n = {n}: the batch matters");

    let Some((inverses, status)) = result.inverse else { return };
    for (i, &case) in cases.iter().enumerate() {
        let what = format!("inverse, {} {BYTES} bytes, n = {n}, {case:?}", T::KIND.name());
        if status[i] == 0 {
            let [left, right] = inverse_ratios(&a[i], &inverses[i], n);
            assert!(left.min(right) < 8.0, "{what}: {left}, {right}");
        } else {
            assert!(status[i] == result.status[i] || matches!(case, Case::Subnormal | Case::Tiny), "{what}");
            assert!(inverses[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
        }
    }
    assert!(same(&inverses), "n = {n}: the batch matters");
}

/// Orders at the limits of panels and of warps. The less bytes there are, the narrower are panels.
fn check_panels<T: Vectorized>() {
    for n in [1, 2, 7, 8, 9, 15, 16, 17, 32, 33, 35, 48, 65] {
        check::<T, { 39 * 1024 }>(n, Some(How::Within));
        check::<T, 0>(n, Some(How::Within));
    }
    for n in [35, 65] {
        check::<T, 2000>(n, Some(How::Within));
        check::<T, 4000>(n, Some(How::Within));
    }
}

/// More rows than threads, and all widths in one matrix.
fn check_rows<T: Vectorized>() {
    check::<T, { 39 * 1024 }>(257, Some(How::Within));
    if is_exhaustive() {
        check::<T, 4000>(300, Some(How::Within));
        check::<T, 24_000>(523, None);
    }
}

fn check_shared<T: Vectorized>() {
    for n in [1, 7, 8, 9, 19, 45] {
        check::<T, 4000>(n, Some(How::Entry(Variant::Shared)));
    }
}

fn check_ill<T: Vectorized>() {
    const BYTES: u32 = 4000;
    for n in [18, 49] {
        for kind in ILL {
            let a: Vec<T> = ill::matrix(kind, n);
            let result = factor_and_invert::<T, BYTES>(n, std::slice::from_ref(&a), Some(How::Within));
            let what = format!("{} {BYTES} bytes, n = {n}, {kind:?}", T::KIND.name());
            let (factors, pivots, status) = factor(&a, n, |x, pivot| x.divide(pivot.divisor()));
            assert_eq!((result.status[0], &result.pivots), (status, &pivots), "{what}");
            assert!(bits(&result.factors[0]) == bits(&factors), "{what}");
            let (inverse, status) = result.inverse.unwrap();
            // Errors of an inverse grow as the factors do.
            if status[0] == 0 && !matches!(kind, Ill::Growth) {
                let [left, right] = inverse_ratios(&a, &inverse[0], n);
                assert!(left.min(right) < 8.0, "{what}: {left}, {right}");
            }
        }
    }
}

/// A block gets by with 48 KiB, and large orders with little more than a column and its rows' order.
#[test]
fn shared_memory_is_little() {
    for kind in ScalarKind::ALL {
        for (family, rest) in [(Family::Getrf, 9 << 10), (Family::Getri, 128)] {
            let entry = table::find(family, Variant::Global, kind).unwrap();
            let bytes = |n| entry.shape(&problem(n as usize, 1, 1)).shared_bytes;
            let column = |n| (kind.size() + 4) * n;
            assert!((1..2000).all(|n| bytes(n) <= 48 << 10), "{}", entry.name);
            assert!((2000..9000).all(|n| bytes(n) <= column(n).max(39 << 10) + rest), "{}", entry.name);
        }
    }
}

/// The entry point is the body with the width of its order.
#[test]
fn entry_points() {
    fn check<T: Vectorized>() {
        let entry = table::find(Family::Getrf, Variant::Global, T::KIND).unwrap();
        let a: Vec<T> = matrix(Case::Random, 40, 3);
        let (factors, pivots, status) =
            common::run::lu(entry.variant, 40, &[a.clone(), a.clone(), a.clone(), a.clone()], [1, 0]);
        let (expected, expected_pivots, _) = factor(&a, 40, |x, pivot| x.divide(pivot.divisor()));
        assert!(bits(&factors[3]) == bits(&expected) && pivots[120..] == expected_pivots && status == [0; 4]);
    }
    check::<f32>();
    check::<f64>();
    check::<c32>();
    check::<c64>();
}

for_types! {
    panels: check_panels;
    rows: check_rows;
    shared: check_shared;
    ill_conditioned: check_ill;
}
