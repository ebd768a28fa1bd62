//! cuSOLVER's LU, which is of one matrix, and its Cholesky factorization, of one or of a batch.

pub(crate) mod cholesky;
pub(crate) mod potrf;

use std::ffi::{c_int, c_void};
use std::ptr;

use libloading::Library;
use warplu::resident::{DeviceBuffer, Stream};
use warplu::{Device, Element, Scalar};

use super::calls::{check, int, letter, zero_based};
use super::{cublas, library};
use crate::case::{Case, Op, Order};
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::inputs::Arrays;
use crate::judge::Ends;

// Addresses of device memory are passed as `u64`, as which the C calling conventions of 64-bit machines pass pointers.
type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type Destroy = unsafe extern "C" fn(Handle) -> c_int;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;
type BufferSize = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, *mut c_int) -> c_int;
type Getrf = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, u64, u64, u64) -> c_int;
type Getrs = unsafe extern "C" fn(Handle, c_int, c_int, c_int, u64, c_int, u64, u64, c_int, u64) -> c_int;

/// The open library.
#[derive(Debug)]
pub(crate) struct Cusolver {
    library: &'static Library,
    handle: Handle,
    /// Keeps the context of the handle.
    stream: Stream,
}

impl Cusolver {
    pub(super) fn open(device: &Device) -> Result<Self> {
        let library = library::open("cusolver", &[12, 11])?;
        let stream = device.stream()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the type is that of cuSOLVER's header.
        let create: Create = unsafe { library::function(library, "cusolverDnCreate")? };
        // SAFETY: writes one handle.
        let status = stream.with_context(|| unsafe { create(&mut handle) })?;
        check("cusolverDnCreate", status)?;
        Ok(Self { library, handle, stream })
    }
}

impl Drop for Cusolver {
    fn drop(&mut self) {
        // SAFETY: the type is that of cuSOLVER's header.
        if let Ok(destroy) = unsafe { library::function::<Destroy>(self.library, "cusolverDnDestroy") } {
            // SAFETY: created by `open`, and destroyed once.
            let _ = self.stream.with_context(|| unsafe { destroy(self.handle) });
        }
    }
}

/// Which calls do an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Getrf,
    Getrs,
    GetrfGetrs,
    /// With the unit matrix as right-hand sides, which is how cuSOLVER inverts.
    GetrsUnit,
    GetrfGetrsUnit,
}

impl Route {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Getrf => "getrf",
            Self::Getrs | Self::GetrsUnit => "getrs",
            Self::GetrfGetrs | Self::GetrfGetrsUnit => "getrf+getrs",
        }
    }
}

/// cuSOLVER's way to do a case: one column-major matrix, of no 16-bit type.
pub(crate) fn route(case: &Case) -> Option<Route> {
    if case.batch != 1 || letter(case.dtype).is_none() || case.layout != Order::ColumnMajor {
        return None;
    }
    match case.op {
        Op::Lu => Some(Route::Getrf),
        Op::LuSolve => Some(Route::Getrs),
        Op::Solve | Op::SolveRefined => Some(Route::GetrfGetrs),
        Op::Inv => Some(Route::GetrfGetrsUnit),
        Op::LuInv => Some(Route::GetrsUnit),
        Op::Det | Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => None,
    }
}

/// A route, and its memory.
#[derive(Debug)]
pub(crate) struct Single<'a, T: Element> {
    cusolver: &'a Cusolver,
    route: Route,
    arrays: Arrays<'a, T>,
    /// The unit matrix, if it is to be solved with: shape (n, n).
    unit: DeviceBuffer<T>,
    work: DeviceBuffer<T>,
    pivots: DeviceBuffer<i32>,
    info: DeviceBuffer<i32>,
    getrf: Getrf,
    getrs: Getrs,
    n: c_int,
    rhs: c_int,
}

impl<'a, T: Element> Single<'a, T> {
    pub(crate) fn new(cusolver: &'a Cusolver, route: Route, arrays: Arrays<'a, T>) -> Result<Self> {
        let (device, stream, case) = (arrays.device, arrays.stream, arrays.case);
        let (library, handle) = (cusolver.library, cusolver.handle);
        // SAFETY: the types are those of cuSOLVER's header.
        let (buffer_size, getrf, getrs) = unsafe {
            (
                library::function::<BufferSize>(library, &name(case, "getrf_bufferSize"))?,
                library::function(library, &name(case, "getrf"))?,
                library::function(library, &name(case, "getrs"))?,
            )
        };
        set_stream(cusolver, stream)?;
        let inverts = matches!(route, Route::GetrsUnit | Route::GetrfGetrsUnit);
        let unit: Vec<T> = if inverts { unit_matrix(case.n) } else { Vec::new() };
        let (n, rhs, mut len) = (int(case.n)?, int(if inverts { case.n } else { case.rhs })?, 0);
        let a = arrays.a.address();
        // SAFETY: writes one integer; the matrix is of that size.
        let status = stream.with_context(|| unsafe { buffer_size(handle, n, n, a, n, &mut len) })?;
        check(&name(case, "getrf_bufferSize"), status)?;
        let mut single = Self {
            work: device.buffer(usize::try_from(len).unwrap_or(0))?,
            pivots: device.buffer(case.n)?,
            info: device.buffer(1)?,
            unit: device.upload(&unit)?,
            cusolver,
            route,
            arrays,
            getrf,
            getrs,
            n,
            rhs,
        };
        if single.arrays.case.op.is_from_factors() {
            single.getrf()?;
            single.arrays.keep_factors()?;
        }
        Ok(single)
    }

    /// Makes a call with the GPU's context current, and checks its status.
    fn call(&self, end: &str, call: impl FnOnce() -> c_int) -> Result<()> {
        check(&name(self.arrays.case, end), self.arrays.stream.with_context(call)?)
    }

    fn getrf(&self) -> Result<()> {
        let (handle, n, a) = (self.cusolver.handle, self.n, self.arrays.a.address());
        let (work, pivots, info) = (self.work.address(), self.pivots.address(), self.info.address());
        // SAFETY: the arrays are of the case's size, which is that of the arguments, and the room is as asked for.
        self.call("getrf", || unsafe { (self.getrf)(handle, n, n, a, n, work, pivots, info) })
    }

    fn getrs(&self) -> Result<()> {
        let (handle, n, rhs, a) = (self.cusolver.handle, self.n, self.rhs, self.arrays.a.address());
        let b = if self.unit.is_empty() { &self.arrays.b } else { &self.arrays.out }.address();
        let (pivots, info) = (self.pivots.address(), self.info.address());
        let not_transposed = 0;
        // SAFETY: as above.
        self.call("getrs", || unsafe { (self.getrs)(handle, not_transposed, n, rhs, a, n, pivots, b, n, info) })
    }
}

impl<T: Element> Contender<T> for Single<'_, T> {
    fn restore(&mut self) -> Result<()> {
        if !self.unit.is_empty() {
            self.arrays.stream.copy(&self.unit, &mut self.arrays.out)?;
        }
        Ok(self.arrays.restore()?)
    }

    fn run(&mut self) -> Result<()> {
        match self.route {
            Route::Getrf => self.getrf(),
            Route::Getrs | Route::GetrsUnit => self.getrs(),
            Route::GetrfGetrs | Route::GetrfGetrsUnit => self.getrf().and_then(|()| self.getrs()),
        }
    }

    fn ends(&self) -> Result<Ends<T>> {
        let arrays = &self.arrays;
        Ok(match self.route {
            Route::Getrf => Ends::Factors(cublas::factors(arrays)?, zero_based(arrays.ends(&self.pivots)?)),
            Route::GetrsUnit | Route::GetrfGetrsUnit => Ends::Inverse(arrays.ends(&arrays.out)?),
            Route::Getrs | Route::GetrfGetrs => Ends::Solution(arrays.ends(&arrays.b)?),
        })
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.arrays.stream)
    }
}

/// Has the library enqueue its work in this stream, until another one is set.
fn set_stream(cusolver: &Cusolver, stream: &Stream) -> Result<()> {
    let raw = stream.raw().ok_or_else(|| Failure::Bench("cuSOLVER runs on GPUs only".to_owned()))?;
    // SAFETY: the type is that of cuSOLVER's header.
    let set_stream = unsafe { library::function::<SetStream>(cusolver.library, "cusolverDnSetStream")? };
    // SAFETY: handle and stream are alive and of one context; whoever uses the handle next sets its own stream.
    check("cusolverDnSetStream", stream.with_context(|| unsafe { set_stream(cusolver.handle, raw) })?)
}

/// The unit matrix: shape (n, n).
fn unit_matrix<T: Element>(n: usize) -> Vec<T> {
    let mut unit = vec![T::narrow(<T::Scalar as Scalar>::ZERO); n * n];
    unit.iter_mut().step_by(n + 1).for_each(|x| *x = T::narrow(<T::Scalar as Scalar>::ONE));
    unit
}

fn name(case: &Case, end: &str) -> String {
    format!("cusolverDn{}{end}", letter(case.dtype).unwrap_or('?'))
}
