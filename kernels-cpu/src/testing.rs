//! Random matrices, and residuals as LAPACK's test programs measure them.

use super::view::{MatMut, MatRef};
use crate::mat::Mat;
use numbers::scalar::{Scalar, ScalarKind, c64};

use super::params::Params;
use crate::element::CpuScalar;
use numbers::op::Op;

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
    norm1(&a.minus(b))
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
    let a = wide(a);
    a.elements().iter().map(|z| (z.re.to_bits(), z.im.to_bits())).collect()
}

/// The same matrix in other places: unaligned, by rows, and backwards.
pub(super) fn elsewhere<T: CpuScalar, R>(a: MatRef<'_, T>, mut f: impl FnMut(MatMut<'_, T>) -> R) -> Vec<R> {
    let (m, n) = a.shape();
    let mut at = |len: usize, start: usize, (down, along): (isize, isize)| {
        let mut space = vec![T::ZERO; len];
        // SAFETY: the space holds the view, whose elements are apart.
        let mut view = unsafe { MatMut::from_raw_parts_mut(space.as_mut_ptr().wrapping_add(start), m, n, down, along) };
        copy(a, view.rb_mut());
        f(view)
    };
    let mut results = Vec::new();
    for offset in 0..4 {
        let stride = m + 2 * offset + 1;
        results.push(at(stride * (n + offset), offset, (1, stride as isize)));
    }
    results.push(at(m * n, 0, (n as isize, 1)));
    results.push(at(m * n, (m * n).saturating_sub(1), (-1, -(m as isize))));
    results
}

/// Copies a matrix to another place.
fn copy<T: CpuScalar>(from: MatRef<'_, T>, mut to: MatMut<'_, T>) {
    let (rows, mut k) = (from.nrows(), 0);
    to.for_each(|x| {
        *x = from[(k % rows, k / rows)];
        k += 1;
    });
}

impl<T: numbers::element::Arithmetic> Mat<T> {
    pub(super) fn zeros(rows: usize, cols: usize) -> Self {
        Self::from_fn(rows, cols, |_, _| <T as Scalar>::ZERO)
    }

    pub(super) fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { <T as Scalar>::ONE } else { <T as Scalar>::ZERO })
    }

    /// Of rows.
    pub(super) fn of<const R: usize, const C: usize>(rows: [[T; C]; R]) -> Self {
        Self::from_fn(R, C, |i, j| rows[i][j])
    }

    pub(super) fn shape(&self) -> (usize, usize) {
        (self.nrows(), self.ncols())
    }

    pub(crate) fn as_ref(&self) -> MatRef<'_, T> {
        // SAFETY: all elements, borrowed as the matrix is.
        unsafe {
            MatRef::from_raw_parts(self.elements().as_ptr(), self.nrows(), self.ncols(), 1, self.nrows() as isize)
        }
    }

    pub(crate) fn as_mut(&mut self) -> MatMut<'_, T> {
        let (rows, cols) = self.shape();
        // SAFETY: as above.
        unsafe { MatMut::from_raw_parts_mut(self.elements_mut().as_mut_ptr(), rows, cols, 1, rows as isize) }
    }

    pub(super) fn transpose(&self) -> MatRef<'_, T> {
        self.as_ref().transpose()
    }
}

impl<T: CpuScalar> MatRef<'_, T> {
    pub(super) fn to_owned(self) -> Mat<T> {
        Mat::from_fn(self.nrows(), self.ncols(), |i, j| self[(i, j)])
    }
}

/// As the type's real part.
pub(super) fn real<T: Scalar>(x: f64) -> T {
    T::from_c64(c64::new(x, 0.0))
}

/// Makes a test of a generic function for each of the four types.
macro_rules! for_all_types {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use numbers::scalar::{c32, c64};

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
pub(super) fn by_columns<T: CpuScalar, R>(a: MatMut<'_, T>, f: impl FnOnce(MatMut<'_, T>) -> R) -> R {
    if a.row_stride() == 1 && a.col_stride() >= 0 {
        return f(a);
    }
    let mut columns = a.rb().to_owned();
    let result = f(columns.as_mut());
    copy(columns.as_ref(), a);
    result
}
