//! Solve by a warp a right-hand side, in the emulator: every entry, around its largest order, in every layout.

#![cfg(not(target_arch = "nvptx64"))]

#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{Batch, LAYOUTS, array, launch, words};
use common::cases::{CASES, Case, Random, factor, matrix};
use common::measure::{bits, product};
use common::run::problem;
use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::numbers::scalar::{Scalar, c32, c64};
use kernels_gpu::operation::GetrsArgs;
use kernels_gpu::table;
use simt::cpu::Memory;

/// op(A), and whether it is transposed and conjugated.
const OPS: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

/// Matrices with their factors, pivots and status.
struct Factored<T> {
    n: usize,
    a: Vec<Vec<T>>,
    lu: Vec<Vec<T>>,
    pivots: Vec<u32>,
    status: Vec<i32>,
}

impl<T: Scalar> Factored<T> {
    fn new(n: usize, cases: &[Case]) -> Self {
        let mut all = Self { n, a: vec![], lu: vec![], pivots: vec![], status: vec![] };
        for (i, &case) in cases.iter().enumerate() {
            let a = matrix::<T>(case, n, (n * 64 + i) as u64);
            let (lu, pivots, status) = factor(&a, n, |x, pivot| x.divide(pivot.divisor()));
            all.a.push(a);
            all.lu.push(lu);
            all.pivots.extend(pivots);
            all.status.push(status);
        }
        all
    }

    /// X in the place of B, or elsewhere; by two launches, of which the second begins in the middle.
    fn solve(&self, variant: Variant, b: &[Vec<T>], op: (bool, bool), layouts: [usize; 3]) -> Vec<Vec<T>> {
        let (n, batch, rhs) = (self.n, self.a.len(), b[0].len() / self.n);
        let memory = Memory::new();
        let factors = Batch::new::<T>(&memory, batch, n, n, layouts[0]);
        let sides = Batch::new::<T>(&memory, batch, n, rhs, layouts[1]);
        let other = Batch::new::<T>(&memory, batch, n, rhs, layouts[2]);
        let to = if layouts[1] == layouts[2] { &sides } else { &other };
        factors.write(&self.lu);
        sides.write(b);
        let pivots = memory.allocate(4 * n * batch);
        pivots.write(0, &self.pivots.iter().flat_map(|p| p.to_le_bytes()).collect::<Vec<_>>()).unwrap();
        let status = memory.allocate(4 * batch);
        status.write(0, &self.status.iter().flat_map(|s| s.to_le_bytes()).collect::<Vec<_>>()).unwrap();
        let solved = memory.allocate(4 * batch);
        let middle = batch.div_ceil(3);
        for (first, end) in [(0, middle), (middle, batch)] {
            let args = GetrsArgs::<T> {
                lu: factors.matrices(),
                pivots: array(&pivots),
                lu_status: array(&status),
                b: sides.matrices(),
                x: to.matrices(),
                status: array(&solved),
                first: first as u64,
                end: end as u64,
                n: n as u32,
                rhs: rhs as u32,
                transposed: op.0.into(),
                conjugated: op.1.into(),
            };
            launch::<T, _>(&memory, Family::Getrs, variant, problem(n, end - first, rhs), args);
        }
        assert_eq!(words(&pivots), self.pivots);
        to.read()
    }

    /// Largest element of |b - op(A) x| / (n |op(A)| |x| u), for any.
    fn worst_ratio(&self, i: usize, x: &[T], b: &[T], op: (bool, bool)) -> f64 {
        let n = self.n;
        let of = |e: usize| self.a[i][if op.0 { e % n * n + e / n } else { e }].to_c64();
        let a: Vec<c64> = (0..n * n).map(|e| if op.1 { of(e).conj() } else { of(e) }).collect();
        let x: Vec<c64> = x.iter().map(|x| x.to_c64()).collect();
        let largest = |x: &[c64]| x.iter().map(|x| x.l1_norm()).fold(0.0, f64::max);
        let ax = product(&a, &x, n, x.len() / n);
        let residual: Vec<c64> = b.iter().zip(&ax).map(|(b, ax)| b.to_c64() - ax).collect();
        assert!(residual.iter().all(|r| r.l1_norm().is_finite()));
        let unit = if size_of::<T::Real>() == 4 { 2_f64.powi(-24) } else { 2_f64.powi(-53) };
        let floor = if size_of::<T::Real>() == 4 { 2_f64.powi(-140) } else { 2_f64.powi(-1060) };
        largest(&residual) / ((n as f64).powi(2) * largest(&a) * largest(&x) * unit + floor)
    }
}

fn entries<T: Scalar>() -> impl Iterator<Item = &'static Entry> {
    table::entries().filter(|entry| entry.kind == T::KIND && matches!(entry.variant, Variant::WarpPerRhs { .. }))
}

/// Right-hand sides as large as the matrix's elements.
fn sides<T: Scalar>(a: &[Vec<T>], n: usize, rhs: usize) -> Vec<Vec<T>> {
    let mut random = Random(n as u64);
    a.iter().map(|a| (0..n * rhs).map(|e| a[e % (n * n)] * T::from_c64(random.number())).collect()).collect()
}

fn solutions<T: Scalar>() {
    for entry in entries::<T>() {
        let largest = entry.variant.largest_order() as usize;
        for n in [largest, largest - 1, largest - 31, 1] {
            let rhs = if largest > 128 { 1 } else { 1 + n % 4 };
            let cases = if largest > 128 { &CASES[..3] } else { &CASES[..] };
            let factored = Factored::<T>::new(n, cases);
            let b = sides(&factored.a, n, rhs);
            for op in if largest > 192 { &OPS[n % 3..][..1] } else { &OPS[..] } {
                let what = format!("{} n = {n}, {op:?}", entry.name);
                let layouts = [n % LAYOUTS, (n + 1) % LAYOUTS, n / 2 % LAYOUTS];
                let x = factored.solve(entry.variant, &b, *op, layouts);
                for (i, case) in cases.iter().enumerate() {
                    if factored.status[i] != 0 {
                        assert!(x[i].iter().all(|x| !x.is_finite()), "{what} {case:?}");
                        continue;
                    }
                    let ratio = factored.worst_ratio(i, &x[i], &b[i], *op);
                    assert!(ratio < 4.0, "{what} {case:?}: {ratio}");
                }
            }
        }
    }
}

/// A layout changes no bit.
fn layouts<T: Scalar>() {
    for entry in entries::<T>().take(3) {
        let n = entry.variant.largest_order() as usize - 7;
        let factored = Factored::<T>::new(n, &CASES[..2]);
        let b = sides(&factored.a, n, 2);
        for op in OPS {
            let solve = |layout| factored.solve(entry.variant, &b, op, [layout, layout, layout]);
            let expected = solve(0);
            for layout in 1..LAYOUTS {
                for (x, expected) in solve(layout).iter().zip(&expected) {
                    assert_eq!(bits(x), bits(expected), "{} {op:?} layout {layout}", entry.name);
                }
            }
        }
    }
}

macro_rules! for_types {
    ($($check:ident $f32:ident $f64:ident $c32:ident $c64:ident;)*) => {
        $(#[test] fn $f32() { $check::<f32>(); }
        #[test] fn $f64() { $check::<f64>(); }
        #[test] fn $c32() { $check::<c32>(); }
        #[test] fn $c64() { $check::<c64>(); })*
    };
}
for_types! {
    solutions solutions_f32 solutions_f64 solutions_c32 solutions_c64;
    layouts layouts_f32 layouts_f64 layouts_c32 layouts_c64;
}
