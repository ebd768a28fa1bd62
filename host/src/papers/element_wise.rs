//! LU column by column, an element a thread.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::papers::element_wise::UpdateArgs;
use kernels_gpu::papers::pivot::PivotArgs;
use numbers::factors::Factors;
use numbers::problem::Problem;
use numbers::scalar::{Scalar, ScalarKind};

use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::launch::{Launcher, prepare_as};

/// The kernel for tiles of this size, or of the size that the order asks for.
fn variant(tile: Option<u32>, n: u32) -> Result<Variant> {
    let by_order = match n {
        0..=512 => 8,
        513..=8191 => 16,
        _ => 32,
    };
    match tile.unwrap_or(by_order) {
        8 => Ok(Variant::Tiles { width: 8 }),
        16 => Ok(Variant::Tiles { width: 16 }),
        32 => Ok(Variant::Tiles { width: 32 }),
        tile => Err(Error::Unsupported(format!("element-wise LU with tiles of {tile}: use 8, 16 or 32"))),
    }
}

impl Launcher<'_> {
    /// PA = LU in place: `factors.lu` holds A. n is at least 1.
    ///
    /// # Safety
    /// As for [`Launcher::lu`].
    pub(crate) unsafe fn element_wise_lu<T: Scalar>(
        &self,
        tile: Option<u32>,
        factors: Factors<T>,
        size: Problem,
    ) -> Result<()> {
        let Factors { lu, pivots, status } = factors;
        let n = size.n;
        let pivot = choice::only(Family::Pivot, Variant::Only, T::KIND)?;
        let update = choice::only(Family::ElementWise, variant(tile, n)?, T::KIND)?;
        for k in 0..n {
            let (rows, below) = (Problem { n: n - k, ..size }, Problem { n: n - k - 1, ..size });
            // SAFETY: the caller's promise.
            unsafe {
                self.launch(pivot, rows, |first, end| PivotArgs {
                    a: lu,
                    b: lu,
                    pivots,
                    status,
                    first,
                    end,
                    n,
                    rhs: 0,
                    k,
                    keep_l: 1,
                })?;
                self.launch(update, below, |first, end| UpdateArgs { lu, first, end, n, k })?;
            }
        }
        Ok(())
    }
}

/// Loads what [`Launcher::element_wise_lu`] needs.
pub(crate) fn prepare_element_wise(
    backend: &Backend,
    tile: Option<u32>,
    kind: ScalarKind,
    size: Problem,
) -> Result<()> {
    let n = size.n;
    for (family, variant) in [(Family::Pivot, Variant::Only), (Family::ElementWise, variant(tile, n)?)] {
        prepare_as(backend, (family, variant, kind), n, |entry| entry.shape(&size))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {

    use super::super::lu_solve::LuSolve;
    use super::super::testing::{
        Bench, LAYOUTS, LIMIT, ORDERS, StoredFactors, all_nan, bits, for_all_types, numbers, real, size, solve_ratio,
    };
    use super::*;
    use crate::{Batch, Device};
    use numbers::element::Arithmetic;

    for_all_types!(solves, failures_stay_alone, subnormal_pivots);

    /// The factors of a batch in C order.
    fn factored<T: Arithmetic>(bench: &Bench, a: &[T], n: usize, tile: Option<u32>, layout: usize) -> StoredFactors {
        let (factors, size) = (bench.factors(a, n, LAYOUTS[layout]), size(n, a.len() / (n * n), 1));
        prepare_element_wise(&bench.backend, tile, T::KIND, size).unwrap();
        // SAFETY: the buffers are of this size, and the emulator works at once.
        unsafe { bench.launcher().element_wise_lu(tile, factors.get::<T>(), size).unwrap() };
        factors
    }

    /// X from factors.
    fn solved<T: Arithmetic>(bench: &Bench, f: &StoredFactors, b: &[T], n: usize, rhs: usize, layout: usize) -> Vec<T> {
        let batch = b.len() / (n * rhs);
        let (b, size) = (bench.batch(b, n, rhs, LAYOUTS[layout]), size(n, batch, rhs));
        let x = bench.batch(&vec![T::ZERO; n * rhs * batch], n, rhs, LAYOUTS[1 - layout]);
        let solve = LuSolve::prepare(&bench.backend, T::KIND, size).unwrap();
        // SAFETY: the buffers are of this size, and the emulator works at once.
        unsafe {
            solve.enqueue::<T>(&bench.launcher(), f.get(), b.matrices(), x.matrices(), size).unwrap();
            solve.enqueue::<T>(&bench.launcher(), f.get(), b.matrices(), b.matrices(), size).unwrap();
        }
        assert_eq!(bits(&x.get::<T>()), bits(&b.get::<T>()), "in place");
        x.get()
    }

    fn solves<T: Arithmetic>() {
        let tiles = [None, Some(8), Some(16), Some(32)];
        for (turn, n) in ORDERS.into_iter().enumerate() {
            for (layout, batch, rhs) in [(0, 3, 1), (1, 1, 3)] {
                let bench = Bench::new(turn as u64);
                let a = numbers::<T>(n as u64, batch * n * n);
                let b = numbers::<T>(7, batch * n * rhs);
                let f = factored(&bench, &a, n, tiles[(turn + layout) % 4], layout);
                let (lu, pivots) = (f.lu.get::<T>(), f.pivots.get::<u32>());
                assert_eq!(f.status.get::<i32>(), vec![0; batch]);
                let x = solved(&bench, &f, &b, n, rhs, layout);
                for m in 0..batch {
                    let of_cpu = Batch::row_major(&a[m * n * n..][..n * n], 1, n, n).unwrap();
                    let of_cpu = Device::cpu().lu(&of_cpu).unwrap();
                    assert_eq!(pivots[m * n..][..n], *of_cpu.pivots(0).unwrap(), "n = {n}");
                    let (b, x) = (&b[m * n * rhs..][..n * rhs], &x[m * n * rhs..][..n * rhs]);
                    let ratio = solve_ratio(&a[m * n * n..][..n * n], x, b, n, rhs);
                    assert!(ratio < LIMIT, "n = {n}: {ratio}");
                }
                // The numbers are those of warplu's plainest kernel, bit for bit: the same operations in the same
                // order.
                let entry = choice::only(Family::Getrf, Variant::Global, T::KIND).unwrap();
                let (own, size) = (bench.factors(&a, n, LAYOUTS[layout]), size(n, batch, 1));
                // SAFETY: the buffers are of this size, and the emulator works at once.
                unsafe { bench.launcher().lu(entry, own.lu.matrices::<T>(), own.get::<T>(), size).unwrap() };
                assert_eq!(bits(&lu), bits(&own.lu.get::<T>()), "n = {n}");
            }
        }
    }

    fn failures_stay_alone<T: Arithmetic>() {
        let (n, cell) = (9, 81);
        for layout in [0, 1] {
            let bench = Bench::new(3);
            let mut a = numbers::<T>(1, 5 * cell);
            let b = numbers::<T>(2, 5 * n);
            (0..n).for_each(|i| a[cell + i * n + 4] = T::ZERO); // a zero column
            a[2 * cell + 30] = T::NAN;
            a[3 * cell] = T::ZERO; // a zero in the corner
            let f = factored(&bench, &a, n, Some(8), layout);
            assert_eq!(f.status.get::<i32>(), [0, 5, -1, 0, 0]);
            let (lu, x) = (f.lu.get::<T>(), solved(&bench, &f, &b, n, 1, layout));
            for m in 0..5 {
                let (a, b, x) = (&a[m * cell..][..cell], &b[m * n..][..n], &x[m * n..][..n]);
                if m == 1 || m == 2 {
                    assert!(all_nan(x));
                    continue;
                }
                assert!(solve_ratio(a, x, b, n, 1) < LIMIT);
                let alone = factored(&bench, a, n, Some(8), layout);
                assert_eq!(bits(&alone.lu.get::<T>()), bits(&lu[m * cell..][..cell]));
                assert_eq!(bits(&solved(&bench, &alone, b, n, 1, layout)), bits(x));
            }
        }
    }

    fn subnormal_pivots<T: Arithmetic>() {
        let tiny: f64 = if matches!(T::KIND, ScalarKind::F32 | ScalarKind::C32) {
            f64::from(f32::from_bits(2))
        } else {
            f64::from_bits(2)
        };
        let a: Vec<T> = [tiny, 0.0, tiny / 2.0, tiny].map(real).to_vec();
        let f = factored(&Bench::new(1), &a, 2, None, 0);
        assert_eq!(f.lu.get::<T>(), [tiny, 0.0, 0.5, tiny].map(real));
        assert_eq!(f.status.get::<i32>(), [0]);
    }
}
