//! Checks of kernels that start from factors.

use kernels_gpu::entry::Entry;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

use super::batch::LAYOUTS;
use super::cases::{CASES, Case};
use super::factored::{Factored, OPS, sides};
use super::ill::{self, ILL, Ill};
use super::measure::{bits, inverse_ratios};

/// Matrices of these kinds, of which the last is the first one again.
pub(crate) fn factored<T: Scalar>(n: usize, cases: &[Case]) -> Factored<T> {
    let mut matrices = Factored::<T>::new(n, cases).a;
    *matrices.last_mut().unwrap() = matrices[0].clone();
    Factored::of(n, matrices)
}

/// The inverses of these: LAPACK's left residual and statuses, and the same bits in every place of the batch.
pub(crate) fn inverses<T: Scalar>(entry: &Entry, n: usize, cases: &[Case]) {
    let factored = factored::<T>(n, cases);
    let (x, status) = factored.invert(entry.variant, [n % LAYOUTS, n / 2 % LAYOUTS]);
    assert_eq!(bits(&x[0]), bits(&x[cases.len() - 1]), "{} n = {n}: the batch matters", entry.name);
    for (i, case) in cases.iter().enumerate() {
        let what = format!("{} n = {n} {case:?}", entry.name);
        let overflows = matches!(case, Case::Subnormal | Case::Tiny | Case::Ties);
        assert!(status[i] == factored.status[i] || overflows && status[i] == NON_FINITE, "{what}: {}", status[i]);
        if status[i] != 0 {
            assert!(x[i].iter().all(|x| x.to_c64().re.is_nan()), "{what}");
            continue;
        }
        let [left, _] = inverse_ratios(&factored.a[i], &x[i], n);
        assert!(left < 2.0, "{what}: {left}");
    }
}

/// The left residual is small, however ill-conditioned the matrix is, if its factors are not much larger than itself.
pub(crate) fn ill_conditioned<T: Scalar>(entry: &Entry, n: usize) {
    let factored = Factored::of(n, ILL.iter().map(|&kind| ill::matrix::<T>(kind, n)).collect());
    let (x, status) = factored.invert(entry.variant, [n % LAYOUTS, (n + 1) % LAYOUTS]);
    for (i, kind) in ILL.into_iter().enumerate() {
        let what = format!("{} n = {n} {kind:?}", entry.name);
        assert_eq!(status[i], factored.status[i], "{what}");
        if status[i] == 0 && !matches!(kind, Ill::Growth) {
            let [left, _] = inverse_ratios(&factored.a[i], &x[i], n);
            assert!(left < 2.0, "{what}: {left}");
        }
    }
}

/// A layout changes no bit of solutions.
pub(crate) fn layouts<T: Scalar>(entry: &Entry, n: usize, rhs: usize) {
    let factored = Factored::<T>::new(n, &CASES[..2]);
    let b = sides(&factored.a, n, rhs);
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
