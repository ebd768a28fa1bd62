//! Which devices there are.

use pyo3::prelude::*;
use warplu::Device;

use crate::error::released;

/// The name and a description of each device: the CPU, and the GPUs that answer.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<(String, String)>> {
    released(py, || {
        let mut devices = vec![Device::cpu()];
        // Without a driver there are none.
        let gpus = (0..Device::cuda_count().unwrap_or(0)).map(Device::cuda);
        devices.extend(gpus.filter_map(Result::ok));
        Ok(devices.iter().map(|device| (device.to_string(), device.info().to_string())).collect())
    })
}
