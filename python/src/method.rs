//! How matrices are factored.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warplu::{Device, Error, Pivoting, Structure, Triangle};

use crate::error::exception;

/// What is known of matrices, and how LU chooses its pivots. As the Python part has it: 0 for nothing known, 1 or 2 for
/// positive definite ones, from the lower triangle or the upper; and the pivoting's text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Method {
    structure: Structure,
    pivoting: Pivoting,
}

// Thresholds are never NaN.
impl Eq for Method {}

impl Hash for Method {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.structure.hash(state);
        discriminant(&self.pivoting).hash(state);
    }
}

impl Method {
    /// The device that does it so.
    pub(crate) fn on(self, device: &Device) -> Device {
        device.with(self.structure).with(self.pivoting)
    }
}

impl<'py> FromPyObject<'_, 'py> for Method {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (number, pivoting): (u8, Bound<'py, PyAny>) = object.extract()?;
        let structure = match number {
            0 => Structure::General,
            1 => Structure::PositiveDefinite(Triangle::Lower),
            2 => Structure::PositiveDefinite(Triangle::Upper),
            _ => return Err(exception(Error::Unsupported(format!("no structure has the number {number}")))),
        };
        // Whatever is no text is named as what it is.
        let parsed = pivoting.str()?.to_cow()?.parse();
        let pivoting = parsed.map_err(|error: Error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { structure, pivoting })
    }
}

/// The triangle that is meant.
pub(crate) fn triangle(upper: bool) -> Triangle {
    if upper { Triangle::Upper } else { Triangle::Lower }
}
