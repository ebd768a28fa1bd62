//! Random matrices, and residuals as LAPACK's test programs measure them.

use faer::{Mat, MatMut, MatRef};
use kernels_gpu::numbers::scalar::{Scalar, ScalarKind, c64};

use super::params::Params;
use crate::element::CpuScalar;
use crate::op::Op;

/// LAPACK's threshold for test ratios.
pub(super) const THRESHOLD: f64 = 30.0;

/// The orders that all types are tested with.
pub(super) fn orders() -> impl Iterator<Item = usize> {
    (0..=40).chain([64, 65, 100, 130])
}

/// Random numbers (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In (-1, 1).
    pub(super) fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn matrix<T: CpuScalar>(&mut self, rows: usize, cols: usize) -> Mat<T> {
        Mat::from_fn(rows, cols, |_, _| T::from_c64(c64::new(self.real(), self.real())))
    }
}

/// The unit roundoff, as LAPACK's `xLAMCH('E')`.
pub(super) fn roundoff<T: Scalar>() -> f64 {
    match T::KIND {
        ScalarKind::F32 | ScalarKind::C32 => f64::from(f32::EPSILON) / 2.0,
        ScalarKind::F64 | ScalarKind::C64 => f64::EPSILON / 2.0,
    }
}

/// Whether the type is complex.
pub(super) fn is_complex<T: Scalar>() -> bool {
    matches!(T::KIND, ScalarKind::C32 | ScalarKind::C64)
}

/// The smallest subnormal number.
pub(super) fn tiny<T: Scalar>() -> f64 {
    if roundoff::<T>() > 1e-10 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) }
}

/// Nearly the largest number.
pub(super) fn huge<T: Scalar>() -> f64 {
    if roundoff::<T>() > 1e-10 { 3e38 } else { 1.7e308 }
}

/// A matrix in the widest type.
pub(super) fn wide<T: CpuScalar>(a: MatRef<'_, T>) -> Mat<c64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].to_c64())
}

/// op(A) in the widest type.
pub(super) fn wide_op<T: CpuScalar>(a: MatRef<'_, T>, op: Op) -> Mat<c64> {
    match op {
        Op::None => wide(a),
        Op::Transpose => Mat::from_fn(a.ncols(), a.nrows(), |i, j| a[(j, i)].to_c64()),
        Op::Adjoint => Mat::from_fn(a.ncols(), a.nrows(), |i, j| a[(j, i)].to_c64().conj()),
    }
}

/// A product by the definition.
pub(super) fn multiply(a: &Mat<c64>, b: &Mat<c64>) -> Mat<c64> {
    let mut product = Mat::zeros(a.nrows(), b.ncols());
    for j in 0..b.ncols() {
        for k in 0..a.ncols() {
            for i in 0..a.nrows() {
                product[(i, j)] += a[(i, k)] * b[(k, j)];
            }
        }
    }
    product
}

/// The largest column sum; NaN where there is one.
pub(super) fn norm1(a: &Mat<c64>) -> f64 {
    let sums = (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].norm()).sum());
    sums.fold(0.0, |largest: f64, sum: f64| if sum <= largest { largest } else { sum })
}

/// `||A - B||_1`.
pub(super) fn distance(a: &Mat<c64>, b: &Mat<c64>) -> f64 {
    norm1(&(a - b))
}

/// Asserts that a residual is at most [`THRESHOLD`] times its scale.
pub(super) fn assert_small(residual: f64, scale: f64, what: &str) {
    let small = residual == 0.0 || residual / scale < THRESHOLD;
    assert!(small, "{what}: {residual:e} / {scale:e} = {}", residual / scale);
}

/// Asserts that PA = LU: `||PA - LU|| / (n ||A|| u)` (`xGET01`), and that the pivots are in range.
pub(super) fn assert_factors<T: CpuScalar>(a: MatRef<'_, T>, lu: MatRef<'_, T>, pivots: &[u32], what: &str) {
    let n = a.nrows();
    let mut pa = wide(a);
    for (k, &pivot) in pivots.iter().enumerate() {
        assert!((k..n).contains(&(pivot as usize)), "{what}: pivot {k} is {pivot}");
        for j in 0..n {
            let x = pa[(k, j)];
            pa[(k, j)] = pa[(pivot as usize, j)];
            pa[(pivot as usize, j)] = x;
        }
    }
    let zero = c64::new(0.0, 0.0);
    let lu = wide(lu);
    let l = Mat::from_fn(n, n, |i, j| if i > j { lu[(i, j)] } else { c64::new(f64::from(u8::from(i == j)), 0.0) });
    let u = Mat::from_fn(n, n, |i, j| if i > j { zero } else { lu[(i, j)] });
    let residual = distance(&pa, &multiply(&l, &u));
    assert_small(residual, n as f64 * norm1(&pa) * roundoff::<T>(), what);
}

/// Every bit of a matrix.
pub(super) fn bits<T: CpuScalar>(a: MatRef<'_, T>) -> Vec<(u64, u64)> {
    let parts = |z: c64| (z.re.to_bits(), z.im.to_bits());
    a.col_iter().flat_map(|column| column.iter().map(|x| parts(x.to_c64())).collect::<Vec<_>>()).collect()
}

/// The same matrix in other places: unaligned, by rows, and backwards.
pub(super) fn elsewhere<T: CpuScalar, R>(a: MatRef<'_, T>, mut f: impl FnMut(MatMut<'_, T>) -> R) -> Vec<R> {
    let (m, n) = a.shape();
    let mut results = Vec::new();
    for offset in 0..4 {
        let mut space = Mat::zeros(m + 2 * offset + 1, n + offset);
        let mut view = space.as_mut().submatrix_mut(offset, 0, m, n);
        view.copy_from(a);
        results.push(f(view));
    }
    let mut rows = a.transpose().to_owned();
    results.push(f(rows.as_mut().transpose_mut()));
    let mut reversed = a.reverse_rows().reverse_cols().to_owned();
    results.push(f(reversed.as_mut().reverse_rows_mut().reverse_cols_mut()));
    results
}

/// As the type's real part.
pub(super) fn real<T: Scalar>(x: f64) -> T {
    T::from_c64(c64::new(x, 0.0))
}

/// Makes a test of a generic function for each of the four types.
macro_rules! for_all_types {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use kernels_gpu::numbers::scalar::{c32, c64};

            #[test]
            fn of_f32() {
                super::$test::<f32>();
            }
            #[test]
            fn of_f64() {
                super::$test::<f64>();
            }
            #[test]
            fn of_c32() {
                super::$test::<c32>();
            }
            #[test]
            fn of_c64() {
                super::$test::<c64>();
            }
        }
    )*};
}
pub(crate) use for_all_types;

/// Panels and blocks as they are, and tiny ones.
pub(super) fn params() -> impl Iterator<Item = Params> {
    [(1, 1), (2, 3), (3, 2), (5, 4), (1000, 1000)]
        .map(|(panel, block)| Params { panel, block, ..Params::default() })
        .into_iter()
        .chain([Params::default()])
}

/// Default parameters with blocks of another size.
pub(super) fn blocks_of(block: usize) -> Params {
    Params { block, ..Params::default() }
}

/// Calls `f` with the matrix, or a copy of it that is column-major, which is then copied back.
pub(super) fn by_columns<T: CpuScalar, R>(mut a: MatMut<'_, T>, f: impl FnOnce(MatMut<'_, T>) -> R) -> R {
    if a.row_stride() == 1 && a.col_stride() >= 0 {
        return f(a);
    }
    let mut copy = a.as_ref().to_owned();
    let result = f(copy.as_mut());
    a.copy_from(&copy);
    result
}
