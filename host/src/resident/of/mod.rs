//! The operations of plans, by their operands: a run is given them in a struct, each by its name.
//!
//! ```
//! use warplu::Device;
//! use warplu::resident::{DeviceBatch, DeviceBatchMut, InPlace, Size, SolvePlan, of};
//!
//! let device = Device::best();
//! let stream = device.stream()?;
//! let (a, mut b) = (device.upload(&[2.0, 1.0, 1.0, 1.0])?, device.upload(&[3.0, 2.0])?);
//! let (mut x, mut status) = (device.buffer(2)?, device.buffer(1)?);
//! let plan = SolvePlan::<f64>::new(&device, Size::order(2))?;
//! let a = DeviceBatch::row_major(&a, 1, 2, 2)?;
//!
//! let (from, mut to) = (DeviceBatch::row_major(&b, 1, 2, 1)?, DeviceBatchMut::row_major(&mut x, 1, 2, 1)?);
//! plan.run(&stream, of::Solve { a: &a, b: &from, x: &mut to, status: &mut status })?;
//! // Or solutions in the place of the right-hand sides:
//! let mut sides = DeviceBatchMut::row_major(&mut b, 1, 2, 1)?;
//! plan.run(&stream, of::Solve { a: &a, b: InPlace, x: &mut sides, status: &mut status })?;
//! assert_eq!((x.to_vec()?, b.to_vec()?), (vec![1.0, 1.0], vec![1.0, 1.0]));
//! # Ok::<(), warplu::Error>(())
//! ```
//!
//! Matrices are a [`DeviceBatch`](super::DeviceBatch), or a [`DeviceRagged`](super::DeviceRagged) for those of many sizes;
//! results are a [`DeviceBatchMut`](super::DeviceBatchMut) or a [`DeviceRaggedMut`](super::DeviceRaggedMut); values and
//! status codes are buffers or ranges of them, with one for each matrix, in the order of the plan.
//! [`Status::from_code`](crate::Status::from_code) reads codes.

mod bind;
mod cholesky;
mod direct;
mod lu;

pub use bind::InPlace;
pub use cholesky::{Cholesky, CholeskyDet, CholeskyInverse, CholeskySolve};
pub use direct::{Det, Inverse, Solve, SolveRefined};
pub use lu::{Lu, LuDet, LuInverse, LuSolve};

use self::bind::{Bind, Described};
use crate::element::{Double, Element};
use crate::operation::{self, Operation};

/// An operation that there are plans for, with elements of type `T`: one of [`of`](self). No other type can be one.
pub trait PlanOf<T>: Described<T> {}

impl<T, O: Described<T>> PlanOf<T> for O {}

/// The operands of a run of a plan for `O`: its struct with what it takes. No other type can be one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the operands of a plan for `{O}` with elements `{T}`",
    note = "matrices are `&DeviceBatch` or `&DeviceRagged`, results `&mut DeviceBatchMut` or `&mut DeviceRaggedMut`, of \
            the plan's type of elements; factors are of its arithmetic type"
)]
pub trait OperandsOf<'r, O, T>: Bind<'r, O, T> {}

impl<'r, O, T, B: Bind<'r, O, T>> OperandsOf<'r, O, T> for B {}

impl<T: Double> Described<T> for SolveRefined {
    fn operation() -> Operation {
        operation::solve_refined::<T>()
    }
}

macro_rules! described {
    ($($name:ident by $operation:ident),+) => {$(
        impl<T: Element> Described<T> for $name {
            fn operation() -> Operation {
                operation::$operation::<T>()
            }
        }
    )+};
}
described!(
    Lu by factor_lu,
    LuSolve by lu_solve,
    LuInverse by lu_invert,
    LuDet by lu_det,
    Inverse by invert,
    Solve by solve,
    Det by det,
    Cholesky by factor_cholesky,
    CholeskySolve by cholesky_solve,
    CholeskyInverse by cholesky_invert,
    CholeskyDet by cholesky_det
);
