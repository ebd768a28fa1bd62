//! Inverses, solutions and determinants, without factors that are kept.

use super::bind::{Bind, Reads, Source, Writes};
use crate::element::{Double, Element, RealOf};
use crate::resident::DeviceSliceMut;
use crate::resident::bound::Bound;
use crate::resident::plan::Given;

/// A^-1 by LU with partial pivoting, or by the device's algorithm. Where one kernel inverts matrices of this order, the
/// plan has no memory of its own (16-bit types: the matrices in f32).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, InversePlan, Size, of};
///
/// let device = Device::best();
/// let stream = device.stream()?;
/// let (a, mut inverse) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.buffer::<f64>(4)?);
/// let mut status = device.buffer(1)?;
/// let plan = InversePlan::<f64>::new(&device, Size::order(2))?;
/// let (a, mut to) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?);
/// plan.run(&stream, of::Inverse { a: &a, inverse: &mut to, status: &mut status })?;
/// assert_eq!(inverse.to_vec()?, [1.0, -1.0, -1.0, 2.0]);
///
/// let mut to = DeviceBatchMut::row_major(&mut inverse, 1, 2, 2)?;
/// plan.run(&stream, of::Inverse { a: InPlace, inverse: &mut to, status: &mut status })?;
/// assert_eq!(inverse.to_vec()?, [2.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// Of many sizes:
/// ```
/// use warplu::resident::{DeviceRagged, DeviceRaggedMut, InversePlan, RaggedSizes, of};
/// use warplu::{Device, Status};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let sizes = RaggedSizes::orders(&[1, 2])?;
/// let (a, mut inverse) = (device.upload(&[4.0, 2.0, 1.0, 1.0, 1.0])?, device.buffer(5)?);
/// let mut status = device.buffer(2)?;
///
/// let (a, mut to) = (DeviceRagged::row_major(&a, &sizes)?, DeviceRaggedMut::row_major(&mut inverse, &sizes)?);
/// let plan = InversePlan::<f64>::new(&device, &sizes)?;
/// plan.run(&stream, of::Inverse { a: &a, inverse: &mut to, status: &mut status })?;
/// stream.synchronize()?;
/// assert_eq!(inverse.to_vec()?, [0.25, 1.0, -1.0, -1.0, 2.0]);
/// assert_eq!(sizes.statuses(&status.to_vec()?)?, [Status::Ok; 2]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Inverse<A = (), I = (), S = ()> {
    /// The matrices, n x n, or [`InPlace`](crate::resident::InPlace).
    pub a: A,
    /// Becomes A^-1, n x n, all NaN where the status is not 0.
    pub inverse: I,
    /// Becomes the codes, (batch).
    pub status: S,
}

/// A X = B by LU with partial pivoting (LAPACK `xGESV`), or by the device's algorithm. Where one kernel solves systems of
/// this size, the plan has memory for the upper triangles at most (16-bit types: and for matrices and right-hand sides
/// in f32).
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, Size, SolvePlan, of};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let (a, mut b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let mut status = device.buffer(1)?;
/// let plan = SolvePlan::<f64>::new(&device, Size::order(2).rhs(1))?;
/// let (a, mut x) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatchMut::row_major(&mut b, 1, 2, 1)?);
/// plan.run(&stream, of::Solve { a: &a, b: InPlace, x: &mut x, status: &mut status })?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// Of many sizes:
/// ```
/// use warplu::Device;
/// use warplu::resident::{DeviceRagged, DeviceRaggedMut, InPlace, SolvePlan, SystemSizes, of};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let sizes = SystemSizes::new(&[(1, 2), (2, 1)])?; // orders, and numbers of right-hand sides
/// let (a, mut b) = (device.upload(&[4.0, 2.0, 1.0, 1.0, 1.0])?, device.upload(&[4.0, 8.0, 3.0, 2.0])?);
/// let mut status = device.buffer(2)?;
///
/// let a = DeviceRagged::row_major(&a, sizes.matrices())?;
/// let mut x = DeviceRaggedMut::row_major(&mut b, sizes.sides())?;
/// let plan = SolvePlan::<f64>::new(&device, &sizes)?;
/// plan.run(&stream, of::Solve { a: &a, b: InPlace, x: &mut x, status: &mut status })?;
/// stream.synchronize()?;
/// assert_eq!(b.to_vec()?, [1.0, 2.0, 1.0, 1.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Solve<A = (), B = (), X = (), S = ()> {
    /// The matrices, n x n.
    pub a: A,
    /// The right-hand sides, n x k, or [`InPlace`](crate::resident::InPlace).
    pub b: B,
    /// Becomes A^-1 B, n x k, all NaN where the status is not 0.
    pub x: X,
    /// Becomes the codes, (batch).
    pub status: S,
}

/// A X = B in double precision, by factors in single precision and iterative refinement: see
/// [`Device::solve_refined`](crate::Device::solve_refined). How far to refine depends on the matrices, so runs wait, and
/// no graph can capture them. Matrices of many sizes are [`Error::Unsupported`](crate::Error::Unsupported).
///
/// ```
/// use warplu::resident::{DeviceBatch, DeviceBatchMut, Size, SolveRefinedPlan, of};
/// use warplu::{Device, Refinement};
///
/// let device = Device::best();
/// let (a, b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
/// let (mut x, mut refinement, mut status) = (device.buffer::<f64>(2)?, device.buffer(1)?, device.buffer(1)?);
/// let plan = SolveRefinedPlan::<f64>::new(&device, Size::order(2))?;
/// let (a, b) = (DeviceBatch::row_major(&a, 1, 2, 2)?, DeviceBatch::row_major(&b, 1, 2, 1)?);
/// let mut to = DeviceBatchMut::row_major(&mut x, 1, 2, 1)?;
/// let operands = of::SolveRefined { a: &a, b: &b, x: &mut to, refinement: &mut refinement, status: &mut status };
/// plan.run(&device.stream()?, operands)?;
/// assert_eq!(Refinement::from_code(refinement.to_vec()?[0]), Refinement::Converged(0));
/// assert_eq!((x.to_vec()?, status.to_vec()?), (vec![1.0, 1.0], vec![0]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct SolveRefined<A = (), B = (), X = (), R = (), S = ()> {
    /// The matrices, n x n.
    pub a: A,
    /// The right-hand sides, n x k, not where X will be.
    pub b: B,
    /// Becomes A^-1 B, n x k, all NaN where the status is not 0.
    pub x: X,
    /// Become [`Refinement::code`](crate::Refinement::code)s, (batch).
    pub refinement: R,
    /// Becomes the codes, (batch).
    pub status: S,
}

/// Determinants by LU with partial pivoting: their values, det A / |det A|, and log |det A|; 0, 0 and -inf for a singular
/// matrix, NaN for one that is not finite.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{DetPlan, DeviceBatch, Size, of};
///
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let a = device.upload(&[0.0, 1.0, 1.0, 0.0])?;
/// let (mut values, mut sign, mut log_abs) = (device.buffer(1)?, device.buffer(1)?, device.buffer(1)?);
/// let mut status = device.buffer(1)?;
/// let a = DeviceBatch::row_major(&a, 1, 2, 2)?;
/// let operands = of::Det { a: &a, values: &mut values, sign: &mut sign, log_abs: &mut log_abs, status: &mut status };
/// DetPlan::<f64>::new(&device, Size::order(2))?.run(&stream, operands)?;
/// stream.synchronize()?;
/// assert_eq!((values.to_vec()?, sign.to_vec()?, log_abs.to_vec()?), (vec![-1.0], vec![-1.0], vec![0.0]));
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Debug)]
pub struct Det<A = (), V = (), N = (), L = (), S = ()> {
    /// The matrices, n x n.
    pub a: A,
    /// Become the determinants, (batch), in the arithmetic type of the matrices.
    pub values: V,
    /// Becomes what is left of these without their magnitudes, (batch).
    pub sign: N,
    /// Become the logarithms of their magnitudes, (batch).
    pub log_abs: L,
    /// Becomes the codes, (batch).
    pub status: S,
}

impl<'r, T, A, I, S> Bind<'r, Inverse, T> for Inverse<A, I, S>
where
    T: Element,
    A: Source<'r, T>,
    I: Writes<'r, T>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let inverse = self.inverse.bound();
        [self.a.bound(&inverse), inverse, self.status.into().into()].into()
    }
}

impl<'r, T, A, B, X, S> Bind<'r, Solve, T> for Solve<A, B, X, S>
where
    T: Element,
    A: Reads<'r, T>,
    B: Source<'r, T>,
    X: Writes<'r, T>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let x = self.x.bound();
        [Reads::bound(self.a), self.b.bound(&x), x, self.status.into().into()].into()
    }
}

impl<'r, T, A, B, X, R, S> Bind<'r, SolveRefined, T> for SolveRefined<A, B, X, R, S>
where
    T: Double,
    A: Reads<'r, T>,
    B: Reads<'r, T>,
    X: Writes<'r, T>,
    R: Into<DeviceSliceMut<'r, i32>>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let sides = (Reads::bound(self.b), self.x.bound());
        [Reads::bound(self.a), sides.0, sides.1, self.refinement.into().into(), self.status.into().into()].into()
    }
}

impl<'r, T, A, V, N, L, S> Bind<'r, Det, T> for Det<A, V, N, L, S>
where
    T: Element,
    A: Reads<'r, T>,
    V: Into<DeviceSliceMut<'r, T::Scalar>>,
    N: Into<DeviceSliceMut<'r, T::Scalar>>,
    L: Into<DeviceSliceMut<'r, RealOf<T>>>,
    S: Into<DeviceSliceMut<'r, i32>>,
{
    fn bind(self) -> Given<impl AsRef<[Bound<'r>]>> {
        let (values, sign, log_abs) = (self.values.into(), self.sign.into(), self.log_abs.into());
        [Reads::bound(self.a), values.into(), sign.into(), log_abs.into(), self.status.into().into()].into()
    }
}
