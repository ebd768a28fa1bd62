//! Inversion of Hermitian matrices by bordering.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::operation::finish::FinishArgs;
use kernels_gpu::papers::bordering::{BorderArgs, DOT_BLOCKS};
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};
use simt::global::Global;

use crate::backend::Backend;
use crate::choice;
use crate::error::Result;
use crate::launch::{Launcher, prepare_as};

/// The kernels of a step, in order.
const STEP: [Variant; 6] =
    [Variant::Product, Variant::Dot, Variant::Beta, Variant::Outer, Variant::Scale, Variant::Add];

/// Numbers of the scratch memory of [`Launcher::border`] for a matrix: q q^H, q, r, a partial dot product and beta.
pub(crate) fn border_numbers(n: usize) -> usize {
    n * (n + 2) + DOT_BLOCKS as usize + 1
}

impl Launcher<'_> {
    /// The inverses of Hermitian matrices of which only the upper triangle is read, all of each inverse; it is all NaN
    /// where the status is not 0: k if the leading block of order k is the first that is singular. `inverse` may be
    /// `a`; `scratch` has [`border_numbers`] for each. n is at least 1.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn border<T: Scalar>(
        &self,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
        scratch: Global<T>,
        size: Problem,
    ) -> Result<()> {
        let Problem { n, batch, .. } = size;
        let (order, matrices) = (i64::from(n), batch as i64);
        let q = scratch.offset(matrices * order * order);
        let r = q.offset(matrices * order);
        let partial = r.offset(matrices * order);
        let beta = partial.offset(matrices * i64::from(DOT_BLOCKS));
        // As the inverse lies, so that both are coalesced.
        let by_columns = inverse.row_stride.unsigned_abs() <= inverse.col_stride.unsigned_abs();
        let (row_stride, col_stride) = if by_columns { (1, order) } else { (order, 1) };
        // SAFETY: no address.
        let pointers = unsafe { Global::new(0) };
        let outer = Matrices { base: scratch, pointers, batch_stride: order * order, row_stride, col_stride };

        for t in 0..n {
            for variant in STEP {
                // The order of what the kernel computes.
                let order = match variant {
                    Variant::Add => t + 1,
                    Variant::Beta => 1,
                    _ => t,
                };
                if order == 0 {
                    continue; // step 0 has no W yet
                }
                let entry = choice::only(Family::Bordering, variant, T::KIND)?;
                let args = |first, end| BorderArgs { a, inverse, outer, q, r, partial, beta, status, first, end, n, t };
                // SAFETY: the caller's promise.
                unsafe { self.launch(entry, Problem { n: order, ..size }, args)? };
            }
        }
        let finish = choice::only(Family::Finish, Variant::Only, T::KIND)?;
        // SAFETY: the caller's promise.
        unsafe {
            self.launch(finish, size, |first, end| FinishArgs {
                x: inverse,
                a: inverse,
                before: status,
                status,
                first,
                end,
                rows: n,
                cols: n,
                look_at_pivots: 0,
                by_columns: 0,
            })
        }
    }
}

/// Loads what [`Launcher::border`] needs.
pub(crate) fn prepare_bordering(backend: &Backend, kind: ScalarKind, size: Problem) -> Result<()> {
    let n = size.n;
    let kernels = STEP.map(|variant| (Family::Bordering, variant));
    for (family, variant) in kernels.into_iter().chain([(Family::Finish, Variant::Only)]) {
        prepare_as(backend, (family, variant, kind), n, |entry| entry.shape(&size))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        Bench, LAYOUTS, LIMIT, ORDERS, all_nan, bits, for_all_types, hermitian, inverse_ratio, make_dominant, numbers,
        real, size,
    };
    use super::*;
    use numbers::element::Arithmetic;

    for_all_types!(inverts, failures_stay_alone);

    /// The inverses and the statuses of a batch in C order.
    fn inverted<T: Arithmetic>(a: &[T], n: usize, layouts: (usize, usize), seed: u64) -> (Vec<T>, Vec<i32>) {
        let bench = Bench::new(seed);
        let size = size(n, a.len() / (n * n), 1);
        let f = bench.factors(a, n, LAYOUTS[layouts.0]);
        let inverse = bench.empty::<T>(a.len() / (n * n), n, n, LAYOUTS[layouts.1](n, n));
        let scratch = bench.vectors::<T>(a.len() / (n * n), border_numbers(n));
        prepare_bordering(&bench.backend, T::KIND, size).unwrap();
        let (a, x, status) = (f.lu.matrices::<T>(), inverse.matrices(), f.status.global());
        // SAFETY: the buffers are of this size, and the emulator works at once.
        unsafe { bench.launcher().border(a, x, status, scratch.global(), size).unwrap() };
        (inverse.get(), f.status.get())
    }

    /// The inverses, where the matrices were.
    fn in_place<T: Arithmetic>(a: &[T], n: usize, layout: usize) -> Vec<T> {
        let (bench, size) = (Bench::new(7), size(n, a.len() / (n * n), 1));
        let (f, scratch) =
            (bench.factors(a, n, LAYOUTS[layout]), bench.vectors::<T>(a.len() / (n * n), border_numbers(n)));
        let a = f.lu.matrices::<T>();
        // SAFETY: the buffers are of this size, and the emulator works at once.
        unsafe { bench.launcher().border(a, a, f.status.global(), scratch.global(), size).unwrap() };
        f.lu.get()
    }

    fn inverts<T: Arithmetic>() {
        for (turn, n) in ORDERS.into_iter().enumerate() {
            let batch = if n < 32 { 3 } else { 1 };
            // What is not to be read is NaN.
            let mut a = numbers::<T>(n as u64, batch * n * n);
            make_dominant(&mut a, n);
            for (at, x) in a.iter_mut().enumerate() {
                if at % n < at / n % n {
                    *x = T::NAN;
                }
            }
            let full = hermitian(&a, n);
            let layouts = [(0, 0), (1, 1), (0, 1), (1, 0)][turn % 4];
            let (x, status) = inverted(&a, n, layouts, turn as u64);
            assert_eq!(status, vec![0; batch]);
            assert_eq!(hermitian(&x, n), x, "n = {n}: exactly Hermitian");
            for m in 0..batch {
                let ratio = inverse_ratio(&full[m * n * n..][..n * n], &x[m * n * n..][..n * n], n);
                assert!(ratio < LIMIT, "n = {n}: {ratio}");
            }
        }
    }

    fn failures_stay_alone<T: Arithmetic>() {
        let (n, cell) = (9, 81);
        let mut a = numbers::<T>(1, 5 * cell);
        make_dominant(&mut a, n);
        a[cell] = T::ZERO; // leading block of order 1
        a[2 * cell + 3 * n + 5] = T::NAN;
        // The leading block of order 2 of a matrix of order 9.
        for (i, j, x) in [(0, 0, 4.0), (0, 1, 2.0), (1, 1, 1.0)] {
            a[3 * cell + i * n + j] = real(x);
        }
        for layouts in [(0, 0), (1, 1)] {
            let (x, status) = inverted(&a, n, layouts, 5);
            assert_eq!(status, [0, 1, -1, 2, 0]);
            for m in 0..5 {
                let (a, x) = (&a[m * cell..][..cell], &x[m * cell..][..cell]);
                if status[m] != 0 {
                    assert!(all_nan(x));
                    continue;
                }
                assert!(inverse_ratio(&hermitian(a, n), x, n) < LIMIT);
                assert_eq!(bits(&inverted(a, n, layouts, 6).0), bits(x));
                assert_eq!(bits(&in_place(a, n, layouts.0)), bits(x));
            }
        }
    }
}
