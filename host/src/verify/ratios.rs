//! LAPACK's test ratios: residuals over what rounding alone may leave behind, computed in f64.
//!
//! A ratio is of the order of 1 for a backward stable result, whatever the condition of the matrix. LAPACK's own tests
//! fail at 30 ([`LIMIT`]). Of factors and inverses above order 2048, residuals are of 2048 columns, spread from the first to
//! the last. Matrices are scaled by powers of two first, so that ratios of huge and tiny ones neither
//! overflow nor underflow, and each bound has a floor for results that are themselves subnormal.
//!
//! ```
//! use warplu::verify::ratios;
//! use warplu::{Batch, Device};
//! let data = [1.0, 2.0, 3.0, 4.0];
//! let a = Batch::row_major(&data, 1, 2, 2)?;
//! let ratio = ratios::lu(&a, &Device::cpu().lu(&a)?, 0)?;
//! assert!(ratio.norm < ratios::LIMIT && ratio.component < ratios::COMPONENT_LIMIT);
//! # Ok::<(), warplu::Error>(())
//! ```

use numbers::scalar::ScalarKind;

use super::scaled::{Elements, Scaled, Wide, columns, compared, magnitudes, norm, product};
use super::system::System;
use crate::floats::times_power;
pub use crate::floats::worst;
use crate::{Batch, Determinants, Element, Lu, Matrices, Op, Real, Result, Scalar, c64};
use kernels_cpu::mat::Mat;

/// What LAPACK's tests allow for norm-wise ratios.
///
/// ```
/// assert!(warplu::verify::Ratio { norm: 29.0, ..Default::default() }.passes());
/// ```
pub const LIMIT: f64 = 30.0;
/// What component-wise ratios may reach; the theory says a little more than 1, and a few times that for complex types.
pub const COMPONENT_LIMIT: f64 = 4.0;

/// A residual against a norm-wise and a component-wise bound.
///
/// ```
/// use warplu::verify::Ratio;
/// assert!(Ratio { norm: 0.7, component: 0.2, right: 0.0 }.passes());
/// assert!(!Ratio { norm: f64::NAN, component: 0.2, right: 0.0 }.passes());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratio {
    /// Against norms: below [`LIMIT`].
    pub norm: f64,
    /// Against magnitudes element by element: below [`COMPONENT_LIMIT`]; 0 of an inverse.
    pub component: f64,
    /// Of an inverse, that of `I - A X` against norms, which LAPACK leaves open: it grows with the matrix's condition.
    /// Else 0.
    pub right: f64,
}

impl Ratio {
    /// Whether those that have limits are below them; NaN is not.
    ///
    /// ```
    /// # use warplu::verify::Ratio;
    /// assert!(!Ratio { norm: 31.0, ..Ratio::default() }.passes());
    /// ```
    #[must_use]
    pub fn passes(self) -> bool {
        self.norm < LIMIT && self.component < COMPONENT_LIMIT
    }

    /// The worse of each; NaN is worst.
    ///
    /// ```
    /// # use warplu::verify::Ratio;
    /// let worst = Ratio { norm: 1.0, ..Ratio::default() }.worst(Ratio { component: 2.0, ..Ratio::default() });
    /// assert_eq!((worst.norm, worst.component), (1.0, 2.0));
    /// ```
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        Self {
            norm: worst(self.norm, other.norm),
            component: worst(self.component, other.component),
            right: worst(self.right, other.right),
        }
    }
}

/// Unit roundoff and least positive number of a storage type.
///
/// ```
/// # use warplu::verify::ratios::precision;
/// assert_eq!(precision::<f64>().0, f64::EPSILON / 2.0);
/// ```
#[must_use]
pub fn precision<T: Element>() -> (f64, f64) {
    let (digits, least) = match (T::NAME, T::Scalar::KIND) {
        ("f16", _) => (11, 24),
        ("bf16", _) => (8, 133),
        (_, ScalarKind::F32 | ScalarKind::C32) => (24, 149),
        (_, ScalarKind::F64 | ScalarKind::C64) => (53, 1074),
    };
    (times_power(1.0, -digits), times_power(1.0, -least))
}

/// `|PA - LU|` of matrix `index`: over `n |A| u` in the 1-norm, and over `n u |L| |U|`. Singular matrices have one too.
///
/// For 16-bit types u is that of the factors, f32.
///
/// ```
/// use warplu::verify::ratios;
/// use warplu::{Batch, Device};
/// let a = Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?;
/// assert!(ratios::lu(&a, &Device::cpu().lu(&a)?, 0)?.passes());
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Lu::factors`].
pub fn lu<T: Element>(a: &Batch<'_, T>, lu: &Lu<T>, index: usize) -> Result<Ratio> {
    Ok(factors(a, &lu.factors()?.view(), lu.pivots(index)?, index))
}

/// As [`lu`], of factors from anywhere, with matrix `index`'s interchanges, zero-based; NaN if those lead nowhere.
///
/// ```
/// use warplu::Batch;
/// use warplu::verify::ratios;
/// let (a, lu) = (Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?, [4.0, 2.0, 0.25, 1.5]);
/// let lu = Batch::row_major(&lu, 1, 2, 2)?;
/// assert!(ratios::factors(&a, &lu, &[1, 1], 0).passes());
/// assert!(!ratios::factors(&a, &lu, &[0, 1], 0).passes()); // other interchanges
/// # Ok::<(), warplu::Error>(())
/// ```
#[must_use]
pub fn factors<T: Element>(a: &Batch<'_, T>, lu: &Batch<'_, T::Scalar>, pivots: &[u32], index: usize) -> Ratio {
    let mut rows: Vec<usize> = (0..a.rows()).collect();
    for (k, &pivot) in pivots.iter().enumerate() {
        if k.max(pivot as usize) >= rows.len() {
            return Ratio { norm: f64::NAN, component: f64::NAN, right: 0.0 };
        }
        rows.swap(k, pivot as usize);
    }
    let ratio = if is_complex::<T>() { factors_in::<c64> } else { factors_in::<f64> };
    let permuted = |i: usize, j| a.get(index, rows[i], j).widen().to_c64();
    ratio(a.rows(), precision::<T::Scalar>(), &permuted, &|i, j| lu.get(index, i, j).to_c64())
}

/// Of PA and its factors.
fn factors_in<W: Wide>(n: usize, (u, least): (f64, f64), a: Elements<'_>, lu: Elements<'_>) -> Ratio {
    let order = n as f64;
    let a = Scaled::<W>::new(n, n, a);
    let (l, r) = triangles::<W>(n, lu, a.exponent);
    let least = times_power(least, -a.exponent).max(f64::MIN_POSITIVE);
    let floor = order * least * (1.0 + largest(&magnitudes(&r)));
    let which = compared(n);
    let r = columns(&r, &which);
    let residual = columns(&a.matrix, &which).minus(&product(&l, &r));
    let size = product(&magnitudes(&l), &magnitudes(&r));
    Ratio {
        norm: norm(&residual) / (order * (norm(&a.matrix) * u + order * least)),
        component: over(&magnitudes(&residual), |i, j| order * u * size[(i, j)] + floor),
        right: 0.0,
    }
}

/// `|b - op(A) x|` of matrix `index`: over `|A| |x| u` in the 1-norm (xGET02), the worst right-hand side, and over
/// `3 n u op(P^T |L| |U|) |x|`.
///
/// ```
/// use warplu::verify::ratios;
/// use warplu::{Batch, Device, Op};
/// let (a, b) = (Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?, Batch::row_major(&[3.0, 6.0], 1, 2, 1)?);
/// let lu = Device::cpu().lu(&a)?;
/// let x = lu.solve(&b, Op::None)?.x;
/// assert!(ratios::solve(&a, &lu, Op::None, &b, &x, 0)?.passes());
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Lu::factors`].
pub fn solve<T: Element>(
    a: &Batch<'_, T>,
    lu: &Lu<T>,
    op: Op,
    b: &Batch<'_, T>,
    x: &Matrices<T>,
    index: usize,
) -> Result<Ratio> {
    let (factors, rows) = (lu.factors()?, lu.permutation(index)?);
    let system = System {
        n: lu.n(),
        rhs: b.cols(),
        precision: precision::<T>(),
        a: &|i, j| match op {
            Op::None => a.get(index, i, j).widen().to_c64(),
            Op::Transpose => a.get(index, j, i).widen().to_c64(),
            Op::Adjoint => a.get(index, j, i).widen().to_c64().conj(),
        },
        b: &|i, c| b.get(index, i, c).widen().to_c64(),
        x: &|i, c| x.get(index, i, c).widen().to_c64(),
    };
    let ratio = if is_complex::<T>() { solve_in::<c64> } else { solve_in::<f64> };
    Ok(ratio(&system, &|i, j| factors.get(index, i, j).to_c64(), &rows, op))
}

fn solve_in<W: Wide>(system: &System<'_>, lu: Elements<'_>, rows: &[u32], op: Op) -> Ratio {
    let a = Scaled::<W>::new(system.n, system.n, system.a);
    let (l, r) = triangles::<W>(system.n, lu, a.exponent);
    let (l, r) = (magnitudes(&l), magnitudes(&r));
    system.ratio(&a, &|x| magnified(&l, &r, rows, op, x))
}

/// `op(P^T |L| |U|) |x|`, where row i of PA is row `rows[i]` of A.
fn magnified(l: &Mat<f64>, u: &Mat<f64>, rows: &[u32], op: Op, x: &Mat<f64>) -> Mat<f64> {
    let n = rows.len();
    if op == Op::None {
        let permuted = product(l, &product(u, x));
        let mut y = Mat::from_fn(n, 1, |_, _| 0.0);
        for i in 0..n {
            y[(rows[i] as usize, 0)] = permuted[(i, 0)];
        }
        return y;
    }
    let permuted = Mat::from_fn(n, 1, |i, _| x[(rows[i] as usize, 0)]);
    product(&u.transposed(), &product(&l.transposed(), &permuted))
}

/// `|I - X A| / (n |A| |X| u)` of matrix `index` in the 1-norm, as LAPACK's xGET03 has it, and that of `I - A X`.
///
/// ```
/// use warplu::verify::ratios;
/// use warplu::{Batch, Device};
/// let a = Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?;
/// let inverse = Device::cpu().invert(&a)?.matrices;
/// assert!(ratios::inverse(&a, &inverse.view(), 0).passes());
/// # Ok::<(), warplu::Error>(())
/// ```
#[must_use]
pub fn inverse<T: Element>(a: &Batch<'_, T>, x: &Batch<'_, T>, index: usize) -> Ratio {
    let ratio = if is_complex::<T>() { inverse_in::<c64> } else { inverse_in::<f64> };
    let [a_at, x_at] = [a, x].map(|of| move |i, j| of.get(index, i, j).widen().to_c64());
    ratio(a.rows(), precision::<T>(), &a_at, &x_at)
}

fn inverse_in<W: Wide>(n: usize, (u, least): (f64, f64), a: Elements<'_>, x: Elements<'_>) -> Ratio {
    let order = n as f64;
    let (a, x) = (Scaled::<W>::new(n, n, a), Scaled::<W>::new(n, n, x));
    let exponent = a.exponent.saturating_add(x.exponent);
    let one = W::times(c64::new(1.0, 0.0), -exponent);
    let which = compared(n);
    let identity = Mat::par_from_fn(n, which.len(), &|i, c| if i == which[c] { one } else { W::ZERO });
    let residual = |x: &Mat<W>, a: &Mat<W>| norm(&identity.minus(&product(x, &columns(a, &which))));
    let bound = order * norm(&a.matrix) * (norm(&x.matrix) * u + order * times_power(least, -x.exponent));
    Ratio {
        norm: residual(&x.matrix, &a.matrix) / bound,
        component: 0.0,
        right: residual(&a.matrix, &x.matrix) / bound,
    }
}

/// Error of a determinant against the product of the diagonal of U, over `n u`: of the sign, of the logarithm over
/// `1 + |log|det A||`, and of the value where it is in range. Infinite unless a singular matrix has 0, 0 and -inf, and one
/// that is not finite has NaN.
///
/// ```
/// use warplu::verify::ratios;
/// use warplu::{Batch, Device};
/// let lu = Device::cpu().lu(&Batch::row_major(&[1.0, 2.0, 4.0, 2.0], 1, 2, 2)?)?;
/// assert!(ratios::det(&lu, &lu.det()?, 0)? < ratios::LIMIT);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// As [`Lu::factors`].
pub fn det<T: Element>(lu: &Lu<T>, det: &Determinants<T>, index: usize) -> Result<f64> {
    let (u, least) = precision::<T::Scalar>();
    let (value, sign) = (det.values[index].to_c64(), det.sign[index].to_c64());
    let log_abs = det.log_abs[index].to_f64();
    let failed = |right: bool| Ok(if right { 0.0 } else { f64::INFINITY });
    let factors = lu.factors()?;
    match lu.status()[index] {
        crate::Status::NonFinite | crate::Status::NotPositiveDefinite(_) | crate::Status::SideNotFinite(_) => {
            return failed(value.re.is_nan() && sign.re.is_nan() && log_abs.is_nan());
        }
        crate::Status::Singular(_) => {
            return failed(value.norm() == 0.0 && sign.norm() == 0.0 && log_abs == f64::NEG_INFINITY);
        }
        crate::Status::Ok => {}
    }
    let (mut wanted, mut log) = (c64::new(1.0, 0.0), 0.0);
    for (k, &pivot) in lu.pivots(index)?.iter().enumerate() {
        let z = Scaled::<c64>::new(1, 1, &|_, _| factors.get(index, k, k).to_c64());
        let size = z.matrix[(0, 0)].norm();
        wanted *= z.matrix[(0, 0)] / size * if pivot as usize == k { 1.0 } else { -1.0 };
        log += size.ln() + f64::from(z.exponent) * std::f64::consts::LN_2;
    }
    let allowed = lu.n().max(1) as f64 * u;
    let of_logarithm = worst((sign - wanted).norm(), (log_abs - log).abs() / (1.0 + log.abs())) / allowed;
    if log.abs() > -(least / u).ln() {
        return Ok(of_logarithm);
    }
    // The reference's own logarithm is rounded, too.
    let error = (value - wanted * log.exp()).norm() / log.exp();
    Ok(worst(of_logarithm, error / (allowed + log.abs() * f64::EPSILON)))
}

/// L, and U over 2^exponent.
fn triangles<W: Wide>(n: usize, lu: Elements<'_>, exponent: i32) -> (Mat<W>, Mat<W>) {
    let l = Mat::par_from_fn(n, n, &|i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => W::ZERO,
        std::cmp::Ordering::Equal => W::ONE,
        std::cmp::Ordering::Greater => W::from_c64(lu(i, j)),
    });
    let u = Mat::par_from_fn(n, n, &|i, j| if i <= j { W::times(lu(i, j), -exponent) } else { W::ZERO });
    (l, u)
}

pub(super) fn is_complex<T: Element>() -> bool {
    matches!(T::Scalar::KIND, ScalarKind::C32 | ScalarKind::C64)
}

/// The largest element; NaN if there is one.
pub(super) fn largest(a: &Mat<f64>) -> f64 {
    over(a, |_, _| 1.0)
}

/// The largest quotient of an element and its bound.
pub(super) fn over(a: &Mat<f64>, bound: impl Fn(usize, usize) -> f64) -> f64 {
    let mut most = 0.0;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            most = worst(a[(i, j)] / bound(i, j), most);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    /// A 3 x 3 matrix times `scale`, its LU, and the LU of another matrix.
    fn check(scale: f64) {
        let data = [1.0, 2.0, 3.0, 4.0, 5.5, 6.0, 7.0, 8.0, 10.0].map(|x| x * scale);
        let mut other = data;
        other[4] *= 1.0 + 1e-12;
        let (a, other) = (Batch::row_major(&data, 1, 3, 3).unwrap(), Batch::row_major(&other, 1, 3, 3).unwrap());
        let device = Device::cpu();
        let (good, bad) = (device.lu(&a).unwrap(), device.lu(&other).unwrap());
        assert!(lu(&a, &good, 0).unwrap().passes(), "{scale}");
        assert!(
            !(lu(&a, &bad, 0).unwrap().norm < LIMIT) && !(lu(&a, &bad, 0).unwrap().component < COMPONENT_LIMIT),
            "{scale}"
        );
        let (x, y) = (device.invert(&a).unwrap().matrices, device.invert(&other).unwrap().matrices);
        assert!(inverse(&a, &x.view(), 0).passes() && !inverse(&a, &y.view(), 0).passes(), "{scale}");
        for op in [Op::None, Op::Transpose, Op::Adjoint] {
            let b = Batch::row_major(&[1.0, -2.0, 0.5], 1, 3, 1).unwrap();
            let (x, y) = (good.solve(&b, op).unwrap().x, bad.solve(&b, op).unwrap().x);
            assert!(solve(&a, &good, op, &b, &x, 0).unwrap().passes(), "{scale} {op:?}");
            assert!(!solve(&a, &good, op, &b, &y, 0).unwrap().passes(), "{scale} {op:?}");
        }
    }

    #[test]
    fn tells_good_from_bad_at_any_scale() {
        for scale in [1.0, 1e-290, 1e290] {
            check(scale);
        }
    }

    #[test]
    fn nan_never_passes() {
        assert!(!Ratio { norm: f64::NAN, ..Ratio::default() }.passes());
        assert!(worst(f64::NAN, 1.0).is_nan() && worst(1.0, f64::NAN).is_nan());
        let broken = [f64::NAN; 4];
        let fine = [1.0, 0.0, 0.0, 1.0];
        let (a, x) = (Batch::row_major(&fine, 1, 2, 2).unwrap(), Batch::row_major(&broken, 1, 2, 2).unwrap());
        let lu_of_nan = Device::cpu().lu(&x).unwrap();
        assert!(!lu(&a, &lu_of_nan, 0).unwrap().passes());
        assert!(!factors(&a, &a, &[0, 2], 0).passes(), "a pivot beyond the matrix");
    }
}
