//! How matrices are factored.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::str::FromStr;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warplu::{Device, Error, Pivoting, Structure, Triangle};

/// What is known of matrices, and how LU chooses its pivots. In Python it is the texts of both.
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

    /// The triangle of positive definite matrices, if they are such.
    pub(crate) fn definite(self) -> Option<Triangle> {
        match self.structure {
            Structure::PositiveDefinite(triangle) => Some(triangle),
            _ => None,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Method {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let texts: (Bound<'py, PyAny>, Bound<'py, PyAny>) = object.extract()?;
        Ok(Self { structure: parsed(&texts.0)?, pivoting: parsed(&texts.1)? })
    }
}

/// What a text says. Whatever is no text is named as what it is.
fn parsed<T: FromStr<Err = Error>>(text: &Bound<'_, PyAny>) -> PyResult<T> {
    text.str()?.to_cow()?.parse().map_err(|error: Error| PyValueError::new_err(error.to_string()))
}

/// The triangle that is meant.
pub(crate) fn triangle(upper: bool) -> Triangle {
    if upper { Triangle::Upper } else { Triangle::Lower }
}
