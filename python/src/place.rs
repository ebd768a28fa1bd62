//! Where a call's arrays are.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;
use warplu::Device;

use crate::error::released;

/// As the Python part says it: a device that works on host memory, by name, or a GPU's number, the handle of a stream
/// of it, and whether that stream is being captured into a graph.
#[derive(Debug)]
pub(crate) enum Place {
    Host(String),
    Gpu(u32, usize, bool),
}

impl<'py> FromPyObject<'_, 'py> for Place {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // Not by trying one after the other: a trial that fails makes an exception, which takes long.
        if object.is_instance_of::<PyString>() {
            return object.extract().map(Self::Host);
        }
        object.extract().map(|(ordinal, stream, captured)| Self::Gpu(ordinal, stream, captured))
    }
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

/// A stream's handle, as the driver has it.
pub(crate) fn handle(stream: usize) -> *mut std::ffi::c_void {
    std::ptr::with_exposed_provenance_mut(stream)
}
