//! The functions of the module on lists of matrices of many sizes, in host memory.
//!
//! Each takes a device's name, the number of a dtype, how to factor, lists of matrices, other addresses, the address of
//! the statuses (0 for none), and whether bad matrices are to be told. Matrices that are written are in C order,
//! compact, and apart from all others. For the addresses, what [`host`](crate::host) says is the promise of who calls.

use pyo3::prelude::*;
use warplu::{Device, Element, Error, Ragged, RaggedMut, Shape, Status};

use crate::bad::{Bad, report};
use crate::dtype::{DType, with_element};
use crate::error::released;
use crate::host::{Logs, put};
use crate::matrices::{Matrices, values_mut};
use crate::method::Method;
use crate::place::device;

type Result<T> = std::result::Result<T, Error>;

/// Does something with a list of matrices to read.
///
/// # Safety
/// They are there, and nobody writes them meanwhile.
unsafe fn with_ragged<T: Element, R>(list: &[Matrices], work: impl FnOnce(&Ragged<'_, T>) -> Result<R>) -> Result<R> {
    // SAFETY: the caller's promise.
    let batches = list.iter().map(|matrix| unsafe { matrix.batch_of::<T>() }).collect::<Result<Vec<_>>>()?;
    work(&batches.iter().collect())
}

/// A list of matrices to write.
///
/// # Safety
/// They are there, compact in C order, and nobody else touches them meanwhile.
unsafe fn ragged_mut<'a, T: Element>(list: &[Matrices]) -> Result<RaggedMut<'a, T>> {
    let shapes: Vec<Shape> = list.iter().map(|matrix| Shape::from((matrix.rows(), matrix.cols()))).collect();
    let slice = |matrix: &Matrices| {
        // SAFETY: the caller's promise.
        unsafe { values_mut::<T>(matrix.address(), matrix.rows() * matrix.cols()) }
    };
    let slices = list.iter().map(slice).collect::<Result<Vec<_>>>()?;
    RaggedMut::row_major_slices(slices, &shapes)
}

/// # Safety
/// As above.
unsafe fn inv<T: Element>(device: &Device, a: &[Matrices], to: &[Matrices]) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut out = ragged_mut::<T>(to)?;
        with_ragged::<T, _>(a, |a| Ok(device.invert_into(a, &mut out)?.into_vec()))
    }
}

/// # Safety
/// As above.
unsafe fn solve<T: Element>(device: &Device, a: &[Matrices], b: &[Matrices], to: &[Matrices]) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut x = ragged_mut::<T>(to)?;
        with_ragged::<T, _>(a, |a| with_ragged::<T, _>(b, |b| Ok(device.solve_into(a, b, &mut x)?.into_vec())))
    }
}

/// # Safety
/// As above; at `pivots` is room for those of one matrix after the other.
unsafe fn lu<T: Element>(device: &Device, a: &[Matrices], to: &[Matrices], pivots: usize) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut out = ragged_mut::<T::Scalar>(to)?;
        let pivots = values_mut::<u32>(pivots, a.iter().map(Matrices::rows).sum())?;
        with_ragged::<T, _>(a, |a| Ok(device.lu_into(a, &mut out, pivots)?.into_vec()))
    }
}

/// # Safety
/// As above; where `logs` leads there is room for as many as there are matrices.
unsafe fn det<T: Element>(device: &Device, a: &[Matrices], logs: Logs) -> Result<Vec<Status>> {
    // SAFETY: the caller's promise.
    unsafe {
        let det = with_ragged::<T, _>(a, |a| device.det(a))?;
        put(logs, &det)?;
        Ok(det.status.into_vec())
    }
}

/// `to` become the inverses of `a`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn inv_list(
    py: Python<'_>,
    name: &str,
    dtype: DType,
    method: Method,
    a: Vec<Matrices>,
    to: Vec<Matrices>,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let device = method.on(&device(py, name)?);
    released(py, || {
        // SAFETY: the caller's promise.
        let statuses = with_element!(dtype, T => unsafe { inv::<T>(&device, &a, &to) })?;
        // SAFETY: the caller's promise.
        Ok(unsafe { report(&statuses, status, check) })
    })
}

/// `to` become the solutions of A X = B.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn solve_list(
    py: Python<'_>,
    name: &str,
    dtype: DType,
    method: Method,
    a: Vec<Matrices>,
    b: Vec<Matrices>,
    to: Vec<Matrices>,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let device = method.on(&device(py, name)?);
    released(py, || {
        // SAFETY: the caller's promise.
        let statuses = with_element!(dtype, T => unsafe { solve::<T>(&device, &a, &b, &to) })?;
        // SAFETY: the caller's promise.
        Ok(unsafe { report(&statuses, status, check) })
    })
}

/// `to` become the factors of `a`, and what is at `pivots` the interchanges of one matrix after the other.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn lu_factor_list(
    py: Python<'_>,
    name: &str,
    dtype: DType,
    method: Method,
    a: Vec<Matrices>,
    to: Vec<Matrices>,
    pivots: usize,
    status: usize,
    check: bool,
) -> PyResult<Bad> {
    let device = method.on(&device(py, name)?);
    released(py, || {
        // SAFETY: the caller's promise.
        let statuses = with_element!(dtype, T => unsafe { lu::<T>(&device, &a, &to, pivots) })?;
        // SAFETY: the caller's promise.
        Ok(unsafe { report(&statuses, status, check) })
    })
}

/// What is at the addresses becomes the phases and logarithms of the determinants, and the determinants themselves.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's part names them")]
pub(crate) fn det_list(
    py: Python<'_>,
    name: &str,
    dtype: DType,
    method: Method,
    a: Vec<Matrices>,
    phase: usize,
    log_abs: usize,
    values: usize,
    status: usize,
) -> PyResult<()> {
    let device = method.on(&device(py, name)?);
    released(py, || {
        let logs = Logs { phase, log_abs, values };
        // SAFETY: the caller's promise.
        let statuses = with_element!(dtype, T => unsafe { det::<T>(&device, &a, logs) })?;
        // SAFETY: the caller's promise.
        unsafe { report(&statuses, status, false) };
        Ok(())
    })
}
