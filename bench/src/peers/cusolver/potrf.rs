//! cuSOLVER's Cholesky factorization, and what goes by it, of lower triangles: by its batched calls, and matrix by
//! matrix.

use std::ffi::c_int;

use warplu::resident::{DeviceBuffer, Stream};
use warplu::{Element, Scalar};

use super::{Cusolver, Handle, name, set_stream};
use crate::case::{Case, Op, Order};
use crate::contender::Contender;
use crate::failure::Result;
use crate::inputs::Arrays;
use crate::judge::Ends;
use crate::peers::calls::{check, int, letter};
use crate::peers::{cublas, library};

type BufferSize = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, *mut c_int) -> c_int;
/// `potrf` and `potri`.
type Factor = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, u64, c_int, u64) -> c_int;
type Potrs = unsafe extern "C" fn(Handle, c_int, c_int, c_int, u64, c_int, u64, c_int, u64) -> c_int;
type PotrfBatched = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, u64, c_int) -> c_int;
type PotrsBatched = unsafe extern "C" fn(Handle, c_int, c_int, c_int, u64, c_int, u64, c_int, u64, c_int) -> c_int;

/// `CUBLAS_FILL_MODE_LOWER`.
const LOWER: c_int = 0;
/// The largest batch that is done matrix by matrix: a launch or more for each.
const MOST_SINGLE: usize = 1000;

/// Which calls do an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    PotrfBatched,
    /// Of one right-hand side.
    PotrsBatched,
    Potrf,
    Potrs,
    Potri,
}

impl Route {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PotrfBatched => "potrfBatched",
            Self::PotrsBatched => "potrsBatched",
            Self::Potrf => "potrf",
            Self::Potrs => "potrs",
            Self::Potri => "potri",
        }
    }

    fn is_batched(self) -> bool {
        matches!(self, Self::PotrfBatched | Self::PotrsBatched)
    }
}

/// cuSOLVER's ways to do a case, which is about Cholesky factors: of column-major matrices, of no 16-bit type.
pub(crate) fn routes(case: &Case) -> Vec<Route> {
    if letter(case.dtype).is_none() || case.layout != Order::ColumnMajor {
        return Vec::new();
    }
    let routes: &[Route] = match case.op {
        Op::Chol => &[Route::PotrfBatched, Route::Potrf],
        Op::CholSolve if case.rhs == 1 => &[Route::PotrsBatched, Route::Potrs],
        Op::CholSolve => &[Route::Potrs],
        Op::CholInv => &[Route::Potri],
        _ => &[],
    };
    let fits = |route: &Route| route.is_batched() || case.batch <= MOST_SINGLE;
    routes.iter().copied().filter(fits).collect()
}

/// A route, and its memory.
#[derive(Debug)]
pub(crate) struct Potrf<'a, T: Element> {
    cusolver: &'a Cusolver,
    route: Route,
    arrays: Arrays<'a, T>,
    /// Where matrices and right-hand sides are, for batched calls.
    a: DeviceBuffer<u64>,
    b: DeviceBuffer<u64>,
    work: DeviceBuffer<T>,
    info: DeviceBuffer<i32>,
    calls: Calls,
    n: c_int,
    rhs: c_int,
}

/// The functions of the case's type.
#[derive(Clone, Copy, Debug)]
struct Calls {
    potrf: Factor,
    potrs: Potrs,
    potri: Factor,
    potrf_batched: PotrfBatched,
    potrs_batched: PotrsBatched,
}

impl<'a, T: Element> Potrf<'a, T> {
    pub(crate) fn new(cusolver: &'a Cusolver, route: Route, arrays: Arrays<'a, T>) -> Result<Self> {
        let (device, stream, case) = (arrays.device, arrays.stream, arrays.case);
        set_stream(cusolver, stream)?;
        let library = cusolver.library;
        // SAFETY: the types are those of cuSOLVER's header.
        let calls = unsafe {
            Calls {
                potrf: library::function(library, &name(case, "potrf"))?,
                potrs: library::function(library, &name(case, "potrs"))?,
                potri: library::function(library, &name(case, "potri"))?,
                potrf_batched: library::function(library, &name(case, "potrfBatched"))?,
                potrs_batched: library::function(library, &name(case, "potrsBatched"))?,
            }
        };
        let (n, rhs, a, mut most) = (int(case.n)?, int(case.rhs)?, arrays.a.address(), 0);
        for call in ["potrf", "potri"] {
            let (size, mut len) = (name(case, &format!("{call}_bufferSize")), 0);
            // SAFETY: the type is that of cuSOLVER's header.
            let buffer_size = unsafe { library::function::<BufferSize>(library, &size)? };
            // SAFETY: writes one integer; the matrix is of that size.
            let status = stream.with_context(|| unsafe { buffer_size(cusolver.handle, LOWER, n, a, n, &mut len) })?;
            check(&size, status)?;
            most = most.max(len);
        }
        let addresses = |buffer: &DeviceBuffer<T>| {
            let each = (buffer.len() / case.batch * size_of::<T>()) as u64;
            device.upload(&(0..case.batch as u64).map(|at| buffer.address() + at * each).collect::<Vec<_>>())
        };
        let mut potrf = Self {
            a: addresses(&arrays.a)?,
            b: addresses(&arrays.b)?,
            work: device.buffer(usize::try_from(most).unwrap_or(0))?,
            info: device.buffer(case.batch)?,
            cusolver,
            route,
            arrays,
            calls,
            n,
            rhs,
        };
        if potrf.arrays.case.op.is_from_factors() {
            potrf.factor_batch()?;
            potrf.arrays.keep_factors()?;
        }
        Ok(potrf)
    }

    /// Makes a call with the GPU's context current, and checks its status.
    fn call(&self, end: &str, call: impl FnOnce() -> c_int) -> Result<()> {
        check(&name(self.arrays.case, end), self.arrays.stream.with_context(call)?)
    }

    fn factor_batch(&self) -> Result<()> {
        let (handle, n, batch) = (self.cusolver.handle, self.n, int(self.arrays.case.batch)?);
        let (a, info) = (self.a.address(), self.info.address());
        // SAFETY: the arrays are of the case's size, which is that of the arguments.
        self.call("potrfBatched", || unsafe { (self.calls.potrf_batched)(handle, LOWER, n, a, n, info, batch) })
    }

    fn solve_batch(&self) -> Result<()> {
        let (handle, n, batch) = (self.cusolver.handle, self.n, int(self.arrays.case.batch)?);
        let (a, b, info) = (self.a.address(), self.b.address(), self.info.address());
        let solve = self.calls.potrs_batched;
        // SAFETY: as above.
        self.call("potrsBatched", || unsafe { solve(handle, LOWER, n, self.rhs, a, n, b, n, info, batch) })
    }

    /// Matrix by matrix.
    fn each(&self) -> Result<()> {
        let (handle, n, rhs) = (self.cusolver.handle, self.n, self.rhs);
        let &Case { n: order, batch, rhs: sides, .. } = self.arrays.case;
        let (work, len, info) = (self.work.address(), int(self.work.len())?, self.info.address());
        let bytes = |elements: usize| (elements * size_of::<T>()) as u64;
        for at in 0..batch {
            let a = self.arrays.a.address() + bytes(at * order * order);
            let b = self.arrays.b.address() + bytes(at * order * sides);
            match self.route {
                Route::Potrs => {
                    self.call("potrs", || {
                        // SAFETY: the arrays are of the case's size, as the arguments say, and the room is as asked for.
                        unsafe { (self.calls.potrs)(handle, LOWER, n, rhs, a, n, b, n, info) }
                    })?;
                }
                Route::Potri => {
                    self.call("potri", || {
                        // SAFETY: the arrays are of the case's size, as the arguments say, and the room is as asked for.
                        unsafe { (self.calls.potri)(handle, LOWER, n, a, n, work, len, info) }
                    })?;
                }
                _ => self.call("potrf", || {
                    // SAFETY: the arrays are of the case's size, as the arguments say, and the room is as asked for.
                    unsafe { (self.calls.potrf)(handle, LOWER, n, a, n, work, len, info) }
                })?,
            }
        }
        Ok(())
    }
}

impl<T: Element> Contender<T> for Potrf<'_, T> {
    fn restore(&mut self) -> Result<()> {
        Ok(self.arrays.restore()?)
    }

    fn run(&mut self) -> Result<()> {
        match self.route {
            Route::PotrfBatched => self.factor_batch(),
            Route::PotrsBatched => self.solve_batch(),
            Route::Potrf | Route::Potrs | Route::Potri => self.each(),
        }
    }

    /// Of an inverse the upper triangle that the lower one stands for, too: cuSOLVER leaves it as it was.
    fn ends(&self) -> Result<Ends<T>> {
        let arrays = &self.arrays;
        Ok(match self.route {
            Route::Potrf | Route::PotrfBatched => Ends::Cholesky(cublas::factors(arrays)?),
            Route::Potrs | Route::PotrsBatched => Ends::Solution(arrays.ends(&arrays.b)?),
            Route::Potri => {
                let (n, mut x) = (arrays.case.n, arrays.ends(&arrays.a)?);
                x.chunks_exact_mut(n * n).for_each(|x| complete(x, n));
                Ends::Inverse(x)
            }
        })
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.arrays.stream)
    }
}

/// Fills the upper triangle of a column-major matrix with the conjugates of the lower one.
pub(crate) fn complete<T: Element>(x: &mut [T], n: usize) {
    for j in 0..n {
        for i in 0..j {
            x[j * n + i] = T::narrow(x[i * n + j].widen().conj());
        }
    }
}
