//! Where a call's arrays are.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use warplu::{Device, Error, Structure, Triangle};

use crate::error::{exception, released};

/// As the Python part says it: a device that works on host memory, by name, or a GPU's number, the handle of a stream
/// of it, and whether that stream is being captured into a graph.
#[derive(Debug, FromPyObject)]
pub(crate) enum Place {
    #[pyo3(transparent)]
    Host(String),
    Gpu(u32, usize, bool),
}

/// A stream of a GPU that a call works in.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) device: Device,
    pub(crate) ordinal: u32,
    pub(crate) stream: usize,
    pub(crate) captured: bool,
}

/// What is there to work with.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Host(Device),
    Gpu(Gpu),
}

/// Devices that were asked for, by name.
static OPEN: Mutex<Option<HashMap<String, Device>>> = Mutex::new(None);

impl Place {
    /// The machine, opened if it is not yet.
    pub(crate) fn machine(self, py: Python<'_>) -> PyResult<Machine> {
        match self {
            Self::Host(name) => Ok(Machine::Host(device(py, &name)?)),
            Self::Gpu(ordinal, stream, captured) => {
                let device = device(py, &format!("cuda:{ordinal}"))?;
                Ok(Machine::Gpu(Gpu { device, ordinal, stream, captured }))
            }
        }
    }
}

/// A device by name.
pub(crate) fn device(py: Python<'_>, name: &str) -> PyResult<Device> {
    let known = OPEN.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|open| open.get(name).cloned());
    if let Some(device) = known {
        return Ok(device);
    }
    // Not under the lock, which others wait for with Python's.
    let device = released(py, || Device::by_name(name))?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(open.get_or_insert_default().entry(name.to_owned()).or_insert(device).clone())
}

/// What is known of matrices: nothing, or that they are positive definite, from the lower triangle (1) or the upper (2).
pub(crate) fn structure(number: u8) -> PyResult<Structure> {
    match number {
        0 => Ok(Structure::General),
        1 => Ok(Structure::PositiveDefinite(Triangle::Lower)),
        2 => Ok(Structure::PositiveDefinite(Triangle::Upper)),
        _ => Err(exception(Error::Unsupported(format!("no structure has the number {number}")))),
    }
}

/// The triangle that is meant.
pub(crate) fn triangle(upper: bool) -> Triangle {
    if upper { Triangle::Upper } else { Triangle::Lower }
}

/// A stream's handle, as the driver has it.
pub(crate) fn handle(stream: usize) -> *mut std::ffi::c_void {
    std::ptr::with_exposed_provenance_mut(stream)
}
