//! Gaussian elimination of the augmented system, then back substitution.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::operation::finish::FinishArgs;
use kernels_gpu::papers::elimination::{EliminateArgs, columns_shape, rows_shape};
use kernels_gpu::papers::pivot::PivotArgs;
use kernels_gpu::papers::substitution::SubstituteArgs;
use kernels_gpu::shape::Shape;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use super::Strategy;
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::launch::{Launcher, prepare_as};

/// The options of [`Published::Elimination`](super::Published::Elimination).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elimination {
    pub(crate) strategy: Strategy,
    pub(crate) threads: u32,
    pub(crate) pivoting: bool,
}

impl Elimination {
    fn variant(self) -> Variant {
        match self.strategy {
            Strategy::Rows => Variant::Rows,
            Strategy::RowsShared => Variant::RowsShared,
            Strategy::Columns => Variant::Columns,
            Strategy::ColumnsShared => Variant::ColumnsShared,
        }
    }

    /// The launch for a column with `problem.n` rows below the pivot.
    fn shape(self, problem: &Problem, kind: ScalarKind) -> Shape {
        match self.strategy {
            Strategy::Rows => rows_shape(problem, self.threads, false, kind),
            Strategy::RowsShared => rows_shape(problem, self.threads, true, kind),
            Strategy::Columns => columns_shape(problem, self.threads, false, kind),
            Strategy::ColumnsShared => columns_shape(problem, self.threads, true, kind),
        }
    }
}

impl Launcher<'_> {
    /// A X = B: `a` is destroyed, `b` becomes X, all NaN where the status is not 0. `pivots` is written with pivoting
    /// only: shape (batch, n). The status: with pivoting as that of LU, without k where the k-th pivot is zero; and not
    /// finite where X is not.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn eliminate<T: Scalar>(
        &self,
        how: Elimination,
        a: Matrices<T>,
        b: Matrices<T>,
        pivots: Global<u32>,
        status: Global<i32>,
        size: Problem,
    ) -> Result<()> {
        let Problem { n, batch, rhs } = size;
        check_threads(how.threads)?;
        let pivot = choice::only(Family::Pivot, Variant::Only, T::KIND)?;
        let eliminate = choice::only(Family::Elimination, how.variant(), T::KIND)?;
        let substitute = choice::only(Family::Substitution, Variant::Upper, T::KIND)?;
        let finish = choice::only(Family::Finish, Variant::Only, T::KIND)?;
        for k in 0..n {
            if how.pivoting {
                let left = Problem { n: n - k, ..size };
                let args = |first, end| PivotArgs { a, b, pivots, status, first, end, n, rhs, k, keep_l: 0 };
                // SAFETY: the caller's promise.
                unsafe { self.launch(pivot, left, args)? };
            }
            let shape = |batch| how.shape(&Problem { n: n - k - 1, batch, rhs }, T::KIND);
            // SAFETY: the caller's promise.
            unsafe {
                self.launch_as(eliminate, batch, shape, |first, end| EliminateArgs { a, b, first, end, n, rhs, k })?
            };
        }
        // SAFETY: the caller's promise.
        unsafe {
            self.launch(substitute, size, |first, end| SubstituteArgs {
                lu: a,
                pivots,
                status,
                b,
                x: b,
                first,
                end,
                n,
                rhs,
            })?;
            self.launch(finish, size, |first, end| FinishArgs {
                x: b,
                a,
                before: status,
                status,
                first,
                end,
                rows: n,
                cols: rhs,
                look_at_pivots: (!how.pivoting).into(),
                // Without pivots that were looked at, a matrix that is not finite is seen by its solutions only.
                by_columns: how.pivoting.into(),
            })
        }
    }
}

/// Loads what [`Launcher::eliminate`] needs, and says where its shared memory is too small.
pub(crate) fn prepare_elimination(backend: &Backend, how: Elimination, kind: ScalarKind, size: Problem) -> Result<()> {
    let n = size.n;
    check_threads(how.threads)?;
    let below = Problem { n: n.saturating_sub(1), ..size };
    let (bytes, limit) = (how.shape(&below, kind).shared_bytes, backend.limits().shared_bytes);
    if bytes > limit {
        return Err(Error::Unsupported(format!(
            "elimination with the pivot row in shared memory takes {bytes} bytes of it for order {n}, and a block has \
             {limit}: use the strategy `columns`"
        )));
    }
    prepare_as(backend, (Family::Elimination, how.variant(), kind), n, |_| how.shape(&below, kind))?;
    let others =
        [(Family::Pivot, Variant::Only), (Family::Substitution, Variant::Upper), (Family::Finish, Variant::Only)];
    for (family, variant) in others {
        prepare_as(backend, (family, variant, kind), n, |entry| entry.shape(&size))?;
    }
    Ok(())
}

fn check_threads(threads: u32) -> Result<()> {
    if [64, 128, 256, 512, 1024].contains(&threads) {
        return Ok(());
    }
    Err(Error::Unsupported(format!("elimination with {threads} threads a block: use 64, 128, 256, 512 or 1024")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        Bench, LAYOUTS, LIMIT, ORDERS, all_nan, bits, for_all_types, make_dominant, numbers, size, solve_ratio,
    };
    use super::*;
    use numbers::element::Arithmetic;
    use numbers::status::side_not_finite;

    for_all_types!(solves, failures_stay_alone, infinities);

    const STRATEGIES: [Strategy; 4] =
        [Strategy::Rows, Strategy::RowsShared, Strategy::Columns, Strategy::ColumnsShared];

    /// X and the statuses of a batch in C order.
    fn solved<T: Arithmetic>(
        how: Elimination,
        a: &[T],
        b: &[T],
        n: usize,
        layout: usize,
        seed: u64,
    ) -> (Vec<T>, Vec<i32>) {
        let bench = Bench::new(seed);
        let batch = a.len() / (n * n);
        let rhs = b.len() / (batch * n);
        let (f, b) = (bench.factors(a, n, LAYOUTS[layout]), bench.batch(b, n, rhs, LAYOUTS[layout]));
        let size = size(n, batch, rhs);
        prepare_elimination(&bench.backend, how, T::KIND, size).unwrap();
        // SAFETY: the buffers are of this size, and the emulator works at once.
        unsafe {
            let (pivots, status) = (f.pivots.global(), f.status.global());
            bench.launcher().eliminate::<T>(how, f.lu.matrices(), b.matrices(), pivots, status, size).unwrap();
        }
        (b.get(), f.status.get())
    }

    fn solves<T: Arithmetic>() {
        for (turn, n) in ORDERS.into_iter().enumerate() {
            for (s, strategy) in STRATEGIES.into_iter().enumerate() {
                // Each order has another mix of the options.
                let mix = turn + s;
                let threads = if n > 9 { 64 } else { [64, 128, 256, 512, 1024][mix % 5] };
                let (pivoting, layout) = (mix % 2 == 0, mix / 2 % 2);
                let (batch, rhs) = if turn % 2 == 0 { (3, 1) } else { (1, 3) };
                let mut a = numbers::<T>(n as u64, batch * n * n);
                if !pivoting {
                    make_dominant(&mut a, n);
                }
                let b = numbers::<T>(9, batch * n * rhs);
                let how = Elimination { strategy, threads, pivoting };
                let (x, status) = solved(how, &a, &b, n, layout, mix as u64);
                assert_eq!(status, vec![0; batch], "n = {n}, {how:?}");
                for m in 0..batch {
                    let (b, x) = (&b[m * n * rhs..][..n * rhs], &x[m * n * rhs..][..n * rhs]);
                    let ratio = solve_ratio(&a[m * n * n..][..n * n], x, b, n, rhs);
                    assert!(ratio < LIMIT, "n = {n}, {how:?}: {ratio}");
                }
            }
        }
    }

    fn failures_stay_alone<T: Arithmetic>() {
        let (n, cell, threads) = (9, 81, 64);
        let mut a = numbers::<T>(1, 5 * cell);
        make_dominant(&mut a, n);
        let b = numbers::<T>(2, 5 * n * 2);
        (0..n).for_each(|i| a[cell + i * n + 4] = T::ZERO); // a zero column
        a[2 * cell + 30] = T::NAN;
        a[3 * cell] = T::ZERO; // a zero in the corner
        for (turn, strategy) in STRATEGIES.into_iter().enumerate() {
            for pivoting in [false, true] {
                let how = Elimination { strategy, threads, pivoting };
                let (x, status) = solved(how, &a, &b, n, turn % 2, 3);
                assert_eq!(status, [0, 5, -1, i32::from(!pivoting), 0], "{how:?}");
                for m in 0..5 {
                    let (a, b, x) = (&a[m * cell..][..cell], &b[m * n * 2..][..n * 2], &x[m * n * 2..][..n * 2]);
                    if status[m] != 0 {
                        assert!(all_nan(x), "{how:?}");
                        continue;
                    }
                    assert!(solve_ratio(a, x, b, n, 2) < LIMIT, "{how:?}");
                    assert_eq!(bits(&solved(how, a, b, n, turn % 2, 4).0), bits(x), "{how:?}");
                }
            }
        }
    }

    fn infinities<T: Arithmetic>() {
        // 1 / infinity is finite, but such a matrix is not; nor is the solution for such a right-hand side.
        let infinity = super::super::testing::real::<T>(f64::INFINITY);
        for pivoting in [false, true] {
            let how = Elimination { strategy: Strategy::Columns, threads: 64, pivoting };
            assert_eq!(solved(how, &[infinity], &[T::ONE], 1, 0, 1).1, [-1]);
            let of_side = if pivoting { side_not_finite(0) } else { -1 };
            assert_eq!(solved(how, &[T::ONE], &[infinity], 1, 0, 1).1, [of_side]);
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let backend = Bench::new(1).backend;
        let how = |strategy, threads| Elimination { strategy, threads, pivoting: true };
        let prepare =
            |how, rhs| prepare_elimination(&backend, how, ScalarKind::F64, size(10, 1, rhs)).map_err(|e| e.to_string());
        assert!(prepare(how(Strategy::ColumnsShared, 64), 40_000).unwrap_err().contains("strategy `columns`"));
        assert!(prepare(how(Strategy::Columns, 64), 40_000).is_ok());
        assert!(prepare(how(Strategy::Columns, 100), 1).unwrap_err().contains("100 threads"));
    }
}
