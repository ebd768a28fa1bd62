//! Cholesky factorization, and what is made of its factors.

use super::bind::{Bind, Reads, Source, Writes};
use crate::element::{Element, RealOf};
use crate::resident::bound::Bound;
use crate::resident::plan::Given;
use crate::resident::{DeviceSlice, DeviceSliceMut};
use crate::triangle::Triangle;

/// A = L L^H or A = U^H U (LAPACK `xPOTRF`), of one triangle; factors are in the arithmetic type of the matrices.
///
/// ```
/// use warplu::resident::{CholeskyPlan, CholeskySolvePlan, DeviceBatch, DeviceBatchMut, InPlace, Size, of};
/// use warplu::{Device, Triangle};
///
/// let (device, triangle) = (Device::cpu(), Triangle::Lower);
/// let stream = device.stream()?;
/// let (mut a, mut b) = (device.upload(&[4.0, 2.0, 2.0, 2.0])?, device.upload(&[6.0, 4.0])?);
/// let (mut status, mut solved) = (device.buffer(1)?, device.buffer(1)?);
///
/// // In place: a becomes its factor, b the solution.
/// let mut l = DeviceBatchMut::row_major(&mut a, 1, 2, 2)?;
/// let factor = CholeskyPlan::<f64>::new(&device, Size::order(2))?;
/// factor.run(&stream, of::Cholesky { a: InPlace, factors: &mut l, triangle, status: &mut status })?;
/// let l = DeviceBatch::row_major(&a, 1, 2, 2)?;
/// let mut x = DeviceBatchMut::column_major(&mut b, 1, 2, 1)?;
/// let solve = CholeskySolvePlan::<f64>::new(&device, Size::order(2))?;
/// let operands = of::CholeskySolve {
///     factors: &l, triangle, factor_status: &status, b: InPlace, x: &mut x, status: &mut solved,
/// };
/// solve.run(&stream, operands)?;
/// stream.synchronize()?;
/// assert_eq!((a.to_vec()?, b.to_vec()?), (vec![2.0, 0.0, 1.0, 1.0], vec![1.0, 1.0]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Cholesky<A = (), F = (), S = ()> {
    /// The matrices, n x n, or [`InPlace`](crate::resident::InPlace).
    pub a: A,
    /// Becomes L or U with zeros in the other triangle, all NaN where the status is not 0.
    pub factors: F,
    /// Which triangle of the matrices is read, and has the factors.
    pub triangle: Triangle,
    /// Becomes the codes, (batch).
    pub status: S,
}

/// A X = B from Cholesky factors (LAPACK `xPOTRS`), for B and X in the plan's type and factors in its arithmetic type.
/// The other triangle of the factors is not read.
///
/// ```
/// use warplu::resident::{CholeskySolvePlan, DeviceBatch, DeviceBatchMut, InPlace, Size, of};
/// use warplu::{Device, Triangle};
///
/// let device = Device::best();
/// let (factors, factor_status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let (mut b, mut status) = (device.upload(&[6.0, 4.0])?, device.buffer(1)?);
/// let (l, mut x) = (DeviceBatch::row_major(&factors, 1, 2, 2)?, DeviceBatchMut::row_major(&mut b, 1, 2, 1)?);
/// let plan = CholeskySolvePlan::<f64>::new(&device, Size::order(2).rhs(1))?;
/// let operands = of::CholeskySolve {
///     factors: &l,
///     triangle: Triangle::Lower,
///     factor_status: &factor_status,
///     b: InPlace,
///     x: &mut x,
///     status: &mut status,
/// };
/// plan.run(&device.stream()?, operands)?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct CholeskySolve<F = (), C = (), B = (), X = (), S = ()> {
    /// The factors, n x n.
    pub factors: F,
    /// Which triangle has them.
    pub triangle: Triangle,
    /// Their codes, (batch).
    pub factor_status: C,
    /// The right-hand sides, n x k, or [`InPlace`](crate::resident::InPlace).
    pub b: B,
    /// Becomes A^-1 B, n x k, NaN where it is bad.
    pub x: X,
    /// Becomes the codes, (batch): the factors', or that of [`Status::SideNotFinite`](crate::Status).
    pub status: S,
}

/// A^-1 from Cholesky factors (LAPACK `xPOTRI`), both triangles, for inverses in the plan's type and factors in its
/// arithmetic type. The other triangle of the factors is not read.
///
/// ```
/// use warplu::resident::{CholeskyInversePlan, DeviceBatch, DeviceBatchMut, Size, of};
/// use warplu::{Device, Triangle};
///
/// let (device, triangle) = (Device::best(), Triangle::Lower);
/// let (factors, factor_status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let (mut inverse, mut status) = (device.buffer::<f64>(4)?, device.buffer(1)?);
/// let (l, mut to) = (DeviceBatch::row_major(&factors, 1, 2, 2)?, DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?);
/// let operands = of::CholeskyInverse {
///     factors: &l, triangle, factor_status: &factor_status, inverse: &mut to, status: &mut status,
/// };
/// CholeskyInversePlan::<f64>::new(&device, Size::order(2))?.run(&device.stream()?, operands)?;
/// assert_eq!(inverse.to_vec()?, [0.5, -0.5, -0.5, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct CholeskyInverse<F = (), C = (), I = (), S = ()> {
    /// The factors, n x n.
    pub factors: F,
    /// Which triangle has them.
    pub triangle: Triangle,
    /// Their codes, (batch).
    pub factor_status: C,
    /// Becomes A^-1, n x n, all NaN where the status is not 0.
    pub inverse: I,
    /// Becomes the codes, (batch): the factors', or -1 where the inverse overflows.
    pub status: S,
}

/// Determinants from Cholesky factors, of either triangle, in the arithmetic type of the matrices: their values, 1, and
/// their logarithms; all NaN where the factors' status is not 0.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{CholeskyDetPlan, DeviceBatch, Size, of};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[2.0, 0.0, 1.0, 1.0])?, device.upload(&[0])?); // of [4 2; 2 2]
/// let l = DeviceBatch::row_major(&factors, 1, 2, 2)?;
/// let (mut values, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let operands = of::CholeskyDet {
///     factors: &l, factor_status: &status, values: &mut values, sign: &mut sign, log_abs: &mut log_abs,
/// };
/// CholeskyDetPlan::<f64>::new(&device, Size::order(2))?.run(&device.stream()?, operands)?;
/// assert_eq!(values.to_vec()?, [4.0]);
/// assert!((log_abs.to_vec()?[0] - 4.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct CholeskyDet<F = (), C = (), V = (), N = (), L = ()> {
    /// The factors, n x n.
    pub factors: F,
    /// Their codes, (batch).
    pub factor_status: C,
    /// Become the determinants, (batch).
    pub values: V,
    /// Becomes 1, (batch).
    pub sign: N,
    /// Become the logarithms of the determinants, (batch).
    pub log_abs: L,
}

impl<'r, T, A, F, S> Bind<'r, Cholesky, T> for Cholesky<A, F, S>
where
    T: Element,
    A: Source<'r, T, T::Scalar>,
    F: Writes<'r, T::Scalar>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let factors = self.factors.bound();
        let operands = [self.a.bound(&factors), factors, self.status.into().into()];
        Given { triangle: self.triangle, ..operands.into() }
    }
}

impl<'r, T, F, C, B, X, S> Bind<'r, CholeskySolve, T> for CholeskySolve<F, C, B, X, S>
where
    T: Element,
    F: Reads<'r, T::Scalar>,
    C: Into<DeviceSlice<'r, i32>>,
    B: Source<'r, T>,
    X: Writes<'r, T>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (factor_status, x, status) = (self.factor_status.into(), self.x.bound(), self.status.into());
        let operands = [Reads::bound(self.factors), factor_status.into(), self.b.bound(&x), x, status.into()];
        Given { triangle: self.triangle, ..operands.into() }
    }
}

impl<'r, T, F, C, I, S> Bind<'r, CholeskyInverse, T> for CholeskyInverse<F, C, I, S>
where
    T: Element,
    F: Reads<'r, T::Scalar>,
    C: Into<DeviceSlice<'r, i32>>,
    I: Writes<'r, T>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (factor_status, status) = (self.factor_status.into(), self.status.into());
        let operands = [Reads::bound(self.factors), factor_status.into(), self.inverse.bound(), status.into()];
        Given { triangle: self.triangle, ..operands.into() }
    }
}

impl<'r, T, F, C, V, N, L> Bind<'r, CholeskyDet, T> for CholeskyDet<F, C, V, N, L>
where
    T: Element,
    F: Reads<'r, T::Scalar>,
    C: Into<DeviceSlice<'r, i32>>,
    V: Into<DeviceSliceMut<'r, T::Scalar>>,
    N: Into<DeviceSliceMut<'r, T::Scalar>>,
    L: Into<DeviceSliceMut<'r, RealOf<T>>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (factor_status, log_abs) = (self.factor_status.into(), self.log_abs.into());
        let (values, sign) = (self.values.into(), self.sign.into());
        [Reads::bound(self.factors), factor_status.into(), values.into(), sign.into(), log_abs.into()].into()
    }
}
