//! The kernels of order up to 32 in the emulator: every entry, every order, every layout, and matrices that ask for care.

#![cfg(not(target_arch = "nvptx64"))]

mod batch;
mod cases;

use batch::{Batch, LAYOUTS, array, launch, words};
use cases::{CASES, Case, Random, factor, is_single, largest_ratio, magnitude, matrix, norm, product, roundoff};
use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::inverse::InvertArgs;
use kernels_gpu::lu::{LuArgs, NON_FINITE};
use kernels_gpu::scalar::{c32, c64};
use kernels_gpu::shape::Problem;
use kernels_gpu::small::number::Number;
use kernels_gpu::solve::FactorSolveArgs;
use simt::cpu::Memory;

/// Variants, and the orders that each is run with.
const SIZES: [(Variant, std::ops::RangeInclusive<usize>); 4] =
    [(Variant::Warp4, 1..=4), (Variant::Warp8, 1..=8), (Variant::Warp16, 9..=16), (Variant::Warp32, 17..=32)];

fn matrices<T: Number>(n: usize) -> Vec<Vec<T>> {
    let mut all: Vec<_> = CASES.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64)).collect();
    let last = all.len() - 1;
    all[last] = all[0].clone();
    all
}

/// Bit patterns, with one for all NaN.
fn bits<T: Number>(x: &[T]) -> Vec<(u64, u64)> {
    let bits = |part: f64| if part.is_nan() { u64::MAX } else { part.to_bits() };
    x.iter().map(|x| (bits(x.to_c64().re), bits(x.to_c64().im))).collect()
}

fn wide<T: Number>(x: &[T]) -> Vec<c64> {
    x.iter().map(|x| x.to_c64()).collect()
}

fn magnitudes(x: &[c64]) -> Vec<f64> {
    x.iter().map(|&x| magnitude(x)).collect()
}

/// |L||U| of factors, and LU itself.
fn lu_product<T: Number>(lu: &[T], n: usize) -> (Vec<f64>, Vec<c64>) {
    let lu = wide(lu);
    let part = |keep: &dyn Fn(usize, usize) -> bool| -> Vec<c64> {
        (0..n * n).map(|e| if keep(e / n, e % n) { lu[e] } else { c64::ZERO }).collect()
    };
    let (mut l, u) = (part(&|i, j| j < i), part(&|i, j| j >= i));
    (0..n).for_each(|i| l[i * n + i] = c64::ONE);
    (product(&magnitudes(&l), &magnitudes(&u), n, n), product(&l, &u, n, n))
}

fn lu<T: Number>(variant: Variant, n: usize, a: &[Vec<T>], layouts: [usize; 2]) -> (Vec<Vec<T>>, Vec<u32>, Vec<i32>) {
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&memory, a.len(), n, n, layouts[1]);
    let to = if layouts[0] == layouts[1] { &from } else { &other };
    let (pivots, status) = (memory.allocate(4 * n * a.len()), memory.allocate(4 * a.len()));
    from.write(a);
    // In two launches, of which the second begins anywhere.
    let middle = a.len() / 3;
    for (first, end) in [(0, middle), (middle, a.len())] {
        let args = LuArgs::<T> {
            a: from.matrices(),
            lu: to.matrices(),
            pivots: array(&pivots),
            status: array(&status),
            first: first as u64,
            end: end as u64,
            n: n as u32,
        };
        launch::<T, _>(&memory, Family::Lu, variant, problem(n, end - first, 1), args);
    }
    (to.read(), words(&pivots), words(&status).iter().map(|&s| s as i32).collect())
}

fn invert<T: Number>(variant: Variant, n: usize, a: &[Vec<T>], layouts: [usize; 2]) -> (Vec<Vec<T>>, Vec<i32>) {
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let other = Batch::new::<T>(&memory, a.len(), n, n, layouts[1]);
    let to = if layouts[0] == layouts[1] { &from } else { &other };
    let status = memory.allocate(4 * a.len());
    from.write(a);
    let (end, n32) = (a.len() as u64, n as u32);
    let args =
        InvertArgs::<T> { a: from.matrices(), inverse: to.matrices(), status: array(&status), first: 0, end, n: n32 };
    launch::<T, _>(&memory, Family::Invert, variant, problem(n, a.len(), 1), args);
    (to.read(), words(&status).iter().map(|&s| s as i32).collect())
}

fn solve<T: Number>(
    variant: Variant,
    n: usize,
    a: &[Vec<T>],
    b: &[Vec<T>],
    layouts: [usize; 3],
) -> (Vec<Vec<T>>, Vec<i32>) {
    let rhs = b[0].len() / n;
    let memory = Memory::new();
    let from = Batch::new::<T>(&memory, a.len(), n, n, layouts[0]);
    let sides = Batch::new::<T>(&memory, a.len(), n, rhs, layouts[1]);
    let other = Batch::new::<T>(&memory, a.len(), n, rhs, layouts[2]);
    let to = if layouts[1] == layouts[2] { &sides } else { &other };
    let status = memory.allocate(4 * a.len());
    from.write(a);
    sides.write(b);
    let args = FactorSolveArgs::<T> {
        a: from.matrices(),
        b: sides.matrices(),
        x: to.matrices(),
        status: array(&status),
        first: 0,
        end: a.len() as u64,
        n: n as u32,
        rhs: rhs as u32,
    };
    launch::<T, _>(&memory, Family::FactorSolve, variant, problem(n, a.len(), rhs), args);
    (to.read(), words(&status).iter().map(|&s| s as i32).collect())
}

fn problem(n: usize, batch: usize, rhs: usize) -> Problem {
    Problem { n: n as u32, batch: batch as u64, rhs: rhs as u32 }
}

fn check_lu<T: Number>() {
    for (variant, orders) in SIZES {
        for n in orders {
            let a = matrices::<T>(n);
            let (factors, pivots, status) = lu(variant, n, &a, [n % LAYOUTS, n / 2 % LAYOUTS]);
            for (i, case) in CASES.into_iter().enumerate() {
                let what = format!("{} n = {n} {case:?}", T::KIND.name());
                let (expected, expected_pivots, expected_status) = factor(&a[i], n);
                assert_eq!(status[i], expected_status, "{what}");
                match case {
                    Case::Nan | Case::Infinite => {
                        assert_eq!(status[i], NON_FINITE, "{what}");
                        continue;
                    }
                    Case::Random | Case::Tiny | Case::Huge | Case::Subnormal => assert_eq!(status[i], 0, "{what}"),
                    _ => {}
                }
                assert_eq!(pivots[i * n..][..n], expected_pivots, "{what}");
                // Zeros may differ in sign.
                assert!(factors[i].iter().zip(&expected).all(|(x, y)| x == y), "{what}");

                let (scale, lu) = lu_product(&factors[i], n);
                let mut pa = wide(&a[i]);
                for (k, &pivot) in expected_pivots.iter().enumerate() {
                    (0..n).for_each(|c| pa.swap(k * n + c, pivot as usize * n + c));
                }
                let residual: Vec<_> = pa.iter().zip(&lu).map(|(x, y)| x - y).collect();
                let u = n as f64 * roundoff::<T>();
                assert!(largest_ratio(&residual, &scale, floor::<T>() / u) / u < 4.0, "{what}");
            }
        }
    }
}

/// What rounding of subnormal numbers adds to a residual.
fn floor<T: Number>() -> f64 {
    if is_single::<T>() { 32.0 * 2_f64.powi(-149) } else { 32.0 * f64::from_bits(1) }
}

/// The status that LU, inversion and solution agree about, where rounding does not decide it.
fn known_status<T: Number>(case: Case, a: &[T], n: usize) -> Option<i32> {
    match case {
        Case::Ties => None,
        Case::Nan | Case::Infinite => Some(NON_FINITE),
        _ => Some(factor(a, n).2),
    }
}

fn check_invert<T: Number>() {
    for (variant, orders) in SIZES.into_iter().chain([(Variant::Warp24, 17..=24)]) {
        for n in orders {
            let a = matrices::<T>(n);
            let (inverses, status) = invert(variant, n, &a, [n % LAYOUTS, n / 2 % LAYOUTS]);
            assert_eq!(bits(&inverses[0]), bits(&inverses[CASES.len() - 1]), "the place in the batch matters");
            let (alone, _) = invert(variant, n, &a[..1], [0, 1]);
            assert_eq!(bits(&inverses[0]), bits(&alone[0]), "the size of the batch matters");
            for (i, case) in CASES.into_iter().enumerate() {
                let what = format!("{} n = {n} {case:?}", T::KIND.name());
                if case != Case::Subnormal {
                    assert!(known_status(case, &a[i], n).is_none_or(|s| s == status[i]), "{what}: {}", status[i]);
                }
                if status[i] != 0 {
                    assert!(inverses[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
                    continue;
                }
                let (a, x) = (wide(&a[i]), wide(&inverses[i]));
                let bound = n as f64 * norm(&a, n) * norm(&x, n) * roundoff::<T>();
                let ratio = |product: Vec<c64>| {
                    let unit = |e: usize| if e / n == e % n { 1.0 } else { 0.0 };
                    let residual: Vec<_> = product.iter().enumerate().map(|(e, x)| x - unit(e)).collect();
                    norm(&residual, n) / bound
                };
                let ratio = ratio(product(&x, &a, n, n)).min(ratio(product(&a, &x, n, n)));
                assert!(ratio < 30.0, "{what}: {ratio}");
            }
        }
    }
}

fn check_solve<T: Number>() {
    for (variant, orders) in SIZES {
        for n in orders {
            let a = matrices::<T>(n);
            let rhs = [1, 2, 5][n % 3];
            // Solutions of about 1, whatever the matrix.
            let mut random = Random(n as u64);
            let side = |a: &Vec<T>| {
                let x: Vec<c64> = (0..n * rhs).map(|_| random.number()).collect();
                product(&wide(a), &x, n, rhs).into_iter().map(T::from_c64).collect()
            };
            let mut b: Vec<Vec<T>> = a.iter().map(side).collect();
            b[CASES.len() - 1] = b[0].clone();
            let (x, status) = solve(variant, n, &a, &b, [n % LAYOUTS, n / 2 % LAYOUTS, n / 3 % LAYOUTS]);
            assert_eq!(bits(&x[0]), bits(&x[CASES.len() - 1]), "the place in the batch matters");
            let (alone, _) = solve(variant, n, &a[..1], &b[..1], [0, 1, 2]);
            assert_eq!(bits(&x[0]), bits(&alone[0]), "the size of the batch matters");
            for (i, case) in CASES.into_iter().enumerate() {
                let what = format!("{} n = {n} {case:?}", T::KIND.name());
                let (factors, pivots, expected) = factor(&a[i], n);
                assert!(status[i] == expected || matches!(case, Case::Nan | Case::Infinite) && status[i] == NON_FINITE);
                if status[i] != 0 {
                    assert!(x[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
                    continue;
                }
                let x = wide(&x[i]);
                let ax = product(&wide(&a[i]), &x, n, rhs);
                let residual: Vec<_> = wide(&b[i]).iter().zip(&ax).map(|(b, ax)| b - ax).collect();
                let mut scale = product(&lu_product(&factors, n).0, &magnitudes(&x), n, rhs);
                for k in (0..n).rev() {
                    (0..rhs).for_each(|c| scale.swap(k * rhs + c, pivots[k] as usize * rhs + c));
                }
                let u = 3.0 * n as f64 * roundoff::<T>();
                let ratio = largest_ratio(&residual, &scale, floor::<T>() / u) / u;
                assert!(ratio < 4.0, "{what}: {ratio}");
            }
        }
    }
}

/// More matrices than a block holds, of which the last one has teams and a warp to spare.
fn check_blocks<T: Number>() {
    for (variant, n, per_block) in [(Variant::Warp4, 3, 32), (Variant::Warp8, 7, 16), (Variant::Warp32, 18, 4)] {
        let a: Vec<Vec<T>> = (0..2 * per_block + 1).map(|i| matrix(Case::Random, n, i)).collect();
        for layout in 0..LAYOUTS {
            let (factors, _, _) = lu(variant, n, &a, [layout, layout]);
            for (a, lu) in a.iter().zip(&factors) {
                assert!(factor(a, n).0.iter().zip(lu).all(|(x, y)| x == y));
            }
        }
    }
}

macro_rules! tests {
    ($($name:ident $check:ident $t:ident)*) => {$(
        #[test]
        fn $name() {
            $check::<$t>();
        }
    )*};
}
tests! {
    lu_f32 check_lu f32
    lu_f64 check_lu f64
    lu_c32 check_lu c32
    lu_c64 check_lu c64
    inverses_f32 check_invert f32
    inverses_f64 check_invert f64
    inverses_c32 check_invert c32
    inverses_c64 check_invert c64
    solutions_f32 check_solve f32
    solutions_f64 check_solve f64
    solutions_c32 check_solve c32
    solutions_c64 check_solve c64
    blocks_f32 check_blocks f32
    blocks_c64 check_blocks c64
}
