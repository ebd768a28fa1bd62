//! Matrices with their factors, and kernels that start from these.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::operation::{GetriArgs, GetrsArgs};
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, c64};
use simt::cpu::{Buffer, Memory};
use simt::global::Global;

use super::batch::{Batch, array, launch, launch_as, words};
use super::cases::{Case, Random, factor, matrix};
use super::measure::product;
use super::run::problem;

/// op(A), and whether it is transposed and conjugated.
pub(crate) const OPS: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

/// Matrices with their factors, pivots and status.
pub(crate) struct Factored<T> {
    pub(crate) n: usize,
    pub(crate) a: Vec<Vec<T>>,
    pub(crate) lu: Vec<Vec<T>>,
    pub(crate) pivots: Vec<u32>,
    pub(crate) status: Vec<i32>,
}

impl<T: Scalar> Factored<T> {
    pub(crate) fn new(n: usize, cases: &[Case]) -> Self {
        let a = cases.iter().enumerate().map(|(i, &case)| matrix(case, n, (n * 64 + i) as u64));
        Self::of(n, a.collect())
    }

    pub(crate) fn of(n: usize, matrices: Vec<Vec<T>>) -> Self {
        let mut all = Self { n, a: vec![], lu: vec![], pivots: vec![], status: vec![] };
        for a in matrices {
            let (lu, pivots, status) = factor(&a, n, |x, pivot| x.divide(pivot.divisor()));
            all.a.push(a);
            all.lu.push(lu);
            all.pivots.extend(pivots);
            all.status.push(status);
        }
        all
    }

    /// X in the place of B, or elsewhere; by two launches, of which the second begins in the middle.
    pub(crate) fn solve(&self, variant: Variant, b: &[Vec<T>], op: (bool, bool), layouts: [usize; 3]) -> Vec<Vec<T>> {
        self.solve_as_one_of(1, variant, b, op, layouts)
    }

    /// As [`Self::solve`], with the blocks that each matrix has in a batch so many times as large.
    pub(crate) fn solve_as_one_of(
        &self,
        times: u64,
        variant: Variant,
        b: &[Vec<T>],
        op: (bool, bool),
        layouts: [usize; 3],
    ) -> Vec<Vec<T>> {
        let entry = table::find(Family::Getrs, variant, T::KIND).unwrap();
        let launch = |memory: &Memory, own: Problem, args: GetrsArgs<T>| {
            let shape = entry.shape(&Problem { batch: times * own.batch, ..own });
            let shape = Shape { blocks: shape.blocks / times, ..shape };
            launch_as(memory, entry, shape, (own.n, own.n.into()), args);
        };
        self.solve_by(launch, b, op, layouts).0
    }

    /// The same by any launches, and the statuses, which only some kernels write.
    pub(crate) fn solve_by(
        &self,
        launch: impl Fn(&Memory, Problem, GetrsArgs<T>),
        b: &[Vec<T>],
        op: (bool, bool),
        layouts: [usize; 3],
    ) -> (Vec<Vec<T>>, Vec<i32>) {
        let (n, batch, rhs) = (self.n, self.a.len(), b[0].len() / self.n);
        let memory = Memory::new();
        let factors = Batch::new::<T>(&memory, batch, n, n, layouts[0]);
        let sides = Batch::new::<T>(&memory, batch, n, rhs, layouts[1]);
        let other = Batch::new::<T>(&memory, batch, n, rhs, layouts[2]);
        let to = if layouts[1] == layouts[2] { &sides } else { &other };
        factors.write(&self.lu);
        sides.write(b);
        let (pivots, status) = (words_in(&memory, &self.pivots), words_in(&memory, &self.status_words()));
        let solved = memory.allocate(4 * batch);
        let middle = batch.div_ceil(3);
        for (first, end) in [(0, middle), (middle, batch)].into_iter().filter(|(first, end)| first < end) {
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
                forward: 1,
            };
            launch(&memory, problem(n, end - first, rhs), args);
        }
        assert_eq!(words(&pivots), self.pivots);
        (to.read(), words(&solved).iter().map(|&status| status as i32).collect())
    }

    /// The inverses and their statuses, which take the place of the factors'.
    pub(crate) fn invert(&self, variant: Variant, layouts: [usize; 2]) -> (Vec<Vec<T>>, Vec<i32>) {
        let (n, batch) = (self.n, self.a.len());
        let memory = Memory::new();
        let factors = Batch::new::<T>(&memory, batch, n, n, layouts[0]);
        let inverse = Batch::new::<T>(&memory, batch, n, n, layouts[1]);
        factors.write(&self.lu);
        let (pivots, status) = (words_in(&memory, &self.pivots), words_in(&memory, &self.status_words()));
        let middle = batch.div_ceil(3);
        for (first, end) in [(0, middle), (middle, batch)] {
            let args = GetriArgs::<T> {
                lu: factors.matrices(),
                pivots: array(&pivots),
                lu_status: array(&status),
                inverse: inverse.matrices(),
                status: array(&status),
                // SAFETY: kernels that look at it are not run so.
                work: unsafe { Global::new(0) },
                first: first as u64,
                end: end as u64,
                n: n as u32,
            };
            launch::<T, _>(&memory, Family::Getri, variant, problem(n, end - first, 1), args);
        }
        assert_eq!(words(&pivots), self.pivots);
        (inverse.read(), words(&status).iter().map(|&s| s as i32).collect())
    }

    fn status_words(&self) -> Vec<u32> {
        self.status.iter().map(|&status| status as u32).collect()
    }

    /// Largest element of |b - op(A) x| / (n |op(A)| |x| u), for any.
    pub(crate) fn worst_ratio(&self, i: usize, x: &[T], b: &[T], op: (bool, bool)) -> f64 {
        let n = self.n;
        let of = |e: usize| self.a[i][if op.0 { e % n * n + e / n } else { e }].to_c64();
        let a: Vec<c64> = (0..n * n).map(|e| if op.1 { of(e).conj() } else { of(e) }).collect();
        let x: Vec<c64> = x.iter().map(|x| x.to_c64()).collect();
        let largest = |x: &[c64]| x.iter().map(|x| x.l1_norm()).fold(0.0, f64::max);
        let ax = product(&a, &x, n, x.len() / n);
        let residual: Vec<c64> = b.iter().zip(&ax).map(|(b, ax)| b.to_c64() - ax).collect();
        assert!(residual.iter().all(|r| r.l1_norm().is_finite()));
        let unit = if size_of::<T::Real>() == 4 { 2_f64.powi(-24) } else { 2_f64.powi(-53) };
        let floor = if size_of::<T::Real>() == 4 { 2_f64.powi(-140) } else { 2_f64.powi(-530).powi(2) };
        largest(&residual) / ((n as f64).powi(2) * largest(&a) * largest(&x) * unit + floor)
    }
}

/// An array of words.
fn words_in(memory: &Memory, words: &[u32]) -> Buffer {
    let buffer = memory.allocate(4 * words.len());
    buffer.write(0, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()).unwrap();
    buffer
}

/// Right-hand sides as large as the matrix's elements.
pub(crate) fn sides<T: Scalar>(a: &[Vec<T>], n: usize, rhs: usize) -> Vec<Vec<T>> {
    let mut random = Random(n as u64);
    a.iter().map(|a| (0..n * rhs).map(|e| a[e % (n * n)] * T::from_c64(random.number())).collect()).collect()
}
