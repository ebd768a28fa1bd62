//! What is done with matrices: each operation says once which operands it has, and how a machine does it. Calls on host
//! memory and files, on matrices of many sizes, and plans are driven by these descriptions, and know of no operation
//! and no type of elements themselves.

mod det;
mod factor;
mod invert;
mod lu_solve;
mod operand;
mod refine;
mod solve;
mod solve_refined;
mod through;
mod triangular;

pub(crate) use operand::{Access, ElementType, Extent, Operand};

use std::fmt;

use half::{bf16, f16};
use numbers::element::{Arithmetic, Element, ElementKind};
use numbers::factors::{CholeskyFactors, Factors};
use numbers::matrix::Matrices;
use numbers::op::Substitutions;
use numbers::problem::Problem;
use numbers::scalar::{c32, c64};
use simt::Pod;
use simt::global::Global;

use crate::backend::Memory;
use crate::device::Single;
use crate::element::Double;
use crate::error::{Error, Result};
use crate::launch::{Launcher, matrices_at};
use crate::layout::Layout;
use crate::route::{Room, Space, lower_factors};
use crate::triangle::Triangle;

/// An operation on matrices of one size, whatever that is.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What it is given, in this order.
    pub(crate) operands: &'static [Operand],
    /// Where Cholesky factors are, if there are any, unless a run says otherwise.
    pub(crate) triangle: Triangle,
    route: MakeRoute,
}

type MakeRoute = fn(&Single, Size, &mut Space) -> Result<Route>;

impl Operation {
    const fn new(operands: &'static [Operand], route: MakeRoute) -> Self {
        Self { operands, triangle: Triangle::Lower, route }
    }

    /// The same, with Cholesky factors in this triangle.
    pub(crate) const fn in_triangle(self, triangle: Triangle) -> Self {
        Self { triangle, ..self }
    }

    /// Checks how many operands are given.
    pub(crate) fn check_count(&self, given: usize) -> Result<()> {
        if given == self.operands.len() {
            return Ok(());
        }
        Err(Error::Shape(format!("{given} operands are not the {} of the operation", self.operands.len())))
    }

    /// Whether statuses come of it, as the last operand.
    pub(crate) fn has_status(&self) -> bool {
        self.operands.last().is_some_and(Operand::is_status)
    }

    /// How a machine does it for this size; what that needs to work in is asked of the space.
    pub(crate) fn route(&self, device: &Single, size: Size, space: &mut Space) -> Result<Route> {
        (self.route)(device, size, space)
    }
}

/// The operations on elements of a type. Through its kind, and not inlined, so that each of them is compiled here, once,
/// and not again in every crate that calls it.
macro_rules! by_kind {
    ($($name:ident of $module:ident, $bound:ident: $($kind:ident $t:ty),*;)*) => {$(
        pub(crate) fn $name<T: $bound>() -> Operation {
            #[inline(never)]
            fn of(kind: ElementKind) -> Operation {
                match kind {
                    $(ElementKind::$kind => $module::$name::<$t>(),)*
                    #[allow(unreachable_patterns, reason = "arithmetic has no other")]
                    _ => unreachable!("{kind:?} is no type of arithmetic"),
                }
            }
            of(T::STORAGE)
        }
    )*};
    ($($name:ident of $module:ident,)* ; $($arithmetic:ident of $arithmetic_module:ident,)*) => {
        by_kind! {
            $($name of $module, Element: F16 f16, Bf16 bf16, F32 f32, F64 f64, C32 c32, C64 c64;)*
            $($arithmetic of $arithmetic_module, Arithmetic: F32 f32, F64 f64, C32 c32, C64 c64;)*
        }
    };
}
by_kind! {
    factor_lu of factor,
    factor_cholesky of factor,
    invert of invert,
    lu_invert of invert,
    cholesky_invert of invert,
    solve of solve,
    lu_solve of lu_solve,
    cholesky_solve of solve,
    det of det,
    lu_det of det,
    cholesky_det of det,
    ;
    factor_triangle of factor,
    lu_refine of refine,
    cholesky_refine of refine,
}

by_kind! {
    solve_refined of solve_refined, Double: F64 f64, C64 c64;
}

/// The order of matrices, and how many right-hand sides each has; any number where there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) n: usize,
    pub(crate) rhs: usize,
}

impl Size {
    /// That of matrices without right-hand sides.
    pub(crate) const fn order(n: usize) -> Self {
        Self { n, rhs: 0 }
    }
}

/// How a machine does an operation: chosen once, with its kernels loaded. Then it only enqueues.
pub(crate) struct Route {
    kernels: Vec<&'static str>,
    enqueue: Enqueue,
}

type Enqueue = Box<dyn Fn(&Work<'_>) -> Result<()> + Send + Sync>;

impl Route {
    /// A route that launches kernels of these names. `enqueue` finds the operands of its operation's description.
    pub(crate) fn new(
        kernels: Vec<&'static str>,
        enqueue: impl Fn(&Work<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Self> {
        Ok(Self { kernels, enqueue: Box::new(enqueue) })
    }

    /// The names of warplu's own kernels that it launches.
    pub(crate) fn kernels(&self) -> Vec<&'static str> {
        self.kernels.clone()
    }

    /// Enqueues the work.
    ///
    /// # Safety
    /// The operands are those that the operation has, in memory of the machine that the route is for, apart from each
    /// other but where a result takes the place of what it is made from; they and the room live until the work is done.
    /// Pivots that are read are below n.
    pub(crate) unsafe fn enqueue(&self, work: &Work<'_>) -> Result<()> {
        (self.enqueue)(work)
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route").field("kernels", &self.kernels).finish_non_exhaustive()
    }
}

/// Where operands are, in the order of the operation. Values are matrices of one column.
pub(crate) trait Operands {
    /// That of this number.
    fn at(&self, number: usize) -> Matrices<u8>;
}

impl<const N: usize> Operands for [Matrices<u8>; N] {
    fn at(&self, number: usize) -> Matrices<u8> {
        self[number]
    }
}

impl Operands for Vec<Matrices<u8>> {
    fn at(&self, number: usize) -> Matrices<u8> {
        self[number]
    }
}

/// What a route enqueues.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) launcher: &'a Launcher<'a>,
    pub(crate) batch: u64,
    pub(crate) operands: &'a dyn Operands,
    /// Of solutions from LU factors: of which systems they are.
    pub(crate) how: Substitutions,
    /// Where Cholesky factors are.
    pub(crate) triangle: Triangle,
    pub(crate) room: Room<'a>,
    /// What the room is in, for routes that look into it and wait; none where there is no room.
    pub(crate) memory: Option<&'a Memory>,
}

impl Work<'_> {
    /// A size with as many matrices as there are.
    pub(crate) fn sized(&self, size: Problem) -> Problem {
        Problem { batch: self.batch, ..size }
    }

    /// Values as an operand.
    fn raw<T: Pod>(values: Global<T>) -> Matrices<u8> {
        matrices_at(values.address(), Layout::column_major(1, 1))
    }

    /// The matrices of an operand, which are of this type.
    pub(crate) fn matrices<T: Pod>(&self, at: usize) -> Matrices<T> {
        self.operands.at(at).cast()
    }

    /// The values of an operand, which are of this type.
    pub(crate) fn values<T: Pod>(&self, at: usize) -> Global<T> {
        self.operands.at(at).base.cast()
    }

    /// LU factors, of which the first operand is U with L, the next are pivots and statuses.
    fn lu<S: Pod>(&self, at: usize) -> Factors<S> {
        Factors { lu: self.matrices(at), pivots: self.values(at + 1), status: self.values(at + 2) }
    }

    /// Cholesky factors, and, as the next operand, their statuses.
    fn cholesky<S: Pod>(&self, at: usize) -> CholeskyFactors<S> {
        CholeskyFactors { l: self.matrices(at), status: self.values(at + 1) }
    }

    /// The same, with their triangle as a lower one.
    fn lower_factors<S: Pod>(&self, at: usize) -> CholeskyFactors<S> {
        lower_factors(self.cholesky(at), self.triangle)
    }
}

/// One of each, for tests of their drivers.
#[cfg(test)]
pub(crate) fn all() -> [Operation; 15] {
    [
        factor_lu::<f64>(),
        factor_cholesky::<f64>(),
        factor_triangle::<f64>(),
        invert::<f64>(),
        lu_invert::<f64>(),
        cholesky_invert::<f64>(),
        solve::<f64>(),
        solve_refined::<f64>(),
        lu_solve::<f64>(),
        cholesky_solve::<f64>(),
        lu_refine::<f64>(),
        cholesky_refine::<f64>(),
        det::<f64>(),
        lu_det::<f64>(),
        cholesky_det::<f64>(),
    ]
}
