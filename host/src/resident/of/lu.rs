//! LU factorization, and what is made of its factors.

use numbers::op::Op;

use super::bind::{Bind, Interchanges, Reads, Source, Writes};
use crate::element::{Element, RealOf};
use crate::resident::bound::Bound;
use crate::resident::plan::Given;
use crate::resident::{DeviceSlice, DeviceSliceMut};

/// PA = LU with partial pivoting (LAPACK `xGETRF`); factors are in the arithmetic type of the matrices.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, LuPlan, Size, of};
///
/// let device = Device::best();
/// let (a, mut lu) = (device.upload(&[1.0, 2.0, 4.0, 2.0])?, device.buffer::<f64>(4)?);
/// let (mut pivots, mut status) = (device.pivots(1, 2)?, device.buffer(1)?);
/// let plan = LuPlan::<f64>::new(&device, Size::order(2))?;
/// let (a, mut to) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatchMut::row_major(&mut lu, 1, 2, 2)?);
/// plan.run(&device.stream()?, of::Lu { a: &a, lu: &mut to, pivots: &mut pivots, status: &mut status })?;
/// assert_eq!(lu.to_vec()?, [4.0, 2.0, 0.25, 1.5]);
/// assert_eq!((pivots.to_vec()?, status.to_vec()?), (vec![1, 1], vec![0]));
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// Of many sizes, in place:
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceRaggedMut, InPlace, LuPlan, RaggedSizes, of};
///
/// let device = Device::sim();
/// let (sizes, mut a) = (RaggedSizes::orders(&[2, 1])?, device.upload(&[1.0, 2.0, 4.0, 2.0, 5.0])?);
/// let (mut pivots, mut status) = (device.ragged_pivots(&sizes)?, device.buffer(2)?);
/// let mut lu = DeviceRaggedMut::row_major(&mut a, &sizes)?;
/// let plan = LuPlan::<f64>::new(&device, &sizes)?;
/// plan.run(&device.stream()?, of::Lu { a: InPlace, lu: &mut lu, pivots: &mut pivots, status: &mut status })?;
/// assert_eq!(a.to_vec()?, [4.0, 2.0, 0.25, 1.5, 5.0]);
/// assert_eq!(pivots.to_vecs()?, [vec![1, 1], vec![0]]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Lu<A = (), F = (), P = (), S = ()> {
    /// The matrices, n x n, or [`InPlace`](crate::resident::InPlace).
    pub a: A,
    /// Becomes U with L below its diagonal.
    pub lu: F,
    /// Become the sequential interchanges of rows, (batch, n).
    pub pivots: P,
    /// Becomes the codes, (batch).
    pub status: S,
}

/// op(A) X = B from factors (LAPACK `xGETRS`), for B and X in the plan's type and factors in its arithmetic type.
///
/// ```
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, LuPlan, LuSolvePlan, Size, of};
/// use warplu::{Device, Op};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (mut a, mut b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let (mut pivots, mut status, mut solved) = (device.pivots(1, 2)?, device.buffer(1)?, device.buffer(1)?);
///
/// // In place: a becomes its factors, b the solution.
/// let mut lu = DeviceBatchMut::row_major(&mut a, 1, 2, 2)?;
/// let factor = LuPlan::<f64>::new(&device, Size::order(2))?;
/// factor.run(&stream, of::Lu { a: InPlace, lu: &mut lu, pivots: &mut pivots, status: &mut status })?;
/// let lu = DeviceBatch::row_major(&a, 1, 2, 2)?;
/// let mut x = DeviceBatchMut::column_major(&mut b, 1, 2, 1)?;
/// let solve = LuSolvePlan::<f64>::new(&device, Size::order(2))?;
/// let operands = of::LuSolve {
///     lu: &lu, pivots: &pivots, lu_status: &status, op: Op::None, b: InPlace, x: &mut x, status: &mut solved,
/// };
/// solve.run(&stream, operands)?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct LuSolve<F = (), P = (), C = (), B = (), X = (), S = ()> {
    /// The factors, n x n.
    pub lu: F,
    /// Their interchanges, (batch, n).
    pub pivots: P,
    /// Their codes, (batch).
    pub lu_status: C,
    /// Of which matrices the solutions are.
    pub op: Op,
    /// The right-hand sides, n x k, or [`InPlace`](crate::resident::InPlace).
    pub b: B,
    /// Becomes op(A)^-1 B, n x k, NaN where it is bad.
    pub x: X,
    /// Becomes the codes, (batch): the factors', or that of [`Status::SideNotFinite`](crate::Status).
    pub status: S,
}

/// A^-1 from factors (LAPACK `xGETRI`), for inverses in the plan's type and factors in its arithmetic type.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, LuInversePlan, Size, of};
///
/// let device = Device::best();
/// let (factors, lu_status) = (device.upload(&[4.0, 2.0, 0.25, 1.5])?, device.upload(&[0])?); // of [1 2; 4 2]
/// let (pivots, lu) = (device.upload_pivots(&[1, 1], 2)?, DeviceBatch::row_major(&factors, 1, 2, 2)?);
/// let (mut inverse, mut status) = (device.buffer::<f64>(4)?, device.buffer(1)?);
/// let mut to = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// let plan = LuInversePlan::<f64>::new(&device, Size::order(2))?;
/// let operands = of::LuInverse {
///     lu: &lu, pivots: &pivots, lu_status: &lu_status, inverse: &mut to, status: &mut status,
/// };
/// plan.run(&device.stream()?, operands)?;
/// let inverse = inverse.to_vec()?;
/// assert!((inverse[0] + 1.0 / 3.0).abs() < 1e-15 && (inverse[3] + 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct LuInverse<F = (), P = (), C = (), I = (), S = ()> {
    /// The factors, n x n.
    pub lu: F,
    /// Their interchanges, (batch, n).
    pub pivots: P,
    /// Their codes, (batch).
    pub lu_status: C,
    /// Becomes A^-1, n x n, all NaN where the status is not 0.
    pub inverse: I,
    /// Becomes the codes, (batch): the factors', or -1 where the inverse overflows.
    pub status: S,
}

/// Determinants from factors in the arithmetic type of the matrices: their values, det A / |det A|, and log |det A|; 0, 0
/// and -inf for a singular matrix, NaN for one that is not finite.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, LuDetPlan, Size, of};
///
/// let device = Device::best();
/// let (factors, status) = (device.upload(&[4.0, 2.0, 0.25, 1.5])?, device.upload(&[0])?); // of [1 2; 4 2]
/// let (pivots, lu) = (device.upload_pivots(&[1, 1], 2)?, DeviceBatch::row_major(&factors, 1, 2, 2)?);
/// let (mut values, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let operands = of::LuDet {
///     lu: &lu, pivots: &pivots, lu_status: &status, values: &mut values, sign: &mut sign, log_abs: &mut log_abs,
/// };
/// LuDetPlan::<f64>::new(&device, Size::order(2))?.run(&device.stream()?, operands)?;
/// assert_eq!(values.to_vec()?, [-6.0]);
/// assert!((log_abs.to_vec()?[0] - 6.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct LuDet<F = (), P = (), C = (), V = (), N = (), L = ()> {
    /// The factors, n x n.
    pub lu: F,
    /// Their interchanges, (batch, n).
    pub pivots: P,
    /// Their codes, (batch).
    pub lu_status: C,
    /// Become the determinants, (batch).
    pub values: V,
    /// Becomes what is left of these without their magnitudes, (batch).
    pub sign: N,
    /// Become the logarithms of their magnitudes, (batch).
    pub log_abs: L,
}

impl<'r, T, A, F, P, S> Bind<'r, Lu, T> for Lu<A, F, P, S>
where
    T: Element,
    A: Source<'r, T, T::Scalar>,
    F: Writes<'r, T::Scalar>,
    P: Writes<'r, Interchanges>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let lu = self.lu.bound();
        [self.a.bound(&lu), lu, self.pivots.bound(), self.status.into().into()].into()
    }
}

impl<'r, T, F, P, C, B, X, S> Bind<'r, LuSolve, T> for LuSolve<F, P, C, B, X, S>
where
    T: Element,
    F: Reads<'r, T::Scalar>,
    P: Reads<'r, Interchanges>,
    C: Into<DeviceSlice<'r, i32>>,
    B: Source<'r, T>,
    X: Writes<'r, T>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (lu_status, x, status) = (self.lu_status.into(), self.x.bound(), self.status.into());
        let (lu, pivots) = (Reads::bound(self.lu), Reads::bound(self.pivots));
        let operands = [lu, pivots, lu_status.into(), self.b.bound(&x), x, status.into()];
        Given { op: self.op, ..operands.into() }
    }
}

impl<'r, T, F, P, C, I, S> Bind<'r, LuInverse, T> for LuInverse<F, P, C, I, S>
where
    T: Element,
    F: Reads<'r, T::Scalar>,
    P: Reads<'r, Interchanges>,
    C: Into<DeviceSlice<'r, i32>>,
    I: Writes<'r, T>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (lu, pivots, lu_status) = (Reads::bound(self.lu), Reads::bound(self.pivots), self.lu_status.into());
        [lu, pivots, lu_status.into(), self.inverse.bound(), self.status.into().into()].into()
    }
}

impl<'r, T, F, P, C, V, N, L> Bind<'r, LuDet, T> for LuDet<F, P, C, V, N, L>
where
    T: Element,
    F: Reads<'r, T::Scalar>,
    P: Reads<'r, Interchanges>,
    C: Into<DeviceSlice<'r, i32>>,
    V: Into<DeviceSliceMut<'r, T::Scalar>>,
    N: Into<DeviceSliceMut<'r, T::Scalar>>,
    L: Into<DeviceSliceMut<'r, RealOf<T>>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (lu, pivots, lu_status) = (Reads::bound(self.lu), Reads::bound(self.pivots), self.lu_status.into());
        let (values, sign, log_abs) = (self.values.into(), self.sign.into(), self.log_abs.into());
        [lu, pivots, lu_status.into(), values.into(), sign.into(), log_abs.into()].into()
    }
}
