//! The functions of the module on batches of one size: which of [`host`] and [`resident`] does what.
//!
//! Each takes a place ([`Place`]), the number of a dtype, how to factor ([`Method`]), matrices ([`Matrices`]), other
//! addresses, that of the statuses (0 for none, in host memory), and whether bad matrices are to be told. For the
//! addresses, what [`host`] and [`resident`] say is the promise of who calls; the package's Python part does.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warplu::{Norm, Op};

use crate::bad::{Bad, report};
use crate::dtype::{DType, with_element, with_scalar};
use crate::error::released;
use crate::host::{self, Logs};
use crate::matrices::Matrices;
use crate::method::{Method, triangle};
use crate::place::{Machine, Place, device};
use crate::resident;

/// `host` or `gpu` as the machine is, each with a type of elements for the dtype, without Python's lock.
macro_rules! on {
    ($py:ident, $machine:ident, $with:ident!($dtype:expr), $status:expr, $element:ident,
     |$host:ident| $on_host:expr, |$gpu:ident| $on_gpu:expr) => {
        released($py, || match &$machine {
            Machine::Host($host) => {
                // SAFETY: the caller's promise.
                let statuses = $with!($dtype, $element => unsafe { $on_host })?;
                let (status, check) = $status;
                // SAFETY: the caller's promise.
                Ok(unsafe { report(&statuses, status, check) })
            }
            // SAFETY: the caller's promise.
            Machine::Gpu($gpu) => $with!($dtype, $element => unsafe { $on_gpu }),
        })
    };
}

/// `to` becomes the inverses of `a`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn inv(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    method: Method,
    a: Matrices,
    to: Matrices,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let (machine, status) = (place.machine(py)?, (status, check));
    on!(py, machine, with_element!(dtype), status, T, |host| host::inv::<T>(&method.on(host), a, to), |gpu| {
        resident::inv::<T>(gpu, method, (a, to), status)
    })
}

/// `to` becomes the solutions of A X = B.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn solve(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    method: Method,
    a: Matrices,
    b: Matrices,
    to: Matrices,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let (machine, status) = (place.machine(py)?, (status, check));
    on!(py, machine, with_element!(dtype), status, T, |host| host::solve::<T>(&method.on(host), a, b, to), |gpu| {
        resident::solve::<T>(gpu, method, (a, b, to), status)
    })
}

/// `to` becomes the factors of `a`, and what is at `pivots` the interchanges.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn lu_factor(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    method: Method,
    a: Matrices,
    to: Matrices,
    pivots: usize,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let (machine, status) = (place.machine(py)?, (status, check));
    if a.is_in_place_of(&to) {
        return on!(
            py,
            machine,
            with_scalar!(dtype),
            status,
            T,
            |host| host::lu_in_place::<T>(&method.on(host), a, pivots),
            |gpu| resident::lu_in_place::<T>(gpu, method, (a, pivots), status)
        );
    }
    on!(py, machine, with_element!(dtype), status, T, |host| host::lu::<T>(&method.on(host), a, to, pivots), |gpu| {
        resident::lu::<T>(gpu, method, (a, to, pivots), status)
    })
}

/// `to` becomes the solutions of op(A) X = B from factors, whose statuses are at `known`. Where there is nothing, or
/// they are 0, in host memory, the factors are looked at.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn lu_solve(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    trans: u8,
    lu: Matrices,
    pivots: usize,
    validate: bool,
    known: usize,
    b: Matrices,
    to: Matrices,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let op = match trans {
        0 => Op::None,
        1 => Op::Transpose,
        2 => Op::Adjoint,
        _ => return Err(PyValueError::new_err(format!("trans is {trans}: use 0 (A), 1 (A^T) or 2 (A^H)"))),
    };
    let (machine, factors, sides, status) = (place.machine(py)?, (lu, pivots, validate), (b, to), (status, check));
    on!(
        py,
        machine,
        with_scalar!(dtype),
        status,
        T,
        |host| host::lu_solve::<T>(host, (lu, pivots), op, sides, known),
        |gpu| resident::lu_solve::<T>(gpu, factors, op, sides, known, status)
    )
}

/// What is at the addresses becomes the phases and logarithms of the determinants, and the determinants themselves; in
/// host memory those that are wanted, where the others' addresses are 0.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn det(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    method: Method,
    a: Matrices,
    phase: usize,
    log_abs: usize,
    values: usize,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let (machine, status) = (place.machine(py)?, (status, check));
    let logs = Logs { phase, log_abs, values };
    on!(py, machine, with_element!(dtype), status, T, |host| host::det::<T>(&method.on(host), a, logs), |gpu| {
        resident::det::<T>(gpu, method, (a, logs), status)
    })
}

/// What is at `to` becomes the reciprocal condition numbers; in host memory only.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn rcond(
    py: Python<'_>,
    name: &str,
    dtype: DType,
    infinity: bool,
    method: Method,
    a: Matrices,
    to: usize,
    status: usize,
) -> PyResult<()> {
    let (device, norm) = (method.on(&device(py, name)?), if infinity { Norm::Infinity } else { Norm::One });
    released(py, || {
        // SAFETY: the caller's promise.
        let statuses = with_element!(dtype, T => unsafe { host::rcond::<T>(&device, norm, a, to) })?;
        // SAFETY: the caller's promise.
        unsafe { report(&statuses, status, false) };
        Ok(())
    })
}

/// The solutions `x` of A X = B are improved; at `bounds` are then forward and backward errors; in host memory only.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn refine(
    py: Python<'_>,
    name: &str,
    dtype: DType,
    method: Method,
    a: Matrices,
    b: Matrices,
    x: Matrices,
    bounds: (usize, usize),
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let device = method.on(&device(py, name)?);
    released(py, || {
        // SAFETY: the caller's promise.
        let statuses = with_scalar!(dtype, T => unsafe { host::refine::<T>(&device, method, (a, b, x), bounds) })?;
        // SAFETY: the caller's promise.
        Ok(unsafe { report(&statuses, status, check) })
    })
}

/// What is at `to` becomes the growth of pivots from `a` to its factors; in host memory only.
#[pyfunction]
pub(crate) fn growth(py: Python<'_>, dtype: DType, a: Matrices, lu: Matrices, to: usize) -> PyResult<()> {
    // SAFETY: the caller's promise.
    released(py, || with_scalar!(dtype, T => unsafe { host::growth::<T>(a, lu, to) }))
}

/// `to` becomes the Cholesky factors of `a`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn cholesky(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    upper: bool,
    a: Matrices,
    to: Matrices,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let (machine, triangle, status) = (place.machine(py)?, triangle(upper), (status, check));
    if a.is_in_place_of(&to) {
        return on!(
            py,
            machine,
            with_scalar!(dtype),
            status,
            T,
            |host| host::cholesky_in_place::<T>(host, triangle, a),
            |gpu| resident::cholesky_in_place::<T>(gpu, triangle, a, status)
        );
    }
    on!(py, machine, with_element!(dtype), status, T, |host| host::cholesky::<T>(host, triangle, a, to), |gpu| {
        resident::cholesky::<T>(gpu, triangle, (a, to), status)
    })
}

/// `to` becomes the solutions of A X = B from Cholesky factors, whose statuses are at `known`. Where there is nothing,
/// or they are 0, in host memory, the factors are looked at.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn cho_solve(
    py: Python<'_>,
    place: Place,
    dtype: DType,
    upper: bool,
    factors: Matrices,
    known: usize,
    b: Matrices,
    to: Matrices,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let (machine, triangle, status) = (place.machine(py)?, triangle(upper), (status, check));
    on!(
        py,
        machine,
        with_scalar!(dtype),
        status,
        T,
        |host| host::cho_solve::<T>(host, triangle, factors, (b, to), known),
        |gpu| resident::cho_solve::<T>(gpu, triangle, factors, (b, to), known, status)
    )
}
