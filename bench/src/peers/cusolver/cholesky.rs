//! cuSOLVER's inversion of one Hermitian, positive definite matrix, from its upper triangle: `potrf`, then `potri`.

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
use crate::peers::library;

type BufferSize = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, *mut c_int) -> c_int;
type Call = unsafe extern "C" fn(Handle, c_int, c_int, u64, c_int, u64, c_int, u64) -> c_int;

/// `CUBLAS_FILL_MODE_UPPER`.
const UPPER: c_int = 1;
/// The calls, in order.
const CALLS: [&str; 2] = ["potrf", "potri"];

/// What it is called in tables.
pub(crate) const NAME: &str = "potrf+potri";

/// Whether it does a case: the inversion of one column-major matrix that is positive definite, of no 16-bit type.
pub(crate) fn does(case: &Case) -> bool {
    case.op == Op::Inv
        && case.is_definite()
        && case.batch == 1
        && letter(case.dtype).is_some()
        && case.layout == Order::ColumnMajor
}

/// Both calls, and their memory.
#[derive(Debug)]
pub(crate) struct Cholesky<'a, T: Element> {
    cusolver: &'a Cusolver,
    arrays: Arrays<'a, T>,
    calls: [Call; 2],
    work: DeviceBuffer<T>,
    info: DeviceBuffer<i32>,
    n: c_int,
}

impl<'a, T: Element> Cholesky<'a, T> {
    pub(crate) fn new(cusolver: &'a Cusolver, arrays: Arrays<'a, T>) -> Result<Self> {
        let (device, stream, case) = (arrays.device, arrays.stream, arrays.case);
        set_stream(cusolver, stream)?;
        let (n, a, mut most) = (int(case.n)?, arrays.a.address(), 0);
        for call in CALLS {
            let (size, mut len) = (name(case, &format!("{call}_bufferSize")), 0);
            // SAFETY: the type is that of cuSOLVER's header.
            let buffer_size = unsafe { library::function::<BufferSize>(cusolver.library, &size)? };
            // SAFETY: writes one integer; the matrix is of that size.
            let status = stream.with_context(|| unsafe { buffer_size(cusolver.handle, UPPER, n, a, n, &mut len) })?;
            check(&size, status)?;
            most = most.max(len);
        }
        // SAFETY: the types are those of cuSOLVER's header.
        let call = |call| unsafe { library::function::<Call>(cusolver.library, &name(case, call)) };
        Ok(Self {
            calls: [call(CALLS[0])?, call(CALLS[1])?],
            work: device.buffer(usize::try_from(most).unwrap_or(0))?,
            info: device.buffer(1)?,
            cusolver,
            arrays,
            n,
        })
    }
}

impl<T: Element> Contender<T> for Cholesky<'_, T> {
    fn restore(&mut self) -> Result<()> {
        Ok(self.arrays.restore()?)
    }

    fn run(&mut self) -> Result<()> {
        let (handle, n, a) = (self.cusolver.handle, self.n, self.arrays.a.address());
        let (work, len, info) = (self.work.address(), int(self.work.len())?, self.info.address());
        for (call, end) in self.calls.iter().zip(CALLS) {
            // SAFETY: the arrays are of the case's size, which is that of the arguments, and the room is as asked for.
            let status =
                self.arrays.stream.with_context(|| unsafe { call(handle, UPPER, n, a, n, work, len, info) })?;
            check(&name(self.arrays.case, end), status)?;
        }
        Ok(())
    }

    /// The inverse, with the lower triangle that the upper one stands for: cuSOLVER leaves it as it was.
    fn ends(&self) -> Result<Ends<T>> {
        let (n, mut x) = (self.arrays.case.n, self.arrays.ends(&self.arrays.a)?);
        for i in 0..n {
            for j in 0..i {
                x[j * n + i] = T::narrow(x[i * n + j].widen().conj());
            }
        }
        Ok(Ends::Inverse(x))
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.arrays.stream)
    }
}
