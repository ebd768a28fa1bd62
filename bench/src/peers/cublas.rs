//! cuBLAS's batched LU.

use std::ffi::{c_int, c_void};
use std::{fmt, ptr};

use libloading::Library;
use warplu::resident::{DeviceBuffer, Stream};
use warplu::{Device, Element, Pivoting, Scalar};

use super::calls::{check, int, letter, zero_based};
use super::library;
use crate::case::{Case, Op, Order};
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::inputs::Arrays;
use crate::judge::Ends;

/// The largest order of `matinvBatched`.
const MATINV_LARGEST: usize = 32;

// Addresses of device memory are passed as `u64`, as which the C calling conventions of 64-bit machines pass pointers.
type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type Destroy = unsafe extern "C" fn(Handle) -> c_int;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;
type Getrf = unsafe extern "C" fn(Handle, c_int, u64, c_int, u64, u64, c_int) -> c_int;
type Getri = unsafe extern "C" fn(Handle, c_int, u64, c_int, u64, u64, c_int, u64, c_int) -> c_int;
type Getrs = unsafe extern "C" fn(Handle, c_int, c_int, c_int, u64, c_int, u64, u64, c_int, *mut c_int, c_int) -> c_int;
/// Side, triangle, transposition and diagonal; rows and columns of B; the factor of B; A and B.
type Trsm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    u64,
    c_int,
    u64,
    c_int,
    c_int,
) -> c_int;
type Matinv = unsafe extern "C" fn(Handle, c_int, u64, c_int, u64, c_int, u64, c_int) -> c_int;

/// The open library.
#[derive(Debug)]
pub(crate) struct Cublas {
    library: &'static Library,
    handle: Handle,
    /// Keeps the context of the handle.
    stream: Stream,
}

impl Cublas {
    pub(super) fn open(device: &Device) -> Result<Self> {
        let library = library::open("cublas", &[13, 12, 11])?;
        let stream = device.stream()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the type is that of cuBLAS's header.
        let create: Create = unsafe { library::function(library, "cublasCreate_v2")? };
        // SAFETY: writes one handle.
        let status = stream.with_context(|| unsafe { create(&mut handle) })?;
        check("cublasCreate", status)?;
        Ok(Self { library, handle, stream })
    }

    /// A batched function, by the end of its name.
    ///
    /// # Safety
    /// `F` is its type.
    unsafe fn batched<F: Copy>(&self, case: &Case, end: &str) -> Result<F> {
        // SAFETY: the caller's promise.
        unsafe { library::function(self.library, &name(case, end)) }
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: the type is that of cuBLAS's header.
        if let Ok(destroy) = unsafe { library::function::<Destroy>(self.library, "cublasDestroy_v2") } {
            // SAFETY: created by `open`, and destroyed once.
            let _ = self.stream.with_context(|| unsafe { destroy(self.handle) });
        }
    }
}

/// How a case is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    calls: Steps,
    /// Without, pivots are those on the diagonal.
    interchanges: bool,
}

/// Which calls do an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    Getrf,
    Getri,
    Getrs,
    GetrfGetri,
    GetrfGetrs,
    Matinv,
    /// Both triangles, without the interchanges before: a solution takes longer by these.
    TrsmTrsm,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.calls {
            Steps::Getrf => "getrf",
            Steps::Getri => "getri",
            Steps::Getrs => "getrs",
            Steps::GetrfGetri => "getrf+getri",
            Steps::GetrfGetrs => "getrf+getrs",
            Steps::Matinv => "matinv",
            Steps::TrsmTrsm => "trsm+trsm",
        })?;
        f.write_str(if self.interchanges { "" } else { ", pivoting none" })
    }
}

/// cuBLAS's ways to do a case: none for 16-bit types, determinants and matrices that lie row by row. Without
/// interchanges, too, where warplu goes without.
pub(crate) fn routes(case: &Case) -> Vec<Route> {
    if letter(case.dtype).is_none() || case.layout != Order::ColumnMajor {
        return Vec::new();
    }
    let calls: &[Steps] = match case.op {
        Op::Lu => &[Steps::Getrf],
        Op::LuInv => &[Steps::Getri],
        Op::LuSolve => &[Steps::Getrs, Steps::TrsmTrsm],
        Op::Solve | Op::SolveRefined => &[Steps::GetrfGetrs],
        Op::Inv if case.n <= MATINV_LARGEST => &[Steps::GetrfGetri, Steps::Matinv],
        Op::Inv => &[Steps::GetrfGetri],
        Op::Det | Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => &[],
    };
    let with = calls.iter().map(|&calls| Route { calls, interchanges: true });
    let goes_without = case.ways.iter().any(|way| way.pivoting == Pivoting::None);
    let without = with
        .clone()
        .filter(|route| goes_without && matches!(route.calls, Steps::Getrf | Steps::GetrfGetri | Steps::GetrfGetrs));
    with.clone().chain(without.map(|route| Route { interchanges: false, ..route })).collect()
}

/// A route, and its memory.
#[derive(Debug)]
pub(crate) struct Batched<'a, T: Element> {
    cublas: &'a Cublas,
    route: Route,
    arrays: Arrays<'a, T>,
    a: DeviceBuffer<u64>,
    b: DeviceBuffer<u64>,
    out: DeviceBuffer<u64>,
    pivots: DeviceBuffer<i32>,
    info: DeviceBuffer<i32>,
    calls: Calls,
    n: c_int,
    batch: c_int,
    rhs: c_int,
}

/// The functions of the case's type.
#[derive(Clone, Copy, Debug)]
struct Calls {
    getrf: Getrf,
    getri: Getri,
    getrs: Getrs,
    matinv: Matinv,
    trsm: Trsm,
}

impl<'a, T: Element> Batched<'a, T> {
    pub(crate) fn new(cublas: &'a Cublas, route: Route, arrays: Arrays<'a, T>) -> Result<Self> {
        let (device, &Case { n, batch, rhs, .. }) = (arrays.device, arrays.case);
        // SAFETY: the types are those of cuBLAS's header.
        let (set_stream, calls) = unsafe {
            let calls = Calls {
                getrf: cublas.batched(arrays.case, "getrf")?,
                getri: cublas.batched(arrays.case, "getri")?,
                getrs: cublas.batched(arrays.case, "getrs")?,
                matinv: cublas.batched(arrays.case, "matinv")?,
                trsm: cublas.batched(arrays.case, "trsm")?,
            };
            (library::function::<SetStream>(cublas.library, "cublasSetStream_v2")?, calls)
        };
        let raw = arrays.stream.raw().ok_or_else(|| Failure::Bench("cuBLAS runs on GPUs only".to_owned()))?;
        // SAFETY: handle and stream are alive and of one context; whoever uses the handle next sets its own stream.
        check("cublasSetStream", arrays.stream.with_context(|| unsafe { set_stream(cublas.handle, raw) })?)?;
        let addresses = |buffer: &DeviceBuffer<T>| {
            let each = (buffer.len() / batch * size_of::<T>()) as u64;
            device.upload(&(0..batch as u64).map(|at| buffer.address() + at * each).collect::<Vec<_>>())
        };
        let mut batched = Self {
            a: addresses(&arrays.a)?,
            b: addresses(&arrays.b)?,
            out: addresses(&arrays.out)?,
            pivots: device.buffer(batch * n)?,
            info: device.buffer(batch)?,
            n: int(n)?,
            batch: int(batch)?,
            rhs: int(rhs)?,
            cublas,
            route,
            arrays,
            calls,
        };
        if batched.arrays.case.op.is_from_factors() {
            batched.getrf()?;
            batched.arrays.keep_factors()?;
        }
        Ok(batched)
    }

    /// Where pivots are; nowhere without interchanges.
    fn pivots(&self) -> u64 {
        if self.route.interchanges { self.pivots.address() } else { 0 }
    }

    /// Makes a call with the GPU's context current, and checks its status.
    fn call(&self, end: &str, call: impl FnOnce() -> c_int) -> Result<()> {
        check(&name(self.arrays.case, end), self.arrays.stream.with_context(call)?)
    }

    fn getrf(&self) -> Result<()> {
        let Self { cublas, n, batch, .. } = *self;
        let (a, pivots, info) = (self.a.address(), self.pivots(), self.info.address());
        // SAFETY: the arrays are of the case's size, which is that of the arguments.
        self.call("getrf", || unsafe { (self.calls.getrf)(cublas.handle, n, a, n, pivots, info, batch) })
    }

    fn getri(&self) -> Result<()> {
        let Self { cublas, n, batch, .. } = *self;
        let (a, pivots, info, out) = (self.a.address(), self.pivots(), self.info.address(), self.out.address());
        // SAFETY: as above.
        self.call("getri", || unsafe { (self.calls.getri)(cublas.handle, n, a, n, pivots, out, n, info, batch) })
    }

    fn getrs(&self) -> Result<()> {
        let Self { cublas, n, batch, rhs, .. } = *self;
        let (a, pivots, b) = (self.a.address(), self.pivots(), self.b.address());
        // This one writes to the host, before it returns: which argument is wrong.
        let mut wrong = 0;
        let not_transposed = 0;
        // SAFETY: as above.
        self.call("getrs", || unsafe {
            (self.calls.getrs)(cublas.handle, not_transposed, n, rhs, a, n, pivots, b, n, &mut wrong, batch)
        })?;
        match wrong {
            0 => Ok(()),
            _ => Err(Failure::Bench(format!("{}: argument {} is wrong", name(self.arrays.case, "getrs"), -wrong))),
        }
    }

    fn matinv(&self) -> Result<()> {
        let Self { cublas, n, batch, .. } = *self;
        let (a, out, info) = (self.a.address(), self.out.address(), self.info.address());
        // SAFETY: as above.
        self.call("matinv", || unsafe { (self.calls.matinv)(cublas.handle, n, a, n, out, n, info, batch) })
    }
}

impl<T: Element> Batched<'_, T> {
    /// X with L U X = B.
    fn trsm_trsm(&self) -> Result<()> {
        let Self { cublas, n, batch, rhs, .. } = *self;
        let (a, b) = (self.a.address(), self.b.address());
        let one = T::Scalar::ONE;
        let alpha = ptr::from_ref(&one).cast();
        let (left, not_transposed) = (0, 0);
        // The lower triangle with ones on its diagonal, then the upper one.
        [(0, 1), (1, 0)].into_iter().try_for_each(|(triangle, diagonal)| {
            // SAFETY: as above; the factor is read before the call returns.
            self.call("trsm", || unsafe {
                (self.calls.trsm)(
                    cublas.handle,
                    left,
                    triangle,
                    not_transposed,
                    diagonal,
                    n,
                    rhs,
                    alpha,
                    a,
                    n,
                    b,
                    n,
                    batch,
                )
            })
        })
    }
}

impl<T: Element> Contender<T> for Batched<'_, T> {
    fn restore(&mut self) -> Result<()> {
        Ok(self.arrays.restore()?)
    }

    fn run(&mut self) -> Result<()> {
        match self.route.calls {
            Steps::Getrf => self.getrf(),
            Steps::Getri => self.getri(),
            Steps::Getrs => self.getrs(),
            Steps::GetrfGetri => self.getrf().and_then(|()| self.getri()),
            Steps::GetrfGetrs => self.getrf().and_then(|()| self.getrs()),
            Steps::Matinv => self.matinv(),
            Steps::TrsmTrsm => self.trsm_trsm(),
        }
    }

    fn ends(&self) -> Result<Ends<T>> {
        let arrays = &self.arrays;
        Ok(match self.route.calls {
            Steps::Getrf if !self.route.interchanges => {
                let n = arrays.case.n as u32;
                Ends::Factors(factors(arrays)?, (0..arrays.case.batch.min(2)).flat_map(|_| 0..n).collect())
            }
            Steps::Getrf => Ends::Factors(factors(arrays)?, zero_based(arrays.ends(&self.pivots)?)),
            Steps::Getri | Steps::GetrfGetri | Steps::Matinv => Ends::Inverse(arrays.ends(&arrays.out)?),
            Steps::Getrs | Steps::GetrfGetrs => Ends::Solution(arrays.ends(&arrays.b)?),
            Steps::TrsmTrsm => {
                Ends::SolutionWithoutInterchanges(arrays.ends(&arrays.b)?, zero_based(arrays.ends(&self.pivots)?))
            }
        })
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.arrays.stream)
    }
}

/// Factors in the place of the matrices, in the type of the arithmetic, which is the same.
pub(super) fn factors<T: Element>(arrays: &Arrays<'_, T>) -> Result<Vec<T::Scalar>> {
    Ok(arrays.ends(&arrays.a)?.into_iter().map(Element::widen).collect())
}

fn name(case: &Case, end: &str) -> String {
    format!("cublas{}{end}Batched", letter(case.dtype).unwrap_or('?'))
}
