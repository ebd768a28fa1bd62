//! LU by the kernels of larger orders, element by element: each error is bounded by |L||U| in its place, as LAPACK's.

use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::table;
use numbers::scalar::{Scalar, c64};

use crate::common::cases::Random;
use crate::common::measure::{is_single, lu_ratio};
use crate::common::run::lu;

/// Matrices of which a bound by norms says little.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A few neighbours a row, coupled by numbers of very different sizes, as in the Jacobian of a power network.
    Sparse,
    /// Rows so small towards the end that multipliers are next to subnormal.
    GradedRows,
    /// All multipliers are about 1 or -1, so that inverses of triangles of L have elements much above those of L.
    Growing,
}

/// One of them, row-major: shape (n, n).
fn matrix<T: Scalar>(kind: Kind, n: usize) -> Vec<T> {
    let mut random = Random(n as u64);
    let least = if is_single::<T>() { -122.0 } else { -900.0 }; // the exponent of the last row
    let mut a = vec![c64::ZERO; n * n];
    match kind {
        Kind::Sparse => {
            for i in 0..n {
                for _ in 0..4 {
                    let j = (random.real().abs() * n as f64) as usize % n;
                    let coupling = random.number::<c64>() * 10_f64.powf(3.0 * random.real());
                    a[i * n + j] += coupling;
                    a[j * n + i] += coupling * (1.0 + 0.1 * random.real());
                    a[i * n + i] -= coupling;
                    a[j * n + j] -= coupling;
                }
            }
        }
        Kind::GradedRows => {
            for (e, x) in a.iter_mut().enumerate() {
                *x = random.number::<c64>() * (least * (e / n) as f64 / n as f64).exp2();
            }
        }
        Kind::Growing => {
            for (e, x) in a.iter_mut().enumerate() {
                let sign = c64::from(random.real().signum());
                *x = match (e / n, e % n) {
                    (i, j) if i == j => c64::ONE,
                    (i, j) if j < i => sign,
                    _ => random.number::<c64>() * 1e-3,
                };
            }
        }
    }
    a.into_iter().map(T::from_c64).collect()
}

/// Each kernel at an order that needs its rows; the largest ones would take too long.
fn check<T: Scalar>() {
    let entries = table::entries().filter(|e| e.family == Family::Getrf && e.kind == T::KIND);
    for variant in entries.map(|e| e.variant) {
        let Variant::Blocked { rows, warps, .. } = variant else { continue };
        let n = match (rows, warps) {
            (1, _) => variant.largest_order() as usize - 11,
            (_, ..5) => 181,
            _ => 203,
        };
        let kinds = [Kind::Sparse, Kind::GradedRows, Kind::Growing];
        let a = kinds.map(|kind| matrix::<T>(kind, n));
        let (factors, pivots, status) = lu(variant, n, &a, [1, 1]);
        for (i, kind) in kinds.iter().enumerate() {
            let what = format!("{} {variant:?} n = {n} {kind:?}", T::KIND.name());
            assert!(status[i] >= 0, "{what}");
            let ratio = lu_ratio(&a[i], &factors[i], &pivots[i * n..][..n], n);
            // Where a multiplier is subnormal, that of LAPACK's unblocked algorithm is nearly 1, too; else about 0.05.
            let (plain, plain_pivots, _) = crate::factor(&a[i], n);
            let plain = lu_ratio(&a[i], &plain, &plain_pivots, n);
            assert!(ratio < 2.0 * plain + 0.05, "{what}: {ratio}, LAPACK's {plain}");
        }
    }
}

for_types! { lu: check; }
